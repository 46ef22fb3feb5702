package statefulset

import (
	"fmt"
	"slices"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// What is kept of a set's Pods is what a look at all Pods finds, whatever Pods come, change, and go, and whatever the selector is by
// then; and a sync keeps the list that it was given.
func TestCrews(t *testing.T) {
	for seed := range uint64(200) {
		r := sim.NewRand(seed)
		indexer := cache.NewIndexer(cache.Indexers{})
		kept := crews{}
		indexer.OnChange(kept.change)
		s := set("db", 3, 0)
		var given, copied []*member
		for range 60 {
			pod := named(fmt.Sprint([]string{"db-", "db-0", "web-"}[r.IntN(3)], r.IntN(12)))
			pod.Labels = map[string]string{"app": []string{"db", "web"}[r.IntN(10)/9], "tier": "a", "controller-revision-hash": fmt.Sprint("db-", r.IntN(2)),
				"statefulset.kubernetes.io/pod-name": "db-1"}
			pod.Status.Phase = []corev1.PodPhase{"", corev1.PodPending, corev1.PodRunning}[r.IntN(3)]
			if owner := set([]string{"db", "web", ""}[r.IntN(10)/5], 3, 0); owner.Name != "" {
				pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, controllerKind)}
				pod.OwnerReferences[0].Kind = []string{"StatefulSet", "ReplicaSet"}[r.IntN(20)/19]
			}
			if r.IntN(4) == 0 {
				indexer.Delete(pod)
			} else {
				indexer.Add(pod)
			}
			if r.IntN(20) == 0 {
				s.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "a"}}
			}
			if !slices.Equal(given, copied) {
				t.Fatalf("seed %d: the list that was given away has changed", seed)
			}
			if r.IntN(2) == 0 {
				continue
			}
			selector, err := labels.LabelSelectorAsSelector(s.Spec.Selector)
			if err != nil {
				t.Fatal(err)
			}
			claimed, others := kept.claimed(s, selector)
			given, copied = claimed, slices.Clone(claimed)
			var want []member
			var wantOthers []*corev1.Pod
			for _, obj := range indexer.List() {
				pod := obj.(*corev1.Pod)
				switch ref := metav1.GetControllerOfNoCopy(pod); {
				case ref == nil || ref.Kind != "StatefulSet" || ref.UID != s.UID:
				case selector.Matches(labels.Set(pod.Labels)) && isMemberOf(s, pod):
					m := newMember(pod)
					m.judged, m.selected = true, true
					if m.ordinal != getOrdinal(pod) || (m.identity && m.parent == s.Name) != identityMatches(s, pod) || m.ready != controller.IsPodReady(pod) {
						t.Fatalf("seed %d: %s is known as %+v", seed, pod.Name, m)
					}
					want = append(want, *m)
				default:
					wantOthers = append(wantOthers, pod)
				}
			}
			if !slices.Equal(others, wantOthers) || !slices.EqualFunc(claimed, want, func(a *member, b member) bool { return *a == b }) {
				t.Fatalf("seed %d: %d claimed and %d others, want %d and %d, or others", seed, len(claimed), len(others), len(want), len(wantOthers))
			}
		}
	}
}
