package api

import (
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/eventsv1"
	"kubewalk/playground/api/schema"
)

// The groups and versions served.
var (
	core         = schema.GroupVersion{Version: "v1"}
	apps         = schema.GroupVersion{Group: "apps", Version: "v1"}
	autoscaling  = schema.GroupVersion{Group: "autoscaling", Version: "v1"}
	coordination = schema.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}
	events       = schema.GroupVersion{Group: "events.k8s.io", Version: "v1"}
)

// inAll is the category of what `kubectl get all` shows.
var inAll = []string{"all"}

// kinds is every kind served, in the order in which an ambiguous name is resolved ("events" is the core group's).
// To serve another, add its types to gen/packages.go and a line here.
var kinds = []*Kind{
	{GroupVersionKind: core.WithKind("Binding"), Resource: "bindings", Singular: "binding", Namespaced: true,
		New: func() Object { return new(corev1.Binding) }},
	{GroupVersionKind: core.WithKind("ConfigMap"), Resource: "configmaps", Singular: "configmap", ShortNames: []string{"cm"}, Namespaced: true,
		New: func() Object { return new(corev1.ConfigMap) }, NewList: func() List { return new(corev1.ConfigMapList) }},
	{GroupVersionKind: core.WithKind("Event"), Resource: "events", Singular: "event", ShortNames: []string{"ev"}, Namespaced: true,
		New: func() Object { return new(corev1.Event) }, NewList: func() List { return new(corev1.EventList) }},
	{GroupVersionKind: core.WithKind("Namespace"), Resource: "namespaces", Singular: "namespace", ShortNames: []string{"ns"},
		Subresources: []Subresource{{Name: "finalize"}, {Name: "status"}},
		New:          func() Object { return new(corev1.Namespace) }, NewList: func() List { return new(corev1.NamespaceList) }},
	{GroupVersionKind: core.WithKind("Node"), Resource: "nodes", Singular: "node", ShortNames: []string{"no"},
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(corev1.Node) }, NewList: func() List { return new(corev1.NodeList) }},
	{GroupVersionKind: core.WithKind("Pod"), Resource: "pods", Singular: "pod", ShortNames: []string{"po"}, Categories: inAll, Namespaced: true,
		Subresources: []Subresource{{Name: "binding", Kind: core.WithKind("Binding")}, {Name: "ephemeralcontainers"}, {Name: "resize"}, {Name: "status"}},
		New:          func() Object { return new(corev1.Pod) }, NewList: func() List { return new(corev1.PodList) }},
	{GroupVersionKind: core.WithKind("Secret"), Resource: "secrets", Singular: "secret", Namespaced: true,
		New: func() Object { return new(corev1.Secret) }, NewList: func() List { return new(corev1.SecretList) }},
	{GroupVersionKind: core.WithKind("ServiceAccount"), Resource: "serviceaccounts", Singular: "serviceaccount", ShortNames: []string{"sa"}, Namespaced: true,
		New: func() Object { return new(corev1.ServiceAccount) }, NewList: func() List { return new(corev1.ServiceAccountList) }},
	{GroupVersionKind: core.WithKind("Service"), Resource: "services", Singular: "service", ShortNames: []string{"svc"}, Categories: inAll, Namespaced: true,
		Subresources: []Subresource{{Name: "status"}},
		New:          func() Object { return new(corev1.Service) }, NewList: func() List { return new(corev1.ServiceList) }},
	{GroupVersionKind: apps.WithKind("Deployment"), Resource: "deployments", Singular: "deployment", ShortNames: []string{"deploy"}, Categories: inAll, Namespaced: true,
		Subresources: []Subresource{{Name: "scale", Kind: autoscaling.WithKind("Scale")}, {Name: "status"}},
		New:          func() Object { return new(appsv1.Deployment) }, NewList: func() List { return new(appsv1.DeploymentList) }},
	{GroupVersionKind: apps.WithKind("ReplicaSet"), Resource: "replicasets", Singular: "replicaset", ShortNames: []string{"rs"}, Categories: inAll, Namespaced: true,
		Subresources: []Subresource{{Name: "scale", Kind: autoscaling.WithKind("Scale")}, {Name: "status"}},
		New:          func() Object { return new(appsv1.ReplicaSet) }, NewList: func() List { return new(appsv1.ReplicaSetList) }},
	{GroupVersionKind: autoscaling.WithKind("Scale"), Namespaced: true,
		New: func() Object { return new(autoscalingv1.Scale) }},
	{GroupVersionKind: coordination.WithKind("Lease"), Resource: "leases", Singular: "lease", Namespaced: true,
		New: func() Object { return new(coordinationv1.Lease) }, NewList: func() List { return new(coordinationv1.LeaseList) }},
	{GroupVersionKind: events.WithKind("Event"), Resource: "events", Singular: "event", ShortNames: []string{"ev"}, Namespaced: true,
		New: func() Object { return new(eventsv1.Event) }, NewList: func() List { return new(eventsv1.EventList) }},
}
