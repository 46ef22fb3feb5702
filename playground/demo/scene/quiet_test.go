package scene_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/trace"
)

// A log sets off nothing. What comes after it is as quiet as what led to it:
// a verbose log does not make its component's next step quiet, and one that is
// told of a heartbeat does not make it loud.
func TestLogPassesOnItsCause(t *testing.T) {
	pod := trace.Ref{Resource: "pods", Namespace: "default", Name: "web-x2k9p"}
	lease := trace.Ref{Resource: "leases", Namespace: "kube-node-lease", Name: "node-1"}
	for _, c := range []struct {
		about trace.Ref
		log   []any
		want  string // of the commit, the watch event, the log, the queue's key: L loud, q quiet
	}{
		{pod, []any{"message", "Pod created", "v", 4}, "LLqL"},
		{pod, []any{"message", "Add event for unscheduled pod", "v", 3}, "LLLL"},
		{pod, []any{"message", "Boom", "v", 0, "error", "no"}, "LLLL"},
		{lease, []any{"message", "Lease seen", "v", 4}, "qqqq"},
		{lease, []any{"message", "Lease seen", "v", 2}, "qqqq"},
		{lease, []any{"message", "Lease seen", "v", 0}, "qqLq"},
		{lease, []any{"message", "Boom", "v", 0, "error", "no"}, "qqLq"},
	} {
		q := scene.NewQuiet(scene.Options{Insides: scene.DefaultInsides})
		got := ""
		for i, e := range []trace.Event{
			{Component: "etcd", Op: trace.StoreCommit, Object: c.about, Attrs: trace.Attrs("type", "ADDED", "revision", int64(7))},
			{Component: "replicaset-controller", Op: trace.WatchReceive, Object: c.about, Attrs: trace.Attrs("type", "ADDED")},
			{Component: "replicaset-controller", Op: trace.Log, Attrs: trace.Attrs(c.log...)},
			{Component: "replicaset-controller", Op: trace.QueueAdd, Attrs: trace.Attrs("queue", "replicaset", "key", "default/web", "outcome", "queued")},
		} {
			e.ID, e.Cause = trace.ID(i+1), trace.ID(i)
			if q.Judge(&e) {
				got += "q"
			} else {
				got += "L"
			}
		}
		if got != c.want {
			t.Errorf("%v after a commit of %s: %s, not %s", c.log, c.about, got, c.want)
		}
	}
}

// What the chapters are about is never folded away, and the heartbeat of a
// cluster always is.
func TestWhatIsQuietInACluster(t *testing.T) {
	eight := int32(8)
	c := cluster.New(cluster.DefaultConfig(), 3)
	web := `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},
"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx:1.27"}]}}}}`
	for _, in := range []cluster.Input{
		{At: 10 * time.Second, Kind: cluster.Apply, Manifest: json.RawMessage(web)},
		{At: 20 * time.Second, Kind: cluster.Scale, Resource: "replicasets", Name: "web", Replicas: &eight},
		{At: 30 * time.Second, Kind: cluster.KillNode, Node: "node-2"},
	} {
		if err := c.Schedule(in); err != nil {
			t.Fatal(err)
		}
	}
	c.RunUntil(120 * time.Second)
	c.Close()
	followed := map[string]func(e *trace.Event) bool{
		"a decision of the ReplicaSet controller": func(e *trace.Event) bool { return message(e, "Too few replicas") },
		"its queue": func(e *trace.Event) bool {
			return e.Component == "replicaset-controller" && (e.Op == trace.QueueAdd || e.Op == trace.QueueGet || e.Op == trace.QueueDone)
		},
		"a binding": func(e *trace.Event) bool { return strings.HasSuffix(e.Text("path"), "/binding") },
		"a binding's decision": func(e *trace.Event) bool {
			return e.Op == trace.PodAssume || e.Op == trace.SchedulingPop || message(e, "Attempting to bind pod to node")
		},
		"a container": func(e *trace.Event) bool { return e.Op == trace.ContainerStart },
		"a Pod's revision": func(e *trace.Event) bool {
			return e.Op == trace.StoreCommit && e.Object.Resource == "pods"
		},
		"a node's silence": func(e *trace.Event) bool {
			return message(e, "Node hasn't been updated") && e.Text("nodeConditionType") == "Ready" && e.Text("currentCondition") == "True"
		},
		"a taint": func(e *trace.Event) bool { return message(e, "Added taint to node") },
	}
	folded := map[string]func(e *trace.Event) bool{
		"a Lease": func(e *trace.Event) bool {
			code, _ := e.Get("code").(int64)
			return strings.Contains(e.Text("path"), "/leases/") && code < 400 && e.Op != trace.Log
		},
		"a Lease's revision": func(e *trace.Event) bool { return e.Op == trace.StoreCommit && e.Object.Resource == "leases" },
		"an Event's":         func(e *trace.Event) bool { return e.Op == trace.StoreCommit && e.Object.Resource == "events" },
		"the kubelet's look at its containers": func(e *trace.Event) bool {
			return e.Op == trace.Log && strings.HasPrefix(e.Text("message"), "SyncLoop (PLEG)")
		},
		"the garbage collector's books": func(e *trace.Event) bool {
			return e.Component == "generic-garbage-collector" && (e.Op == trace.QueueGet || e.Op == trace.CacheSet || message(e, "Processing item"))
		},
		"silence, said again": func(e *trace.Event) bool {
			return message(e, "Node hasn't been updated") && e.Text("currentCondition") == "Unknown"
		},
	}
	q := scene.NewQuiet(scene.Options{Insides: scene.DefaultInsides})
	seen, quietOnes := map[string]int{}, 0
	all := c.Trace().Events(1)
	for i := range all {
		e := &all[i]
		quiet := q.Judge(e)
		if quiet {
			quietOnes++
		}
		// order: every test is made.
		for what, is := range followed {
			if is(e) {
				if seen[what]++; quiet {
					t.Errorf("%s is quiet: event %d, %s %s %v", what, e.ID, e.Component, e.Op, e.Attrs)
				}
			}
		}
		// order: every test is made.
		for what, is := range folded {
			if is(e) {
				if seen[what]++; !quiet {
					t.Errorf("%s is not quiet: event %d, %s %s %v", what, e.ID, e.Component, e.Op, e.Attrs)
				}
			}
		}
	}
	for _, m := range []map[string]func(*trace.Event) bool{followed, folded} {
		for what := range m { // order: only errors
			if seen[what] == 0 {
				t.Errorf("%s did not happen", what)
			}
		}
	}
	if share := quietOnes * 100 / len(all); share < 35 || share > 75 {
		t.Errorf("%d %% of %d events are quiet: either chatter is shown or the story is not", share, len(all))
	}
}

func message(e *trace.Event, text string) bool { return e.Op == trace.Log && e.Text("message") == text }
