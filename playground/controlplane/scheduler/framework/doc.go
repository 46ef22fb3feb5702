// Package framework is the vocabulary of the scheduler: what a plugin is, at
// which points of a scheduling cycle it is asked, what it may answer, and what
// it is shown of the cluster.
//
// Names and meanings are those of upstream's k8s.io/kube-scheduler/framework
// and pkg/scheduler/framework, which are one package here because nothing
// outside this repository writes plugins against it. A *sim.Proc stands where
// upstream has a context.Context.
//
// Guarantees: a NodeInfo of a snapshot does not change during a cycle; plugins
// are asked in the order of the registry and nodes in the order of the snapshot,
// never in the order of a map; all amounts are whole numbers (CPU in
// thousandths of a core, memory in bytes).
//
// Absent: extenders, Pod groups and their cycles, placements, Pod signatures and
// batching, metrics.
package framework
