// Package nodelifecycle watches over nodes: when a kubelet falls silent, its
// Node becomes Unknown, is tainted so that nothing new is scheduled there and
// what runs there is evicted, and its Pods stop being ready, so that no traffic
// is sent to them.
//
// It learns of silence only by looking: every five seconds it compares each
// Node's status and lease with what it saw the last time, on its own clock. So
// it takes up to a grace period and one period until a dead node shows: the sign
// of life is noted up to a period late, and the first pass after the grace
// period finds that it is over.
// The eviction itself is the work of package tainteviction.
//
// Evicting is put on hold, or slowed down, when too many nodes fall silent at
// once, since then the network is more likely broken than the machines: zones
// and their states are upstream's, in full. A cluster whose nodes have no zone
// labels is one zone.
//
// Simplified: the pass that adds NoExecute taints runs every 100 ms only while
// a node waits for it. Absent: the reconciliation of the beta labels for
// operating system and architecture, metrics, DaemonSets (which only delay the
// start, until their cache is synced).
//
// Upstream: pkg/controller/nodelifecycle.
package nodelifecycle
