package chaos

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// ingredient is one kind of thing that experiments are made of. To bring a
// part of the control plane into the experiments, add a file that registers one.
type ingredient struct {
	name string
	// controllers are those that it needs beside the ones that always run, by the
	// names that --controllers takes.
	controllers []string
	// prepare changes the cluster that it is used in; nil for nothing.
	prepare func(d *dice, cfg *cluster.Config)
	// act does something at a moment: it adds inputs (dice.add).
	act func(d *dice, at time.Duration)
	// unsettled says what is not yet as it has to be once faults have stopped;
	// it is asked in every experiment, whether or not the ingredient is in it. nil for nothing.
	unsettled func(s trace.State, say sayer)
	// holds says what in a whole run must not have happened; nil for nothing.
	holds func(rec *trace.Recorder, say sayer)
	// typed says what must not have come of what people did; nil for nothing.
	typed func(rec *trace.Recorder, outcomes []cluster.Outcome, say sayer)
	// alone has what others prepare left out of its experiments: its cluster is no ordinary one.
	alone bool
	// apart is chosen by dice of its own: experiments without it are what they were before there was such an ingredient.
	apart bool
}

type sayer func(format string, args ...any)

// always are the controllers of every experiment.
var always = []string{"replicaset-controller", "garbage-collector-controller", "node-lifecycle-controller",
	"pod-garbage-collector-controller", "taint-eviction-controller"}

var ingredients []*ingredient

// One in apartIn experiments has an ingredient that is chosen apart; apartSeed makes its dice others than the experiment's.
const (
	apartIn   = 14
	apartSeed = 0x9e3779b97f4a7c15
)

// register is called by the init function of each ingredient's file. The order
// is that of the files' names, and so the same on every host.
func register(i *ingredient) { ingredients = append(ingredients, i) }

// choose decides what an experiment is made of, and which controllers run in it:
// mostly those that are needed, because a large cluster takes longer to simulate.
func (d *dice) choose(cfg *cluster.Config) {
	together := slices.DeleteFunc(slices.Clone(ingredients), func(i *ingredient) bool { return i.apart })
	for range 1 + d.IntN(3) {
		i := together[d.IntN(len(together))]
		if !d.has(i) {
			d.chosen = append(d.chosen, i)
		}
	}
	own := sim.NewRand(d.scenario.Seed ^ apartSeed)
	for _, i := range ingredients {
		if i.apart && own.IntN(apartIn) == 0 {
			d.chosen = append(d.chosen, i)
		}
	}
	if i := slices.IndexFunc(d.chosen, func(i *ingredient) bool { return i.alone }); i >= 0 {
		alone := d.chosen[i]
		d.chosen = slices.DeleteFunc(d.chosen, func(i *ingredient) bool { return i != alone && i.prepare != nil })
	}
	cfg.Controllers = append([]string(nil), always...)
	for _, i := range d.chosen {
		cfg.Controllers = append(cfg.Controllers, i.controllers...)
	}
	if d.IntN(8) == 0 {
		cfg.Controllers = []string{"*"}
	}
	for _, i := range d.chosen {
		if i.prepare != nil {
			i.prepare(d, cfg)
		}
	}
}

func (d *dice) has(i *ingredient) bool {
	for _, c := range d.chosen {
		if c == i {
			return true
		}
	}
	return false
}

// apply has kubectl apply an object, given as what JSON decodes to.
func (d *dice) apply(at time.Duration, object map[string]any) {
	d.add(cluster.Input{At: at, Kind: cluster.Apply, Manifest: manifest(object)})
}

func manifest(object map[string]any) json.RawMessage {
	out, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return out
}

// podTemplate is a random Pod of an app that stays as it is.
func (d *dice) podTemplate(app string, variant int) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"app": app}},
		"spec": map[string]any{
			"containers": []any{map[string]any{"name": "c", "image": fmt.Sprintf("nginx:1.%d", 27+variant%3), "resources": map[string]any{
				"requests": map[string]any{"cpu": []string{"10m", "50m", "100m"}[variant%3]},
			}}},
			"terminationGracePeriodSeconds": []int{0, 2, 30}[variant%3],
		},
	}
}

// deaf has a Pod's container run a program that does not hear SIGTERM: it runs until its grace period is over.
func deaf(pod map[string]any) {
	pod["containers"].([]any)[0].(map[string]any)["command"] = []any{"sleep", "1d"}
}
