package job

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

const (
	completionIndexEnvName = "JOB_COMPLETION_INDEX"
	unknownCompletionIndex = -1
	// longestGenerateName leaves room for the suffix in a name of 63 letters.
	longestGenerateName = 58
)

func isIndexedJob(job *batchv1.Job) bool {
	return job.Spec.CompletionMode != nil && *job.Spec.CompletionMode == batchv1.IndexedCompletion
}

func hasBackoffLimitPerIndex(job *batchv1.Job) bool { return job.Spec.BackoffLimitPerIndex != nil }

// interval is a run of indexes, both ends included.
type interval struct{ first, last int }

// orderedIntervals is a set of indexes, as few intervals as it takes, in order.
// Upstream: indexed_job_utils.go, orderedIntervals.
type orderedIntervals []interval

// String writes runs of two as "3,4" and longer ones as "3-5".
func (oi orderedIntervals) String() string {
	var b strings.Builder
	for i, v := range oi {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(v.first))
		if v.last > v.first {
			if v.last == v.first+1 {
				b.WriteByte(',')
			} else {
				b.WriteByte('-')
			}
			b.WriteString(strconv.Itoa(v.last))
		}
	}
	return b.String()
}

func (oi orderedIntervals) total() int {
	n := 0
	for _, v := range oi {
		n += v.last - v.first + 1
	}
	return n
}

func (oi orderedIntervals) has(index int) bool {
	i := sort.Search(len(oi), func(i int) bool { return oi[i].last >= index })
	return i < len(oi) && oi[i].first <= index
}

// withOrderedIndexes adds indexes, which are in order.
func (oi orderedIntervals) withOrderedIndexes(indexes []int) orderedIntervals {
	more := make(orderedIntervals, len(indexes))
	for i, index := range indexes {
		more[i] = interval{index, index}
	}
	return oi.merge(more)
}

// merge is the union of two sets.
func (oi orderedIntervals) merge(other orderedIntervals) orderedIntervals {
	var out orderedIntervals
	for len(oi) > 0 || len(other) > 0 {
		var next interval
		if len(other) == 0 || len(oi) > 0 && oi[0].first <= other[0].first {
			next, oi = oi[0], oi[1:]
		} else {
			next, other = other[0], other[1:]
		}
		if n := len(out); n > 0 && next.first <= out[n-1].last+1 {
			out[n-1].last = max(out[n-1].last, next.last)
			continue
		}
		out = append(out, next)
	}
	return out
}

// parseIndexesFromString reads what String writes, up to the first index that is
// out of bounds. Upstream: indexed_job_utils.go, parseIndexesFromString.
func parseIndexesFromString(text string, completions int) (orderedIntervals, error) {
	if text == "" {
		return nil, nil
	}
	var out orderedIntervals
	for _, part := range strings.Split(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(from)
		if err != nil {
			return nil, fmt.Errorf("cannot convert string to integer for index: %q", from)
		}
		if first >= completions {
			break
		}
		last := first
		if isRange {
			if last, err = strconv.Atoi(to); err != nil {
				return nil, fmt.Errorf("cannot convert string to integer for index: %q", to)
			}
			last = min(last, completions-1)
		}
		if n := len(out); n > 0 && out[n-1].last == first-1 {
			out[n-1].last = last
		} else {
			out = append(out, interval{first, last})
		}
	}
	return out, nil
}

// calculateSucceededIndexes returns the indexes that the status says have
// succeeded, and those together with the ones that no status says yet.
func calculateSucceededIndexes(log sim.Logger, job *batchv1.Job, pods []*corev1.Pod) (prev, all orderedIntervals) {
	completions := int(*job.Spec.Completions)
	prev, err := parseIndexesFromString(job.Status.CompletedIndexes, completions)
	controller.HandleError(log, err, "CompletedIndexes couldn't be parsed", "job", controller.KObj(job))
	var fresh []int
	for _, pod := range pods {
		ix := getCompletionIndex(pod.Annotations)
		if pod.Status.Phase == corev1.PodSucceeded && ix != unknownCompletionIndex && ix < completions && hasJobTrackingFinalizer(pod) {
			fresh = append(fresh, ix)
		}
	}
	slices.Sort(fresh)
	return prev, prev.withOrderedIndexes(fresh)
}

