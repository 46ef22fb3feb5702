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

var (
	core         = api.GroupVersion{Version: "v1"}
	apps         = api.GroupVersion{Group: "apps", Version: "v1"}
	coordination = api.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}
	events       = api.GroupVersion{Group: "events.k8s.io", Version: "v1"}
)
