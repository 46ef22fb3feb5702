// Package endpoint is the Endpoints controller: for each Service with a selector it keeps one Endpoints object, the old
// form of what EndpointSlices say.
//
// It exists because clusters still have both: Endpoints list at most 1000 addresses, change as a whole with every Pod, and
// do not know terminating ones. Nothing in the cluster here reads them; kube-proxy and DNS read EndpointSlices.
//
// Absent: metrics, IPv6.
//
// Upstream: pkg/controller/endpoint.
package endpoint
