// Package chaos makes random experiments and says what must hold in all of
// them: the cluster settles once faults stop, no Pod is ever bound twice,
// no watch misses, repeats or reorders an event, no cache and no queue forgets
// anything, revisions count by one, and every event has a cause before it.
//
// It is plain Go on top of scenario, so the same experiments run natively and
// in wasm, and a failure needs only its seed to be seen again.
package chaos

import (
	"encoding/json"
	"fmt"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/scenario"
	"kubewalk/playground/sim"
)

// FaultsEnd is when everything that was stopped is up again. What is done to
// the cluster after that is nothing at all.
const FaultsEnd = 75 * time.Second

// Random makes an experiment out of a seed: up to four nodes, a handful of
// ReplicaSets, and people and faults that act at random moments.
func Random(seed uint64) *scenario.Scenario {
	r := sim.NewRand(seed)
	cfg := cluster.DefaultConfig()
	cfg.Nodes = cluster.NumberedNodes(1 + r.IntN(4))
	if r.IntN(4) == 0 {
		cfg.Schedulers = 2 // both want to bind every Pod: the API server lets one
	}
	s := &scenario.Scenario{
		Name: fmt.Sprintf("random-%d", seed), Seed: seed, Cluster: cfg,
		Setup: 10 * time.Second, End: FaultsEnd,
	}
	d := &dice{Rand: r, scenario: s, down: map[string]cluster.Input{}, applied: map[string]bool{}}
	at := s.Setup
	for range 4 + r.IntN(14) {
		// Often at once, sometimes much later: bursts find races, pauses let things settle.
		switch r.IntN(4) {
		case 0:
		case 1:
			at += r.Between(0, 20*time.Millisecond)
		case 2:
			at += r.Between(0, time.Second)
		case 3:
			at += r.Between(0, 8*time.Second)
		}
		if at >= FaultsEnd-5*time.Second {
			break
		}
		d.act(at)
	}
	d.mend(FaultsEnd - time.Second)
	return s
}

type dice struct {
	*sim.Rand
	scenario *scenario.Scenario
	down     map[string]cluster.Input // what has to be started again, and how
	order    []string                 // the keys of down, as they went down
	applied  map[string]bool
}

func (d *dice) add(in cluster.Input) {
	d.scenario.Steps = append(d.scenario.Steps, scenario.Step{Input: in})
}

var names = []string{"web", "api", "db"}

func (d *dice) act(at time.Duration) {
	name := names[d.IntN(len(names))]
	if !d.applied[name] {
		d.applied[name] = true
		d.add(cluster.Input{At: at, Kind: cluster.Apply, Manifest: replicaSet(name, d.IntN(9), d.IntN(3))})
		return
	}
	rs := cluster.Input{At: at, Resource: "replicasets", Namespace: "default", Name: name}
	switch d.IntN(10) {
	case 0, 1, 2:
		n := int32(d.IntN(13))
		rs.Kind, rs.Replicas = cluster.Scale, &n
		d.add(rs)
	case 3:
		rs.Kind, rs.Resource, rs.Name = cluster.Delete, "pods", name+"-*"
		if d.IntN(3) == 0 {
			zero := int64(0)
			rs.Grace = &zero
		}
		d.add(rs)
	case 4:
		rs.Kind = cluster.Delete
		d.add(rs)
		d.applied[name] = false
	case 5:
		node := d.scenario.Cluster.Nodes[d.IntN(len(d.scenario.Cluster.Nodes))].Name
		d.toggle(at, node, cluster.Input{Kind: cluster.KillNode, Node: node}, cluster.Input{Kind: cluster.StartNode, Node: node})
	case 6, 7:
		c := d.component()
		d.toggle(at, c, cluster.Input{Kind: cluster.Stop, Component: c}, cluster.Input{Kind: cluster.Start, Component: c})
	default:
		d.add(cluster.Input{At: at, Kind: cluster.DropWatch, Component: d.component()})
	}
}

// component picks one that can be stopped by itself: everything but etcd, the
// command line and what dies with its machine.
func (d *dice) component() string {
	var all []string
	for _, c := range d.scenario.Cluster.Components() {
		if cluster.CanStop(c) {
			all = append(all, c)
		}
	}
	return all[d.IntN(len(all))]
}

// toggle takes something down, or, if it is down, brings it up.
func (d *dice) toggle(at time.Duration, what string, stop, start cluster.Input) {
	stop.At, start.At = at, at
	if _, is := d.down[what]; is {
		d.add(start)
		delete(d.down, what)
		return
	}
	d.add(stop)
	d.down[what] = start
	d.order = append(d.order, what)
}

// mend starts whatever is still down.
func (d *dice) mend(at time.Duration) {
	for _, what := range d.order {
		if start, is := d.down[what]; is {
			start.At = at
			d.add(start)
			delete(d.down, what)
		}
	}
}

func replicaSet(name string, replicas, variant int) json.RawMessage {
	spec := map[string]any{
		"containers": []any{map[string]any{"name": "c", "image": "nginx:1.27", "resources": map[string]any{
			"requests": map[string]any{"cpu": []string{"10m", "50m", "100m"}[variant]},
		}}},
		"terminationGracePeriodSeconds": []int{0, 2, 30}[variant],
	}
	rs := map[string]any{
		"apiVersion": "apps/v1", "kind": "ReplicaSet",
		"metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"replicas": replicas,
			"selector": map[string]any{"matchLabels": map[string]any{"app": name}},
			"template": map[string]any{"metadata": map[string]any{"labels": map[string]any{"app": name}}, "spec": spec},
		},
	}
	out, err := json.Marshal(rs)
	if err != nil {
		panic(err)
	}
	return out
}
