package job

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// manageJob creates or deletes Pods until as many run as are wanted, and returns
// how many will be active. One sync does one of the two, deletions first.
// Upstream: job_controller.go, manageJob.
func (jm *Controller) manageJob(p *sim.Proc, c *syncJobCtx) (int32, error) {
	job, log, key := c.job, p.Logger(), controller.KeyFunc(c.job)
	active := int32(len(c.activePods))
	if jobSuspended(job) {
		log.V(4).Info("Deleting all active pods in suspended job", "job", key, "active", active)
		return jm.removePods(p, c, activePodsForRemoval(p, job, c.activePods, int(active)))
	}
	wantActive := wantedPods(c, active)
	if victims := activePodsForRemoval(p, job, c.activePods, int(max(0, active-wantActive))); len(victims) > 0 {
		victims = victims[:min(len(victims), maxPodCreateDeletePerSync)]
		log.V(4).Info("Too many pods running for job", "job", key, "deleted", len(victims), "target", wantActive)
		return jm.removePods(p, c, victims)
	}
	var terminating int32
	if onlyReplaceFailedPods(job) {
		terminating = c.terminating
	}
	diff := wantActive - terminating - active
	if diff <= 0 {
		return active, nil
	}
	var wait time.Duration
	if !hasBackoffLimitPerIndex(job) {
		wait = c.newBackoffRecord.getRemainingTime(p.Time())
	}
	diff = min(diff, maxPodCreateDeletePerSync)
	var indexes []int
	if isIndexedJob(job) && wait == 0 {
		indexes = firstPendingIndexes(c, int(diff), int(*job.Spec.Completions))
		if hasBackoffLimitPerIndex(job) {
			indexes, wait = getPodCreationInfoForIndependentIndexes(p, indexes, c.podsWithDelayedDeletionPerIndex)
		}
		diff = int32(len(indexes))
	}
	if wait > 0 {
		log.V(2).Info("Backing off before new pods are created", "job", key, "need", wantActive, "active", active, "remaining", wait,
			"failuresAfterLastSuccess", c.newBackoffRecord.failuresAfterLastSuccess)
		jm.enqueueSyncJobWithDelay(job, wait)
		return active, nil
	}
	if diff == 0 {
		return active, nil
	}
	created, err := jm.createPods(p, c, wantActive, int(diff), indexes)
	return active + created, err
}

// wantedPods is how many should run: as many as may, and no more than successes are missing.
func wantedPods(c *syncJobCtx, active int32) int32 {
	parallelism := *c.job.Spec.Parallelism
	if c.job.Spec.Completions == nil {
		// A work queue: once a Pod has said that all is done, none is added.
		if c.succeeded > 0 {
			return active
		}
		return parallelism
	}
	return max(0, min(parallelism, *c.job.Spec.Completions-c.succeeded))
}

// createPods creates Pods in batches of 1, 2, 4 … and returns how many there are more.
func (jm *Controller) createPods(p *sim.Proc, c *syncJobCtx, wantActive int32, diff int, indexes []int) (created int32, first error) {
	job, log, key := c.job, p.Logger(), controller.KeyFunc(c.job)
	jm.expectations.ExpectCreations(log, key, diff)
	log.V(2).Info("Too few pods running", "job", key, "need", wantActive, "active", len(c.activePods), "creating", diff, "indexes", indexes)
	template := job.Spec.Template.DeepCopy()
	if isIndexedJob(job) {
		addCompletionIndexEnvVariables(template)
	}
	template.Finalizers = appendJobCompletionFinalizerIfNotFound(template.Finalizers)
	ref := metav1.NewControllerRef(job, controllerKind)

	done := 0
	for batch := min(diff, controller.SlowStartInitialBatchSize); batch > 0; batch = min(2*batch, diff-done) {
		from := done
		controller.LogBatch(log, batch, diff-done)
		p.Fork("create", batch, func(p *sim.Proc, i int) {
			pod, generateName := template, ""
			if indexes != nil {
				pod, generateName = indexedTemplate(c, template, indexes[from+i])
			}
			err := jm.podControl.CreatePodsWithGenerateName(p, job.Namespace, pod, job, ref, generateName)
			if err == nil || apierrors.HasStatusCause(err, controller.NamespaceTerminatingCause) {
				created++ // in a namespace that goes away it does not matter
				return
			}
			p.Logger().V(2).Info("Failed creation, decrementing expectations", "job", key)
			jm.expectations.CreationObserved(p.Logger(), key)
			if first == nil {
				first = err
			}
		})
		done += batch
		if skipped := diff - done; first != nil && skipped > 0 {
			log.V(2).Info("Slow-start failure. Skipping creating pods, decrementing expectations", "skippedCount", skipped, "job", key)
			for range skipped {
				jm.expectations.CreationObserved(log, key)
			}
			break
		}
	}
	return created, first
}

