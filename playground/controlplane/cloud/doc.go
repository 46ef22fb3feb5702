// Package cloud is a cloud-controller-manager: what a cluster knows of the cloud that it runs in, and asks of it.
//
// Three controllers run in one program, component "cloud-controller-manager". One completes Nodes that a kubelet with
// --cloud-provider=external has registered: providerID, addresses, instance type, zone; until then they carry a taint. One
// taints the Nodes of instances that are shut down, and deletes those of instances that are gone. One gives Services of type
// LoadBalancer what they ask for. Behind them is a Provider, the interface that each cloud implements; Cloud is a small one,
// whose calls take time and may fail (Outage). Its load balancers pass connections on to nodes' ports through a Frontend.
//
// Simplified: patches are merge patches. Informers do not resync Services every 30 s, nor Nodes every 100 s: that would only
// have a load balancer that could not be taken away tried again sooner than its back-off says. Absent: errors that say when to
// try again, the route controller (the provider has no routes, so a real one is
// skipped, too), labels reconciled between their beta and stable names, --node-ip, load balancer classes but to be left alone.
//
// Upstream: k8s.io/cloud-provider (app, controllers/node, controllers/nodelifecycle, controllers/service) and
// cmd/cloud-controller-manager.
package cloud
