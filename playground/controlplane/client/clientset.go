package client

import "kubewalk/playground/api"

// Clientset speaks to the API server in types: one accessor to each resource.
// Upstream: k8s.io/client-go/kubernetes Clientset.
type Clientset struct{ transport Transport }

// New returns a clientset over a transport.
func New(t Transport) *Clientset { return &Clientset{t} }

// Transport is what the clientset's requests go over.
func (c *Clientset) Transport() Transport { return c.transport }

// CoreV1 are the resources of the core group.
func (c *Clientset) CoreV1() CoreV1Client { return CoreV1Client{c.transport} }

// AppsV1 are the resources of group apps.
func (c *Clientset) AppsV1() AppsV1Client { return AppsV1Client{c.transport} }

// CoordinationV1 are the resources of group coordination.k8s.io.
func (c *Clientset) CoordinationV1() CoordinationV1Client { return CoordinationV1Client{c.transport} }

// EventsV1 are the resources of group events.k8s.io.
func (c *Clientset) EventsV1() EventsV1Client { return EventsV1Client{c.transport} }

// AdmissionregistrationV1 are the resources of group admissionregistration.k8s.io.
func (c *Clientset) AdmissionregistrationV1() AdmissionregistrationV1Client {
	return AdmissionregistrationV1Client{c.transport}
}

// ApiextensionsV1 are the resources of group apiextensions.k8s.io.
func (c *Clientset) ApiextensionsV1() ApiextensionsV1Client {
	return ApiextensionsV1Client{c.transport}
}

// ApiregistrationV1 are the resources of group apiregistration.k8s.io.
func (c *Clientset) ApiregistrationV1() ApiregistrationV1Client {
	return ApiregistrationV1Client{c.transport}
}

// AutoscalingV2 are the resources of group autoscaling.
func (c *Clientset) AutoscalingV2() AutoscalingV2Client { return AutoscalingV2Client{c.transport} }

// BatchV1 are the resources of group batch.
func (c *Clientset) BatchV1() BatchV1Client { return BatchV1Client{c.transport} }

// DiscoveryV1 are the resources of group discovery.k8s.io.
func (c *Clientset) DiscoveryV1() DiscoveryV1Client { return DiscoveryV1Client{c.transport} }

// NetworkingV1 are the resources of group networking.k8s.io.
func (c *Clientset) NetworkingV1() NetworkingV1Client { return NetworkingV1Client{c.transport} }

// PolicyV1 are the resources of group policy.
func (c *Clientset) PolicyV1() PolicyV1Client { return PolicyV1Client{c.transport} }

// RbacV1 are the resources of group rbac.authorization.k8s.io.
func (c *Clientset) RbacV1() RbacV1Client { return RbacV1Client{c.transport} }

// SchedulingV1 are the resources of group scheduling.k8s.io.
func (c *Clientset) SchedulingV1() SchedulingV1Client { return SchedulingV1Client{c.transport} }

// StorageV1 are the resources of group storage.k8s.io.
func (c *Clientset) StorageV1() StorageV1Client { return StorageV1Client{c.transport} }

var (
	core                  = api.GroupVersion{Version: "v1"}
	admissionregistration = api.GroupVersion{Group: "admissionregistration.k8s.io", Version: "v1"}
	apiextensions         = api.GroupVersion{Group: "apiextensions.k8s.io", Version: "v1"}
	apiregistration       = api.GroupVersion{Group: "apiregistration.k8s.io", Version: "v1"}
	apps                  = api.GroupVersion{Group: "apps", Version: "v1"}
	autoscaling2          = api.GroupVersion{Group: "autoscaling", Version: "v2"}
	batch                 = api.GroupVersion{Group: "batch", Version: "v1"}
	coordination          = api.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}
	discovery             = api.GroupVersion{Group: "discovery.k8s.io", Version: "v1"}
	events                = api.GroupVersion{Group: "events.k8s.io", Version: "v1"}
	networking            = api.GroupVersion{Group: "networking.k8s.io", Version: "v1"}
	policy                = api.GroupVersion{Group: "policy", Version: "v1"}
	rbac                  = api.GroupVersion{Group: "rbac.authorization.k8s.io", Version: "v1"}
	scheduling            = api.GroupVersion{Group: "scheduling.k8s.io", Version: "v1"}
	storage               = api.GroupVersion{Group: "storage.k8s.io", Version: "v1"}
)
