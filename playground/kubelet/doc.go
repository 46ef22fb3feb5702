// Package kubelet is the agent of a node, component "kubelet/NODE": it runs the
// Pods that are bound to its node and tells the API server how they are.
//
// How a Pod travels through it, under upstream's names:
//
//	informer (only Pods of this node) → syncLoop → HandlePodAdditions/Updates/…
//	  → podWorkers.UpdatePod → podWorkerLoop, one process a Pod
//	  → SyncPod → kuberuntime.SyncPod → CRI → the container runs
//	PLEG sees that in the runtime → syncLoop → UpdatePod → SyncPod
//	  → generateAPIPodStatus → status.Manager → PATCH pods/status
//
// Guarantees. A Pod's sync, termination and clean-up never run at once. What
// runs is decided by what the PLEG saw in the runtime, not by memory: a kubelet
// that is stopped and started again takes over its containers and starts none
// twice. A Pod is removed from the API only when all its containers are gone.
// It never sees Pods of other nodes: its watch has a field selector.
//
// The node: the kubelet registers it, renews its Lease every 10 s, and writes
// its status when it changes, and every five minutes at the latest.
//
// Simplified: resources of Pods are counted but not enforced; the node is always
// free of pressure; of admission only resources and the node selector are
// checked (the Pod is Failed with reason OutOfcpu, NodeAffinity …).
// Absent: static Pods, volumes, ConfigMaps and Secrets, eviction, resizing in
// place, device and topology managers, ephemeral containers, restart rules of
// single containers, the kubelet's own HTTP server (logs, exec), graceful
// shutdown of the node.
//
// Upstream: pkg/kubelet.
package kubelet
