// Package kwok stands for many nodes at once: hollow ones, on which nothing
// runs. It is one program, component "kwok-controller", in the place of their
// kubelets: it makes the Nodes, renews their Leases, reports their Pods as
// running the moment they are bound, and takes away those that are to be deleted.
//
// Kubernetes' own tests of large clusters are made with such nodes: five
// thousand machines to learn what a control plane does are too dear. So what
// there is to see is the control plane, and only that: no image is pulled, no
// program starts, fails or is killed, nothing takes time on a node.
//
// How it treats a Pod, after KWOK's stages (stage-fast):
//
//	bound, no address yet    → PATCH pods/status: Running, Ready, an address of its node's range
//	of a Job, and running    → PATCH pods/status: Succeeded
//	has a deletionTimestamp  → DELETE, grace period 0
//
// A node that is said to be down (SetDown) falls silent: neither its Lease nor
// its Pods are touched any more, as when a machine loses power.
//
// Guarantees: no two Pods of a node that live have the same address; a Pod is
// treated by one worker at a time; a controller that is started again takes over
// what is there.
//
// Simplified: it makes the Nodes itself, which is kwokctl's work. Absent: delays,
// stages of one's own, logs, exec.
//
// Upstream: sigs.k8s.io/kwok, pkg/kwok/controllers (node_controller.go,
// node_lease_controller.go, pod_controller.go), kustomize/stage; kubemark in
// k8s.io/kubernetes, pkg/kubemark.
package kwok