// indexedTemplate is the template of one index: a Pod of its own name, host name,
// annotation, label, and count of failures.
func indexedTemplate(c *syncJobCtx, template *corev1.PodTemplateSpec, index int) (*corev1.PodTemplateSpec, string) {
	t, text := template.DeepCopy(), strconv.Itoa(index)
	if t.Annotations == nil {
		t.Annotations = map[string]string{}
	}
	if t.Labels == nil {
		t.Labels = map[string]string{}
	}
	t.Annotations[batchv1.JobCompletionIndexAnnotation] = text
	t.Labels[batchv1.JobCompletionIndexAnnotation] = text
	t.Spec.Hostname = c.job.Name + "-" + text
	if hasBackoffLimitPerIndex(c.job) {
		failures, ignored := getNewIndexFailureCounts(c.job, c.podsWithDelayedDeletionPerIndex[index])
		t.Annotations[batchv1.JobIndexFailureCountAnnotation] = strconv.Itoa(failures)
		if ignored > 0 {
			t.Annotations[batchv1.JobIndexIgnoredFailureCountAnnotation] = strconv.Itoa(ignored)
		}
	}
	return t, podGenerateNameWithIndex(c.job.Name, index)
}

// removePods deletes Pods that are one too many. They lose their finalizer first:
// they count as nothing. It returns how many are still active.
// Upstream: job_controller.go, deleteJobPods.
func (jm *Controller) removePods(p *sim.Proc, c *syncJobCtx, victims []*corev1.Pod) (int32, error) {
	job, key := c.job, controller.KeyFunc(c.job)
	jm.expectations.ExpectDeletions(p.Logger(), key, len(victims))
	var first error
	var deleted int32
	p.Fork("delete", len(victims), func(p *sim.Proc, i int) {
		pod := victims[i]
		var err error
		if patch := removeTrackingFinalizerPatch(pod); patch != nil {
			if err = jm.podControl.PatchPod(p, pod.Namespace, pod.Name, patch); err != nil {
				err = fmt.Errorf("removing completion finalizer: %w", err)
			}
		}
		if err == nil {
			err = jm.podControl.DeletePod(p, pod.Namespace, pod.Name, job)
		}
		if err != nil {
			jm.expectations.DeletionObserved(p.Logger(), key)
			if !apierrors.IsNotFound(err) {
				p.Logger().V(2).Info("Failed to delete Pod", "job", key, "pod", controller.KObj(pod), "err", err)
				if first == nil {
					first = err
				}
				return
			}
		}
		deleted++
		c.terminated(pod)
	})
	return int32(len(c.activePods)) - deleted, first
}

// deleteActivePods ends what still runs of a Job that is decided. The Pods keep
// their finalizers until they are counted.
func (jm *Controller) deleteActivePods(p *sim.Proc, c *syncJobCtx) (deleted int32, first error) {
	p.Fork("delete", len(c.activePods), func(p *sim.Proc, i int) {
		pod := c.activePods[i]
		if err := jm.podControl.DeletePod(p, pod.Namespace, pod.Name, c.job); err != nil && !apierrors.IsNotFound(err) {
			controller.HandleError(p.Logger(), err, "Failed to delete Pod", "pod", controller.KObj(pod))
			if first == nil {
				first = err
			}
			return
		}
		deleted++
		c.terminated(pod)
	})
	return deleted, first
}

// terminated moves a Pod from the active to the terminating ones.
func (c *syncJobCtx) terminated(pod *corev1.Pod) {
	c.terminating++
	if controller.IsPodReady(pod) {
		c.ready--
	}
}

// activePodsForRemoval picks at least so many Pods, the least useful first. Of an
// Indexed Job, those of no valid index go in any case, and all but one of each index.
func activePodsForRemoval(p *sim.Proc, job *batchv1.Job, list []*corev1.Pod, atLeast int) []*corev1.Pod {
	var rm []*corev1.Pod
	left := slices.Clone(list)
	byUse := func(s []*corev1.Pod) {
		sort.Stable(controller.ActivePodsWithRanks{Pods: s, Rank: make([]int, len(s)), Now: p.Time()})
	}
	if isIndexedJob(job) {
		rm, left = appendDuplicatedIndexPodsForRemoval(left, int(*job.Spec.Completions), byUse)
	}
	if missing := atLeast - len(rm); missing > 0 {
		byUse(left)
		rm = append(rm, left[:missing]...)
	}
	return rm
}
