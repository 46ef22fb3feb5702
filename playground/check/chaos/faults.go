package chaos

import (
	"strings"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "faults", act: (*dice).faults, prepare: (*dice).someReplicas, holds: faultsHold})
}

// someReplicas sees to it that there is something to go wrong.
func (d *dice) someReplicas(*cluster.Config) {
	d.apply(d.scenario.Setup, map[string]any{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": map[string]any{"name": "steady"},
		"spec": map[string]any{"replicas": 3, "selector": map[string]any{"matchLabels": map[string]any{"app": "steady"}},
			"template": map[string]any{"metadata": map[string]any{"labels": map[string]any{"app": "steady"}},
				"spec": map[string]any{"terminationGracePeriodSeconds": 2, "containers": []any{map[string]any{"name": "web", "image": "nginx:1.27"}}}}}})
}

// faults cut off, slow down and spoil what runs; each goes on until it is done once more, or until everything is mended.
func (d *dice) faults(at time.Duration) {
	if d.IntN(5) == 0 {
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: "steady-*"})
		return
	}
	in := cluster.Input{Kind: cluster.Partition, Component: d.component()}
	switch d.IntN(6) {
	case 0:
		in.Component, in.Node = "", d.scenario.Cluster.Nodes[d.IntN(len(d.scenario.Cluster.Nodes))].Name
	case 1:
		if !cluster.CanPartition(in.Component) {
			in.Component = cluster.Kubectl
		}
	case 2:
		in.Kind, in.Value = cluster.Slow, []string{"20ms", "200ms", "800ms"}[d.IntN(3)]
		if d.IntN(4) == 0 {
			in.Component = cluster.Etcd
		}
	case 3:
		in = cluster.Input{Kind: cluster.Fail, Component: cluster.APIServer, Value: []string{"500 30%", "503 60%", "429 80%"}[d.IntN(3)]}
	case 4:
		in = cluster.Input{Kind: cluster.Fail, Component: cluster.Etcd, Value: []string{"no-leader", "no-space"}[d.IntN(2)]}
	case 5:
		if in.Kind = cluster.Fail; !d.scenario.Cluster.CanCrashLoop(in.Component) {
			in.Component = "replicaset-controller"
		}
	}
	if in.Kind == cluster.Partition && in.Component != "" && !cluster.CanPartition(in.Component) {
		in.Component = "replicaset-controller"
	}
	d.toggle(at, string(in.Kind)+" "+in.Node+in.Component, in, cluster.Input{Kind: cluster.Heal, Node: in.Node, Component: in.Component, Value: string(in.Kind)})
}

// arrived is when a message was at its receiver's, if what sent it led to the event directly.
func arrived(rec *trace.Recorder, e *trace.Event) (at time.Duration, known bool) {
	if e.Cause == 0 {
		return 0, false
	}
	for _, d := range rec.Event(e.Cause).Deltas {
		if m, ok := d.New.(trace.Message); ok && d.Cell.Kind == trace.CellMessage {
			return m.Arrives, true
		}
	}
	return 0, false
}

// faultsHold: nothing reaches who is cut off, and nothing of theirs reaches anybody; and what was healed is no more.
func faultsHold(rec *trace.Recorder, say sayer) {
	cut := map[string]time.Duration{} // since when
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		for _, delta := range e.Deltas {
			if delta.Cell.Kind == trace.CellFault && delta.Cell.Key == string(cluster.Partition) {
				if who := delta.Cell.Owner[len("fault/"):]; delta.New != nil {
					cut[who] = e.At
				} else {
					delete(cut, who)
				}
			}
		}
		since, isCut := cut[e.Component]
		if node, ok := cut[strings.TrimPrefix(e.Component, "kubelet/")]; ok && !isCut {
			since, isCut = node, true
		}
		if !isCut {
			continue
		}
		if at, known := arrived(rec, e); known && at <= since {
			continue // a slow program looks at it only now
		}
		if e.Op == trace.WatchReceive || e.Op == trace.RequestDone && e.Get("code") != int64(0) && e.Get("lost") == nil {
			say("event %d: %s of %s, which is cut off", e.ID, e.Op, e.Component)
		}
	}
	state := rec.Now()
	for _, cell := range state.Cells(trace.CellFault) {
		say("%s still has the fault %s", cell.Owner, cell.Key)
	}
}
