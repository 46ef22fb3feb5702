package chaos_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/playground/chaos"
	"kubewalk/playground/demofile"
	"kubewalk/playground/session"
	"kubewalk/playground/trace"
)

// TestExperiments runs random experiments; many more of them run on both hosts in playground/cmd/trace.
func TestExperiments(t *testing.T) {
	for seed := uint64(1001); seed <= 1020; seed++ {
		_, wrong := chaos.Run(chaos.Random(seed))
		for _, w := range wrong {
			t.Errorf("seed %d: %s\n\tsee it with: go run ./playground/cmd/trace -random 1 -seed %d -print", seed, w, seed)
		}
	}
}

// TestDemos holds the demos that readers see to the same rules.
func TestDemos(t *testing.T) {
	files, err := filepath.Glob("../../content/demos/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no demos: %v", err)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file, problems := demofile.Parse(name, path, src, nil)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			result, err := session.Record(file.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			rec := result.Session.Cluster().Trace()
			for _, check := range []func(*trace.Recorder) []string{chaos.Causes, chaos.Revisions, chaos.Watches, chaos.Caches, chaos.Queues, chaos.BoundTwice} {
				for _, w := range check(rec) {
					t.Error(w)
				}
			}
			why(t, rec, name == "replicaset-scale")
		})
	}
}

// why walks from what a reader sees happen to a Pod back to what somebody did,
// and checks that the way leads through everybody who had a part in it. In an
// undisturbed cluster every way begins with a person and goes by watches;
// otherwise it may begin with a clock, and go by a list.
func why(t *testing.T, rec *trace.Recorder, undisturbed bool) {
	rest := func(by ...string) []string {
		if undisturbed {
			return by
		}
		return nil
	}
	created, started := 0, 0
	for i := range rec.Events(1) {
		e := rec.Event(trace.ID(i + 1))
		switch {
		case e.Op == trace.StoreCommit && e.Object.Resource == "pods" && e.Text("type") == "ADDED":
			created++
			walk(t, rec, e, append([]string{"request.receive", "request.send", "log Too few replicas", "queue.get", "queue.add", "cache."},
				rest("watch.receive", "watch.send", "store.commit", "request.receive kubectl|kubelet", "input")...)...)
		case e.Op == trace.ContainerStart:
			started++
			walk(t, rec, e, append([]string{"container.made", "sandbox.start", "log SyncLoop ADD", "cache.set"},
				rest("watch.receive", "store.commit pods", "request.send create", "pod.assume", "scheduling.pop", "scheduling.queue",
					"store.commit pods", "log Too few replicas", "input")...)...)
		case e.Op == trace.StoreCommit && e.Object.Resource == "pods" && e.Text("type") == "DELETED":
			walk(t, rec, e, append([]string{"request.receive"}, rest("request.send kubelet", "input")...)...)
		}
	}
	if created == 0 || started == 0 {
		t.Errorf("%d Pods were created and %d containers started", created, started)
	}
}

// walk follows the causes of an event and demands that they come by certain
// places, in this order: the beginning of an op, and then a word of the event,
// or several with | between them.
func walk(t *testing.T, rec *trace.Recorder, e *trace.Event, by ...string) {
	t.Helper()
	var way []string
	for c := e; ; c = rec.Event(c.Cause) {
		line := string(c.Op) + " " + c.Component + " " + c.Object.String() + " " + c.Text("verb") + " " + c.Text("user") + " " + c.Text("message")
		way = append(way, line)
		if c != e && len(by) > 0 {
			op, words, _ := strings.Cut(by[0], " ")
			if strings.HasPrefix(string(c.Op), op) && containsAny(line, strings.Split(words, "|")) {
				by = by[1:]
			}
		}
		if c.Cause == 0 {
			break
		}
	}
	if len(by) > 0 {
		t.Errorf("event %d, %s: its causes do not come by %q:\n\t%s", e.ID, way[0], by[0], strings.Join(way, "\n\t"))
	}
}

func containsAny(line string, words []string) bool {
	for _, w := range words {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}
