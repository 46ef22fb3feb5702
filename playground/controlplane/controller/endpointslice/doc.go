// Package endpointslice is the EndpointSlice controller: for each Service with a selector it keeps the slices that say
// where the Service's Pods are, and which of them take traffic.
//
// Whatever happens to a Service, one of its Pods or one of its slices puts the Service's key into a queue. A sync compares
// the Pods that the caches show with the slices that they show, and changes as few slices as it can: endpoints stay where
// they are, changed slices take what is new, and only what fits nowhere makes a slice (reconciler.go).
//
// It guarantees what upstream's does: it never acts on slices older than what it wrote itself (tracker.go); a terminating
// Pod stays listed, as serving and not ready, until its containers are gone.
//
// Simplified: handlers find a Pod's Services themselves, where upstream's have a queue of Pods in between; of the topology
// hints, those of spec.trafficDistribution are made, and those of the annotation (which weigh CPUs of zones) are not.
// Absent: IPv6, metrics.
//
// Upstream: pkg/controller/endpointslice and staging/src/k8s.io/endpointslice.
package endpointslice
