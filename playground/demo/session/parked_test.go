package session_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/session"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// demos are those of the book.
func demos(t *testing.T) []*scenario.Scenario {
	t.Helper()
	files, err := filepath.Glob("../../../content/demos/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no demos", err)
	}
	var out []*scenario.Scenario
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		isLarger := slices.Contains(cluster.OperatorNames, cluster.ClusterAPI[0])
		if !isLarger && (strings.Contains(string(text), cluster.ClusterAPI[0]) || strings.Contains(string(text), "["+cluster.DiskDriver+"]") ||
			strings.Contains(string(text), "operators: ["+cluster.HookOperator) || strings.Contains(string(text), "operators: ["+cluster.HookInGo) ||
			strings.Contains(string(text), "schedulerPlugins:") || strings.Contains(string(text), "kubeadm: true") ||
			strings.Contains(string(text), "kustomization:")) {
			continue // it needs the larger build
		}
		f, problems := demofile.Parse(strings.TrimSuffix(filepath.Base(file), ".yaml"), file, text, nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		out = append(out, f.Scenario)
	}
	return out
}

// deeds are two inputs at a moment and soon after it, for any cluster.
func deeds(s *scenario.Scenario, at time.Duration) []cluster.Input {
	first := cluster.Input{At: at, Kind: cluster.Stop, Component: "kube-scheduler"}
	if len(s.Cluster.Nodes) > 0 {
		first = cluster.Input{At: at, Kind: cluster.KillNode, Node: s.Cluster.Nodes[0].Name}
	}
	return []cluster.Input{first, {At: at + 300*time.Millisecond, Kind: cluster.Command, Args: []string{"delete", "pods", "--all", "--wait=false"}}}
}

// TestParkedIsReplayed: a world that waits at a moment, and is given something
// then, is the one that a replay with the same from the start leads to.
func TestParkedIsReplayed(t *testing.T) {
	chance := sim.NewRand(29)
	for i, s := range demos(t) {
		if len(s.Cluster.Nodes) == 0 || s.End > 10*time.Minute {
			continue // the scale demos have tests of their own
		}
		if testing.Short() && i%6 != 0 {
			continue
		}
		worlds := []string{""}
		if n := len(s.WhatIf); n > 0 {
			worlds = append(worlds, s.WhatIf[chance.IntN(n)].ID)
		}
		for _, id := range worlds {
			world, err := s.World(id)
			if err != nil {
				t.Fatal(err)
			}
			at := chance.Between(0, s.End)
			if n := len(s.Steps); n > 0 && chance.IntN(3) == 0 {
				at = s.Steps[chance.IntN(n)].At // at the very moment of a step
			}
			given := deeds(s, max(at, time.Microsecond))
			until := at + 3*time.Second
			parked := open(t, world)
			parked.Run(at - chance.Between(time.Microsecond, time.Second))
			if at > 2*time.Second {
				parked.Pass(scene.Wide)
			}
			for _, in := range given {
				if ok, err := parked.Give(in); !ok || err != nil {
					t.Fatalf("demo %s in %q: %v at %v was not taken: %v", s.Name, id, in, parked.Cluster().Elapsed(), err)
				}
				parked.Run(in.At + time.Millisecond)
			}
			parked.Run(until)
			replayed := open(t, world, given...)
			replayed.Run(until)
			if printed(t, parked.Cluster().Trace()) != printed(t, replayed.Cluster().Trace()) {
				t.Errorf("demo %s in %q, parked before %v: what follows is not what a replay gives", s.Name, id, at)
			}
			from := 1
			for from < parked.Cluster().Trace().Len() && parked.Cluster().Trace().Event(trace.ID(from)).At < at {
				from++
			}
			if text(t, parked.Frames(scene.Wide, from)) != text(t, replayed.Frames(scene.Wide, from)) {
				t.Errorf("demo %s in %q, parked before %v: its frames are not a replay's", s.Name, id, at)
			}
		}
	}
}

