package chaos

import (
	"encoding/json"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "deployments", controllers: []string{"deployment-controller"}, act: (*dice).deployments, unsettled: deploymentsUnsettled})
}

// once tells whether something is to be made anew: it was not, or was deleted since.
func (d *dice) once(what string) bool {
	if d.applied[what] {
		return false
	}
	d.applied[what] = true
	return true
}

// changeWorkload is what can be done to all that have replicas.
func (d *dice) changeWorkload(at time.Duration, resource, name string) {
	in := cluster.Input{At: at, Resource: resource, Namespace: "default", Name: name}
	switch d.IntN(3) {
	case 0:
		n := int32(d.IntN(7))
		in.Kind, in.Replicas = cluster.Scale, &n
	case 1:
		in.Kind, in.Resource, in.Name = cluster.Delete, "pods", name+"-*"
		if d.IntN(3) == 0 && resource != "statefulsets" { // see statefulSet
			zero := int64(0)
			in.Grace = &zero
		}
	case 2:
		in.Kind, in.Cascade = cluster.Delete, []string{"background", "foreground"}[d.IntN(2)]
		d.applied[resource+"/"+name] = false
	}
	d.add(in)
}

func (d *dice) deployments(at time.Duration) {
	name := []string{"shop", "blog"}[d.IntN(2)]
	if d.once("deployments/" + name) {
		d.apply(at, d.deployment(name))
		return
	}
	switch d.IntN(6) {
	case 0, 1: // another version, in the middle of a roll-out or not
		d.apply(at, d.deployment(name))
	case 2:
		paused := json.RawMessage(`{"spec":{"paused":true}}`)
		if d.IntN(2) == 0 {
			paused = json.RawMessage(`{"spec":{"paused":false}}`)
		}
		d.add(cluster.Input{At: at, Kind: cluster.Patch, Resource: "deployments", Namespace: "default", Name: name, Manifest: paused})
	default:
		d.changeWorkload(at, "deployments", name)
	}
}

func (d *dice) deployment(name string) map[string]any {
	// One name is always recreated. In a change from one strategy to the other in
	// the middle of a roll-out the real controller gets stuck too, when it is
	// scaled at once: several ReplicaSets have Pods, and nobody says which is to shrink.
	strategy := map[string]any{"type": "Recreate"}
	if name == "shop" {
		strategy = map[string]any{"type": "RollingUpdate"}
		switch d.IntN(3) {
		case 0:
			strategy["rollingUpdate"] = map[string]any{"maxSurge": d.IntN(3), "maxUnavailable": 1 + d.IntN(3)}
		case 1:
			strategy["rollingUpdate"] = map[string]any{"maxSurge": "50%", "maxUnavailable": 0}
		}
	}
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"replicas": d.IntN(7), "strategy": strategy, "minReadySeconds": d.IntN(2) * 3, "revisionHistoryLimit": d.IntN(4),
			"selector": map[string]any{"matchLabels": map[string]any{"app": name}},
			"template": d.podTemplate(name, d.IntN(3)),
		},
	}
}

// A Deployment has one ReplicaSet with all its Pods, and its status says that
// it is complete; or it is paused in the middle, with the right number of Pods.
func deploymentsUnsettled(s trace.State, say sayer) {
	asked, active := map[string]int{}, map[string]int{} // by uid
	for _, c := range s.Cells(trace.CellObject) {
		if rs, ok := s[c].(*appsv1.ReplicaSet); ok {
			for _, ref := range rs.OwnerReferences {
				asked[string(ref.UID)] += int(*rs.Spec.Replicas)
				if *rs.Spec.Replicas > 0 {
					active[string(ref.UID)]++
				}
			}
		}
	}
	for _, c := range s.Cells(trace.CellObject) {
		d, ok := s[c].(*appsv1.Deployment)
		if !ok {
			continue
		}
		if d.DeletionTimestamp != nil {
			say("deployment %s is still being deleted", c.Key)
			continue
		}
		want, st := int(*d.Spec.Replicas), d.Status
		if st.ObservedGeneration != d.Generation {
			say("deployment %s of generation %d has the observed generation %d", c.Key, d.Generation, st.ObservedGeneration)
		}
		if n := asked[string(d.UID)]; d.Spec.Paused {
			// A roll-out that was stopped may keep its surge, and a new one has no ReplicaSet yet.
			if want == 0 && n != 0 {
				say("deployment %s is paused, wants 0 pods, and its ReplicaSets ask for %d", c.Key, n)
			}
			continue
		} else if n != want || active[string(d.UID)] > 1 {
			say("deployment %s wants %d pods, and its ReplicaSets ask for %d, of %d versions", c.Key, want, n, active[string(d.UID)])
		}
		if int(st.Replicas) != want || int(st.UpdatedReplicas) != want || int(st.ReadyReplicas) != want || int(st.AvailableReplicas) != want ||
			st.UnavailableReplicas != 0 {
			say("deployment %s wants %d and has the status replicas %d, updated %d, ready %d, available %d, unavailable %d",
				c.Key, want, st.Replicas, st.UpdatedReplicas, st.ReadyReplicas, st.AvailableReplicas, st.UnavailableReplicas)
		}
	}
}
