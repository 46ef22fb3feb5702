package client

import "kubewalk/playground/api/coordinationv1"

// CoordinationV1Client are the resources of group coordination.k8s.io.
// Upstream: k8s.io/client-go/kubernetes/typed/coordination/v1.
type CoordinationV1Client struct{ transport Transport }

// LeaseInterface is what Leases returns.
type LeaseInterface = ResourceClient[*coordinationv1.Lease, *coordinationv1.LeaseList]

// Leases are the Leases of a namespace.
func (c CoordinationV1Client) Leases(namespace string) LeaseInterface {
	return newResource[*coordinationv1.Lease, *coordinationv1.LeaseList](c.transport, coordination, "leases", namespace)
}
