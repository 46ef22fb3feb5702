// Package chaos makes random experiments and says what must hold in all of
// them: the cluster settles once faults stop, no Pod is ever bound twice,
// no watch misses, repeats or reorders an event, no cache and no queue forgets
// anything, revisions count by one, and every event has a cause before it.
//
// It is plain Go on top of scenario, so the same experiments run natively and
// in wasm, and a failure needs only its seed to be seen again.
package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/sim"
)

// FaultsEnd is when everything that was stopped is up again. What is done to
// the cluster after that is nothing at all.
const FaultsEnd = 75 * time.Second

// FirstFault is when the cluster is up, and the first thing is done to it.
const FirstFault = 10 * time.Second

// Random makes an experiment out of a seed: up to four nodes, one to three
// ingredients, and people and faults that act at random moments.
func Random(seed uint64) *scenario.Scenario { return roll(seed).scenario }

// Ingredients lists of which ingredients something happens in an experiment, in the order of their files.
func Ingredients(seed uint64) []string {
	d := roll(seed)
	var out []string
	for _, i := range ingredients {
		if d.acted[i] {
			out = append(out, i.name)
		}
	}
	return out
}

func roll(seed uint64) *dice {
	r := sim.NewRand(seed)
	cfg := cluster.DefaultConfig()
	cfg.Nodes = cluster.NumberedNodes(1 + r.IntN(4))
	if r.IntN(4) == 0 {
		cfg.Schedulers = 2 // both want to bind every Pod: the API server lets one
	}
	s := &scenario.Scenario{
		Name: fmt.Sprintf("random-%d", seed), Seed: seed,
		Setup: FirstFault, End: FaultsEnd,
	}
	d := &dice{Rand: r, scenario: s, down: map[string]cluster.Input{}, applied: map[string]bool{}, acted: map[*ingredient]bool{}}
	d.choose(&cfg)
	s.Cluster = cfg
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
	return d
}

type dice struct {
	*sim.Rand
	scenario *scenario.Scenario
	chosen   []*ingredient
	down     map[string]cluster.Input // what has to be started again, and how
	order    []string                 // the keys of down, as they went down
	cordoned []string                 // nodes that were cordoned at some time, each once
	applied  map[string]bool
	acted    map[*ingredient]bool
}

func (d *dice) add(in cluster.Input) {
	d.scenario.Steps = append(d.scenario.Steps, scenario.Step{Input: in})
}

var names = []string{"web", "api", "db"}

// act does one thing: two times of three to what the experiment is made of, else to the machinery.
func (d *dice) act(at time.Duration) {
	if d.IntN(3) > 0 {
		i := d.chosen[d.IntN(len(d.chosen))]
		d.acted[i] = true
		i.act(d, at)
		return
	}
	switch d.IntN(5) {
	case 0:
		node := d.scenario.Cluster.Nodes[d.IntN(len(d.scenario.Cluster.Nodes))].Name
		d.toggle(at, node, cluster.Input{Kind: cluster.KillNode, Node: node}, cluster.Input{Kind: cluster.StartNode, Node: node})
	case 1, 2:
		c := d.component()
		d.toggle(at, c, cluster.Input{Kind: cluster.Stop, Component: c}, cluster.Input{Kind: cluster.Start, Component: c})
	default:
		d.add(cluster.Input{At: at, Kind: cluster.DropWatch, Component: d.component()})
	}
}

// component picks one that can be stopped by itself: everything but the
// command line and what dies with its machine.
func (d *dice) component() string {
	var all []string
	for _, c := range d.scenario.Cluster.Components() {
		if cluster.CanStop(c) && !strings.HasPrefix(c, installer) {
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

// cordon has kubectl cordon or drain a node, or, if that was done, uncordon it.
func (d *dice) cordon(at time.Duration, node string, command ...string) {
	d.toggle(at, "cordon "+node, cluster.Input{Kind: cluster.Command, Args: command},
		cluster.Input{Kind: cluster.Command, Args: []string{"uncordon", node}})
	if !slices.Contains(d.cordoned, node) {
		d.cordoned = append(d.cordoned, node)
	}
}

// mend starts whatever is still down, and uncordons every node once more: when it was done before, the API
// server may have been away, or a drain of the same moment may have come later.
func (d *dice) mend(at time.Duration) {
	for _, what := range d.order {
		if start, is := d.down[what]; is {
			start.At = at
			d.add(start)
			delete(d.down, what)
		}
	}
	for _, node := range d.cordoned {
		// A drain that etcd kept waiting may cordon after that.
		for _, later := range []time.Duration{500 * time.Millisecond, 20 * time.Second} {
			d.add(cluster.Input{At: at + later, Kind: cluster.Command, Args: []string{"uncordon", node}})
		}
	}
}
