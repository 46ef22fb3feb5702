package scene

import (
	"strconv"
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/trace"
)

// Numbers of the most Pods that a cluster may have fit, in both layouts and in every language, and nothing lies on anything else.
func TestTotalsAreLargeAndFit(t *testing.T) {
	for _, layout := range []Layout{Wide, Narrow} {
		s := NewStage(Options{Layout: layout, Level: trace.Totals})
		var deltas []trace.Delta
		set := func(c trace.Cell, v any) { deltas = append(deltas, trace.Set(c, v)) }
		for _, name := range []string{"kube-apiserver", "kube-scheduler", "replicaset-controller", "deployment-controller", "node-controller", "taint-eviction-controller",
			"kwok-controller"} {
			set(trace.Cell{Kind: trace.CellComponent, Owner: name}, "running")
		}
		for zone := range 3 {
			for i := range 1667 {
				set(trace.Cell{Kind: trace.CellNodeCount, Owner: "kwok-" + string(rune('a'+zone)), Key: "hollow-" + strconv.Itoa(i)},
					trace.NodeCount{Pods: 30, Most: 110, Ready: true})
			}
		}
		for _, key := range []string{"pods", "ready", "pending", "starting", "notReady", "terminating"} {
			set(trace.Cell{Kind: trace.CellCount, Key: key}, int64(150_000))
		}
		s.Apply(&trace.Event{ID: 1, Op: trace.Summary, Deltas: deltas, Attrs: trace.Attrs("commits", int64(12_345), "created", int64(12_345), "bound", int64(12_345),
			"started", int64(12_345), "deleted", int64(12_345))})
		s.Apply(&trace.Event{ID: 2, Op: trace.ComponentStop, Deltas: []trace.Delta{trace.Unset(trace.Cell{Kind: trace.CellComponent, Owner: "taint-eviction-controller"})}})
		hold(t, layout, s.Scene())
		cells := 0
		for _, shape := range s.Scene().Shapes {
			if shape.Kind == Cells {
				cells++
			}
		}
		if cells < 3 || find(s, "tally/ready").Title != "150,000" || find(s, "who/trouble").Mark != "✕" {
			t.Errorf("%v: %d rows of cells, %+v, %+v", layout, cells, find(s, "tally/ready"), find(s, "who/trouble"))
		}
	}
}

// hold demands that boxes are inside the picture, lie on no other of their layer, and have room for their words, of which none is small.
func hold(t *testing.T, layout Layout, sc Scene) {
	t.Helper()
	for i, a := range sc.Shapes {
		if a.Kind == Line || a.Kind == Packet {
			continue
		}
		if a.X < 0 || a.Y < 0 || a.X+a.W > sc.Width || a.Y+a.H > sc.Height {
			t.Errorf("%v: %s is outside of %d × %d: %+v", layout, a.ID, sc.Width, sc.Height, a)
		}
		for _, b := range sc.Shapes[i+1:] {
			if b.Kind != Line && b.Kind != Packet && a.Z == b.Z && a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("%v: %s lies on %s", layout, a.ID, b.ID)
			}
		}
		if a.Kind != Box || a.Title+a.Word+a.Detail+a.DetailWord == "" {
			continue
		}
		if a.Form == "" {
			t.Errorf("%v: %s has small type", layout, a.ID)
		}
		for _, lang := range phrase.Languages() {
			title, detail := a.Title, a.Detail
			if a.Word != "" {
				title = fill(phrase.Word(lang, a.Word), a.Args)
			}
			if a.DetailWord != "" {
				detail = fill(phrase.Word(lang, a.DetailWord), a.Args)
			}
			large, room := typeText, a.W
			if a.Form == string(FormNumber) {
				if large = typeNumber; layout == Narrow {
					large = 32
				}
				detail = ""
			}
			if a.Mark != "" {
				room -= 18
			}
			if (textWidth(title, large)+textWidth(detail, typeText)+9)/10 > room || strings.Contains(title+detail, "{") {
				t.Errorf("%v, %s: %q %q has no room in %s (%d)", layout, lang, title, detail, a.ID, a.W)
			}
		}
	}
}

// manyPods are Pods on as many nodes, all of them Ready but the last ten, which have no node.
func manyPods(layout Layout, nodes, pods int) *Stage {
	s := NewStage(Options{Layout: layout, Level: trace.Objects})
	id := trace.ID(0)
	apply := func(deltas ...trace.Delta) {
		id++
		s.Apply(&trace.Event{ID: id, Op: trace.StoreCommit, Deltas: deltas, Attrs: trace.Attrs("revision", int64(id), "type", "ADDED")})
	}
	apply(trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: "kube-apiserver"}, "running"))
	for i := range nodes {
		name := "node-" + strconv.Itoa(i+1)
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		apply(trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: "kubelet/" + name}, "running"),
			trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: "containerd/" + name}, "running"),
			trace.Set(trace.Cell{Kind: trace.CellObject, Owner: "nodes", Key: name}, n))
	}
	for i := range pods {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web-" + strconv.Itoa(i)}}
		if i < pods-10 {
			p.Spec.NodeName = "node-" + strconv.Itoa(i%nodes+1)
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		}
		apply(trace.Set(trace.Cell{Kind: trace.CellObject, Owner: "pods", Key: "default/" + p.Name}, p))
	}
	return s
}

// Each of a thousand Pods is in the picture, on its node or in the API server, and counted; so it is with a hundred nodes.
func TestThousandsOfPodsAreDrawnAndCounted(t *testing.T) {
	for _, layout := range []Layout{Wide, Narrow} {
		for _, c := range []struct{ nodes, pods int }{{10, 1010}, {1, 120}, {3, 300}, {100, 3010}} {
			s := manyPods(layout, c.nodes, c.pods)
			sc := s.Scene()
			hold(t, layout, sc)
			squares := 0
			for _, shape := range sc.Shapes {
				if strings.HasPrefix(shape.ID, "pod/") {
					squares++
				}
			}
			if squares != c.pods {
				t.Errorf("%v: %d of %d Pods on %d nodes are drawn", layout, squares, c.pods, c.nodes)
			}
			if ready, pending := find(s, "tally/ready").Title, find(s, "tally/pending").Title; ready != grouped(int64(c.pods-10)) || pending != "10" {
				t.Errorf("%v: %s Ready and %s without a node, of %d", layout, ready, pending, c.pods)
			}
			if c.nodes == 10 && find(s, "node/node-1/ready").Title != "100" {
				t.Errorf("%v: %q on the first node", layout, find(s, "node/node-1/ready").Title)
			}
			s.Apply(&trace.Event{ID: 9_999, Op: trace.ComponentStop, Deltas: []trace.Delta{trace.Unset(trace.Cell{Kind: trace.CellComponent, Owner: "containerd/node-1"})}})
			if lost := find(s, "tally/notReady").Detail; lost != grouped(int64((c.pods-10+c.nodes-1)/c.nodes)) {
				t.Errorf("%v: with a node of %d down, %s Pods are not ready", layout, c.nodes, lost)
			}
		}
	}
}
