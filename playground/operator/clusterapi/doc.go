// Package clusterapi is Cluster API: four programs that make machines, and clusters of machines, of objects, and know of each other nothing but
// fields of objects.
//
// Upstream: sigs.k8s.io/cluster-api v1.14, API version v1beta2 and its contract. Component "capi-controller-manager" is the core
// (core/reconcilers), "capi-kubeadm-bootstrap-controller-manager" the bootstrap provider (bootstrap/kubeadm/reconcilers),
// "capi-kubeadm-control-plane-controller-manager" the control plane provider (controlplane/kubeadm), and
// "toy-controller-manager" an infrastructure provider of this book, for an imaginary cloud. Names, conditions, phases, messages, Events and the
// order of what happens are upstream's.
//
// A Cluster that names a control plane (spec.controlPlaneRef) is another cluster than the one in which the programs run: they speak to it with
// the kubeconfig in its Secret (kit.ClusterCache). One that names none is that cluster itself, as one that was moved into itself; then what
// upstream asks a workload cluster is asked there.
//
// Simplified: a control plane has one machine, which is never replaced. Conditions of Clusters, MachineSets and MachineDeployments are few; what
// is applied upstream is created and patched. A Cluster has a finalizer only if it names infrastructure or a control plane, and ToyClusters are
// looked after if their kind was there when the provider started. Certificates are texts that look like some. Absent: webhooks, the init lock,
// control planes of Machines without a KubeadmControlPlane, ClusterClass, MachinePools, MachineHealthChecks, in-place updates, upgrades of a
// control plane, hooks, MachineDrainRules.
package clusterapi
