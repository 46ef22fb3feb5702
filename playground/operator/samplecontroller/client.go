package samplecontroller

import (
	"encoding/json"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/sim"
)

// NewFooInformer returns an informer of the Foos of all namespaces.
// Upstream: pkg/generated/informers, FooInformer.
func NewFooInformer(t client.Transport, resync time.Duration) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(cache.NewListWatch(t, fooResource, "", nil), &api.Unstructured{}, resync, cache.Indexers{})
}

// FooLister reads Foos from an informer's cache.
// Upstream: pkg/generated/listers, FooLister.
type FooLister struct{ indexer cache.Indexer }

// Get returns a copy of a Foo.
func (l FooLister) Get(namespace, name string) (*Foo, error) {
	obj, exists, err := l.indexer.GetByKey(namespace + "/" + name)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, apierrors.NewNotFound(api.GroupResource{Group: SchemeGroupVersion.Group, Resource: "foo"}, name)
	}
	return decode(obj.(*api.Unstructured))
}

func decode(obj *api.Unstructured) (*Foo, error) {
	text, err := json.Marshal(obj.Fields)
	if err != nil {
		return nil, err
	}
	foo := &Foo{}
	if err := json.Unmarshal(text, foo); err != nil {
		return nil, err
	}
	obj.ObjectMeta.DeepCopyInto(&foo.ObjectMeta)
	foo.APIVersion, foo.Kind = fooKind.GroupVersion().String(), fooKind.Kind
	return foo, nil
}

// FooClient writes Foos.
// Upstream: pkg/generated/clientset, FooInterface.
type FooClient struct{ transport client.Transport }

// UpdateStatus replaces a Foo's status. If the kind has no subresource for that,
// there is nobody at this address.
func (c FooClient) UpdateStatus(p *sim.Proc, foo *Foo, opts metav1.UpdateOptions) error {
	body, err := json.Marshal(foo)
	if err != nil {
		return err
	}
	_, err = c.transport.Do(p, &client.Request{Verb: client.Update, Resource: fooResource, Subresource: "status",
		Namespace: foo.Namespace, Name: foo.Name, Body: body, FieldManager: opts.FieldManager})
	return err
}

// reference is a Foo as the subject of an Event.
func reference(foo *Foo) api.Object {
	return record.Ref(record.Reference(fooKind, foo))
}
