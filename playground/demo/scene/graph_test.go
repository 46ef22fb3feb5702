package scene

import (
	"strings"
	"testing"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/trace"
)

// collected is a collector's log, told line by line.
type collected struct {
	t *testing.T
	collectorGraph
}

func newCollected(t *testing.T) *collected { return &collected{t, newCollectorGraph(FocusCollector)} }

func (c *collected) log(process, message string, attrs ...any) {
	c.follow(&trace.Event{Component: FocusCollector, Process: process, Op: trace.Log, Attrs: trace.Attrs(append([]any{"message", message}, attrs...)...)})
}

func identity(version, kind, name, uid string) string {
	return "[" + version + "/" + kind + ", namespace: default, name: " + name + ", uid: " + uid + "]"
}

func (c *collected) object(event, identity, owners string, more ...any) {
	c.log("graph-builder", "GraphBuilder process object", append([]any{"eventType", event, "object", identity, "owners", owners}, more...)...)
}

// want compares what is drawn: each tree as "owner(dependent dependent)", with "!" before what is absent and "?" before what is virtual.
func (c *collected) want(when, want string) {
	c.t.Helper()
	var tell func(t *tree) string
	tell = func(t *tree) string {
		out := t.name
		if t.isAbsent {
			out = "!" + out
		} else if t.virtual {
			out = "?" + out
		}
		var below []string
		for _, d := range t.dependents {
			below = append(below, tell(d))
		}
		if len(below) > 0 {
			out += "(" + strings.Join(below, " ") + ")"
		}
		return out
	}
	roots, _ := c.trees()
	var got []string
	for _, r := range roots {
		got = append(got, tell(r))
	}
	if text := strings.Join(got, " "); text != want {
		c.t.Errorf("%s: the graph is %q, not %q", when, text, want)
	}
}

func TestTheGraphFollowsTheCollectorsLog(t *testing.T) {
	web, rs := identity("apps/v1", "Deployment", "web", "1"), identity("apps/v1", "ReplicaSet", "web-5f", "2")
	a, b := identity("v1", "Pod", "a", "3"), identity("v1", "Pod", "b", "4")
	c := newCollected(t)
	c.object("add", identity("v1", "ConfigMap", "alone", "9"), "")
	c.object("add", web, "")
	c.want("nobody owns anything", "")
	c.object("add", a, "ReplicaSet web-5f 2 (blocks)")
	c.log("graph-builder", "add virtual item", "identity", rs)
	c.want("a Pod is told of before its owner", "?web-5f(a)")
	c.object("add", rs, "Deployment web 1 (blocks)", "virtual", "false")
	c.object("add", b, "ReplicaSet web-5f 2")
	c.want("all are there", "web(web-5f(a b))")
	if refs := c.nodes["3"].owners; len(refs) != 1 || !refs[0].blocks || c.nodes["4"].owners[0].blocks {
		t.Errorf("who blocks is read as %v, %v", refs, c.nodes["4"].owners)
	}
	if got := c.nodes["2"].about(); got != "replicasets default/web-5f" {
		t.Errorf("the ReplicaSet is about %q", got)
	}
	c.object("delete", web, "", "dependents", int64(1))
	c.want("the owner is gone", "!web(web-5f(a b))")
	if len(c.absent) != 1 || c.absent[0].uid != "1" {
		t.Errorf("absent owners: %v", c.absent)
	}
	c.object("update", rs, "", "deletingDependents", "true", "beingDeleted", "true")
	c.want("nothing refers to it any more", "web-5f(a b)")
	if n := c.nodes["2"]; !n.waits || !n.deleting {
		t.Errorf("it does not wait: %+v", n)
	}
	c.object("delete", a, "ReplicaSet web-5f 2 (blocks)")
	c.object("delete", b, "ReplicaSet web-5f 2")
	c.want("it had dependents", "web-5f")
	c.object("add", identity("v1", "ConfigMap", "x", "5"), "ConfigMap y 6")
	c.object("add", identity("v1", "ConfigMap", "y", "6"), "ConfigMap x 5")
	c.want("two own each other", "web-5f y(x)")
	c.follow(&trace.Event{Op: trace.ComponentStop, Component: FocusCollector,
		Deltas: []trace.Delta{trace.Unset(trace.Cell{Kind: trace.CellComponent, Owner: FocusCollector})}})
	c.want("it crashed", "")
}

