package replicaset

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

var (
	errNoController = errors.New("replicaset has no controllerRef")
	errTombstone    = errors.New("couldn't get object from tombstone")
)

// manageReplicas creates or deletes Pods until there will be as many as wanted,
// and sets expectations for them before the first request. It does not change
// activePods. Upstream: replica_set.go, manageReplicas.
func (rsc *ReplicaSetController) manageReplicas(p *sim.Proc, activePods []*corev1.Pod, rs *appsv1.ReplicaSet) error {
	switch diff := len(activePods) - int(*rs.Spec.Replicas); {
	case diff < 0:
		return rsc.createPods(p, rs, min(-diff, rsc.burstReplicas))
	case diff > 0:
		return rsc.deletePods(p, rs, activePods, min(diff, rsc.burstReplicas))
	}
	return nil
}

func (rsc *ReplicaSetController) createPods(p *sim.Proc, rs *appsv1.ReplicaSet, diff int) error {
	log, key := p.Logger(), controller.KeyFunc(rs)
	rsc.expectations.ExpectCreations(log, key, diff)
	log.V(2).Info("Too few replicas", "replicaSet", controller.KObj(rs), "need", *rs.Spec.Replicas, "creating", diff)
	created, err := slowStartBatch(p, diff, controller.SlowStartInitialBatchSize, func(p *sim.Proc) error {
		err := rsc.podControl.CreatePods(p, rs.Namespace, &rs.Spec.Template, rs, metav1.NewControllerRef(rs, rsc.GroupVersionKind))
		if apierrors.HasStatusCause(err, controller.NamespaceTerminatingCause) {
			return nil // the namespace goes away, and every creation would fail
		}
		return err
	})
	// What failed, and what was not tried, will never be seen.
	if skipped := diff - created; skipped > 0 {
		log.V(2).Info("Slow-start failure. Skipping creation of pods, decrementing expectations",
			"podsSkipped", skipped, "kind", rsc.Kind, "replicaSet", controller.KObj(rs))
		for range skipped {
			rsc.expectations.CreationObserved(log, key)
		}
	}
	return err
}

func (rsc *ReplicaSetController) deletePods(p *sim.Proc, rs *appsv1.ReplicaSet, activePods []*corev1.Pod, diff int) error {
	log, key := p.Logger(), controller.KeyFunc(rs)
	log.V(2).Info("Too many replicas", "replicaSet", controller.KObj(rs), "need", *rs.Spec.Replicas, "deleting", diff)
	related, err := rsc.getIndirectlyRelatedPods(p, rs)
	controller.HandleError(log, err, "Error getting related pods", "replicaSet", controller.KObj(rs))
	victims, why := getPodsToDelete(activePods, related, diff, p.Time())
	if why != "" {
		log.V(5).Info("Ranked pods for deletion", "replicaSet", controller.KObj(rs), "pods", why) // not logged upstream
	}
	rsc.expectations.ExpectDeletions(log, key, getPodKeys(victims))
	var first error
	p.Fork("delete", len(victims), func(p *sim.Proc, i int) {
		err := rsc.podControl.DeletePod(p, rs.Namespace, victims[i].Name, rs)
		if err == nil {
			return
		}
		// Its deletion will not be seen: it failed, or was seen before.
		podKey := controller.PodKey(victims[i])
		rsc.expectations.DeletionObserved(p.Logger(), key, podKey)
		if apierrors.IsNotFound(err) {
			return
		}
		p.Logger().V(2).Info("Failed to delete pod, decremented expectations", "pod", podKey, "kind", rsc.Kind, "replicaSet", controller.KObj(rs))
		if first == nil {
			first = err
		}
	})
	return first
}

// slowStartBatch calls do count times, in batches whose size doubles as long as
// all calls of a batch succeed: 1, 2, 4, 8 … The calls of one batch are under way
// at the same time. After a batch with a failure it stops. It returns how many
// calls succeeded, and the first failure.
//
// When all would fail for the same reason, a quota for instance, that keeps the
// API server from hundreds of hopeless requests, and the user from as many events.
// Upstream: replica_set.go, slowStartBatch.
func slowStartBatch(p *sim.Proc, count, initialBatchSize int, do func(p *sim.Proc) error) (successes int, err error) {
	remaining := count
	for batch := min(remaining, initialBatchSize); batch > 0; batch = min(2*batch, remaining) {
		controller.LogBatch(p.Logger(), batch, remaining)
		var first error
		p.Fork("create", batch, func(p *sim.Proc, _ int) {
			switch err := do(p); {
			case err == nil:
				successes++
			case first == nil:
				first = err
			}
		})
		if first != nil {
			return successes, first
		}
		remaining -= batch
	}
	return successes, nil
}

