package trace_test

import (
	"fmt"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func TestLevels(t *testing.T) {
	objects := map[trace.Op]bool{trace.StoreCommit: true, trace.StoreCompact: true, trace.Input: true, trace.ComponentStart: true, trace.ComponentStop: true}
	for _, test := range []struct {
		level trace.Level
		keeps func(trace.Op) bool
	}{
		{trace.Off, func(trace.Op) bool { return false }},
		{trace.Objects, func(op trace.Op) bool { return objects[op] }},
		{trace.All, func(trace.Op) bool { return true }},
	} {
		rec := trace.NewRecorder(test.level)
		kept := 0
		for _, op := range trace.Ops() {
			want := test.keeps(op)
			cell := trace.Cell{Kind: trace.CellObject, Owner: "pods", Key: string(op)}
			id := rec.Record(trace.Event{Op: op, Component: "c"}, nil, []trace.Delta{trace.Set(cell, 1)}, 0)
			if want {
				kept++
			}
			if rec.Keeps(op) != want || (id != 0) != want || want && id != trace.ID(kept) || (rec.Now()[cell] != nil) != want {
				t.Errorf("level %d: %s: keeps %v, recorded as %d", test.level, op, rec.Keeps(op), id)
			}
		}
		if rec.Len() != kept {
			t.Errorf("level %d: %d events, want %d", test.level, rec.Len(), kept)
		}
	}
}

// TestObjectsAreTheSameAtEachLevel: what is kept does not change what happens.
func TestObjectsAreTheSameAtEachLevel(t *testing.T) {
	commits := func(level trace.Level) (out []string) {
		config := cluster.DefaultConfig()
		config.Nodes, config.Trace = cluster.NumberedNodes(1), level
		c := cluster.New(config, 1)
		defer c.Close()
		c.RunUntil(15 * time.Second)
		for i := range c.Trace().Len() {
			if e := c.Trace().Event(trace.ID(i + 1)); e.Op == trace.StoreCommit && e.Object.Resource != "leases" && e.Object.Resource != "events" {
				out = append(out, fmt.Sprint(e.At, e.Object, e.Attrs))
			}
		}
		return out
	}
	all, objects := commits(trace.All), commits(trace.Objects)
	if len(all) < 10 || fmt.Sprint(all) != fmt.Sprint(objects) {
		t.Errorf("%d commits with everything kept, %d with objects only", len(all), len(objects))
	}
	if off := commits(trace.Off); len(off) != 0 {
		t.Errorf("%d commits with nothing kept", len(off))
	}
}

func TestDeltas(t *testing.T) {
	rec := trace.NewRecorder(trace.All)
	a := trace.Cell{Kind: trace.CellCache, Owner: "c/pods", Key: "a"}
	b := trace.Cell{Kind: trace.CellCache, Owner: "c/pods", Key: "b"}
	record := func(deltas ...trace.Delta) *trace.Event {
		return rec.Event(rec.Record(trace.Event{Op: trace.CacheSet, Component: "c"}, nil, deltas, 0))
	}
	if e := record(trace.Set(a, "1"), trace.Set(b, "1")); len(e.Deltas) != 2 || e.Deltas[0].Old != nil {
		t.Errorf("%+v", e.Deltas)
	}
	if e := record(trace.Set(a, "1"), trace.Set(b, "2")); len(e.Deltas) != 1 || e.Deltas[0] != (trace.Delta{Cell: b, Old: "1", New: "2"}) {
		t.Errorf("what did not change is kept, or what it was is not: %+v", e.Deltas)
	}
	if e := record(trace.Unset(a), trace.Unset(trace.Cell{Kind: trace.CellCache})); len(e.Deltas) != 1 || e.Deltas[0] != (trace.Delta{Cell: a, Old: "1"}) {
		t.Errorf("%+v", e.Deltas)
	}
	if owned := rec.Owned("c"); fmt.Sprint(owned) != fmt.Sprint([]trace.Cell{b}) {
		t.Errorf("the component owns %v", owned)
	}
	if got := fmt.Sprint(rec.At(0), rec.At(1)[a], rec.At(2)[a], rec.At(3)[a], rec.At(3)[b]); got != "map[]11<nil>2" {
		t.Errorf("looking back: %s", got)
	}
}

// TestStacksOfARun is what a reader is shown of the code: files of the control
// plane, the innermost first, none of the simulation's or the host's.
func TestStacksOfARun(t *testing.T) {
	c := cluster.New(cluster.DefaultConfig(), 1)
	defer c.Close()
	c.RunUntil(12 * time.Second)
	rec := c.Trace()
	deepest := 0
	for id := 1; id < rec.Stacks().Len(); id++ {
		frames := rec.Stacks().Frames(trace.StackID(id))
		deepest = max(deepest, len(frames))
		for _, f := range frames {
			if !shown(f.File) || f.Line < 1 || f.Func == "" || f.Func == "cluster.(*Cluster).RunUntil" {
				t.Errorf("stack %d shows %+v", id, f)
			}
		}
	}
	if deepest < 4 {
		t.Errorf("the deepest of %d stacks has %d frames", rec.Stacks().Len(), deepest)
	}
	seen := 0
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		frames := rec.Stacks().Frames(e.Stack)
		if e.Op == trace.StoreCommit {
			seen++
			if len(frames) == 0 || !under(frames[0].File, "controlplane/store") || under(frames[len(frames)-1].File, "controlplane/store") {
				t.Errorf("event %d: a commit comes from %v", e.ID, frames)
			}
		}
	}
	if seen == 0 {
		t.Error("nothing was committed")
	}
}

func under(file, folder string) bool {
	prefix := "playground/" + folder + "/"
	return len(file) > len(prefix) && file[:len(prefix)] == prefix
}

func shown(file string) bool {
	return len(file) > 11 && file[:11] == "playground/" && !under(file, "sim") && !under(file, "trace") && !under(file, "demo/session")
}

// TestAHostIsInNoStack: the same run has the same stacks, whoever lets time
// pass, and however deep in its own calls it stands.
func TestAHostIsInNoStack(t *testing.T) {
	stacks := func(run func(c *cluster.Cluster)) string {
		config := cluster.DefaultConfig()
		config.Nodes = cluster.NumberedNodes(1)
		c := cluster.New(config, 1)
		defer c.Close()
		run(c)
		out := ""
		for id := range c.Trace().Stacks().Len() {
			for _, f := range c.Trace().Stacks().Frames(trace.StackID(id)) {
				out += fmt.Sprintf("%s:%d ", f.File, f.Line)
			}
			out += "\n"
		}
		return out
	}
	at := 5 * time.Second
	once := stacks(func(c *cluster.Cluster) { c.RunUntil(at) })
	bit := stacks(func(c *cluster.Cluster) {
		var deeper func(n int)
		deeper = func(n int) {
			if n > 0 {
				deeper(n - 1)
				return
			}
			for c.Elapsed() < at {
				c.RunUntil(c.Elapsed() + 10*time.Millisecond)
			}
		}
		deeper(30)
	})
	if once != bit {
		t.Errorf("another host gives other stacks:\n%s\n%s", once, bit)
	}
}
