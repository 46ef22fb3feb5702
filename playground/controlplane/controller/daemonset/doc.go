// Package daemonset is the DaemonSet controller: it keeps one Pod on each node
// that fits.
//
// The controller decides which nodes those are (nodes.go), and names each Pod's
// node in its affinity; the scheduler binds it there, like any Pod. Nodes and
// Pods that change put keys into a queue (handlers.go). A sync compares nodes
// with Pods (manage.go), replaces Pods of old templates as far as maxUnavailable
// or maxSurge allow (update.go), keeps ControllerRevisions (history.go) and
// writes the status (status.go).
//
// It guarantees what upstream's does: no node gets two Pods because a cache was
// late (expectations; consistency); of several on a node the oldest stays; a Pod
// that fails is replaced, ever more slowly.
//
// Absent: metrics. The feature gates of 1.36 are at their defaults.
//
// Upstream: pkg/controller/daemon.
package daemonset
