package trace_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"testing"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

var update = flag.Bool("update", false, "rewrite testdata")

// tiny is a run that has one of everything that Print writes.
func tiny() *trace.Recorder {
	rec := trace.NewRecorder(trace.All)
	k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), rec)
	defer k.Close()
	c := k.Start("replicaset-controller")
	ref := trace.Ref{Resource: "replicasets", Namespace: "default", Name: "web"}
	queue := trace.Cell{Kind: trace.CellQueue, Owner: "replicaset", Key: "default/web"}
	id := k.Emit(trace.Input, ref, trace.Attrs("kind", "scale", "replicas", 8))
	k.Because(id, func() {
		c.Go("worker-1", func(p *sim.Proc) {
			p.Emit(trace.QueueAdd, ref, trace.Attrs("queue", "replicaset", "key", "default/web", "outcome", "queued"),
				trace.Set(queue, trace.QueueItem{Dirty: true}))
			p.Sleep(1234567 * time.Nanosecond)
			p.Emit(trace.QueueGet, ref, trace.Attrs("queue", "replicaset", "key", "default/web"),
				trace.Set(queue, trace.QueueItem{Position: -1, Processing: true}),
				trace.Set(trace.Cell{Kind: trace.CellWorker, Owner: "replicaset-controller", Key: "worker-1"}, "default/web"))
			p.Logger().V(2).Info("Too few replicas", "need", 8, "creating", 5, "empty", "", "equals", "a=b", "quoted", `say "hi"`, "lines", "a\nb", "ok", true)
			p.Logger().Error(errors.New("it is full"), "Unable to create pods", "after", 1500*time.Millisecond)
			p.Emit(trace.QueueDone, ref, trace.Attrs("queue", "replicaset", "key", "default/web"), trace.Unset(queue))
		})
	})
	k.RunUntil(time.Second)
	k.After(11*time.Second, func() { c.Stop("killed") })
	k.RunUntil(time.Minute)
	return rec
}

func TestPrint(t *testing.T) {
	var b bytes.Buffer
	if err := tiny().Print(&b); err != nil {
		t.Fatal(err)
	}
	const file = "testdata/tiny.txt"
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("got\n%s\nwant\n%s\nif it is right: go test ./playground/trace -update", b.Bytes(), want)
	}
}

func TestPrintSaysWhichValueCannotBeWritten(t *testing.T) {
	rec := trace.NewRecorder(trace.All)
	rec.Record(trace.Event{Op: trace.Log, Component: "c"}, nil, []trace.Delta{trace.Set(trace.Cell{Kind: trace.CellCache, Owner: "o", Key: "k"},
		make(unwritable))}, 0)
	err := rec.Print(&bytes.Buffer{})
	if err == nil || err.Error() != "event 1: cache o k: json: unsupported type: trace_test.unwritable" {
		t.Errorf("got %v", err)
	}
}

// unwritable is comparable and no JSON.
type unwritable chan int
