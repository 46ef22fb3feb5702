// Package proxy is kube-proxy, component "kube-proxy/NODE": it makes rules of a node's packet filter out of Services and
// EndpointSlices.
//
// Changes of objects are collected (changes.go). At most once a second a sync folds them in and writes all rules anew
// (proxier.go, rules.go); the packet filter takes them at once and as a whole. In between the node works by the rules of
// before: that is why a Pod that ends goes on serving for a while, and why a request may still reach one that is gone.
//
// The mode is iptables, kube-proxy's default on Linux in 1.36 (nftables is stable and has to be asked for). Chains, their
// names and the rules' text are upstream's. What a rule means to a packet is package network's.
//
// It guarantees: rules name ready endpoints; where there are none, those that still serve while they terminate; where there
// are none of these either, the destination is rejected. With a policy of Local only endpoints of the node count, and a
// Service that has endpoints elsewhere only is dropped. A client with ClientIP affinity goes where it went before, while
// that endpoint is named.
//
// Simplified: every sync writes every rule, where upstream skips chains that did not change. Absent: IPv6, nftables and IPVS,
// load balancers' addresses (of those whose ipMode is Proxy, as in this cloud, upstream writes no rules either) and source ranges,
// health check ports, clearing of UDP connections (the wire keeps none).
//
// Upstream: pkg/proxy, pkg/proxy/iptables, cmd/kube-proxy.
package proxy
