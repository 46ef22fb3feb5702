package job

import (
	"fmt"
	"slices"
	"sort"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// trackJobStatusAndRemoveFinalizers counts the Pods that have ended since, and
// writes the Job's end if it is decided and everything is counted. On the way the
// status is written up to three times: with the UIDs, before their finalizers
// go; with the counts, after that; both only when something changed.
// Upstream: job_controller.go, trackJobStatusAndRemoveFinalizers.
func (jm *Controller) trackJobStatusAndRemoveFinalizers(p *sim.Proc, key string, c *syncJobCtx, needsFlush bool) error {
	job, log := c.job, p.Logger()
	indexed := isIndexedJob(job)
	if indexed {
		sort.SliceStable(c.pods, func(i, j int) bool {
			return getCompletionIndex(c.pods[i].Annotations) < getCompletionIndex(c.pods[j].Annotations)
		})
	}
	uidsWithFinalizer := uidSet{}
	for _, pod := range c.pods {
		if c.toBeCounted(pod) {
			uidsWithFinalizer[pod.UID] = struct{}{}
		}
	}
	if cleanUncountedPodsWithoutFinalizers(&job.Status, uidsWithFinalizer) {
		needsFlush = true
	}

	uncounted := job.Status.UncountedTerminatedPods
	var podsToRemoveFinalizer []*corev1.Pod
	var newSucceededIndexes []int
	reachedMaxUncountedPods := false
	for _, pod := range c.pods {
		if !c.toBeCounted(pod) {
			continue // an earlier sync did
		}
		failed := isPodFailed(pod, job)
		if !canRemoveFinalizer(log, c, pod, failed) {
			continue
		}
		podsToRemoveFinalizer = append(podsToRemoveFinalizer, pod)
		ix := getCompletionIndex(pod.Annotations)
		validIndex := !indexed || ix != unknownCompletionIndex && ix < int(*job.Spec.Completions)
		switch {
		case pod.Status.Phase == corev1.PodSucceeded && !c.uncounted.failed.has(pod.UID):
			if indexed {
				if validIndex && !c.prevSucceededIndexes.has(ix) {
					newSucceededIndexes = append(newSucceededIndexes, ix)
					needsFlush = true
				}
			} else if !c.uncounted.succeeded.has(pod.UID) {
				uncounted.Succeeded = append(uncounted.Succeeded, pod.UID)
				needsFlush = true
			}
		case failed || c.finishedCondition != nil && !isSuccessCriteriaMet(c.finishedCondition):
			// Where the Job has failed, so has every Pod that has not ended.
			if !c.uncounted.failed.has(pod.UID) && validIndex && countsAsFailed(job, pod) {
				uncounted.Failed = append(uncounted.Failed, pod.UID)
				needsFlush = true
			}
		}
		if len(newSucceededIndexes)+len(uncounted.Succeeded)+len(uncounted.Failed) >= maxUncountedPods {
			reachedMaxUncountedPods = true // the next sync goes on
			break
		}
	}
	if indexed {
		needsFlush = c.writeIndexes(newSucceededIndexes) || needsFlush
	}
	// The first half of the end is written before any finalizer goes.
	if f := c.finishedCondition; f != nil {
		switch f.Type {
		case batchv1.JobFailureTarget:
			job.Status.Conditions = append(job.Status.Conditions, *f)
			needsFlush = true
			c.finishedCondition = newFailedConditionForFailureTarget(f, p.Time())
		case batchv1.JobSuccessCriteriaMet:
			if findCondition(job, batchv1.JobSuccessCriteriaMet) == nil {
				job.Status.Conditions = append(job.Status.Conditions, *f)
				needsFlush = true
			}
			c.finishedCondition = newCondition(batchv1.JobComplete, corev1.ConditionTrue, f.Reason, f.Message, p.Time())
		}
	}

	needsFlush, err := jm.flushUncountedAndRemoveFinalizers(p, key, c, podsToRemoveFinalizer, uidsWithFinalizer, needsFlush)
	if err != nil {
		return err
	}
	finished := !reachedMaxUncountedPods && enactJobFinished(p, c)
	if !needsFlush && !finished {
		return nil
	}
	if err := jm.updateJobStatus(p, c); err != nil {
		return fmt.Errorf("removing uncounted pods from status: %w", err)
	}
	if finished {
		jm.recordJobFinished(c)
	}
	return nil
}

// toBeCounted is true for a Pod that is in no count yet.
func (c *syncJobCtx) toBeCounted(pod *corev1.Pod) bool {
	return hasJobTrackingFinalizer(pod) && !c.expectedRmFinalizers.has(pod.UID)
}

// writeIndexes puts the indexes into the status and tells whether that changed it.
func (c *syncJobCtx) writeIndexes(newSucceeded []int) (changed bool) {
	s := &c.job.Status
	c.succeededIndexes = c.succeededIndexes.withOrderedIndexes(newSucceeded)
	text := c.succeededIndexes.String()
	changed = text != s.CompletedIndexes
	s.Succeeded, s.CompletedIndexes = int32(c.succeededIndexes.total()), text
	if c.failedIndexes != nil {
		failed := c.failedIndexes.String()
		changed = changed || s.FailedIndexes == nil || *s.FailedIndexes != failed
		s.FailedIndexes = &failed
	}
	return changed
}

// canRemoveFinalizer says that a Pod's count is due. A failed Pod that its index
// still waits to replace keeps its finalizer: the count of failures is on it.
// Upstream: job_controller.go, canRemoveFinalizer.
func canRemoveFinalizer(log sim.Logger, c *syncJobCtx, pod *corev1.Pod, failed bool) bool {
	if c.job.DeletionTimestamp != nil || c.finishedCondition != nil || pod.Status.Phase == corev1.PodSucceeded {
		return true
	}
	if !failed {
		return false
	}
	if delayed := c.podsWithDelayedDeletionPerIndex[getCompletionIndex(pod.Annotations)]; delayed != nil && delayed.UID == pod.UID {
		log.V(3).Info("Delaying pod finalizer removal to await for pod recreation within the index", "pod", controller.KObj(pod))
		return false
	}
	return true
}

// flushUncountedAndRemoveFinalizers writes the UIDs, removes the finalizers, and
// turns the UIDs into counts, in the status in memory. It tells whether that has to be written.
// Upstream: job_controller.go, flushUncountedAndRemoveFinalizers.
func (jm *Controller) flushUncountedAndRemoveFinalizers(p *sim.Proc, key string, c *syncJobCtx, podsToRemoveFinalizer []*corev1.Pod,
	uidsWithFinalizer uidSet, needsFlush bool) (bool, error) {
	if needsFlush {
		if err := jm.updateJobStatus(p, c); err != nil {
			return true, fmt.Errorf("adding uncounted pods to status: %w", err)
		}
		// Only now has the failure happened as far as anybody can tell.
		jm.podBackoffStore.updateBackoffRecord(c.newBackoffRecord)
		needsFlush = false
	}
	var rmErr error
	if len(podsToRemoveFinalizer) > 0 {
		var removed []bool
		removed, rmErr = jm.removeTrackingFinalizerFromPods(p, key, podsToRemoveFinalizer)
		for i, pod := range podsToRemoveFinalizer {
			if removed[i] {
				delete(uidsWithFinalizer, pod.UID)
			}
		}
	}
	if cleanUncountedPodsWithoutFinalizers(&c.job.Status, uidsWithFinalizer) {
		needsFlush = true
	}
	if rmErr != nil && needsFlush {
		if err := jm.updateJobStatus(p, c); err != nil {
			return true, fmt.Errorf("removing uncounted pods from status: %w", err)
		}
	}
	return needsFlush, rmErr
}

// cleanUncountedPodsWithoutFinalizers counts the Pods in the list whose finalizer
// is gone, and takes them off it.
func cleanUncountedPodsWithoutFinalizers(status *batchv1.JobStatus, uidsWithFinalizer uidSet) (updated bool) {
	keep := func(uids []types.UID, count *int32) []types.UID {
		var kept []types.UID
		for _, uid := range uids {
			if uidsWithFinalizer.has(uid) {
				kept = append(kept, uid)
			}
		}
		if n := len(uids) - len(kept); n > 0 {
			*count += int32(n)
			updated = true
		}
		return kept
	}
	uncounted := status.UncountedTerminatedPods
	uncounted.Succeeded = keep(uncounted.Succeeded, &status.Succeeded)
	uncounted.Failed = keep(uncounted.Failed, &status.Failed)
	return updated
}

// removeTrackingFinalizerFromPods tells for each Pod whether its finalizer is
// gone; a Pod that is gone has none.
func (jm *Controller) removeTrackingFinalizerFromPods(p *sim.Proc, key string, list []*corev1.Pod) ([]bool, error) {
	uids := make([]types.UID, len(list))
	for i, pod := range list {
		uids[i] = pod.UID
	}
	jm.finalizerExpectations.expectFinalizersRemoved(key, uids)
	removed := make([]bool, len(list))
	var first error
	p.Fork("untrack", len(list), func(p *sim.Proc, i int) {
		patch := removeTrackingFinalizerPatch(list[i])
		if patch == nil {
			return
		}
		err := jm.podControl.PatchPod(p, list[i].Namespace, list[i].Name, patch)
		if err == nil {
			removed[i] = true
			return
		}
		// It will not be seen: it failed, or the Pod went before.
		jm.finalizerExpectations.finalizerRemovalObserved(key, list[i].UID)
		if apierrors.IsNotFound(err) {
			removed[i] = true
			return
		}
		if first == nil {
			first = fmt.Errorf("removing tracking finalizer: %w", err)
		}
	})
	return removed, first
}

// enactJobFinished writes the second half of the end, unless Pods are still to be
// counted or have not stopped. Upstream: job_controller.go, enactJobFinished.
func enactJobFinished(p *sim.Proc, c *syncJobCtx) bool {
	f := c.finishedCondition
	if f == nil {
		return false
	}
	log, job := p.Logger(), c.job
	if u := job.Status.UncountedTerminatedPods; len(u.Succeeded)+len(u.Failed) > 0 {
		log.V(4).Info("Delaying marking the Job as finished, because there are still uncounted pod(s)", "job", controller.KObj(job), "condition", f.Type,
			"count", len(u.Succeeded)+len(u.Failed))
		return false
	}
	if c.terminating > 0 {
		log.V(4).Info("Delaying marking the Job as finished, because there are still terminating pod(s)", "job", controller.KObj(job), "condition", f.Type, "count",
			c.terminating)
		return false
	}
	ensureJobConditionStatus(&job.Status, f.Type, f.Status, f.Reason, f.Message, p.Time())
	if f.Type == batchv1.JobComplete {
		t := f.LastTransitionTime
		job.Status.CompletionTime = &t
	}
	return true
}

func (jm *Controller) recordJobFinished(c *syncJobCtx) {
	job, f := c.job, c.finishedCondition
	if f.Type != batchv1.JobComplete {
		jm.recorder.Event(job, corev1.EventTypeWarning, f.Reason, f.Message)
		return
	}
	if job.Spec.Completions != nil && job.Status.Succeeded > *job.Spec.Completions {
		jm.recorder.Event(job, corev1.EventTypeWarning, "TooManySucceededPods", "Too many succeeded pods running after completion count reached")
	}
	jm.recorder.Event(job, corev1.EventTypeNormal, "Completed", "Job completed")
}

// updateJobStatus writes the status and goes on with a copy of what the server made of it.
func (jm *Controller) updateJobStatus(p *sim.Proc, c *syncJobCtx) error {
	job := c.job
	p.Logger().V(4).Info("Updating status", "job", controller.KObj(job), "active", job.Status.Active, "ready", job.Status.Ready, "terminating",
		job.Status.Terminating,
		"succeeded", job.Status.Succeeded, "failed", job.Status.Failed, "uncountedSucceeded", len(job.Status.UncountedTerminatedPods.Succeeded),
		"uncountedFailed", len(job.Status.UncountedTerminatedPods.Failed), "conditions", len(job.Status.Conditions))
	updated, err := jm.kubeClient.BatchV1().Jobs(job.Namespace).UpdateStatus(p, job.DeepCopy(), metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	jm.consistencyStore.WroteAt(types.NamespacedName{Namespace: job.Namespace, Name: job.Name}, job.UID, jobs, updated.ResourceVersion)
	c.job = updated.DeepCopy()
	if c.job.Status.UncountedTerminatedPods == nil {
		c.job.Status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
	}
	return nil
}

// isPodFailed is true for a Pod that failed, and, where it is replaced at once,
// for one that is deleted: it may never get as far as the phase Failed.
func isPodFailed(pod *corev1.Pod, job *batchv1.Job) bool {
	if pod.Status.Phase == corev1.PodFailed {
		return true
	}
	return !onlyReplaceFailedPods(job) && pod.DeletionTimestamp != nil && pod.Status.Phase != corev1.PodSucceeded
}

// onlyReplaceFailedPods says that a Pod that is being deleted is not replaced
// before it has ended.
func onlyReplaceFailedPods(job *batchv1.Job) bool {
	if policy := job.Spec.PodReplacementPolicy; policy != nil && *policy == batchv1.Failed {
		return true
	}
	return job.Spec.PodFailurePolicy != nil
}

// getNewFinishedPods returns the Pods that have ended and are in no count yet.
func getNewFinishedPods(c *syncJobCtx) (succeeded, failed []*corev1.Pod) {
	for _, pod := range c.pods {
		if !c.toBeCounted(pod) || !c.validIndex(pod) {
			continue
		}
		if pod.Status.Phase == corev1.PodSucceeded && !c.uncounted.succeeded.has(pod.UID) {
			succeeded = append(succeeded, pod)
		}
		if isPodFailed(pod, c.job) && !c.uncounted.failed.has(pod.UID) {
			failed = append(failed, pod)
		}
	}
	return succeeded, failed
}

func (c *syncJobCtx) validIndex(pod *corev1.Pod) bool {
	if !isIndexedJob(c.job) {
		return true
	}
	ix := getCompletionIndex(pod.Annotations)
	return ix != unknownCompletionIndex && ix < int(*c.job.Spec.Completions)
}

// nonIgnoredFailedPodsCount leaves out the failures that a rule ignores.
func nonIgnoredFailedPodsCount(job *batchv1.Job, failedPods []*corev1.Pod) int {
	n := 0
	for _, pod := range failedPods {
		if countsAsFailed(job, pod) {
			n++
		}
	}
	return n
}

func countsAsFailed(job *batchv1.Job, pod *corev1.Pod) bool {
	_, counts, _ := matchPodFailurePolicy(job.Spec.PodFailurePolicy, pod)
	return counts
}

func appendJobCompletionFinalizerIfNotFound(finalizers []string) []string {
	if slices.Contains(finalizers, batchv1.JobTrackingFinalizer) {
		return finalizers
	}
	return append(finalizers, batchv1.JobTrackingFinalizer)
}
