// Package client reads from the cache and writes to the API server.
// Upstream: controller-runtime/pkg/client.
package client

import (
	"encoding/json"
	"reflect"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/operator/controllerruntime/cache"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/sim"
)

// Object is any object, and ObjectKey its name.
type (
	Object    = api.Object
	ObjectKey = types.NamespacedName
)

// Client is the part of upstream's that reconcilers of this project use.
type Client interface {
	// Get reads an object into obj. What it reads may be old, but not partly so.
	Get(ctx context.Context, key ObjectKey, obj Object) error
	Writer
	// Status writes nothing but the status.
	Status() SubResourceWriter
}

// Writer writes whole objects. Afterwards obj is what the server has stored.
type Writer interface {
	Create(ctx context.Context, obj Object) error
	Update(ctx context.Context, obj Object) error
	Delete(ctx context.Context, obj Object) error
	// Patch sends a JSON merge patch. Upstream: with RawPatch.
	Patch(ctx context.Context, obj Object, patch []byte) error
}

// SubResourceWriter writes a part that has a path of its own.
type SubResourceWriter interface {
	Update(ctx context.Context, obj Object) error
	Patch(ctx context.Context, obj Object, patch []byte) error
}

// IgnoreNotFound makes nil of the error that there is no such object.
func IgnoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// ObjectKeyFromObject is an object's name.
func ObjectKeyFromObject(obj Object) ObjectKey {
	return ObjectKey{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// New returns a client that reads from a cache.
func New(t client.Transport, c *cache.Cache) Client { return &delegating{t, c} }

type delegating struct {
	transport client.Transport
	cache     *cache.Cache
}

func (d *delegating) Get(ctx context.Context, key ObjectKey, obj Object) error {
	found, err := d.cache.Get(ctx.Proc, key, obj)
	if err != nil {
		return err
	}
	return Copy(found, obj)
}

func (d *delegating) Create(ctx context.Context, obj Object) error {
	return d.write(ctx.Proc, client.Create, "", obj)
}

func (d *delegating) Update(ctx context.Context, obj Object) error {
	return d.write(ctx.Proc, client.Update, "", obj)
}

func (d *delegating) Status() SubResourceWriter { return status{d} }

type status struct{ *delegating }

func (s status) Update(ctx context.Context, obj Object) error {
	return s.write(ctx.Proc, client.Update, "status", obj)
}

func (d *delegating) Delete(ctx context.Context, obj Object) error {
	kind, err := d.cache.KindFor(obj)
	if err != nil {
		return err
	}
	_, err = d.transport.Do(ctx.Proc, &client.Request{Verb: client.Delete, Resource: kind.GroupVersionResource(), Namespace: obj.GetNamespace(),
		Name: obj.GetName()})
	return err
}

func (d *delegating) Patch(ctx context.Context, obj Object, patch []byte) error {
	return d.patch(ctx.Proc, "", obj, patch)
}

func (s status) Patch(ctx context.Context, obj Object, patch []byte) error {
	return s.patch(ctx.Proc, "status", obj, patch)
}

func (d *delegating) patch(p *sim.Proc, subresource string, obj Object, patch []byte) error {
	kind, err := d.cache.KindFor(obj)
	if err != nil {
		return err
	}
	answer, err := client.As[api.Object](d.transport.Do(p, &client.Request{Verb: client.Patch, Resource: kind.GroupVersionResource(), Subresource: subresource,
		Namespace: obj.GetNamespace(), Name: obj.GetName(), PatchType: types.MergePatchType, Patch: patch}))
	if err != nil {
		return err
	}
	return Copy(answer, obj)
}

// write sends an object, and reads the answer into it.
func (d *delegating) write(p *sim.Proc, verb, subresource string, obj Object) error {
	kind, err := d.cache.KindFor(obj)
	if err != nil {
		return err
	}
	request := &client.Request{Verb: verb, Resource: kind.GroupVersionResource(), Subresource: subresource, Namespace: obj.GetNamespace()}
	if verb != client.Create {
		request.Name = obj.GetName()
	}
	if kind.Schema == nil {
		request.Object = obj.DeepCopyObject()
	} else {
		obj.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind)
		if request.Body, err = json.Marshal(obj); err != nil {
			return err
		}
	}
	answer, err := client.As[api.Object](d.transport.Do(p, request))
	if err != nil {
		return err
	}
	return Copy(answer, obj)
}

// Copy makes obj what from is. Of a kind that a definition has added, the server and the cache have JSON, of which obj is the Go type.
// Simplified: upstream decodes such an object when it arrives, not when it is read.
func Copy(from, obj Object) error {
	to := reflect.ValueOf(obj).Elem()
	custom, is := from.(*api.Unstructured)
	if _, same := obj.(*api.Unstructured); !is || same {
		to.Set(reflect.ValueOf(from.DeepCopyObject()).Elem())
		return nil
	}
	text, err := json.Marshal(custom)
	if err != nil {
		return err
	}
	to.SetZero()
	return json.Unmarshal(text, obj)
}