// getIndirectlyRelatedPods returns the Pods of all ReplicaSets that have the same
// owner, those of rs included: a node that runs both the old and the new version
// of a Deployment is crowded too. A ReplicaSet without an owner has no related
// Pods, not even its own, so the nodes of its Pods play no part in their ranking.
// Upstream: replica_set.go, getIndirectlyRelatedPods and
// getReplicaSetsWithSameController.
func (rsc *ReplicaSetController) getIndirectlyRelatedPods(p *sim.Proc, rs *appsv1.ReplicaSet) ([]*corev1.Pod, error) {
	var out []*corev1.Pod
	seen := map[types.UID]string{}
	for _, related := range rsc.getReplicaSetsWithSameController(rs) {
		selected, err := rsc.selectedPods(related)
		if err != nil {
			return nil, err
		}
		for _, pod := range selected {
			if other, found := seen[pod.UID]; found {
				p.Logger().V(5).Info("Pod is owned by both", "pod", controller.KObj(pod), "kind", rsc.Kind,
					"replicaSets", other+" "+controller.KObj(related))
				continue
			}
			seen[pod.UID] = controller.KObj(related)
			out = append(out, pod)
		}
	}
	p.Logger().V(4).Info("Found related pods", "kind", rsc.Kind, "replicaSet", controller.KObj(rs), "pods", len(out))
	return out, nil
}

func (rsc *ReplicaSetController) selectedPods(rs *appsv1.ReplicaSet) ([]*corev1.Pod, error) {
	selector, err := labels.LabelSelectorAsSelector(rs.Spec.Selector)
	if err != nil {
		return nil, err
	}
	return rsc.podLister.Pods(rs.Namespace).List(selector)
}

// getPodsToDelete returns the diff Pods that are given up first, and by which
// criterion each comes before the first Pod that is kept. When all go, their
// order does not matter.
func getPodsToDelete(activePods, relatedPods []*corev1.Pod, diff int, now time.Time) (victims []*corev1.Pod, why string) {
	sorted := append([]*corev1.Pod(nil), activePods...)
	if diff < len(sorted) {
		ranked := getPodsRankedByRelatedPodsOnSameNode(sorted, relatedPods, now)
		sort.Stable(ranked)
		why = whyFirst(ranked, diff)
	}
	return sorted[:diff], why
}

// mostTold is of how many Pods the log tells why they go.
const mostTold = 12

func whyFirst(ranked controller.ActivePodsWithRanks, diff int) string {
	var told []string
	for i := range min(diff, mostTold) {
		why := ranked.Why(i, diff)
		if why == "" {
			why = "a tie"
		}
		told = append(told, ranked.Pods[i].Name+" ("+why+")")
	}
	if more := diff - mostTold; more > 0 {
		told = append(told, fmt.Sprintf("%d more", more))
	}
	return strings.Join(told, ", ")
}

// getPodsRankedByRelatedPodsOnSameNode gives each Pod the number of active
// related Pods on its node.
func getPodsRankedByRelatedPodsOnSameNode(podsToRank, relatedPods []*corev1.Pod, now time.Time) controller.ActivePodsWithRanks {
	onNode := map[string]int{}
	for _, pod := range relatedPods {
		if controller.IsPodActive(pod) {
			onNode[pod.Spec.NodeName]++
		}
	}
	ranks := make([]int, len(podsToRank))
	for i, pod := range podsToRank {
		ranks[i] = onNode[pod.Spec.NodeName]
	}
	return controller.ActivePodsWithRanks{Pods: podsToRank, Rank: ranks, Now: now}
}

func getPodKeys(pods []*corev1.Pod) []string {
	keys := make([]string, 0, len(pods))
	for _, pod := range pods {
		keys = append(keys, controller.PodKey(pod))
	}
	return keys
}
