// Package builder puts a controller together from what it is for.
// Upstream: controller-runtime/pkg/builder.
package builder

import (
	"kubewalk/playground/api"
	"kubewalk/playground/operator/controllerruntime/controller"
	"kubewalk/playground/operator/controllerruntime/manager"
	"kubewalk/playground/operator/controllerruntime/predicate"
	"kubewalk/playground/operator/controllerruntime/reconcile"
)

// Builder collects.
type Builder struct {
	manager manager.Manager
	forKind api.GroupVersionKind
	watches []controller.Watch
	name    string
}

// ControllerManagedBy begins a controller of a manager.
func ControllerManagedBy(m manager.Manager) *Builder { return &Builder{manager: m} }

// Option says more of one watch.
type Option func(*controller.Watch)

// WithPredicates has a watch's events asked about.
func WithPredicates(predicates ...predicate.Predicate) Option {
	return func(w *controller.Watch) { w.Predicates = predicates }
}

// For names the kind that is reconciled: each of its events leads to a request.
func (b *Builder) For(obj api.Object, options ...Option) *Builder {
	b.forKind = b.manager.GetScheme().KindFor(obj)
	return b.watch(controller.Watch{Type: obj}, options)
}

// Owns names a kind whose objects have such an object as their controller: their events lead to that one's request. For comes first.
func (b *Builder) Owns(obj api.Object, options ...Option) *Builder {
	return b.watch(controller.Watch{Type: obj, Owner: b.forKind}, options)
}

// Watches names a kind whose events lead to the requests that to returns.
func (b *Builder) Watches(obj api.Object, to func(obj api.Object) []reconcile.Request) *Builder {
	return b.watch(controller.Watch{Type: obj, Map: to}, nil)
}

func (b *Builder) watch(w controller.Watch, options []Option) *Builder {
	for _, option := range options {
		option(&w)
	}
	b.watches = append(b.watches, w)
	return b
}

// Named gives the controller a name.
func (b *Builder) Named(name string) *Builder {
	b.name = name
	return b
}

// Complete is Build for those who need not know the controller.
func (b *Builder) Complete(r reconcile.Reconciler) error {
	_, err := b.Build(r)
	return err
}

// Build adds the controller to the manager.
func (b *Builder) Build(r reconcile.Reconciler) (*controller.Controller, error) {
	c := &controller.Controller{Name: b.name, Kind: b.forKind, Do: r, Watches: b.watches, Component: b.manager.Component(), Cache: b.manager.GetCache()}
	return c, b.manager.Add(c)
}
