package client

import (
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/strategicpatch"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
)

// ResourceClient speaks of one resource, in one namespace or in all: T is a
// pointer to its kind, L to the list of it.
//
// What it returns is shared with the store and with everybody else who read it:
// DeepCopy before changing. (Upstream's clients decode a copy for each caller.)
//
// Each package that holds a clientset compiles these methods again for every kind, so none of them is
// inlined into that: a package of a controller takes the compiler a quarter less.
//
// Upstream: k8s.io/client-go/gentype Client.
type ResourceClient[T api.Object, L api.List] struct {
	transport Transport
	resource  api.GroupVersionResource
	namespace string
}

func newResource[T api.Object, L api.List](t Transport, gv api.GroupVersion, resource, namespace string) ResourceClient[T, L] {
	return ResourceClient[T, L]{transport: t, resource: gv.WithResource(resource), namespace: namespace}
}

// do sends a request and expects a T.
//
//go:noinline
func (c ResourceClient[T, L]) do(p *sim.Proc, r *Request) (T, error) {
	return As[T](c.transport.Do(p, c.at(r)))
}

//go:noinline
func (c ResourceClient[T, L]) at(r *Request) *Request {
	r.Resource, r.Namespace = c.resource, c.namespace
	return r
}

// As narrows an answer to the type that was asked for.
func As[T any](answer Result, err error) (T, error) {
	var none T
	if err != nil {
		return none, err
	}
	if t, ok := answer.(T); ok {
		return t, nil
	}
	return none, fmt.Errorf("the server answered with %T instead of %T", answer, none)
}

func isDryRun(values []string) bool { return len(values) > 0 }

func subresource(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// Create makes a new object and returns it as the server stored it. The caller
// must not change obj afterwards; the same goes for Update.
//
//go:noinline
func (c ResourceClient[T, L]) Create(p *sim.Proc, obj T, opts metav1.CreateOptions) (T, error) {
	return c.do(p, &Request{Verb: Create, Object: obj, DryRun: isDryRun(opts.DryRun), FieldManager: opts.FieldManager})
}

// Update replaces an object. It is a conflict when the object's resource
// version is no longer the newest.
//
//go:noinline
func (c ResourceClient[T, L]) Update(p *sim.Proc, obj T, opts metav1.UpdateOptions) (T, error) {
	return c.update(p, obj, "", opts)
}

// UpdateStatus replaces an object's status and leaves its spec alone.
//
//go:noinline
func (c ResourceClient[T, L]) UpdateStatus(p *sim.Proc, obj T, opts metav1.UpdateOptions) (T, error) {
	return c.update(p, obj, "status", opts)
}

//go:noinline
func (c ResourceClient[T, L]) update(p *sim.Proc, obj T, sub string, opts metav1.UpdateOptions) (T, error) {
	return c.do(p, &Request{Verb: Update, Name: obj.GetName(), Subresource: sub, Object: obj,
		DryRun: isDryRun(opts.DryRun), FieldManager: opts.FieldManager})
}

// Get reads one object from the server, not from a cache.
//
//go:noinline
func (c ResourceClient[T, L]) Get(p *sim.Proc, name string, opts metav1.GetOptions) (T, error) {
	return c.do(p, &Request{Verb: Get, Name: name, List: metav1.ListOptions{ResourceVersion: opts.ResourceVersion}})
}

// List reads all objects that the selectors match.
//
//go:noinline
func (c ResourceClient[T, L]) List(p *sim.Proc, opts metav1.ListOptions) (L, error) {
	return As[L](c.transport.Do(p, c.at(&Request{Verb: List, List: opts})))
}

// Watch opens a stream of changes from a resource version on.
//
//go:noinline
func (c ResourceClient[T, L]) Watch(p *sim.Proc, opts metav1.ListOptions) (Stream, error) {
	opts.Watch = true
	return c.transport.Watch(p, c.at(&Request{Verb: Watch, List: opts}))
}

// Patch changes parts of an object, or of a subresource of it.
//
//go:noinline
func (c ResourceClient[T, L]) Patch(p *sim.Proc, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (T, error) {
	return c.do(p, &Request{Verb: Patch, Name: name, PatchType: pt, Patch: data, Subresource: subresource(subresources),
		DryRun: isDryRun(opts.DryRun), FieldManager: opts.FieldManager, Force: opts.Force != nil && *opts.Force})
}

// PatchStatus gives an object another status.
//
//go:noinline
func (c ResourceClient[T, L]) PatchStatus(p *sim.Proc, name string, change *strategicpatch.Status, opts metav1.PatchOptions) (T, error) {
	return c.do(p, &Request{Verb: Patch, Name: name, PatchType: types.StrategicMergePatchType, Status: change, Subresource: "status",
		DryRun: isDryRun(opts.DryRun), FieldManager: opts.FieldManager})
}

// Delete asks for an object's end, which may take a while: see its deletionTimestamp.
//
//go:noinline
func (c ResourceClient[T, L]) Delete(p *sim.Proc, name string, opts metav1.DeleteOptions) error {
	_, err := c.transport.Do(p, c.at(&Request{Verb: Delete, Name: name, Delete: opts, DryRun: isDryRun(opts.DryRun)}))
	return err
}

// DeleteCollection asks for the end of all objects that the selectors match.
//
//go:noinline
func (c ResourceClient[T, L]) DeleteCollection(p *sim.Proc, opts metav1.DeleteOptions, list metav1.ListOptions) error {
	_, err := c.transport.Do(p, c.at(&Request{Verb: DeleteCollection, Delete: opts, List: list, DryRun: isDryRun(opts.DryRun)}))
	return err
}
