// Package replicaset is the ReplicaSet controller: it keeps as many Pods alive
// as a ReplicaSet asks for.
//
// Whatever happens to a ReplicaSet or to a Pod puts the ReplicaSet's key into a
// queue (handlers.go). Workers take keys and compare what the caches show with
// what is wanted (replica_set.go), create or delete Pods (replicas.go) and write
// down what they saw (status.go). A sync never asks why it was called.
//
// It guarantees what upstream's does: no Pod is created or deleted twice because
// a cache was late (expectations; consistency), creation starts slowly so that
// a quota refuses a few Pods and not hundreds, and the least useful Pods go first.
//
// ReplicationControllers are synced by the same code, which sees them as
// ReplicaSets (replication_controller.go).
//
// Absent: metrics. The feature gates of 1.36 are at their defaults.
//
// Upstream: pkg/controller/replicaset and pkg/controller/replication.
package replicaset
