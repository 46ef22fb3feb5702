package endpoint

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// What is kept of a Service's Pods is what a look at all Pods finds, the changes lead from one to the next, the time that they give is that of
// a look at all, and a sync keeps the list that it was given; whatever Pods come, change and go, and whatever the selector is by then.
func TestSelections(t *testing.T) {
	for seed := range uint64(200) {
		r := sim.NewRand(seed)
		indexer := cache.NewIndexer(cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		selections, times := controller.NewSelections(indexer), NewTriggerTimeTracker()
		created := metav1.NewTime(time.Unix(100, 0))
		svc := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", CreationTimestamp: created},
			Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "a"}}}
		followed := map[string]*corev1.Pod{}
		seen := map[string]time.Time{} // by all Pods' names
		var given, copied []*corev1.Pod
		first := true
		for step := range 60 {
			pod := randomPod(r, r.IntN(15))
			pod.Labels = map[string]string{"app": []string{"a", "b"}[r.IntN(3)/2], "tier": "x"}
			for i := range pod.Status.Conditions {
				pod.Status.Conditions[i].LastTransitionTime = metav1.NewTime(time.Unix(int64(100+step+r.IntN(9)), 0))
			}
			pod.Namespace = []string{"default", "other"}[r.IntN(10)/9]
			if r.IntN(4) == 0 {
				indexer.Delete(pod)
			} else {
				indexer.Add(pod)
			}
			if r.IntN(20) == 0 {
				changed := *svc
				changed.Spec.Selector = []map[string]string{{"app": "a"}, {"app": "b"}, {"tier": "x"}}[r.IntN(3)]
				svc = &changed
			}
			if r.IntN(40) == 0 {
				selections.Forget("default", "web")
				times.DeleteService("default", "web")
				clear(followed)
				clear(seen)
				first = true
			}
			if !slices.Equal(given, copied) {
				t.Fatalf("seed %d: the list that was given away has changed", seed)
			}
			if r.IntN(2) == 0 {
				continue
			}
			selection := selections.Of(svc.Namespace, svc.Name, labels.SelectorFromSet(svc.Spec.Selector))
			changes := selection.Changes()
			given = selection.Pods()
			copied = slices.Clone(given)
			want := map[string]*corev1.Pod{}
			var earliest time.Time
			now := map[string]time.Time{}
			for _, obj := range indexer.List() {
				pod := obj.(*corev1.Pod)
				if pod.Namespace != "default" || !labels.SelectorFromSet(svc.Spec.Selector).Matches(labels.Set(pod.Labels)) {
					continue
				}
				want[pod.Name] = pod
				if at := podTriggerTime(pod); !at.IsZero() {
					if now[pod.Name] = at; at.After(seen[pod.Name]) && (earliest.IsZero() || at.Before(earliest)) {
						earliest = at
					}
				}
			}
			if earliest.IsZero() && first {
				earliest = created.Time
			}
			seen, first = now, false
			if got := times.ComputeEndpointLastChangeTriggerTime(svc, changes); !got.Equal(earliest) {
				t.Fatalf("seed %d: the earliest change was at %v, want %v", seed, got, earliest)
			}
			for i, c := range changes {
				if i > 0 && changes[i-1].Name >= c.Name {
					t.Fatalf("seed %d: %s comes before %s", seed, changes[i-1].Name, c.Name)
				}
				if followed[c.Name] = c.Pod; c.Pod == nil {
					delete(followed, c.Name)
				}
			}
			byName := map[string]*corev1.Pod{}
			for _, pod := range given {
				byName[pod.Name] = pod
			}
			sorted := slices.IsSortedFunc(given, func(a, b *corev1.Pod) int {
				return func(pod *corev1.Pod, name string) int { return strings.Compare(pod.Name, name) }(a, b.Name)
			})
			if !sorted || len(given) != len(want) || !maps.Equal(byName, want) || !maps.Equal(followed, want) {
				t.Fatalf("seed %d: %d Pods in order %v, %d by their changes, want %d, or others", seed, len(given), sorted, len(followed), len(want))
			}
		}
	}
}
