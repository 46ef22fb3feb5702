// Package queue decides when a Pod is tried.
//
// A Pod without a node is in exactly one of four places:
//
//   - activeQ: it may be tried now. A heap, ordered by priority, then by time.
//   - backoffQ: it failed not long ago, and something happened that may help.
//     It waits for its backoff: 1 s, doubled with each failure, at most 10 s.
//   - unschedulablePods: it failed, and nothing has happened that may help, or a
//     PreEnqueue plugin gates it.
//   - in flight: a cycle has it. Events that come meanwhile are kept and looked
//     at when it comes back, since it was tried on an older picture.
//
// What may help is for the plugins to say that turned it down (queueing hints).
// When nothing does for 5 minutes, it is tried anyway.
//
// As upstream since 1.33 (SchedulerPopFromBackoffQ), a scheduler with nothing
// else to do does not let Pods sit out their backoff, except after errors.
//
// Guarantees: ties of time go to who was queued first; Pop blocks only its
// process; a Pod is handed to one cycle at a time. Every move is in the trace
// (SchedulingQueue, SchedulingPop, with CellScheduling), and who is popped is due
// to the move by which it became ready.
//
// Absent: the nominator, Pod groups, metrics.
//
// Upstream: pkg/scheduler/backend/queue.
package queue
