// Package kubelet is the agent of a node, component "kubelet/NODE": it runs the
// Pods that are bound to its node and tells the API server how they are.
//
// How a Pod travels through it, under upstream's names:
//
//	informer (only Pods of this node) → syncLoop → HandlePodAdditions/Updates/…
//	  → podWorkers.UpdatePod → podWorkerLoop, one process a Pod
//	  → SyncPod → volumeManager.WaitForAttachAndMount
//	  → kuberuntime.SyncPod → GenerateRunContainerOptions → CRI → the container runs
//	PLEG sees that in the runtime → syncLoop → UpdatePod → SyncPod
//	  → generateAPIPodStatus → status.Manager → PATCH pods/status
//	eviction manager → UpdatePod (kill) → SyncTerminatingPod
//
// Guarantees. A Pod's sync, termination and clean-up never run at once. What
// runs is decided by what the PLEG saw in the runtime, not by memory: a kubelet
// that is stopped and started again takes over its containers and starts none
// twice. A Pod is removed from the API only when all its containers are gone.
// It never sees Pods of other nodes, nor ConfigMaps and Secrets that no Pod of
// its own refers to: its watches have field selectors.
//
// The node: the kubelet registers it, renews its Lease every 10 s, and writes
// its status when it changes, and every five minutes at the latest.
//
// What others ask of it, beside the API, is Server: logs, commands in
// containers, what Pods use. Package cluster hands it to who needs it.
//
// Simplified: of cgroups there are limits of memory and CPU; when a node's memory
// is all used, nothing is killed before the eviction manager acts; a node has one disk;
// volumes need not be attached; tokens of service accounts are made up here, but on the port.
// Devices of ResourceClaims are prepared by package dra, where a cluster has devices.
// Absent: static Pods from a URL, device, topology, CPU and memory managers, user namespaces, swap, image credentials, streaming (attach,
// port-forward), graceful shutdown of the node, checkpoints.
//
// Upstream: pkg/kubelet.
package kubelet