// TestGiveToTheLate: a world whose time has passed says so, and is as it was.
func TestGiveToTheLate(t *testing.T) {
	ses := open(t, small())
	ses.Run(12 * time.Second)
	before := printed(t, ses.Cluster().Trace())
	for _, at := range []time.Duration{11 * time.Second, 12 * time.Second} {
		if ok, err := ses.Give(scale(at, 1)); ok || err != nil {
			t.Errorf("at %v: %v, %v", at, ok, err)
		}
	}
	if ok, err := ses.Give(scale(14*time.Second, 1)); !ok || err != nil {
		t.Errorf("in time: %v, %v", ok, err)
	}
	if ok, _ := ses.Give(scale(13*time.Second, 1)); ok {
		t.Error("what comes before something that was given was taken")
	}
	if printed(t, ses.Cluster().Trace()) != before {
		t.Error("to be given something changed what has happened")
	}
}

// TestBridgeHoldsSeveralWorlds: each call is about the world that it names.
func TestBridgeHoldsSeveralWorlds(t *testing.T) {
	s := small()
	s.WhatIf = []scenario.WhatIf{{ID: "edge", Switch: cluster.Switch{Kind: cluster.EdgeTriggered, Component: "replicaset-controller"}}}
	b := &session.Bridge{}
	call := func(name string, in map[string]any) string { return string(b.Call(name, packed(t, in))) }
	for i, whatIf := range []string{"", "edge", ""} {
		if got := call("open", map[string]any{"world": i, "scenario": s, "layout": "wide", "whatIf": whatIf}); got != "{}" {
			t.Fatal(got)
		}
		call("run", map[string]any{"world": i, "until": 20_000_000, "pass": i == 2})
	}
	frames := func(world int) string { return call("frames", map[string]any{"world": world, "from": 1}) }
	if frames(0) != frames(2) || frames(0) == frames(1) {
		t.Error("worlds of the same run differ, or a counterfactual is the real one")
	}
	if got := call("give", map[string]any{"world": 1, "input": scale(5*time.Second, 1)}); got != `{"replay":true}` {
		t.Errorf("too late: %s", got)
	}
	if got := call("give", map[string]any{"world": 1, "input": scale(30*time.Second, 1)}); got != `{}` {
		t.Errorf("in time: %s", got)
	}
	call("close", map[string]any{"world": 1})
	var answer struct{ Error string }
	if json.Unmarshal([]byte(frames(1)), &answer); answer.Error != "frames: no session is open" {
		t.Errorf("closed: %+v", answer)
	}
	if got := call("open", map[string]any{"scenario": s, "layout": "wide",
		"whatIf": "egde"}); got != `{"error":"open: unknown counterfactual \"egde\" (did you mean \"edge\"?)"}` {
		t.Error(got)
	}
}

// A host hears how many clusters with very many objects there are: before one opens, and when it is closed.
func TestBridgeCountsLargeWorlds(t *testing.T) {
	large := small()
	large.Cluster.Controllers = nil // all of them
	large.Cluster.HollowNodes = &cluster.HollowNodes{Count: 3}
	large.Cluster.Preload = &cluster.Preload{Deployments: 1, Replicas: 5}
	var heard []int
	b := &session.Bridge{Large: func(sessions int) { heard = append(heard, sessions) }}
	call := func(name string, world int, in map[string]any) {
		t.Helper()
		in["world"] = world
		if got := string(b.Call(name, packed(t, in))); got != "{}" {
			t.Fatalf("%s answered %s", name, got)
		}
	}
	open := func(world int, s any) {
		call("open", world, map[string]any{"scenario": s, "inputs": []any{}, "layout": "wide"})
	}
	open(1, small())
	open(2, large)
	open(3, large)
	open(3, large) // in place of the one that is there
	call("close", 2, map[string]any{})
	call("close", 3, map[string]any{})
	wrong := small()
	wrong.Cluster.Controllers, wrong.Cluster.Preload = nil, large.Cluster.Preload // it has no hollow nodes to put them on
	if got := string(b.Call("open", packed(t, map[string]any{"scenario": wrong, "inputs": []any{}, "layout": "wide"}))); !strings.Contains(got, "error") {
		t.Fatalf("a preload without nodes is opened: %s", got)
	}
	if want := []int{0, 1, 2, 1, 2, 1, 0, 1, 0}; !slices.Equal(heard, want) {
		t.Errorf("the host hears of %v large clusters, want %v", heard, want)
	}
}
