package chaos

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "statefulsets", controllers: []string{"statefulset-controller"}, act: (*dice).statefulSets, unsettled: statefulSetsUnsettled})
}

func (d *dice) statefulSets(at time.Duration) {
	name := []string{"queue", "vault"}[d.IntN(2)]
	if d.once("statefulsets/" + name) {
		d.apply(at, d.statefulSet(name))
		return
	}
	if d.IntN(3) == 0 {
		d.apply(at, d.statefulSet(name))
		return
	}
	d.changeWorkload(at, "statefulsets", name)
}

// statefulSet is in order for one name and parallel for the other: that can't be changed.
func (d *dice) statefulSet(name string) map[string]any {
	policy := "OrderedReady"
	if name == "vault" {
		policy = "Parallel"
	}
	// Who deletes a Pod of a StatefulSet without grace has its successor started
	// beside it, as long as the old one's kubelet does not know. That is so in
	// the real thing too, and these experiments don't do it.
	template := d.podTemplate(name, d.IntN(3))
	pod := template["spec"].(map[string]any)
	pod["terminationGracePeriodSeconds"] = 1 + d.IntN(4)
	if d.IntN(2) == 0 { // one that does not hear SIGTERM runs on for all of it, and whoever is early with its successor has two of them
		deaf(pod)
		pod["terminationGracePeriodSeconds"] = 3 + d.IntN(6)
	}
	spec := map[string]any{
		"replicas": d.IntN(5), "podManagementPolicy": policy, "serviceName": name, "minReadySeconds": d.IntN(2) * 2,
		"revisionHistoryLimit": d.IntN(3), "ordinals": map[string]any{"start": d.IntN(2) * 3},
		"updateStrategy": map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"partition": 0}},
		"selector":       map[string]any{"matchLabels": map[string]any{"app": name}},
		"template":       template,
	}
	return map[string]any{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": map[string]any{"name": name}, "spec": spec}
}

// A StatefulSet has a Pod of each ordinal and no other, ready and of the newest revision.
func statefulSetsUnsettled(s trace.State, say sayer) {
	pods := podsByController(s)
	for _, c := range s.Cells(trace.CellObject) {
		set, ok := s[c].(*appsv1.StatefulSet)
		if !ok {
			continue
		}
		if set.DeletionTimestamp != nil {
			say("statefulset %s is still being deleted", c.Key)
			continue
		}
		start := 0
		if set.Spec.Ordinals != nil {
			start = int(set.Spec.Ordinals.Start)
		}
		var want, have []string
		for i := range int(*set.Spec.Replicas) {
			want = append(want, fmt.Sprintf("%s-%d", set.Name, start+i))
		}
		for _, pod := range pods[string(set.UID)] {
			have = append(have, pod.Name)
			if revision := pod.Labels[appsv1.StatefulSetRevisionLabel]; !isReady(pod) || revision != set.Status.UpdateRevision {
				say("pod %s of statefulset %s is ready: %v, and of revision %s; the newest is %s", pod.Name, c.Key, isReady(pod), revision, set.Status.UpdateRevision)
			}
		}
		sort.Strings(want)
		sort.Strings(have)
		if a, b := strings.Join(want, " "), strings.Join(have, " "); a != b {
			say("statefulset %s wants the pods %s and has %s", c.Key, a, b)
		}
		n, st := *set.Spec.Replicas, set.Status
		if st.ObservedGeneration != set.Generation || st.Replicas != n || st.ReadyReplicas != n || st.AvailableReplicas != n || st.UpdatedReplicas != n ||
			st.CurrentReplicas != n ||
			st.CurrentRevision != st.UpdateRevision {
			say("statefulset %s of generation %d wants %d and has the status %+v", c.Key, set.Generation, n, st)
		}
	}
}
