package statefulset

import (
	"sort"
	"strconv"
	"strings"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller"
)

// getParentNameAndOrdinal takes a Pod's name apart; -1 when it does not end in
// an ordinal. Upstream: stateful_set_utils.go, like all of this file.
func getParentNameAndOrdinal(pod *corev1.Pod) (parent string, ordinal int) {
	i := strings.LastIndexByte(pod.Name, '-')
	if i < 0 {
		return "", -1
	}
	n, err := strconv.ParseInt(pod.Name[i+1:], 10, 32)
	if err != nil || n < 0 || pod.Name[i+1] == '+' {
		return "", -1
	}
	return pod.Name[:i], int(n)
}

func getParentName(pod *corev1.Pod) string { parent, _ := getParentNameAndOrdinal(pod); return parent }

func getOrdinal(pod *corev1.Pod) int { _, ordinal := getParentNameAndOrdinal(pod); return ordinal }

// getStartOrdinal is the lowest ordinal.
func getStartOrdinal(set *appsv1.StatefulSet) int {
	if set.Spec.Ordinals != nil {
		return int(set.Spec.Ordinals.Start)
	}
	return 0
}

// getEndOrdinal is the highest; with no replicas it is below the lowest.
func getEndOrdinal(set *appsv1.StatefulSet) int {
	return getStartOrdinal(set) + int(*set.Spec.Replicas) - 1
}

func podInOrdinalRange(pod *corev1.Pod, set *appsv1.StatefulSet) bool {
	ordinal := getOrdinal(pod)
	return ordinal >= getStartOrdinal(set) && ordinal <= getEndOrdinal(set)
}

func getPodName(set *appsv1.StatefulSet, ordinal int) string {
	return set.Name + "-" + strconv.Itoa(ordinal)
}

// isMemberOf tells by the name whether a Pod is, or could be, one of the set's.
func isMemberOf(set *appsv1.StatefulSet, pod *corev1.Pod) bool { return getParentName(pod) == set.Name }

// identityMatches tells whether a Pod has the name, the namespace and the labels of its ordinal.
func identityMatches(set *appsv1.StatefulSet, pod *corev1.Pod) bool {
	parent, ordinal := getParentNameAndOrdinal(pod)
	return set.Name == parent && pod.Namespace == set.Namespace && hasIdentity(pod, parent, ordinal)
}

// hasIdentity tells whether a Pod's name is as getPodName has it, and its label says the same.
func hasIdentity(pod *corev1.Pod, parent string, ordinal int) bool {
	if ordinal < 0 {
		return false
	}
	number := pod.Name[len(parent)+1:]
	return (number == "0" || number[0] != '0') && pod.Labels[appsv1.StatefulSetPodNameLabel] == pod.Name
}

// initIdentity gives a new Pod its labels, and the host name that it keeps.
func initIdentity(set *appsv1.StatefulSet, pod *corev1.Pod) {
	updateIdentity(set, pod)
	pod.Spec.Hostname = pod.Name
	pod.Spec.Subdomain = set.Spec.ServiceName
}

// updateIdentity writes a Pod's name, namespace and labels.
func updateIdentity(set *appsv1.StatefulSet, pod *corev1.Pod) {
	ordinal := getOrdinal(pod)
	pod.Name, pod.Namespace = getPodName(set, ordinal), set.Namespace
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels[appsv1.StatefulSetPodNameLabel] = pod.Name
	pod.Labels[appsv1.PodIndexLabel] = strconv.Itoa(ordinal)
}

// isCreated tells a Pod that the API server knows from one that is only planned.
func isCreated(pod *corev1.Pod) bool { return pod.Status.Phase != "" }

func isPending(pod *corev1.Pod) bool   { return pod.Status.Phase == corev1.PodPending }
func isFailed(pod *corev1.Pod) bool    { return pod.Status.Phase == corev1.PodFailed }
func isSucceeded(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodSucceeded }

// allowsBurst: Parallel does not wait for one Pod before the next.
func allowsBurst(set *appsv1.StatefulSet) bool {
	return set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement
}

// setPodRevision and getPodRevision: the label says which revision a Pod is of.
func setPodRevision(pod *corev1.Pod, revision string) {
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels[appsv1.StatefulSetRevisionLabel] = revision
}

func getPodRevision(pod *corev1.Pod) string { return pod.Labels[appsv1.StatefulSetRevisionLabel] }

// newStatefulSetPod plans the Pod of an ordinal.
func newStatefulSetPod(set *appsv1.StatefulSet, ordinal int) *corev1.Pod {
	pod := controller.GetPodFromTemplate(&set.Spec.Template, set, metav1.NewControllerRef(set, controllerKind))
	pod.Name = getPodName(set, ordinal)
	pod.GenerateName = set.Name + "-"
	initIdentity(set, pod)
	updateStorage(set, pod)
	return pod
}

// newVersionedStatefulSetPod plans the Pod of an ordinal, of the current revision
// when it is below the partition, or when that many are still to be kept current.
func newVersionedStatefulSetPod(currentSet, updateSet *appsv1.StatefulSet, currentRevision, updateRevision string, ordinal int) *corev1.Pod {
	start, current := getStartOrdinal(currentSet), 0
	if r := currentSet.Spec.UpdateStrategy.RollingUpdate; currentSet.Spec.UpdateStrategy.Type == appsv1.RollingUpdateStatefulSetStrategyType {
		if r == nil || r.Partition == nil {
			// An update that is under way has got down to the Pods that are still current.
			current = start + int(currentSet.Status.CurrentReplicas)
		} else {
			current = start + int(*r.Partition)
		}
		if ordinal < current {
			pod := newStatefulSetPod(currentSet, ordinal)
			setPodRevision(pod, currentRevision)
			return pod
		}
	}
	pod := newStatefulSetPod(updateSet, ordinal)
	setPodRevision(pod, updateRevision)
	return pod
}

func sortDescending(pods []*member) {
	sort.SliceStable(pods, func(i, j int) bool { return pods[i].ordinal > pods[j].ordinal })
}

// getStatefulSetMaxUnavailable makes a number of it: rounded down, and at least 1.
func getStatefulSetMaxUnavailable(maxUnavailable *intstr.IntOrString, replicaCount int) (int, error) {
	n, err := intstr.GetScaledValueFromIntOrPercent(intstr.ValueOrDefault(maxUnavailable, intstr.FromInt32(1)), replicaCount, false)
	return max(n, 1), err
}
