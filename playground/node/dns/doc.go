// Package dns is the cluster's name server, component "coredns": it answers from Services and EndpointSlices.
//
// It is reached as every Service is: its component makes the Service kube-system/kube-dns at 10.96.0.10 with a slice that
// names its own address, and a query goes through the rules of the node that it comes from. So names can only be resolved
// where kube-proxy has been.
//
// Answers (lookup.go) are CoreDNS' with the Corefile of kubeadm: addresses of Services and of the ready endpoints of headless
// ones, names of Pods with a hostname, SRV for named ports, CNAME for ExternalName, PTR for addresses of Services and endpoints, NXDOMAIN for what is
// not there, a TTL of 30 s. A client that keeps asking gets the addresses of a headless Service in another order each time.
//
// Simplified: it is a program of its own instead of two Pods, and its answers are not cached. Absent: IPv6, zone
// transfers, the other plugins.
//
// Upstream: github.com/coredns/coredns, plugin/kubernetes.
package dns
