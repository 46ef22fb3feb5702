// Package httpapi serves a cluster on a port, as the Kubernetes API over HTTPS: the real kubectl, client-go and whatever is
// written with them work against it. It runs the cluster in real time.
//
// A request becomes one of the control plane's own (package requestinfo), goes through the same simulated network, and
// takes the time that it takes there. One goroutine, the loop, runs the cluster; those of net/http hand it functions.
//
// Simplified: there is one user, who has a token and may do everything, beside the service accounts; answers are JSON or YAML, and protobuf
// only for who takes neither; discovery of everything at once, /version and OpenAPI are never protobuf; what a container prints on its standard
// error comes with its standard output, except of a command that somebody executes; what is typed gets to a command line by line.
//
// Upstream: apiserver/pkg/server (filters, routes) and apiserver/pkg/endpoints/handlers.
package httpapi
