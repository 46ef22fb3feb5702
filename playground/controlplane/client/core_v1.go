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
	ConfigMapInterface             = ResourceClient[*corev1.ConfigMap, *corev1.ConfigMapList]
	ComponentStatusInterface       = ResourceClient[*corev1.ComponentStatus, *corev1.ComponentStatusList]
	EndpointsInterface             = ResourceClient[*corev1.Endpoints, *corev1.EndpointsList]
	LimitRangeInterface            = ResourceClient[*corev1.LimitRange, *corev1.LimitRangeList]
	PersistentVolumeClaimInterface = ResourceClient[*corev1.PersistentVolumeClaim, *corev1.PersistentVolumeClaimList]
	PersistentVolumeInterface      = ResourceClient[*corev1.PersistentVolume, *corev1.PersistentVolumeList]
	PodTemplateInterface           = ResourceClient[*corev1.PodTemplate, *corev1.PodTemplateList]
	ReplicationControllerInterface = scalable[*corev1.ReplicationController, *corev1.ReplicationControllerList]
	ResourceQuotaInterface         = ResourceClient[*corev1.ResourceQuota, *corev1.ResourceQuotaList]
	SecretInterface                = ResourceClient[*corev1.Secret, *corev1.SecretList]
	ServiceAccountInterface        = ResourceClient[*corev1.ServiceAccount, *corev1.ServiceAccountList]
	ServiceInterface               = ResourceClient[*corev1.Service, *corev1.ServiceList]
	EventInterface                 = ResourceClient[*corev1.Event, *corev1.EventList]
	NamespaceInterface             = ResourceClient[*corev1.Namespace, *corev1.NamespaceList]
	NodeInterface                  = ResourceClient[*corev1.Node, *corev1.NodeList]
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

// ComponentStatuses are the cluster's ComponentStatuses.
func (c CoreV1Client) ComponentStatuses() ComponentStatusInterface {
	return newResource[*corev1.ComponentStatus, *corev1.ComponentStatusList](c.transport, core, "componentstatuses", "")
}

// Endpoints are the Endpoints of a namespace.
func (c CoreV1Client) Endpoints(namespace string) EndpointsInterface {
	return newResource[*corev1.Endpoints, *corev1.EndpointsList](c.transport, core, "endpoints", namespace)
}

// LimitRanges are the LimitRanges of a namespace.
func (c CoreV1Client) LimitRanges(namespace string) LimitRangeInterface {
	return newResource[*corev1.LimitRange, *corev1.LimitRangeList](c.transport, core, "limitranges", namespace)
}

// PersistentVolumeClaims are the PersistentVolumeClaims of a namespace.
func (c CoreV1Client) PersistentVolumeClaims(namespace string) PersistentVolumeClaimInterface {
	return newResource[*corev1.PersistentVolumeClaim, *corev1.PersistentVolumeClaimList](c.transport, core, "persistentvolumeclaims", namespace)
}

// PersistentVolumes are the cluster's PersistentVolumes.
func (c CoreV1Client) PersistentVolumes() PersistentVolumeInterface {
	return newResource[*corev1.PersistentVolume, *corev1.PersistentVolumeList](c.transport, core, "persistentvolumes", "")
}

// PodTemplates are the PodTemplates of a namespace.
func (c CoreV1Client) PodTemplates(namespace string) PodTemplateInterface {
	return newResource[*corev1.PodTemplate, *corev1.PodTemplateList](c.transport, core, "podtemplates", namespace)
}

// ReplicationControllers are the ReplicationControllers of a namespace.
func (c CoreV1Client) ReplicationControllers(namespace string) ReplicationControllerInterface {
	return ReplicationControllerInterface{newResource[*corev1.ReplicationController, *corev1.ReplicationControllerList](c.transport, core,
		"replicationcontrollers", namespace)}
}

// ResourceQuotas are the ResourceQuotas of a namespace.
func (c CoreV1Client) ResourceQuotas(namespace string) ResourceQuotaInterface {
	return newResource[*corev1.ResourceQuota, *corev1.ResourceQuotaList](c.transport, core, "resourcequotas", namespace)
}

// Secrets are the Secrets of a namespace.
func (c CoreV1Client) Secrets(namespace string) SecretInterface {
	return newResource[*corev1.Secret, *corev1.SecretList](c.transport, core, "secrets", namespace)
}

// ServiceAccounts are the ServiceAccounts of a namespace.
func (c CoreV1Client) ServiceAccounts(namespace string) ServiceAccountInterface {
	return newResource[*corev1.ServiceAccount, *corev1.ServiceAccountList](c.transport, core, "serviceaccounts", namespace)
}

// Services are the Services of a namespace.
func (c CoreV1Client) Services(namespace string) ServiceInterface {
	return newResource[*corev1.Service, *corev1.ServiceList](c.transport, core, "services", namespace)
}

// Bind says on which Node a Pod is to run. The server answers with a Status.
// Upstream: pod_expansion.go Bind.
func (c PodInterface) Bind(p *sim.Proc, binding *corev1.Binding, opts metav1.CreateOptions) error {
	_, err := c.transport.Do(p, c.at(&Request{Verb: Create, Name: binding.Name, Subresource: "binding", Object: binding,
		DryRun: isDryRun(opts.DryRun), FieldManager: opts.FieldManager}))
	return err
}