// calculateFailedIndexes returns the indexes that will not be tried again.
func calculateFailedIndexes(log sim.Logger, job *batchv1.Job, pods []*corev1.Pod) orderedIntervals {
	completions := int(*job.Spec.Completions)
	var prev orderedIntervals
	if job.Status.FailedIndexes != nil {
		var err error
		prev, err = parseIndexesFromString(*job.Status.FailedIndexes, completions)
		controller.HandleError(log, err, "FailedIndexes couldn't be parsed", "job", controller.KObj(job))
	}
	var fresh []int
	for _, pod := range pods {
		ix := getCompletionIndex(pod.Annotations)
		if ix != unknownCompletionIndex && ix < completions && hasJobTrackingFinalizer(pod) && isIndexFailed(job, pod) {
			fresh = append(fresh, ix)
		}
	}
	slices.Sort(fresh)
	return prev.withOrderedIndexes(fresh)
}

func isIndexFailed(job *batchv1.Job, pod *corev1.Pod) bool {
	if !isPodFailed(pod, job) {
		return false
	}
	_, counts, action := matchPodFailurePolicy(job.Spec.PodFailurePolicy, pod)
	if action == batchv1.PodFailurePolicyActionFailIndex {
		return true
	}
	return counts && annotated(pod, batchv1.JobIndexFailureCountAnnotation) >= int(*job.Spec.BackoffLimitPerIndex)
}

// getPodsWithDelayedDeletionPerIndex finds, for each index that has no Pod now
// and is to have one, the latest that failed.
func getPodsWithDelayedDeletionPerIndex(log sim.Logger, c *syncJobCtx) map[int]*corev1.Pod {
	active := getIndexes(c.activePods)
	out := map[int]*corev1.Pod{}
	for _, pod := range c.pods {
		ix := getCompletionIndex(pod.Annotations)
		if !c.toBeCounted(pod) || !c.validIndex(pod) || !isPodFailed(pod, c.job) ||
			active.has(ix) || c.succeededIndexes.has(ix) || c.failedIndexes.has(ix) {
			continue
		}
		if last := out[ix]; last == nil || getIndexAbsoluteFailureCount(last) <= getIndexAbsoluteFailureCount(pod) &&
			!getFinishedTime(pod).Before(getFinishedTime(last)) {
			out[ix] = pod
		}
	}
	return out
}

// getNewIndexFailureCounts is what the next Pod of an index is told: how often
// its predecessors failed, and how many more failures were ignored.
func getNewIndexFailureCounts(job *batchv1.Job, replaced *corev1.Pod) (failures, ignored int) {
	if replaced == nil {
		return 0, 0
	}
	failures, ignored = annotated(replaced, batchv1.JobIndexFailureCountAnnotation), annotated(replaced, batchv1.JobIndexIgnoredFailureCountAnnotation)
	if countsAsFailed(job, replaced) {
		return failures + 1, ignored
	}
	return failures, ignored + 1
}

func getIndexAbsoluteFailureCount(pod *corev1.Pod) int {
	return annotated(pod, batchv1.JobIndexFailureCountAnnotation) + annotated(pod, batchv1.JobIndexIgnoredFailureCountAnnotation)
}

