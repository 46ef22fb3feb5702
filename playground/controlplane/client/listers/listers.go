// Package listers reads an informer's cache in types. What is read may be
// stale, and is shared: DeepCopy before changing. All lists are in the order of
// the keys. What is not there is a NotFound error, as the API server gives.
//
// Upstream: k8s.io/client-go/listers, one package to each group and version;
// the names are the same.
package listers

import (
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/controlplane/client/cache"
)

// ResourceLister reads the objects of one resource: those of a namespace, or
// those that have none. Upstream: client-go/listers/generic_helpers.go ResourceIndexer.
type ResourceLister[T api.Object] struct {
	indexer   cache.Indexer
	resource  api.GroupResource
	namespace string
}

// List returns the objects with matching labels.
func (l ResourceLister[T]) List(selector labels.Selector) ([]T, error) {
	if l.namespace == "" {
		return matching[T](l.indexer.List(), selector), nil
	}
	if l.indexer.GetIndexers()[cache.NamespaceIndex] != nil {
		items, err := l.indexer.ByIndex(cache.NamespaceIndex, l.namespace)
		return matching[T](items, selector), err
	}
	var out []T
	for _, obj := range matching[T](l.indexer.List(), selector) {
		if obj.GetNamespace() == l.namespace {
			out = append(out, obj)
		}
	}
	return out, nil
}

// Get returns one object.
func (l ResourceLister[T]) Get(name string) (T, error) {
	obj, ok := l.Find(name)
	if !ok {
		return obj, apierrors.NewNotFound(l.singular(), name)
	}
	return obj, nil
}

// Find is Get for who asks for what is often not there: no error is made of that. Not upstream.
func (l ResourceLister[T]) Find(name string) (obj T, ok bool) {
	item, exists := l.indexer.Find(l.namespace, name)
	if !exists {
		return obj, false
	}
	return item.(T), true
}

// singular is the resource as listers name it in their errors: "pod", where the
// API server says "pods". Upstream: each lister's constructor, corev1.Resource("pod").
func (l ResourceLister[T]) singular() api.GroupResource {
	if name := singulars[l.resource]; name != "" {
		return api.GroupResource{Group: l.resource.Group, Resource: name}
	}
	return l.resource
}

var singulars = func() map[api.GroupResource]string {
	out := map[api.GroupResource]string{}
	for _, kind := range slices.Backward(api.AllKinds()) { // the first of a resource's counts
		out[kind.GroupResource()] = strings.ToLower(kind.Kind)
	}
	return out
}()

func matching[T api.Object](items []any, selector labels.Selector) []T {
	out := make([]T, 0, len(items))
	everything := selector == nil || selector.Empty()
	for _, item := range items {
		obj := item.(T)
		if everything || selector.Matches(labels.Set(obj.GetLabels())) {
			out = append(out, obj)
		}
	}
	return out
}

// What the listers of resources without namespaces, and those of one namespace, are called.
type (
	NodeLister                = ResourceLister[*corev1.Node]
	NamespaceLister           = ResourceLister[*corev1.Namespace]
	PodNamespaceLister        = ResourceLister[*corev1.Pod]
	ReplicaSetNamespaceLister = ResourceLister[*appsv1.ReplicaSet]
	DeploymentNamespaceLister = ResourceLister[*appsv1.Deployment]
	LeaseNamespaceLister      = ResourceLister[*coordinationv1.Lease]
)

// NewNodeLister reads Nodes.
func NewNodeLister(indexer cache.Indexer) NodeLister {
	return NodeLister{indexer: indexer, resource: api.GroupResource{Resource: "nodes"}}
}

// NewNamespaceLister reads Namespaces.
func NewNamespaceLister(indexer cache.Indexer) NamespaceLister {
	return NamespaceLister{indexer: indexer, resource: api.GroupResource{Resource: "namespaces"}}
}

// PodLister reads Pods.
type PodLister struct{ all ResourceLister[*corev1.Pod] }

// NewPodLister reads Pods.
func NewPodLister(indexer cache.Indexer) PodLister {
	return PodLister{ResourceLister[*corev1.Pod]{indexer: indexer, resource: api.GroupResource{Resource: "pods"}}}
}

// List returns the Pods of all namespaces with matching labels.
func (l PodLister) List(selector labels.Selector) ([]*corev1.Pod, error) { return l.all.List(selector) }

// Pods are those of one namespace.
func (l PodLister) Pods(namespace string) PodNamespaceLister { return l.all.in(namespace) }

// ReplicaSetLister reads ReplicaSets.
type ReplicaSetLister struct {
	all ResourceLister[*appsv1.ReplicaSet]
}

// NewReplicaSetLister reads ReplicaSets.
func NewReplicaSetLister(indexer cache.Indexer) ReplicaSetLister {
	return ReplicaSetLister{ResourceLister[*appsv1.ReplicaSet]{indexer: indexer, resource: api.GroupResource{Group: "apps", Resource: "replicasets"}}}
}

// List returns the ReplicaSets of all namespaces with matching labels.
func (l ReplicaSetLister) List(selector labels.Selector) ([]*appsv1.ReplicaSet, error) {
	return l.all.List(selector)
}

// ReplicaSets are those of one namespace.
func (l ReplicaSetLister) ReplicaSets(namespace string) ReplicaSetNamespaceLister {
	return l.all.in(namespace)
}

// DeploymentLister reads Deployments.
type DeploymentLister struct {
	all ResourceLister[*appsv1.Deployment]
}

// NewDeploymentLister reads Deployments.
func NewDeploymentLister(indexer cache.Indexer) DeploymentLister {
	return DeploymentLister{ResourceLister[*appsv1.Deployment]{indexer: indexer, resource: api.GroupResource{Group: "apps", Resource: "deployments"}}}
}

// List returns the Deployments of all namespaces with matching labels.
func (l DeploymentLister) List(selector labels.Selector) ([]*appsv1.Deployment, error) {
	return l.all.List(selector)
}

// Deployments are those of one namespace.
func (l DeploymentLister) Deployments(namespace string) DeploymentNamespaceLister {
	return l.all.in(namespace)
}

// LeaseLister reads Leases.
type LeaseLister struct {
	all ResourceLister[*coordinationv1.Lease]
}

// NewLeaseLister reads Leases.
func NewLeaseLister(indexer cache.Indexer) LeaseLister {
	return LeaseLister{ResourceLister[*coordinationv1.Lease]{indexer: indexer, resource: api.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}}}
}

// List returns the Leases of all namespaces with matching labels.
func (l LeaseLister) List(selector labels.Selector) ([]*coordinationv1.Lease, error) {
	return l.all.List(selector)
}

// Leases are those of one namespace.
func (l LeaseLister) Leases(namespace string) LeaseNamespaceLister { return l.all.in(namespace) }

func (l ResourceLister[T]) in(namespace string) ResourceLister[T] {
	l.namespace = namespace
	return l
}
