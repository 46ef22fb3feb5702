package job

import (
	"sort"
	"time"

	"kubewalk/playground/api/corev1"
)

// backoffRecord is how often a Job's Pods have failed since the last success, and
// when last. Upstream: backoff_utils.go, backoffRecord.
type backoffRecord struct {
	key                      string
	failuresAfterLastSuccess int
	lastFailureTime          time.Time // zero without a failure
}

// backoffStore has a record for each Job.
type backoffStore struct{ byKey map[string]backoffRecord }

func newBackoffStore() *backoffStore { return &backoffStore{map[string]backoffRecord{}} }

func (s *backoffStore) updateBackoffRecord(r backoffRecord) { s.byKey[r.key] = r }

func (s *backoffStore) removeBackoffRecord(key string) { delete(s.byKey, key) }

// newBackoffRecord is the record as it will be once these Pods are counted. A
// success starts the count anew; failures after it count.
func (s *backoffStore) newBackoffRecord(key string, succeeded, failed []*corev1.Pod) backoffRecord {
	r := s.byKey[key]
	r.key = key
	lastSuccess := time.Time{}
	if len(succeeded) > 0 {
		r.failuresAfterLastSuccess, r.lastFailureTime = 0, time.Time{}
		lastSuccess = getFinishedTime(sortByFinishedTime(succeeded)[len(succeeded)-1])
	}
	for _, pod := range sortByFinishedTime(failed) {
		if t := getFinishedTime(pod); len(succeeded) == 0 || t.After(lastSuccess) {
			r.failuresAfterLastSuccess++
			r.lastFailureTime = t
		}
	}
	return r
}

func sortByFinishedTime(pods []*corev1.Pod) []*corev1.Pod {
	out := append([]*corev1.Pod(nil), pods...)
	sort.SliceStable(out, func(i, j int) bool { return getFinishedTime(out[i]).Before(getFinishedTime(out[j])) })
	return out
}

// getFinishedTime is when the Pod's last container ended; if that is not known,
// when it stopped being ready, was told to end, or was created.
// Upstream: backoff_utils.go, getFinishedTime.
func getFinishedTime(pod *corev1.Pod) time.Time {
	if t := getFinishTimeFromContainers(pod); !t.IsZero() {
		return t
	}
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionFalse && !c.LastTransitionTime.IsZero() {
			return c.LastTransitionTime.Time
		}
	}
	if pod.DeletionTimestamp != nil {
		t := pod.DeletionTimestamp.Time
		if grace := pod.DeletionGracePeriodSeconds; grace != nil {
			t = t.Add(-time.Duration(*grace) * time.Second)
		}
		return t
	}
	return pod.CreationTimestamp.Time
}

// getFinishTimeFromContainers is zero while a container has not ended.
func getFinishTimeFromContainers(pod *corev1.Pod) time.Time {
	var last time.Time
	for _, list := range [][]corev1.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses} {
		for i := range list {
			t := list[i].State.Terminated
			if t == nil || t.FinishedAt.IsZero() {
				return time.Time{}
			}
			if t.FinishedAt.Time.After(last) {
				last = t.FinishedAt.Time
			}
		}
	}
	return last
}

// getRemainingTime is how long the next Pod has to wait.
func (r backoffRecord) getRemainingTime(now time.Time) time.Duration {
	return getRemainingTimeForFailuresCount(now, r.failuresAfterLastSuccess, r.lastFailureTime)
}

// getRemainingTimePerIndex is how long the next Pod of an index has to wait after
// this one failed; nil is none.
func getRemainingTimePerIndex(now time.Time, lastFailed *corev1.Pod) time.Duration {
	if lastFailed == nil {
		return 0
	}
	return getRemainingTimeForFailuresCount(now, getIndexAbsoluteFailureCount(lastFailed)+1, getFinishedTime(lastFailed))
}

func getRemainingTimeForFailuresCount(now time.Time, failures int, last time.Time) time.Duration {
	if failures == 0 {
		return 0
	}
	backoff := defaultJobPodFailureBackOff
	for i := 1; i < failures && backoff < maxJobPodFailureBackOff; i++ {
		backoff *= 2
	}
	return max(0, min(backoff, maxJobPodFailureBackOff)-now.Sub(last))
}
