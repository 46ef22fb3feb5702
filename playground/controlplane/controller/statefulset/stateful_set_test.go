package statefulset

import (
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// An orphan wakes the sets that may adopt it when its labels have changed, or when it has just lost its owner, and not otherwise.
// Upstream: stateful_set_test.go, TestStatefulSetControllerUpdatePodOrphanWithNewLabels and …Release.
func TestUpdatePodOfOrphans(t *testing.T) {
	db := set("db", 3, 0)
	owner := []metav1.OwnerReference{*metav1.NewControllerRef(set("gone", 1, 0), controllerKind)}
	for name, c := range map[string]struct {
		before, after func(p *corev1.Pod)
		want          int
	}{
		"new labels":        {func(p *corev1.Pod) { p.Labels = nil }, func(*corev1.Pod) {}, 1},
		"no owner any more": {func(p *corev1.Pod) { p.OwnerReferences = owner }, func(*corev1.Pod) {}, 1},
		"status":            {func(*corev1.Pod) {}, func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }, 0},
		"of another":        {func(*corev1.Pod) {}, func(p *corev1.Pod) { p.OwnerReferences = owner }, 0},
	} {
		k := sim.New(1, time.Unix(0, 0), trace.NewRecorder(trace.Off))
		defer k.Close()
		component := k.Start("kube-controller-manager")
		indexer := cache.NewIndexer(cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		if err := indexer.Add(db); err != nil {
			t.Fatal(err)
		}
		ssc := &StatefulSetController{kernel: k, component: component, setLister: listers.NewStatefulSetLister(indexer),
			queue: workqueue.NewTypedRateLimitingQueueWithConfig(component, workqueue.DefaultTypedControllerRateLimiter[string](component),
				workqueue.TypedRateLimitingQueueConfig[string]{Name: "statefulset"})}
		old := named("db-0")
		old.Labels, old.ResourceVersion = map[string]string{"app": "db"}, "1"
		cur := old.DeepCopy()
		cur.ResourceVersion = "2"
		c.before(old)
		c.after(cur)
		component.Run(func() { ssc.updatePod(old, cur) })
		if got := ssc.queue.Len(); got != c.want {
			t.Errorf("%s: %d sets are woken, want %d", name, got, c.want)
		}
	}
}
