// Package events writes what happened to an object as events.k8s.io/v1 Events.
// The scheduler does so; everybody else still uses package record.
//
// Recording never holds up who records: each event is written by a process of
// its own, "events". An event of the same type, action and reason regarding the
// same version of an object as one of the last 6 minutes makes that a series,
// whatever its note: the second time the Event is patched with series.count 2.
// Further ones are only counted here, and written every 30 minutes while the
// series goes on, and once when it has been quiet for 6 minutes.
//
// An event that the server refuses is dropped; when the server is not there it
// is tried 12 times, 10 s apart.
//
// Upstream: k8s.io/client-go/tools/events. Absent: the fallback to core/v1, and
// the limit of 1000 events that were recorded and not taken up.
package events
