// Package record writes what happened to an object as core/v1 Events, which
// kubectl describe shows.
//
// Recording never holds up who records: events go through a queue to a process
// of their own, "events". Before one is written it is correlated, so that a
// loop that fails a thousand times leaves a handful of Events:
//
//   - The same event again is a PATCH of count and lastTimestamp on the Event
//     that is there.
//   - From the 10th that differ only in their message within 10 minutes on, they
//     are one Event: "(combined from similar events): …".
//   - A source may have 25 events about an object written at once, and one every
//     5 minutes after that. Others are dropped.
//
// An event that the server refuses is dropped; when the server is not there it
// is tried 12 times, 10 s apart. When 1000 wait, further ones are dropped. Events
// are best effort: nothing may depend on them.
//
// Upstream: k8s.io/client-go/tools/record. Names of Events end in the time in
// nanoseconds; since virtual time stands still while code runs, those below a
// microsecond come from the kernel's chance, and no two of a broadcaster are the
// same. Absent: StartStructuredLogging and StartEventWatcher.
package record
