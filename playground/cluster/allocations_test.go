package cluster

import (
	"runtime"
	"testing"

	"kubewalk/playground/trace"
)

// TestAllocationsOfEvents: what a run with a trace allocates more often than one without, for each event. An event, its attributes and its
// deltas are parts of pieces that many share (trace.Recorder), so what is left are the values themselves: a path, a message or an item of a
// queue behind an interface, and keys of cells that are made for the trace alone.
func TestAllocationsOfEvents(t *testing.T) {
	run := func(level trace.Level) (allocations uint64, events int) {
		c := settled(3, level)
		defer c.Close()
		var before, after runtime.MemStats
		from := c.Trace().Len()
		runtime.ReadMemStats(&before)
		c.replicasReady(t, 300)
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs, c.Trace().Len() - from
	}
	const most = 2.5
	off, _ := run(trace.Off)
	all, events := run(trace.All)
	each := (float64(all) - float64(off)) / float64(events)
	t.Logf("%d events, %.2f allocations each: %d with a trace, %d without", events, each, all, off)
	if each > most {
		t.Errorf("an event allocates %.2f times, more than %v: go test -bench 'BenchmarkReady/1000pods/(off|all)' -memprofile says where", each, most)
	}
}
