package chaos

import (
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "budgets", controllers: []string{"disruption-controller"}, act: (*dice).budgets, unsettled: budgetsUnsettled, holds: budgetsHold})
}

// guarded is the ReplicaSet, and the app, that the budgets are of.
const guarded = "guarded"

func (d *dice) budgets(at time.Duration) {
	if d.once("replicasets/" + guarded) {
		d.apply(at, map[string]any{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": map[string]any{"name": guarded}, "spec": map[string]any{
			"replicas": 1 + d.IntN(6), "selector": map[string]any{"matchLabels": map[string]any{"app": guarded}}, "template": d.podTemplate(guarded, d.IntN(3))}})
		d.apply(at, d.budget())
		return
	}
	switch d.IntN(6) {
	case 0:
		d.apply(at, d.budget())
	case 1, 2, 3:
		node := d.scenario.Cluster.Nodes[d.IntN(len(d.scenario.Cluster.Nodes))].Name
		d.cordon(at, node, "drain", node, "--force", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=40s")
	default:
		d.changeWorkload(at, "replicasets", guarded)
	}
}

func (d *dice) budget() map[string]any {
	spec := map[string]any{"selector": map[string]any{"matchLabels": map[string]any{"app": guarded}}, "minAvailable": nil, "maxUnavailable": nil}
	switch d.IntN(4) {
	case 0:
		spec["minAvailable"] = d.IntN(4)
	case 1:
		spec["minAvailable"] = "50%"
	case 2:
		spec["maxUnavailable"] = 1 + d.IntN(2)
	default:
		spec["maxUnavailable"] = "30%"
	}
	return map[string]any{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": map[string]any{"name": guarded}, "spec": spec}
}

// A budget says how many Pods are there, and allows what is left over.
func budgetsUnsettled(s trace.State, say sayer) {
	healthy, want := int32(0), int32(-1)
	for _, c := range s.Cells(trace.CellObject) {
		switch o := s[c].(type) {
		case *corev1.Pod:
			if o.Labels["app"] == guarded && o.DeletionTimestamp == nil {
				for _, cond := range o.Status.Conditions {
					if cond.Type == corev1.PodReady && cond.Status == corev1.ConditionTrue {
						healthy++
					}
				}
			}
		case *appsv1.ReplicaSet:
			if o.Name == guarded {
				want = *o.Spec.Replicas
			}
		}
	}
	for _, c := range s.Cells(trace.CellObject) {
		pdb, ok := s[c].(*policyv1.PodDisruptionBudget)
		if !ok || pdb.Name != guarded || want < 0 {
			continue
		}
		st := pdb.Status
		if st.ObservedGeneration != pdb.Generation {
			say("budget %s of generation %d has the observed generation %d", c.Key, pdb.Generation, st.ObservedGeneration)
		}
		allowed := max(0, healthy-st.DesiredHealthy)
		if st.ExpectedPods == 0 {
			allowed = 0
		}
		if st.CurrentHealthy != healthy || st.DisruptionsAllowed != allowed {
			say("budget %s: %d pods are healthy and %d have to be; the status has %d healthy, %d allowed", c.Key, healthy, st.DesiredHealthy, st.CurrentHealthy,
				st.DisruptionsAllowed)
		}
	}
}

// budgetsHold: no number in a budget is ever below zero, and an eviction is never
// granted when the budget of that moment allows none.
func budgetsHold(rec *trace.Recorder, say sayer) {
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Op != trace.StoreCommit {
			continue
		}
		for _, d := range e.Deltas {
			now, is := d.New.(*policyv1.PodDisruptionBudget)
			before, was := d.Old.(*policyv1.PodDisruptionBudget)
			if !is || !was || d.Cell.Kind != trace.CellObject {
				continue
			}
			if now.Status.DisruptionsAllowed < 0 {
				say("event %d: budget %s allows %d", e.ID, d.Cell.Key, now.Status.DisruptionsAllowed)
			}
			evicted := 0
			for pod := range now.Status.DisruptedPods { // order: a count
				if _, known := before.Status.DisruptedPods[pod]; !known {
					evicted++
				}
			}
			if evicted > int(before.Status.DisruptionsAllowed) {
				say("event %d: budget %s allowed %d and %d were evicted", e.ID, d.Cell.Key, before.Status.DisruptionsAllowed, evicted)
			}
		}
	}
}