func TestWhatAWorkerDecides(t *testing.T) {
	key := "ReplicaSet default/web 0c1d2e3f-aaaa"
	item := identity("apps/v1", "ReplicaSet", "web", "0c1d2e3f-aaaa")
	const process = "delete-worker-7"
	for _, step := range []struct {
		message, says, references string
		attrs                     []any
	}{
		{message: "Processing item", says: "scene.gc.reads"},
		{message: "classify item's references", says: "scene.gc.reads", references: "solid 0 · dangling 2 · waiting 1",
			attrs: []any{"solid", "[]", "dangling", "[ConfigMap a, ConfigMap b]", "waitingForDependentsDeletion", "[Deployment web]"}},
		{message: "Deleting item", says: "scene.gc.delete", references: "solid 0 · dangling 2 · waiting 1", attrs: []any{"propagationPolicy", "Background"}},
	} {
		c := newCollected(t)
		c.follow(&trace.Event{Component: FocusCollector, Process: process, Op: trace.QueueGet,
			Attrs: trace.Attrs("queue", "garbage_collector_attempt_to_delete", "key", key)})
		c.log(process, step.message, append([]any{"item", item}, step.attrs...)...)
		turn := c.turns[process]
		if step.says == "scene.gc.delete" {
			step.references = ""
			if turn.decides.args != "Background" {
				t.Errorf("deleted with %q", turn.decides.args)
			}
		}
		if turn.decides.key != step.says || turn.references != step.references || turn.item.name != "web" || turn.item.uid != "0c1d2e3f-aaaa" || turn.isDone {
			t.Errorf("after %q: %+v", step.message, turn)
		}
		c.follow(&trace.Event{Component: FocusCollector, Process: process, Op: trace.QueueDone,
			Deltas: []trace.Delta{trace.Set(trace.Cell{Kind: trace.CellWorker, Owner: FocusCollector, Key: process}, "")}})
		if !turn.isDone || c.newest != process {
			t.Errorf("it is not done")
		}
	}
}

func TestFinalizersOfTheStore(t *testing.T) {
	c := newCollected(t)
	commit := func(old, now any) bool {
		return c.follow(&trace.Event{Component: "etcd", Op: trace.StoreCommit,
			Deltas: []trace.Delta{{Cell: trace.Cell{Kind: trace.CellObject, Owner: "deployments", Key: "default/web"}, Old: old, New: now}}})
	}
	object := func(finalizers ...string) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", UID: types.UID("1"), Finalizers: finalizers}}
	}
	plain, held := object("example.com/other"), object("example.com/other", metav1.FinalizerOrphanDependents)
	for i, step := range []struct {
		old, now any
		want     string
		changed  bool
	}{
		{nil, plain, "", false}, {plain, held, metav1.FinalizerOrphanDependents, true}, {held, held, metav1.FinalizerOrphanDependents, false},
		{held, nil, "", true}, {nil, nil, "", false},
	} {
		if changed := commit(step.old, step.now); changed != step.changed || c.finalizers["1"] != step.want {
			t.Errorf("step %d: %v, %q", i, changed, c.finalizers["1"])
		}
	}
}

func TestKeysOfTheCollectorsQueues(t *testing.T) {
	for key, want := range map[string]string{
		"Pod default/web-c78-x2k9p 3f-1":                    "Pod web-c78-x2k9p",
		"add Pod default/web-c78-x2k9p 3f-1@12":             "add Pod web-c78-x2k9p",
		"virtual delete Deployment default/web 3f-1":        "virtual delete Deployment web",
		"update Node node-1 3f-1@12":                        "update Node node-1",
		"delete CustomResourceDefinition a.example.com 3@1": "delete CustomResourceDefinition a.example.com",
	} {
		if got := itemNames(key)[0]; got != want {
			t.Errorf("%q is called %q, not %q", key, got, want)
		}
	}
	if n := nodeOfKey("update Node node-1 3f-1@12"); n.uid != "3f-1" || n.name != "node-1" || n.namespace != "" {
		t.Errorf("read as %+v", n)
	}
}
