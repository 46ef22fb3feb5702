// Package workqueue is what stands between noticing a change and acting on it:
// event handlers add keys, workers take them.
//
// It guarantees what upstream's k8s.io/client-go/util/workqueue guarantees:
//
//   - Fair: keys are handed out in the order in which they were added, and
//     workers that wait are served in the order in which they came.
//   - Stingy: a key that is added many times before it is processed is
//     processed once.
//   - One worker to a key: a key that is added while it is being processed is
//     processed again afterwards, never at the same time.
//   - A key may be put off (AddAfter), and put off longer with every failure
//     (AddRateLimited).
//
// Every step is in the trace: QueueAdd, QueueGet, QueueDone, QueueDelay, with
// the cells CellQueue and CellWorker. A key carries the event of its first Add;
// who gets it is due to that. So of ten changes that were merged into one key,
// the first is why the worker runs; the other nine are in the trace with the
// outcome "merged".
//
// A queue belongs to one component and dies with it: on a component that was
// stopped every call does nothing.
//
// Absent: metrics, the untyped names that upstream has deprecated, and
// TypedItemFastSlowRateLimiter. Ties between keys whose time comes at the same
// instant go to who was put off first; upstream leaves their order open.
package workqueue
