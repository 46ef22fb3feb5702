package client

import (
	"kubewalk/playground/api/discoveryv1"
)

// DiscoveryV1Client are the resources of group discovery.k8s.io.
// Upstream: k8s.io/client-go/kubernetes/typed/discovery/v1
type DiscoveryV1Client struct{ transport Transport }

// What the accessors return, under upstream's names.
type (
	EndpointSliceInterface = ResourceClient[*discoveryv1.EndpointSlice, *discoveryv1.EndpointSliceList]
)

// EndpointSlices are the EndpointSlices of a namespace.
func (c DiscoveryV1Client) EndpointSlices(namespace string) EndpointSliceInterface {
	return newResource[*discoveryv1.EndpointSlice, *discoveryv1.EndpointSliceList](c.transport, discovery, "endpointslices", namespace)
}
