package client

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
)

// CoreV1Client are the resources of the core group.
// Upstream: k8s.io/client-go/kubernetes/typed/core/v1.
type CoreV1Client struct{ transport Transport }

// What the accessors return, under upstream's names.
type (
	ConfigMapInterface = ResourceClient[*corev1.ConfigMap, *corev1.ConfigMapList]
	EventInterface     = ResourceClient[*corev1.Event, *corev1.EventList]
	NamespaceInterface = ResourceClient[*corev1.Namespace, *corev1.NamespaceList]
	NodeInterface      = ResourceClient[*corev1.Node, *corev1.NodeList]
)

// PodInterface is what Pods returns.
type PodInterface struct {
	ResourceClient[*corev1.Pod, *corev1.PodList]
}

// Pods are the Pods of a namespace; metav1.NamespaceAll to read all.
func (c CoreV1Client) Pods(namespace string) PodInterface {
	return PodInterface{newResource[*corev1.Pod, *corev1.PodList](c.transport, core, "pods", namespace)}
}

// Nodes are the cluster's Nodes.
func (c CoreV1Client) Nodes() NodeInterface {
	return newResource[*corev1.Node, *corev1.NodeList](c.transport, core, "nodes", "")
}

// Namespaces are the cluster's Namespaces.
func (c CoreV1Client) Namespaces() NamespaceInterface {
	return newResource[*corev1.Namespace, *corev1.NamespaceList](c.transport, core, "namespaces", "")
}

// Events are the Events of a namespace, as v1 shows them.
func (c CoreV1Client) Events(namespace string) EventInterface {
	return newResource[*corev1.Event, *corev1.EventList](c.transport, core, "events", namespace)
}

// ConfigMaps are the ConfigMaps of a namespace.
func (c CoreV1Client) ConfigMaps(namespace string) ConfigMapInterface {
	return newResource[*corev1.ConfigMap, *corev1.ConfigMapList](c.transport, core, "configmaps", namespace)
}

// Bind says on which Node a Pod is to run. The server answers with a Status.
// Upstream: pod_expansion.go Bind.
func (c PodInterface) Bind(p *sim.Proc, binding *corev1.Binding, opts metav1.CreateOptions) error {
	_, err := c.transport.Do(p, c.at(&Request{Verb: Create, Name: binding.Name, Subresource: "binding", Object: binding,
		DryRun: isDryRun(opts.DryRun), FieldManager: opts.FieldManager}))
	return err
}
