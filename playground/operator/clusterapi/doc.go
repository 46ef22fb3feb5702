// Package clusterapi is Cluster API: three programs that make machines of objects, and know of each other nothing but fields of objects.
//
// Upstream: sigs.k8s.io/cluster-api v1.14, API version v1beta2 and its contract. Component "capi-controller-manager" is the core
// (core/reconcilers), "capi-kubeadm-bootstrap-controller-manager" the bootstrap provider (bootstrap/kubeadm/reconcilers), and
// "toy-controller-manager" an infrastructure provider of this book, for an imaginary cloud. Names, conditions, phases, messages, Events and the
// order of what happens are upstream's.
//
// Simplified: there is one cluster, so what upstream asks a workload cluster is asked here of the cluster itself, as in one that was moved into
// itself. Conditions of Clusters, MachineSets and MachineDeployments are few; what is applied upstream is created and patched. Absent: webhooks,
// KubeadmControlPlane, ClusterClass, MachinePools, MachineHealthChecks, in-place updates, hooks, MachineDrainRules, kubeconfigs and certificates.
package clusterapi
