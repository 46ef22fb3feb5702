package chaos

import (
	"strings"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "daemonsets", controllers: []string{"daemonset-controller"}, act: (*dice).daemonSets, unsettled: daemonSetsUnsettled})
}

func (d *dice) daemonSets(at time.Duration) {
	const name = "agent"
	if d.once("daemonsets/"+name) || d.IntN(2) == 0 {
		d.applied["daemonsets/"+name] = true
		d.apply(at, d.daemonSet(name))
		return
	}
	in := cluster.Input{At: at, Kind: cluster.Delete, Resource: "daemonsets", Namespace: "default", Name: name}
	switch d.IntN(4) {
	case 0:
		d.applied["daemonsets/"+name] = false
	case 1:
		node := d.scenario.Cluster.Nodes[d.IntN(len(d.scenario.Cluster.Nodes))].Name
		d.cordon(at, node, "cordon", node)
		return
	default:
		in.Resource, in.Name = "pods", name+"-*"
	}
	d.add(in)
}

func (d *dice) daemonSet(name string) map[string]any {
	strategy := map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"maxUnavailable": 1 + d.IntN(2), "maxSurge": 0}}
	if d.IntN(3) == 0 {
		strategy = map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"maxUnavailable": 0, "maxSurge": 1 + d.IntN(2)}}
	}
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "DaemonSet",
		"metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"updateStrategy": strategy, "minReadySeconds": d.IntN(2) * 2, "revisionHistoryLimit": d.IntN(3),
			"selector": map[string]any{"matchLabels": map[string]any{"app": name}},
			"template": d.podTemplate(name, d.IntN(3)),
		},
	}
}

// keepsDaemonsAway tells whether a node has a taint that Pods of DaemonSets
// don't stand by themselves. What they stand are the states of a node.
func keepsDaemonsAway(n *corev1.Node) bool {
	for _, t := range n.Spec.Taints {
		if t.Effect != corev1.TaintEffectPreferNoSchedule && !strings.HasPrefix(t.Key, "node.kubernetes.io/") {
			return true
		}
	}
	return false
}

// toleratesAll tells whether no taint keeps a DaemonSet's Pods away.
func toleratesAll(ds *appsv1.DaemonSet) bool {
	for _, t := range ds.Spec.Template.Spec.Tolerations {
		if t.Key == "" && t.Effect == "" && t.Operator == corev1.TolerationOpExists {
			return true
		}
	}
	return false
}

// Every node that fits has one Pod, ready and of the newest template; no other node has any.
func daemonSetsUnsettled(s trace.State, say sayer) {
	pods := podsByController(s)
	var nodes []*corev1.Node
	for _, c := range s.Cells(trace.CellObject) {
		if n, ok := s[c].(*corev1.Node); ok {
			nodes = append(nodes, n)
		}
	}
	for _, c := range s.Cells(trace.CellObject) {
		ds, ok := s[c].(*appsv1.DaemonSet)
		if !ok {
			continue
		}
		if ds.DeletionTimestamp != nil {
			say("daemonset %s is still being deleted", c.Key)
			continue
		}
		on := map[string]int{}
		for _, pod := range pods[string(ds.UID)] {
			if isReady(pod) {
				on[pod.Spec.NodeName]++
			}
		}
		desired, lost := 0, 0
		for _, n := range nodes {
			shouldRun := !keepsDaemonsAway(n) || toleratesAll(ds)
			switch {
			case shouldRun:
				desired++
				if strings.HasPrefix(n.Name, toyInstances) && !runs(s, "containerd/"+n.Name) {
					lost++ // an instance that was terminated as it joined: its Node stays until somebody deletes it
				} else if on[n.Name] != 1 {
					say("daemonset %s has %d ready pods on %s", c.Key, on[n.Name], n.Name)
				}
			case on[n.Name] > 0:
				say("daemonset %s has %d pods on %s, which is not to have any", c.Key, on[n.Name], n.Name)
			}
		}
		if n := len(pods[string(ds.UID)]); n != desired {
			say("daemonset %s has %d pods for %d nodes", c.Key, n, desired)
		}
		st := ds.Status
		if st.ObservedGeneration != ds.Generation || int(st.DesiredNumberScheduled) != desired || int(st.CurrentNumberScheduled) != desired ||
			int(st.UpdatedNumberScheduled) != desired || int(st.NumberAvailable) != desired-lost || st.NumberMisscheduled != 0 {
			say("daemonset %s of generation %d wants %d and has the status %+v", c.Key, ds.Generation, desired, st)
		}
	}
}
