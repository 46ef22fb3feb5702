// Package endpointslicemirroring is the EndpointSlice mirroring controller: what somebody wrote into the Endpoints of a Service without
// selector, it writes into EndpointSlices, which is what kube-proxy and the name server read.
//
// Each set of ports that some addresses share becomes a slice, at most; with addresses of both IP families it becomes two. The slices have the labels and
// annotations of the Endpoints, which own them, and go with them, with the Service, when that gets a selector, or when somebody labels the
// Endpoints with endpointslice.kubernetes.io/skip-mirror=true.
//
// Simplified: the endpoints of a slice are in the order of their addresses. Absent: metrics.
//
// Upstream: pkg/controller/endpointslicemirroring.
package endpointslicemirroring
