// Package network is the wire: what lies between Pods, nodes and the world outside.
//
// A request is resolved, translated and carried in steps that take virtual time, each of them an event: the name goes to
// the name server as a packet of its own; the client's node changes the destination by the rules that it has at that
// moment; the packet travels; who has the address answers, refuses, or is not there. Nothing here knows Services. Rules are
// what kube-proxy wrote, and nothing keeps them true: when kube-proxy is behind, or dead, packets go where they used to.
//
// Parts: Fabric carries packets; Node is one machine's part of it (component "netfilter/NODE"), with its rules (Ruleset),
// its connections and its memory of clients; a Host answers at an address that is no Pod's.
//
// Guarantees: done is called once, due to what brought the answer; not at all when the machine that asked has died meanwhile. A packet is evaluated once, when
// it leaves its
// node or reaches the one that its address belongs to; a connection keeps its translation.
//
// A port of a node that a Pod has (hostPort) leads to the Pod, behind the rules for Services, as with the CNI plugin portmap.
//
// Simplified: a request is one packet and its answer another, there are no handshakes, retransmissions or fragments; what
// nobody answers fails after a connection's time-out. Every node reaches every Pod directly, as with host routes, unless
// somebody says which routes there are (Route: a cloud's, package cluster), and nobody outside does; no network plugin is simulated.
// TLS is not: https is carried like http. A connection is known until it is answered; entries of UDP
// do not outlive their answer, so kube-proxy has no stale ones to clear. Absent: IPv6, ICMP. Who may speak to
// whom is a Gate's to say (package netpolicy); without one everybody may, as with a network plugin that knows no policies.
//
// Upstream: there is none in Kubernetes' own code; the kernel's netfilter and a CNI plugin do this.
package network