func annotated(pod *corev1.Pod, key string) int {
	n, err := strconv.Atoi(pod.Annotations[key])
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// getPodCreationInfoForIndependentIndexes returns the indexes whose back-off is
// over or, when there is none, how long the first of them still takes.
func getPodCreationInfoForIndependentIndexes(p *sim.Proc, indexes []int, delayed map[int]*corev1.Pod) ([]int, time.Duration) {
	var now []int
	var soonest time.Duration
	for _, ix := range indexes {
		wait := getRemainingTimePerIndex(p.Time(), delayed[ix])
		if wait == 0 {
			now = append(now, ix)
		} else if soonest == 0 || wait < soonest {
			soonest = wait
		}
	}
	if len(now) > 0 {
		return now, 0
	}
	return nil, soonest
}

// firstPendingIndexes returns the lowest indexes that have not ended and have no Pod.
func firstPendingIndexes(c *syncJobCtx, count, completions int) []int {
	taken := c.succeededIndexes.merge(getIndexes(c.activePods))
	if onlyReplaceFailedPods(c.job) {
		taken = taken.merge(getIndexes(controller.FilterTerminatingPods(c.pods)))
	}
	if c.failedIndexes != nil {
		taken = taken.merge(*c.failedIndexes)
	}
	var out []int
	candidate := 0
	for _, v := range taken {
		for ; candidate < completions && len(out) < count && candidate < v.first; candidate++ {
			out = append(out, candidate)
		}
		candidate = max(candidate, v.last+1)
	}
	for ; candidate < completions && len(out) < count; candidate++ {
		out = append(out, candidate)
	}
	return out
}

// getIndexes is the set of the Pods' indexes.
func getIndexes(pods []*corev1.Pod) orderedIntervals {
	var list []int
	for _, pod := range pods {
		if ix := getCompletionIndex(pod.Annotations); ix != unknownCompletionIndex {
			list = append(list, ix)
		}
	}
	slices.Sort(list)
	return orderedIntervals(nil).withOrderedIndexes(list)
}

// appendDuplicatedIndexPodsForRemoval splits Pods into those that no index needs,
// and one for each index: the one that byUse puts last.
func appendDuplicatedIndexPodsForRemoval(pods []*corev1.Pod, completions int, byUse func([]*corev1.Pod)) (rm, left []*corev1.Pod) {
	sort.SliceStable(pods, func(i, j int) bool {
		return getCompletionIndex(pods[i].Annotations) < getCompletionIndex(pods[j].Annotations)
	})
	for len(pods) > 0 {
		ix, n := getCompletionIndex(pods[0].Annotations), 1
		for n < len(pods) && getCompletionIndex(pods[n].Annotations) == ix {
			n++
		}
		same := pods[:n]
		pods = pods[n:]
		if ix == unknownCompletionIndex || ix >= completions {
			rm = append(rm, same...)
			continue
		}
		byUse(same)
		rm, left = append(rm, same[:n-1]...), append(left, same[n-1])
	}
	return rm, left
}

// getCompletionIndex reads a Pod's index off its annotation.
func getCompletionIndex(annotations map[string]string) int {
	text, ok := annotations[batchv1.JobCompletionIndexAnnotation]
	if !ok {
		return unknownCompletionIndex
	}
	i, err := strconv.Atoi(text)
	if err != nil || i < 0 {
		return unknownCompletionIndex
	}
	return i
}

// addCompletionIndexEnvVariables tells the containers their Pod's index, unless
// they have a variable of that name.
func addCompletionIndexEnvVariables(template *corev1.PodTemplateSpec) {
	for _, list := range [][]corev1.Container{template.Spec.InitContainers, template.Spec.Containers} {
		for i := range list {
			if slices.ContainsFunc(list[i].Env, func(e corev1.EnvVar) bool { return e.Name == completionIndexEnvName }) {
				continue
			}
			list[i].Env = append(list[i].Env, corev1.EnvVar{Name: completionIndexEnvName, ValueFrom: &corev1.EnvVarSource{
				FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels['" + batchv1.JobCompletionIndexAnnotation + "']"},
			}})
		}
	}
}

func podGenerateNameWithIndex(jobName string, index int) string {
	suffix := "-" + strconv.Itoa(index) + "-"
	if len(jobName)+len(suffix) > longestGenerateName {
		jobName = jobName[:longestGenerateName-len(suffix)]
	}
	return jobName + suffix
}
