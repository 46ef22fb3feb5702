// Package ingress is an Ingress controller, component "ingress-controller", in the manner of ingress-nginx: it makes a table
// of hosts and paths out of Ingresses and passes requests from outside on to Pods.
//
// Kubernetes itself has only the objects; without a controller an Ingress does nothing. This one listens at port 80 and 443
// of a node's own address, takes the Ingresses of its class, and writes that address into their status. It goes to the
// endpoints itself, past the Service's address and kube-proxy's rules.
//
// It answers 404 for what no rule matches, 503 where a Service has no ready endpoint, 502 where the Pod refuses, 504 where it
// does not answer.
//
// Simplified: TLS is ended without being done: a secret is named and not read. The status is written at once, where
// ingress-nginx does so once a minute. Absent: canaries, rewrites, limits and the other annotations; resource backends.
//
// Upstream: github.com/kubernetes/ingress-nginx, internal/ingress/controller.
package ingress
