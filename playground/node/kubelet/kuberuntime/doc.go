// Package kuberuntime makes a Pod's containers in the runtime be what its spec
// asks for: it compares the two (computePodActions), then kills, creates and
// starts, one step after the other (SyncPod).
//
// Guarantees: a sync never starts a container that runs; it decides only by
// what the PLEG saw in the runtime, so a kubelet that was restarted decides the
// same; init containers run one after the other, and a container that failed is
// not started again before its back-off is over.
//
// Absent: stop signals other than SIGTERM, image pull credentials.
//
// Upstream: pkg/kubelet/kuberuntime and pkg/kubelet/images.
package kuberuntime
