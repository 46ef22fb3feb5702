// Package cri is a node's container runtime, component "containerd/NODE", and
// the interface (CRI) through which the kubelet speaks to it.
//
// It is a program of its own, because that is what makes a kubelet's restart
// harmless: containers are children of the runtime, go on running, and are
// found again by whoever lists them. When the runtime's component stops, every
// container stops with it. What is on the node's disk stays (see Disk): images,
// and what containerd remembers of containers that no longer run.
//
// Calls that change something take time: the kubelet's process waits while a
// process of the runtime does the work, and they fail with a gRPC status when
// the runtime is not there. Calls that only read are answered at once.
// The trace shows sandboxes, images and containers, by this component.
//
// Programs. There are no real processes, so what a container's program does is
// read off its command, as a shell would: see Program. The image decides only
// how long the pull takes, or that it fails: see Registry.
//
// Simplified: sandboxes have one IPv4 address, from the node's range, in order;
// images are never collected as garbage; log files, exec, attach and port-forward are
// absent, and so are resource limits (nothing is throttled or killed for using
// too much memory).
//
// Upstream: k8s.io/cri-api/pkg/apis/runtime/v1, and containerd's
// internal/cri/server.
package cri
