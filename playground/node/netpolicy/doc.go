// Package netpolicy makes NetworkPolicies true: it is the part of a network plugin that tells nodes which packets to drop,
// component "network-policy".
//
// A Pod that no policy selects takes and sends everything. One that is selected, for a direction, takes or sends what at
// least one rule of the policies that select it allows. A packet has to be allowed to leave and to enter. Answers of what was
// allowed pass. What is not allowed is dropped, so that a client waits in vain.
//
// It decides by its caches, as agents on nodes do: a Pod that is younger than the cache has no labels yet, and is nobody.
//
// Simplified: one program decides for all nodes, at once. The name server, which is no Pod here, counts as one with the label
// k8s-app=kube-dns in namespace kube-system. Absent: SCTP, policies of administrators.
//
// Upstream: the API is Kubernetes'; github.com/kubernetes-sigs/kube-network-policies is such an agent.
package netpolicy
