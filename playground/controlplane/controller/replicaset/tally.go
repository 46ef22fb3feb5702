package replicaset

import (
	"maps"
	"slices"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// tally sums up the Pods in the cache that refer to one ReplicaSet, so that a
// sync does not have to look at each of them. Upstream's does, after every
// change of every Pod.
type tally struct {
	active, ready int
	// labels are those of one active Pod, and alike is how many have them:
	// normally all.
	labels map[string]string
	alike  int
	// inactive are the Pods that do not count as replicas, by name.
	inactive []*corev1.Pod
}

// tallied names the ReplicaSet that Pods refer to.
type tallied struct {
	namespace, name string
	uid             types.UID
}

// tallies are kept for all Pods in the cache that a ReplicaSet controls.
type tallies map[tallied]*tally

// change follows the cache; see cache.Indexer's OnChange.
func (t tallies) change(kind string, old, obj any) {
	if pod, ok := old.(*corev1.Pod); ok {
		t.count(kind, pod, -1)
	}
	if pod, ok := obj.(*corev1.Pod); ok {
		t.count(kind, pod, +1)
	}
}

func (t tallies) count(kind string, pod *corev1.Pod, n int) {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil || ref.Kind != kind {
		return
	}
	of := tallied{pod.Namespace, ref.Name, ref.UID}
	sum := t[of]
	if sum == nil {
		sum = &tally{}
		t[of] = sum
	}
	if controller.IsPodActive(pod) {
		if sum.active == 0 {
			sum.labels = pod.Labels
		}
		if maps.Equal(sum.labels, pod.Labels) {
			sum.alike += n
		}
		if controller.IsPodReady(pod) {
			sum.ready += n
		}
		sum.active += n
	} else {
		at, _ := slices.BinarySearchFunc(sum.inactive, pod.Name, func(other *corev1.Pod, name string) int {
			if other.Name < name {
				return -1
			} else if other.Name > name {
				return 1
			}
			return 0
		})
		if n > 0 {
			sum.inactive = slices.Insert(sum.inactive, at, pod)
		} else {
			sum.inactive = slices.Delete(sum.inactive, at, at+1)
		}
	}
	if sum.active == 0 && len(sum.inactive) == 0 {
		delete(t, of)
	}
}

// counts are the numbers in a ReplicaSet's status.
type counts struct{ active, fullyLabeled, ready, available, terminating int }

// counted counts a ReplicaSet's Pods without looking at each; ok is false when
// that is not enough: some are to be adopted, released, created or deleted, or
// become available only later. It logs what FilterActivePods does.
func (rsc *ReplicaSetController) counted(log sim.Logger, rs *appsv1.ReplicaSet, selector labels.Selector, manage bool) (n counts, ok bool) {
	sum := rsc.tallies[tallied{rs.Namespace, rs.Name, rs.UID}]
	if sum == nil {
		sum = &tally{}
	}
	if rs.Spec.MinReadySeconds > 0 || sum.alike != sum.active || manage && sum.active != int(*rs.Spec.Replicas) ||
		sum.active > 0 && !selector.Matches(labels.Set(sum.labels)) {
		return n, false
	}
	orphans, err := controller.OrphanPods(rsc.podIndexer, rs.Namespace)
	if err != nil {
		return n, false
	}
	for _, pod := range orphans {
		if controller.IsPodActive(pod) && selector.Matches(labels.Set(pod.Labels)) {
			return n, false
		}
	}
	if log.Enabled() {
		controller.FilterActivePods(log, sum.inactive)
		controller.FilterActivePods(log, orphans)
	}
	n = counts{active: sum.active, ready: sum.ready, available: sum.ready}
	if labels.SelectorFromSet(rs.Spec.Template.Labels).Matches(labels.Set(sum.labels)) {
		n.fullyLabeled = sum.active
	}
	for _, pod := range sum.inactive {
		if controller.IsPodTerminating(pod) && metav1.IsControlledBy(pod, rs) && selector.Matches(labels.Set(pod.Labels)) {
			n.terminating++
		}
	}
	return n, true
}
