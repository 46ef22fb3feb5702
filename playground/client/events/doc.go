// Package events writes what happened to an object as events.k8s.io/v1 Events.
// The scheduler does so; everybody else still uses package record.
//
// Recording never holds up who records: a process of its own, "events", writes.
// An event that says the same as one of the last 6 minutes (type, action,
// reason, regarding, related, note) becomes a series: the second time the Event
// is patched with series.count 2. Further ones are only counted here, and
// written every 30 minutes while the series goes on and once when it has ended.
//
// Upstream: k8s.io/client-go/tools/events, which writes a series' end when it
// has been quiet for 6 minutes; so here. An event that the server refuses is
// dropped. Absent: the fallback to core/v1.
package events
