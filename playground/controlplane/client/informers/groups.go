package informers

import (
	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/listers"
)

// ResourceInformer is a resource's place in a factory: asking for its informer
// or lister has the factory make it.
type ResourceInformer[L any] struct {
	factory   *sharedInformerFactory
	resource  api.GroupVersionResource
	newLister func(cache.Indexer) L
}

// Informer is the resource's informer in the factory.
func (r ResourceInformer[L]) Informer() cache.SharedIndexInformer {
	return r.factory.InformerFor(r.resource, nil)
}

// Lister reads the informer's cache.
func (r ResourceInformer[L]) Lister() L { return r.newLister(r.Informer().GetIndexer()) }

// What the accessors return, under upstream's names.
type (
	PodInformer        = ResourceInformer[listers.PodLister]
	NodeInformer       = ResourceInformer[listers.NodeLister]
	NamespaceInformer  = ResourceInformer[listers.NamespaceLister]
	ReplicaSetInformer = ResourceInformer[listers.ReplicaSetLister]
	DeploymentInformer = ResourceInformer[listers.DeploymentLister]
	LeaseInformer      = ResourceInformer[listers.LeaseLister]
)

// Groups, and their versions.
type (
	CoreGroup           struct{ f *sharedInformerFactory }
	AppsGroup           struct{ f *sharedInformerFactory }
	CoordinationGroup   struct{ f *sharedInformerFactory }
	CoreV1Informers     struct{ f *sharedInformerFactory }
	AppsV1Informers     struct{ f *sharedInformerFactory }
	CoordinationV1Group struct{ f *sharedInformerFactory }
)

func (f *sharedInformerFactory) Core() CoreGroup                 { return CoreGroup{f} }
func (f *sharedInformerFactory) Apps() AppsGroup                 { return AppsGroup{f} }
func (f *sharedInformerFactory) Coordination() CoordinationGroup { return CoordinationGroup{f} }

// V1 is the only version.
func (g CoreGroup) V1() CoreV1Informers { return CoreV1Informers(g) }

// V1 is the only version.
func (g AppsGroup) V1() AppsV1Informers { return AppsV1Informers(g) }

// V1 is the only version.
func (g CoordinationGroup) V1() CoordinationV1Group { return CoordinationV1Group(g) }

// Pods, with Informer() and Lister().
func (v CoreV1Informers) Pods() PodInformer {
	return PodInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "pods"}, listers.NewPodLister}
}

// Nodes, with Informer() and Lister().
func (v CoreV1Informers) Nodes() NodeInformer {
	return NodeInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "nodes"}, listers.NewNodeLister}
}

// Namespaces, with Informer() and Lister().
func (v CoreV1Informers) Namespaces() NamespaceInformer {
	return NamespaceInformer{v.f, api.GroupVersionResource{Version: "v1", Resource: "namespaces"}, listers.NewNamespaceLister}
}

// ReplicaSets, with Informer() and Lister().
func (v AppsV1Informers) ReplicaSets() ReplicaSetInformer {
	return ReplicaSetInformer{v.f, api.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}, listers.NewReplicaSetLister}
}

// Deployments, with Informer() and Lister().
func (v AppsV1Informers) Deployments() DeploymentInformer {
	return DeploymentInformer{v.f, api.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, listers.NewDeploymentLister}
}

// Leases, with Informer() and Lister().
func (v CoordinationV1Group) Leases() LeaseInformer {
	return LeaseInformer{v.f, api.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}, listers.NewLeaseLister}
}
