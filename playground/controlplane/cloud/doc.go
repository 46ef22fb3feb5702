// Package cloud is a cloud-controller-manager: what a cluster knows of the cloud that it runs in, and asks of it.
//
// Four controllers run in one program, component "cloud-controller-manager". One completes Nodes that a kubelet with
// --cloud-provider=external has registered: providerID, addresses, instance type, zone; until then they carry a taint. One
// taints the Nodes of instances that are shut down, and deletes those of instances that are gone. One gives Services of type
// LoadBalancer what they ask for. One has the cloud route packets to the Pods of each node, where the provider has routes; what no
// route leads to gets lost. Behind them is a Provider, the interface that each cloud implements; Cloud is a small one,
// whose calls take time and may fail (Outage). Its load balancers pass connections on to nodes' ports through a Frontend, which
// knows its routes, too.
//
// Simplified: patches are merge patches. Informers do not resync Services every 30 s, nor Nodes every 100 s: that would only
// have a load balancer that could not be taken away tried again sooner than its back-off says. Absent: errors that say when to
// try again, routes that know the addresses of nodes, and those that follow a watch (alpha), a second address family,
// labels reconciled between their beta and stable names, --node-ip, load balancer classes but to be left alone.
//
// Upstream: k8s.io/cloud-provider (app, controllers/node, controllers/nodelifecycle, controllers/service, controllers/route) and
// cmd/cloud-controller-manager.
package cloud
