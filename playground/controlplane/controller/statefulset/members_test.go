package statefulset

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/appsv1"
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

// A set may ask for 2,000,000,000 Pods: a sync has a plan for the lowest that are missing, and sees all that are there.
func TestPlanIsBounded(t *testing.T) {
	for _, c := range []struct {
		ordered                 bool
		replicas, start         int32
		pods                    []string
		planned, unplanned      int
		condemned, first, reach string // first of those that are not there; reach: the ones that partition 3 lets an update have, of those that are there
	}{
		{false, 5, 0, []string{"db-0", "db-4", "db-7", "db-5"}, 5, 0, "db-7 db-5", "db-1", "db-4"},
		{false, 5, 2, []string{"db-2", "db-5", "db-1", "db-6"}, 5, 0, "db-1", "db-3", "db-6 db-5"},
		{false, 20_000, 0, []string{"db-0", "db-12000", "db-11000"}, mostPlanned + 5, 20_000 - mostPlanned - 5, "", "db-1", "db-12000 db-11000"},
		{false, 2_000_000_000, 5, []string{"db-2000000004", "db-5", "db-6", "db-2000000005"}, mostPlanned + 5, 2_000_000_000 - mostPlanned - 5, "db-2000000005", "db-7",
			"db-2000000004"},
		{true, 2_000_000_000, 5, []string{"db-2000000004", "db-5", "db-6", "db-2000000005"}, 6, 2_000_000_000 - 6, "db-2000000005", "db-7", "db-2000000004"},
		{true, 5, 2, []string{"db-2", "db-5", "db-1", "db-6"}, 5, 0, "db-1", "db-3", "db-6 db-5"},
	} {
		s := set("db", c.replicas, c.start)
		if !c.ordered {
			s.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
		}
		partition := int32(3)
		s.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{Partition: &partition}
		var pods []*member
		for _, name := range c.pods {
			pod := named(name)
			pod.Status.Phase = corev1.PodRunning
			pods = append(pods, newMember(pod))
		}
		revision := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Name: "db-1"}}
		plan := newPlan(s, s, s, revision, revision, pods, time.Time{})
		names := func(list []*member, all func(i int) bool) string {
			var out []string
			for i, m := range list {
				if all(i) {
					out = append(out, m.pod.Name)
				}
			}
			return strings.Join(out, " ")
		}
		first, _, _ := strings.Cut(names(plan.replicas, func(i int) bool { return !plan.replicas[i].created }), " ")
		var reach []string
		for target := len(plan.replicas) - 1; plan.reached(target); target-- {
			if m := plan.replicas[target]; m.created {
				reach = append(reach, m.pod.Name)
			}
		}
		if len(plan.replicas) != c.planned || plan.unplanned != c.unplanned || first != c.first || strings.Join(reach, " ") != c.reach ||
			names(plan.condemned, func(int) bool { return true }) != c.condemned {
			t.Errorf("%d from %d, ordered %v: %d planned, %d not, the first of them %s, condemned %s, an update reaches %s", c.replicas, c.start, c.ordered, len(plan.replicas), plan.unplanned,
				first, names(plan.condemned, func(int) bool { return true }), reach)
		}
		if !slices.IsSortedFunc(plan.replicas, func(a, b *member) int { return a.ordinal - b.ordinal }) {
			t.Errorf("%d from %d: not by ordinal", c.replicas, c.start)
		}
		// None is ready.
		if got := plan.findUnavailable(); got != int(c.replicas)+len(plan.condemned) {
			t.Errorf("%d of %d are not available", got, c.replicas)
		}
	}
}
