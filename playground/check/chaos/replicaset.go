package chaos

import (
	"slices"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "replicasets", act: (*dice).replicaSets, unsettled: replicaSetsUnsettled})
}

func (d *dice) replicaSets(at time.Duration) {
	name := names[d.IntN(len(names))]
	if !d.applied[name] {
		d.applied[name] = true
		d.apply(at, d.replicaSet(name, d.IntN(9), d.IntN(3)))
		return
	}
	rs := cluster.Input{At: at, Resource: "replicasets", Namespace: "default", Name: name}
	switch d.IntN(5) {
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
	}
}

func (d *dice) replicaSet(name string, replicas, variant int) map[string]any {
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "ReplicaSet",
		"metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"replicas": replicas,
			"selector": map[string]any{"matchLabels": map[string]any{"app": name}},
			"template": d.podTemplate(name, variant),
		},
	}
}

func replicaSetsUnsettled(s trace.State, say sayer) {
	pods := podsByController(s)
	for _, c := range s.Cells(trace.CellObject) {
		rs, ok := s[c].(*appsv1.ReplicaSet)
		if !ok {
			continue
		}
		// One that has ended, refused by its kubelet perhaps, does not count, and stays.
		want, owned := int(*rs.Spec.Replicas), slices.DeleteFunc(pods[string(rs.UID)], func(pod *corev1.Pod) bool {
			return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
		})
		if ready := countReady(owned); len(owned) != want || ready != want {
			say("replicaset %s wants %d pods and has %d, %d of them ready", c.Key, want, len(owned), ready)
		}
		if st := rs.Status; int(st.Replicas) != want || int(st.ReadyReplicas) != want || st.ObservedGeneration != rs.Generation {
			say("replicaset %s of generation %d has the status replicas %d, ready %d, observed generation %d, and wants %d",
				c.Key, rs.Generation, st.Replicas, st.ReadyReplicas, st.ObservedGeneration, want)
		}
	}
}

// podsByController groups the Pods of a state by the uid of their controller, "" for none.
func podsByController(s trace.State) map[string][]*corev1.Pod {
	pods := map[string][]*corev1.Pod{}
	for _, c := range s.Cells(trace.CellObject) {
		if pod, ok := s[c].(*corev1.Pod); ok {
			uid := controllerOf(pod)
			pods[uid] = append(pods[uid], pod)
		}
	}
	return pods
}

func controllerOf(pod *corev1.Pod) string {
	for _, ref := range pod.OwnerReferences {
		if ref.Controller != nil && *ref.Controller {
			return string(ref.UID)
		}
	}
	return ""
}

func countReady(pods []*corev1.Pod) int {
	n := 0
	for _, pod := range pods {
		if isReady(pod) {
			n++
		}
	}
	return n
}

func isReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
