package controller

import (
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

// PodKey is a Pod's key in expectations.
func PodKey(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }

// GetPodCondition finds a condition; -1 and nil when there is none.
// Upstream: pkg/api/v1/pod/util.go, GetPodCondition.
func GetPodCondition(status *corev1.PodStatus, t corev1.PodConditionType) (int, *corev1.PodCondition) {
	for i := range status.Conditions {
		if status.Conditions[i].Type == t {
			return i, &status.Conditions[i]
		}
	}
	return -1, nil
}

// UpdatePodCondition adds or replaces a condition and tells whether that
// changed anything. The transition time moves only with the status. The slice
// behind status must not be shared. Upstream: pkg/api/v1/pod/util.go, UpdatePodCondition.
func UpdatePodCondition(status *corev1.PodStatus, c *corev1.PodCondition, now metav1.Time) bool {
	c.LastTransitionTime = now
	i, old := GetPodCondition(status, c.Type)
	if old == nil {
		status.Conditions = append(status.Conditions, *c)
		return true
	}
	if c.Status == old.Status {
		c.LastTransitionTime = old.LastTransitionTime
	}
	same := c.Status == old.Status && c.Reason == old.Reason && c.Message == old.Message &&
		c.LastProbeTime.Equal(&old.LastProbeTime) && c.LastTransitionTime.Equal(&old.LastTransitionTime)
	status.Conditions[i] = *c
	return !same
}

// IsPodReady is true when the Pod's Ready condition is.
func IsPodReady(pod *corev1.Pod) bool {
	_, c := GetPodCondition(&pod.Status, corev1.PodReady)
	return c != nil && c.Status == corev1.ConditionTrue
}

// IsPodAvailable is true when the Pod has been ready for at least
// minReadySeconds. Upstream: pkg/api/v1/pod/util.go, IsPodAvailable.
func IsPodAvailable(pod *corev1.Pod, minReadySeconds int32, now time.Time) bool {
	if !IsPodReady(pod) {
		return false
	}
	if minReadySeconds == 0 {
		return true
	}
	since := podReadyTime(pod)
	return !since.IsZero() && !since.Add(seconds(minReadySeconds)).After(now)
}

// IsPodTerminal is true when no container of the Pod runs, or will run again.
func IsPodTerminal(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

// IsPodActive is true for a Pod that counts as a replica: neither finished nor
// being deleted.
func IsPodActive(pod *corev1.Pod) bool { return !IsPodTerminal(pod) && pod.DeletionTimestamp == nil }

// IsPodTerminating is true for a Pod that is being deleted and still runs.
func IsPodTerminating(pod *corev1.Pod) bool {
	return !IsPodTerminal(pod) && pod.DeletionTimestamp != nil
}

// podReadyTime is when the Pod became ready; zero when it is not.
func podReadyTime(pod *corev1.Pod) metav1.Time {
	_, c := GetPodCondition(&pod.Status, corev1.PodReady)
	if c == nil || c.Status != corev1.ConditionTrue {
		return metav1.Time{}
	}
	return c.LastTransitionTime
}

// FindMinNextPodAvailabilityCheck tells how long it takes until the next of the
// Pods becomes available, as seen at the moment at which the status was
// calculated; ok is false when no Pod is on its way there.
//
// Upstream: pkg/controller/controller_utils.go, FindMinNextPodAvailabilityCheck.
// There, the clock is read a second time to make up for what the sync has taken;
// now is that second reading.
func FindMinNextPodAvailabilityCheck(pods []*corev1.Pod, minReadySeconds int32, evaluated, now time.Time) (wait time.Duration, ok bool) {
	var next *corev1.Pod
	for _, pod := range pods {
		if d, will := nextPodAvailabilityCheck(pod, minReadySeconds, evaluated); will && (next == nil || d < wait) {
			next, wait = pod, d
		}
	}
	if next == nil {
		return 0, false
	}
	wait, _ = nextPodAvailabilityCheck(next, minReadySeconds, now) // 0 when its time has come meanwhile
	return wait, true
}

func nextPodAvailabilityCheck(pod *corev1.Pod, minReadySeconds int32, now time.Time) (time.Duration, bool) {
	if minReadySeconds <= 0 {
		return 0, false
	}
	since := podReadyTime(pod)
	if since.IsZero() {
		return 0, false
	}
	d := since.Add(seconds(minReadySeconds)).Sub(now)
	return max(d, 0), d > 0
}

func seconds(n int32) time.Duration { return time.Duration(n) * time.Second }
