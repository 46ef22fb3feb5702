package controller

import (
	"math/bits"
	"strconv"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
)

// FilterActivePods keeps the Pods that count as replicas.
func FilterActivePods(log sim.Logger, pods []*corev1.Pod) []*corev1.Pod {
	out := make([]*corev1.Pod, 0, len(pods))
	for _, pod := range pods {
		if IsPodActive(pod) {
			out = append(out, pod)
		} else if log.Enabled() {
			log.V(4).Info("Ignoring inactive pod", "pod", KObj(pod), "phase", pod.Status.Phase, "deletionTime", timeText(pod.DeletionTimestamp))
		}
	}
	return out
}

// FilterTerminatingPods keeps the Pods that are being deleted and still run.
func FilterTerminatingPods(pods []*corev1.Pod) []*corev1.Pod {
	var out []*corev1.Pod
	for _, pod := range pods {
		if IsPodTerminating(pod) {
			out = append(out, pod)
		}
	}
	return out
}

// FilterClaimedPods keeps the Pods that a controller owns and selects.
func FilterClaimedPods(owner metav1.Object, selector labels.Selector, pods []*corev1.Pod) []*corev1.Pod {
	var out []*corev1.Pod
	for _, pod := range pods {
		if selector.Matches(labels.Set(pod.Labels)) && metav1.IsControlledBy(pod, owner) {
			out = append(out, pod)
		}
	}
	return out
}

// ActivePodsWithRanks sorts Pods so that those to be given up first come first.
// Rank, parallel to Pods, is higher for Pods that have more related Pods beside
// them on their node. Now is when ages are measured from.
//
// Upstream: pkg/controller/controller_utils.go, ActivePodsWithRanks, with the
// feature gates PodDeletionCost and LogarithmicScaleDown at their default, on.
type ActivePodsWithRanks struct {
	Pods []*corev1.Pod
	Rank []int
	Now  time.Time
}

func (s ActivePodsWithRanks) Len() int { return len(s.Pods) }

func (s ActivePodsWithRanks) Swap(i, j int) {
	s.Pods[i], s.Pods[j] = s.Pods[j], s.Pods[i]
	s.Rank[i], s.Rank[j] = s.Rank[j], s.Rank[i]
}

// phaseOrder: the less of a start has been made, the cheaper it is to give up.
var phaseOrder = map[corev1.PodPhase]int{corev1.PodPending: 0, corev1.PodUnknown: 1, corev1.PodRunning: 2}

// Less compares two Pods by the criteria in order; the first that differs decides.
func (s ActivePodsWithRanks) Less(i, j int) bool {
	less, _ := s.compare(i, j)
	return less
}

// Why names the criterion by which one Pod is given up before another, as the
// log shows it; "" when nothing tells them apart.
func (s ActivePodsWithRanks) Why(i, j int) string {
	_, why := s.compare(i, j)
	return why
}

func (s ActivePodsWithRanks) compare(i, j int) (less bool, why string) {
	a, b := s.Pods[i], s.Pods[j]
	// 1. Without a node before with one.
	if a.Spec.NodeName != b.Spec.NodeName && (a.Spec.NodeName == "" || b.Spec.NodeName == "") {
		return a.Spec.NodeName == "", "unassigned"
	}
	// 2. Pending, Unknown, Running.
	if x, y := phaseOrder[a.Status.Phase], phaseOrder[b.Status.Phase]; x != y {
		return x < y, "phase " + string(a.Status.Phase)
	}
	// 3. Not ready before ready.
	readyA, readyB := IsPodReady(a), IsPodReady(b)
	if readyA != readyB {
		return !readyA, "not ready"
	}
	// 4. The lower deletion cost first. One that can't be read is 0, as upstream ignores the error.
	if x, y := deletionCost(a), deletionCost(b); x != y {
		return x < y, "deletion cost " + strconv.Itoa(int(x))
	}
	// 5. Crowded before alone on its node.
	if s.Rank[i] != s.Rank[j] {
		return s.Rank[i] > s.Rank[j], strconv.Itoa(s.Rank[i]) + " related on its node"
	}
	// 6. Ready for a shorter time first, in logarithmic steps: within a step it
	// is the UID, that is chance, so that a later scale-down does not always
	// take the newest, which may all have landed on the newest nodes.
	if readyA && readyB {
		t, u := podReadyTime(a), podReadyTime(b)
		if !t.Equal(&u) {
			return s.younger(a, b, t, u, "ready for less time")
		}
	}
	// 7. More restarts first: regular containers, then sidecars.
	if more, differ := compareMaxContainerRestarts(a, b); differ {
		return more, "more restarts"
	}
	// 8. Created later first, in the same steps.
	if t, u := a.CreationTimestamp, b.CreationTimestamp; !t.Equal(&u) {
		return s.younger(a, b, t, u, "created later")
	}
	return false, ""
}

func (s ActivePodsWithRanks) younger(a, b *corev1.Pod, t, u metav1.Time, why string) (bool, string) {
	if t.IsZero() || u.IsZero() {
		return t.IsZero(), why
	}
	if diff := logarithmicRank(t, s.Now) - logarithmicRank(u, s.Now); diff != 0 {
		return diff < 0, why
	}
	return a.UID < b.UID, "as old, lower UID"
}

// logarithmicRank is the whole part of log₂ of the age in nanoseconds; -1 for
// no age. Upstream takes it of a float (logarithmicRankDiff); the position of the
// highest bit is the same number without one.
func logarithmicRank(t metav1.Time, now time.Time) int {
	age := now.Sub(t.Time)
	if age <= 0 {
		return -1
	}
	return bits.Len64(uint64(age)) - 1
}

// deletionCost reads the annotation controller.kubernetes.io/pod-deletion-cost.
// Upstream: pkg/apis/core/helper GetDeletionCostFromPodAnnotations.
func deletionCost(pod *corev1.Pod) int32 {
	text, ok := pod.Annotations[corev1.PodDeletionCost]
	if !ok || text == "" || text[0] == '+' || len(text) > 1 && text[0] == '0' {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0
	}
	return int32(n)
}

// compareMaxContainerRestarts tells whether a has restarted more often than b,
// and whether they differ at all.
func compareMaxContainerRestarts(a, b *corev1.Pod) (more, differ bool) {
	regularA, sidecarA := maxContainerRestarts(a)
	regularB, sidecarB := maxContainerRestarts(b)
	if regularA != regularB {
		return regularA > regularB, true
	}
	return sidecarA > sidecarB, sidecarA != sidecarB
}

func maxContainerRestarts(pod *corev1.Pod) (regular, sidecar int32) {
	for i := range pod.Status.ContainerStatuses {
		regular = max(regular, pod.Status.ContainerStatuses[i].RestartCount)
	}
	restartable := map[string]bool{}
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		restartable[c.Name] = c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
	}
	for i := range pod.Status.InitContainerStatuses {
		if c := &pod.Status.InitContainerStatuses[i]; restartable[c.Name] {
			sidecar = max(sidecar, c.RestartCount)
		}
	}
	return regular, sidecar
}

func timeText(t *metav1.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
