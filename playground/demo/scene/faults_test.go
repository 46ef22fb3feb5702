package scene

import (
	"testing"

	"kubewalk/playground/trace"
)

// stageWith is a small cluster with faults: owner and key, and how much.
func stageWith(layout Layout, faults map[[2]string]string) *Stage {
	s := NewStage(Options{Layout: layout, Insides: DefaultInsides})
	id := trace.ID(0)
	apply := func(d trace.Delta) {
		id++
		s.Apply(&trace.Event{ID: id, Op: trace.ComponentStart, Deltas: []trace.Delta{d}})
	}
	for _, name := range []string{"kube-apiserver", "kube-scheduler", "replicaset-controller", "namespace-controller", "containerd/node-1", "kubelet/node-1",
		"kubelet/node-2"} {
		apply(trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: name}, "running"))
	}
	for f, value := range faults { // order: they don't depend on each other
		apply(trace.Set(trace.Cell{Kind: trace.CellFault, Owner: "fault/" + f[0], Key: f[1]}, value))
	}
	return s
}

func find(s *Stage, id string) *Shape {
	for _, shape := range s.Scene().Shapes {
		if shape.ID == id {
			return &shape
		}
	}
	return nil
}

// TestFaultsAreDrawn: a sign and words at the wire, a sign on the frame, and a wire in two where nothing gets through.
func TestFaultsAreDrawn(t *testing.T) {
	for _, layout := range []Layout{Wide, Narrow} {
		s := stageWith(layout, map[[2]string]string{
			{"replicaset-controller", "partition"}: "", {"kube-scheduler", "slow"}: "2s", {"kube-scheduler", "fail"}: "crash",
			{"kube-apiserver", "fail"}: "503 30%", {"etcd", "slow"}: "8s", {"namespace-controller", "slow"}: "1s",
		})
		wants := map[string]string{"component/replicaset-controller": "cut ↮", "scheduler": "failing ↯", "apiserver": "failing ↯", "store/revision": "slow ◷",
			"fault/replicaset-controller": "cut ↮", "fault/kube-scheduler": "failing ↯", "wire/replicaset-controller": "cut "}
		if wants["component/namespace-controller"] = "slow "; layout == Wide { // it stands for all others, with its name
			delete(wants, "component/namespace-controller")
			wants["minors/who"] = " ◷"
		}
		for id, want := range wants {
			shape := find(s, id)
			if shape == nil {
				t.Errorf("%v: there is no %s", layout, id)
				continue
			}
			if got := shape.State + " " + shape.Mark; got != want {
				t.Errorf("%v: %s is %q, want %q", layout, id, got, want)
			}
		}
		if find(s, "wire/replicaset-controller/far") == nil || find(s, "wire/kube-scheduler/far") != nil {
			t.Errorf("%v: only the wire of who is cut off is in two", layout)
		}
		if sign := find(s, "fault/kube-scheduler"); sign != nil &&
			(sign.Word != map[Layout]string{Wide: "scene.fault.fail.plain"}[layout] || sign.X < 0 || sign.X+sign.W > newClusterPlaces(layout, 1).width) {
			t.Errorf("%v: %+v", layout, sign)
		}
		s.Apply(&trace.Event{ID: 99, Op: trace.Input, Deltas: []trace.Delta{trace.Unset(trace.Cell{Kind: trace.CellFault, Owner: "fault/replicaset-controller",
			Key: "partition"})}})
		if find(s, "fault/replicaset-controller") != nil || find(s, "wire/replicaset-controller/far") != nil {
			t.Errorf("%v: healed, and still drawn", layout)
		}
	}
}

// TestStoppedAPIServer: the line about the store says that it is down, and so does its box; beside its name an object stands, so the sign does not.
func TestStoppedAPIServer(t *testing.T) {
	for _, layout := range []Layout{Wide, Narrow} {
		s := stageWith(layout, nil)
		s.Apply(&trace.Event{ID: 100, Op: trace.ComponentStop, Deltas: []trace.Delta{trace.Unset(trace.Cell{Kind: trace.CellComponent, Owner: castAPIServer})}})
		line, box := find(s, "store/revision"), find(s, "apiserver")
		if line.State != "down" || line.Mark != "✕" || line.Word != "scene.down" || box.State != "down" || box.Mark != "" {
			t.Errorf("%v: the line is %q %q %q, the box %q %q", layout, line.State, line.Mark, line.Word, box.State, box.Mark)
		}
	}
}

// TestStoppedEtcd: the line about the store says that etcd is down, in words and with a sign.
func TestStoppedEtcd(t *testing.T) {
	for _, layout := range []Layout{Wide, Narrow} {
		s := stageWith(layout, nil)
		running := trace.Cell{Kind: trace.CellComponent, Owner: "etcd"}
		s.Apply(&trace.Event{ID: 100, Op: trace.ComponentStart, Deltas: []trace.Delta{trace.Set(running, "running"),
			trace.Set(trace.Cell{Kind: trace.CellRevision}, int64(7))}})
		if line := find(s, "store/revision"); line.State != "" || line.Word != "scene.revision" {
			t.Errorf("%v: etcd runs, and its line is %q %q", layout, line.State, line.Word)
		}
		s.Apply(&trace.Event{ID: 101, Op: trace.ComponentStop, Deltas: []trace.Delta{trace.Unset(running)}})
		if line := find(s, "store/revision"); line.State != "down" || line.Mark != "✕" || line.Word != "scene.down" {
			t.Errorf("%v: etcd is stopped, and its line is %q %q %q", layout, line.State, line.Mark, line.Word)
		}
	}
}
