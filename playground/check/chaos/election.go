package chaos

import (
	"strings"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{
		name: "election",
		prepare: func(d *dice, cfg *cluster.Config) {
			cfg.LeaderElect, cfg.ControllerManagers, cfg.Schedulers = true, 2, 2
		},
		act:   (*dice).election,
		holds: oneLeader,
	})
}

// election kills one of those who lead or wait to, or starts it again.
func (d *dice) election(at time.Duration) {
	name := []string{"kube-controller-manager", "kube-controller-manager-2", "kube-scheduler", "kube-scheduler-2"}[d.IntN(4)]
	d.toggle(at, name, cluster.Input{Kind: cluster.Stop, Component: name}, cluster.Input{Kind: cluster.Start, Component: name})
}

// oneLeader: nobody begins to lead while another one does.
func oneLeader(rec *trace.Recorder, say sayer) {
	leads := map[string]string{} // by program, without its number
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		program := strings.TrimSuffix(e.Component, "-2")
		switch {
		case e.Op == trace.ComponentStop && leads[program] == e.Component:
			delete(leads, program)
		case e.Op == trace.Log && e.Text("message") == "Successfully acquired lease":
			if other := leads[program]; other != "" {
				say("event %d: %s leads, and so does %s", e.ID, e.Component, other)
			}
			leads[program] = e.Component
		}
	}
}
