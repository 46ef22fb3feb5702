package chaos_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/playground/check/chaos"
	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/session"
	"kubewalk/playground/trace"
)

// TestExperiments runs random experiments; many more of them run on both hosts in playground/check/trace.
func TestExperiments(t *testing.T) {
	for seed := uint64(1001); seed <= 1020; seed++ {
		_, wrong := chaos.Run(chaos.Random(seed))
		for _, w := range wrong {
			t.Errorf("seed %d: %s\n\tsee it with: go run ./playground/check/trace -random 1 -seed %d -print", seed, w, seed)
		}
	}
}

// TestDemos holds the demos that readers see to the same rules.
func TestDemos(t *testing.T) {
	files, err := filepath.Glob("../../../content/demos/*.yaml")
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
			if file.Scenario.Cluster.Trace != trace.All {
				t.Skip("most of what these checks look at is not kept in it")
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
			created, started := why(t, rec, name == "replicaset-scale")
			if (created == 0 || started == 0) && !idle[name] {
				t.Errorf("%d Pods were created and %d containers started", created, started)
			}
		})
	}
}

// idle are the demos that are about no Pod, or whose point is that no Pod comes or that none starts, or where all are in another cluster.
var idle = map[string]bool{"accurate": true, "cluster-api-workload": true, "first-bug-hunt": true, "kind-of-your-own": true, "six-starts": true,
	"teams-in-go": true}

// why walks from what a reader sees happen to a Pod back to what somebody did,
// and checks that the way leads through everybody who had a part in it. In an
// undisturbed cluster every way begins with a person and goes by watches;
// otherwise it may begin with a clock, and go by a list.
// It counts the Pods that were created, and the containers that started.
func why(t *testing.T, rec *trace.Recorder, undisturbed bool) (created, started int) {
	rest := func(by ...string) []string {
		if undisturbed {
			return by
		}
		return nil
	}
	before := map[string]bool{} // containers that ran, and their Pods; one that is started again need not come of a sandbox
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		switch {
		case e.Op == trace.StoreCommit && e.Object.Resource == "pods" && e.Text("type") == "ADDED":
			created++
			walk(t, rec, e, append(append([]string{"request.receive", "request.send"}, decided(t, rec, e)...),
				rest("watch.receive", "watch.send", "store.commit", "request.receive kubectl|kubelet", "input")...)...)
		case e.Op == trace.ContainerStart:
			started++
			key := e.Object.String() + " " + e.Text("container")
			switch {
			case before[key] && collected(rec, e): // by a clock: somebody's input was seen to only then
				walk(t, rec, e, "container.made", "sandbox.start", "log SyncPod enter", "log Creating Pod of StatefulSet", "log PodGC is force deleting Pod")
				continue
			case before[key]:
				walk(t, rec, e, "container.made", "log SyncPod enter|Container exited", "input")
				continue
			case static(rec, e):
				before[key] = true
				walk(t, rec, e, "container.made", "sandbox.start", "log SyncPod enter", "log SyncLoop ADD", "input")
				continue
			}
			if before[e.Object.String()] && !comesBy(rec, e, trace.SandboxStart) { // an ephemeral one joins a Pod that runs
				walk(t, rec, e, "container.made", "log SyncPod enter", "store.commit pods", "request.receive patch", "input")
				break
			}
			before[key], before[e.Object.String()] = true, true
			walk(t, rec, e, append([]string{"container.made", "sandbox.start", "log SyncLoop ADD", "cache.set"},
				rest("watch.receive", "store.commit pods", "request.send create", "pod.assume", "scheduling.pop", "scheduling.queue",
					"store.commit pods", "log Too few replicas", "input")...)...)
		case e.Op == trace.StoreCommit && e.Object.Resource == "pods" && e.Text("type") == "DELETED":
			walk(t, rec, e, append([]string{"request.receive"}, rest("request.send kubelet", "input")...)...)
		}
	}
	return created, started
}

// decided is the way from a Pod's creation back through whoever wanted the Pod.
func decided(t *testing.T, rec *trace.Recorder, e *trace.Event) []string {
	for e.Op != trace.RequestSend && e.Cause != 0 {
		e = rec.Event(e.Cause)
	}
	line, known := map[string]string{
		"replicaset-controller":  "Too few replicas",
		"daemon-set-controller":  "Nodes needing daemon pods for daemon set, creating",
		"statefulset-controller": "Creating Pod of StatefulSet",
		"job-controller":         "Too few pods running",
	}[e.Component]
	switch {
	case known:
		return []string{"log " + line, "queue.get", "queue.add"}
	case strings.HasPrefix(e.Component, "kubelet/"):
		return []string{"log Creating a mirror pod for static pod"}
	case e.Component != "kubectl":
		t.Errorf("event %d: %s creates a Pod: say what it logs before", e.ID, e.Component)
	}
	return []string{"input"}
}

// collected tells whether an event is about a Pod whose predecessor the Pods' garbage collector took.
func collected(rec *trace.Recorder, e *trace.Event) bool {
	return has(rec, e, func(c *trace.Event) bool { return c.Component == "pod-garbage-collector" })
}

// static tells whether an event is about a Pod that the kubelet read from a file.
func static(rec *trace.Recorder, e *trace.Event) bool {
	return has(rec, e, func(c *trace.Event) bool { return c.Text("message") == "SyncLoop ADD" && c.Text("source") == "file" })
}

// has tells whether such an event is among what led to another.
func has(rec *trace.Recorder, e *trace.Event, such func(*trace.Event) bool) bool {
	for e.Cause != 0 {
		if e = rec.Event(e.Cause); such(e) {
			return true
		}
	}
	return false
}

// comesBy tells whether an op is among what led to an event.
func comesBy(rec *trace.Recorder, e *trace.Event, op trace.Op) bool {
	return has(rec, e, func(c *trace.Event) bool { return c.Op == op })
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
