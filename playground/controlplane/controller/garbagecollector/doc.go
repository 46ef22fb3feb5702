// Package garbagecollector deletes what nobody owns any more.
//
// From the owner references of all objects it keeps a graph: who depends on
// whom, by UID (graph.go). One process changes the graph as informers report
// (graph_builder.go). Workers take from two queues (garbagecollector.go): objects
// to be deleted, perhaps, because an owner went or waits; and objects whose
// dependents are to be orphaned. Before anything is deleted its owners are read
// from the API server, since the graph may be behind.
//
// The three ways to delete an owner:
//
//   - background: it is gone at once; its dependents lose their last owner and follow;
//   - foreground: it stays, with finalizer foregroundDeletion, until every
//     dependent is gone whose reference blocks it;
//   - orphan: it stays, with finalizer orphan, until it was taken out of its
//     dependents' references.
//
// Simplified: the kinds are those that the API serves, so nothing is discovered
// while it runs, and no kind changes its version; informers hold whole objects,
// where upstream's hold their metadata; patches are strategic merge patches
// only. Absent: metrics, the debugging handler.
//
// Upstream: pkg/controller/garbagecollector.
package garbagecollector
