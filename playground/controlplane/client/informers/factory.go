// Package informers gives a program one informer to each resource, however many
// of its parts ask for it.
//
// Upstream: k8s.io/client-go/informers, whose factory has the same names. A
// factory belongs to one component.
package informers

import (
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/sim"
)

// SharedInformerFactory makes and starts informers.
// Upstream: client-go/informers/factory.go SharedInformerFactory.
type SharedInformerFactory interface {
	// Start starts every informer that was asked for since the last Start.
	Start(p *sim.Proc)
	// WaitForCacheSync waits until all started informers have synced. Upstream
	// returns which did; here it does not return before all have.
	WaitForCacheSync(p *sim.Proc)
	// InformerFor returns the informer of a resource. The first to ask says, by
	// newFunc, how it is made; nil is the default.
	InformerFor(resource api.GroupVersionResource, newFunc NewInformerFunc) cache.SharedIndexInformer
	// Forget stops the informer of a resource that is no longer served. Whoever asks for it again gets another one.
	Forget(resource api.GroupVersionResource)

	Core() CoreGroup
	Apps() AppsGroup
	Coordination() CoordinationGroup
	Admissionregistration() AdmissionregistrationGroup
	Apiextensions() ApiextensionsGroup
	Apiregistration() ApiregistrationGroup
	Autoscaling() AutoscalingGroup
	Batch() BatchGroup
	Discovery() DiscoveryGroup
	Networking() NetworkingGroup
	Policy() PolicyGroup
	Rbac() RbacGroup
	Scheduling() SchedulingGroup
	Storage() StorageGroup
}

// NewInformerFunc makes an informer.
type NewInformerFunc func(cs *client.Clientset, resyncPeriod time.Duration) cache.SharedIndexInformer

// SharedInformerOption changes a factory.
type SharedInformerOption func(*sharedInformerFactory)

// WithNamespace limits all informers to a namespace.
func WithNamespace(namespace string) SharedInformerOption {
	return func(f *sharedInformerFactory) { f.namespace = namespace }
}

// WithTweakListOptions changes the options of all lists and watches, for
// instance FieldSelector = "spec.nodeName=node-1".
func WithTweakListOptions(tweak func(*metav1.ListOptions)) SharedInformerOption {
	return func(f *sharedInformerFactory) { f.tweak = tweak }
}

type sharedInformerFactory struct {
	clientset     *client.Clientset
	defaultResync time.Duration
	namespace     string
	tweak         func(*metav1.ListOptions)

	informers []*entry // in the order in which they were asked for
}

type entry struct {
	resource api.GroupVersionResource
	informer cache.SharedIndexInformer
	started  bool
}

// NewSharedInformerFactory returns a factory for all namespaces.
func NewSharedInformerFactory(cs *client.Clientset, defaultResync time.Duration) SharedInformerFactory {
	return NewSharedInformerFactoryWithOptions(cs, defaultResync)
}

// NewSharedInformerFactoryWithOptions returns a factory.
func NewSharedInformerFactoryWithOptions(cs *client.Clientset, defaultResync time.Duration, options ...SharedInformerOption) SharedInformerFactory {
	f := &sharedInformerFactory{clientset: cs, defaultResync: defaultResync}
	for _, option := range options {
		option(f)
	}
	return f
}

func (f *sharedInformerFactory) Start(p *sim.Proc) {
	for _, e := range f.informers {
		if !e.started {
			e.started = true
			p.Component().Go("informer/"+e.resource.Resource, e.informer.Run)
		}
	}
}

func (f *sharedInformerFactory) Forget(resource api.GroupVersionResource) {
	f.informers = slices.DeleteFunc(f.informers, func(e *entry) bool {
		if e.resource == resource {
			e.informer.Stop()
		}
		return e.resource == resource
	})
}

func (f *sharedInformerFactory) WaitForCacheSync(p *sim.Proc) {
	var synced []cache.InformerSynced
	for _, e := range f.informers {
		if e.started {
			synced = append(synced, e.informer.HasSynced)
		}
	}
	cache.WaitForCacheSync(p, synced...)
}

func (f *sharedInformerFactory) InformerFor(resource api.GroupVersionResource, newFunc NewInformerFunc) cache.SharedIndexInformer {
	for _, e := range f.informers {
		if e.resource == resource {
			return e.informer
		}
	}
	if newFunc == nil {
		newFunc = func(cs *client.Clientset, resync time.Duration) cache.SharedIndexInformer {
			return NewFilteredInformer(cs, resource, f.namespace, resync, f.tweak)
		}
	}
	e := &entry{resource: resource, informer: newFunc(f.clientset, f.defaultResync)}
	f.informers = append(f.informers, e)
	return e.informer
}

// NewFilteredInformer returns an informer of one resource, indexed by namespace,
// that is shared with nobody. tweak may narrow what it lists; it may be nil.
// Upstream: NewFilteredPodInformer and its like, one to each kind.
func NewFilteredInformer(cs *client.Clientset, resource api.GroupVersionResource, namespace string, resyncPeriod time.Duration,
	tweak func(*metav1.ListOptions)) cache.SharedIndexInformer {
	kind := api.KindForResource(resource)
	if kind == nil {
		kind = cs.Transport().Kinds().ForResource(resource)
	}
	if kind == nil {
		panic("informers: the API server does not serve " + resource.String() + " (a built-in kind belongs into playground/api/kinds.go)")
	}
	lw := cache.NewListWatch(cs.Transport(), resource, namespace, tweak)
	return cache.NewSharedIndexInformer(lw, kind.New(), resyncPeriod, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
}
