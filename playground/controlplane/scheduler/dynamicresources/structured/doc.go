// Package structured finds devices for ResourceClaims: a search over the devices that ResourceSlices offer to one node, claim by claim, request
// by request and device by device, which goes back a step where it cannot go on, and ends with the first solution.
//
// It knows requests for a number of devices and for all of them, alternatives (firstAvailable), selectors of classes and requests, access for
// administrators, the constraints matchAttribute and distinctAttribute, taints, shared counters, and capacity: what is asked for is rounded up as
// the device's policy says, and a device that may be allocated several times is, as long as its capacity lasts.
// Pools and slices are tried in the order of their names, as upstream does where the beta features of Kubernetes 1.36 are on. Pools that are
// being replaced, or in which a device's name is there twice, have no devices.
//
// Simplified: the time that upstream gives the search for one node is a number of steps here.
//
// Upstream: k8s.io/dynamic-resource-allocation/structured, internal/incubating.
package structured
