package job

import (
	"time"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// decide sets finishedCondition when something has decided the Job, however much
// of it still runs: an earlier decision, a rule of the failure policy, the
// back-off limit, the deadline, failed indexes, the success policy. The first
// that applies counts. Upstream: the middle of job_controller.go, syncJob.
func (jm *Controller) decide(p *sim.Proc, key string, c *syncJobCtx) {
	job, log := c.job, p.Logger()
	fail := func(reason, message string) {
		c.finishedCondition = newCondition(batchv1.JobFailureTarget, corev1.ConditionTrue, reason, message, p.Time())
	}
	if met := findCondition(job, batchv1.JobSuccessCriteriaMet); met != nil && met.Status == corev1.ConditionTrue {
		c.finishedCondition = met.DeepCopy()
	} else if target := findCondition(job, batchv1.JobFailureTarget); target != nil && target.Status == corev1.ConditionTrue {
		c.finishedCondition = newFailedConditionForFailureTarget(target, p.Time())
	} else if message := getFailJobMessage(job, c.pods); message != "" {
		fail(batchv1.JobReasonPodFailurePolicy, message)
	} else if c.failed > *job.Spec.BackoffLimit || pastBackoffLimitOnFailure(job, c.pods) {
		fail(batchv1.JobReasonBackoffLimitExceeded, "Job has reached the specified backoff limit")
	} else if pastActiveDeadline(job, p.Time()) {
		fail(batchv1.JobReasonDeadlineExceeded, "Job was active longer than specified deadline")
	} else if job.Spec.ActiveDeadlineSeconds != nil && !jobSuspended(job) {
		next := time.Duration(*job.Spec.ActiveDeadlineSeconds)*time.Second - p.Time().Sub(job.Status.StartTime.Time)
		log.V(2).Info("Job has activeDeadlineSeconds configuration. Will sync this job again", "key", key, "nextSyncIn", next)
		jm.queue.AddAfter(key, next)
	}
	if isIndexedJob(job) {
		jm.decideByIndexes(p, c, fail)
	}
	if c.finishedCondition != nil {
		log.V(2).Info("The Job is decided", "job", key, "condition", c.finishedCondition.Type, "reason", c.finishedCondition.Reason,
			"detail", c.finishedCondition.Message, "failed", c.failed, "backoffLimit", *job.Spec.BackoffLimit)
	}
}

func (jm *Controller) decideByIndexes(p *sim.Proc, c *syncJobCtx, fail func(reason, message string)) {
	job, log := c.job, p.Logger()
	completions := int(*job.Spec.Completions)
	c.prevSucceededIndexes, c.succeededIndexes = calculateSucceededIndexes(log, job, c.pods)
	c.succeeded = int32(c.succeededIndexes.total())
	if hasBackoffLimitPerIndex(job) {
		failed := calculateFailedIndexes(log, job, c.pods)
		c.failedIndexes = &failed
		if n := failed.total(); c.finishedCondition == nil {
			if job.Spec.MaxFailedIndexes != nil && n > int(*job.Spec.MaxFailedIndexes) {
				fail(batchv1.JobReasonMaxFailedIndexesExceeded, "Job has exceeded the specified maximal number of failed indexes")
			} else if n > 0 && n+int(c.succeeded) >= completions {
				fail(batchv1.JobReasonFailedIndexes, "Job has failed indexes")
			}
		}
		c.podsWithDelayedDeletionPerIndex = getPodsWithDelayedDeletionPerIndex(log, c)
		log.V(2).Info("Indexes of a Job", "job", controller.KObj(job), "succeeded", c.succeededIndexes.String(), "failed", failed.String(),
			"waiting", len(c.podsWithDelayedDeletionPerIndex))
	}
	if c.finishedCondition == nil {
		if message, met := matchSuccessPolicy(log, job.Spec.SuccessPolicy, completions, c.succeededIndexes); met {
			c.finishedCondition = newCondition(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue, batchv1.JobReasonSuccessPolicy, message, p.Time())
		}
	}
}

// pastBackoffLimitOnFailure counts restarts where the kubelet restarts containers
// in place and no Pod ever fails.
func pastBackoffLimitOnFailure(job *batchv1.Job, pods []*corev1.Pod) bool {
	if job.Spec.Template.Spec.RestartPolicy != corev1.RestartPolicyOnFailure {
		return false
	}
	var restarts int32
	for _, pod := range pods {
		if pod.Status.Phase != corev1.PodRunning && pod.Status.Phase != corev1.PodPending {
			continue
		}
		for i := range pod.Status.InitContainerStatuses {
			restarts += pod.Status.InitContainerStatuses[i].RestartCount
		}
		for i := range pod.Status.ContainerStatuses {
			restarts += pod.Status.ContainerStatuses[i].RestartCount
		}
	}
	if *job.Spec.BackoffLimit == 0 {
		return restarts > 0
	}
	return restarts >= *job.Spec.BackoffLimit
}

func pastActiveDeadline(job *batchv1.Job, now time.Time) bool {
	if job.Spec.ActiveDeadlineSeconds == nil || job.Status.StartTime == nil || jobSuspended(job) {
		return false
	}
	return now.Sub(job.Status.StartTime.Time) >= time.Duration(*job.Spec.ActiveDeadlineSeconds)*time.Second
}

func newCondition(t batchv1.JobConditionType, status corev1.ConditionStatus, reason, message string, now time.Time) *batchv1.JobCondition {
	return &batchv1.JobCondition{Type: t, Status: status, LastProbeTime: metav1.NewTime(now), LastTransitionTime: metav1.NewTime(now), Reason: reason,
		Message: message}
}

func newFailedConditionForFailureTarget(target *batchv1.JobCondition, now time.Time) *batchv1.JobCondition {
	return newCondition(batchv1.JobFailed, target.Status, target.Reason, target.Message, now)
}

func findCondition(job *batchv1.Job, t batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range job.Status.Conditions {
		if job.Status.Conditions[i].Type == t {
			return &job.Status.Conditions[i]
		}
	}
	return nil
}

// ensureJobConditionStatus makes a condition say so, and tells whether it did not
// before. One that is not there is as good as false.
func ensureJobConditionStatus(s *batchv1.JobStatus, t batchv1.JobConditionType, status corev1.ConditionStatus, reason, message string, now time.Time) bool {
	for i := range s.Conditions {
		if c := &s.Conditions[i]; c.Type == t {
			if c.Status == status && c.Reason == reason && c.Message == message {
				return false
			}
			*c = *newCondition(t, status, reason, message, now)
			return true
		}
	}
	if status == corev1.ConditionFalse {
		return false
	}
	s.Conditions = append(s.Conditions, *newCondition(t, status, reason, message, now))
	return true
}

func jobSuspended(job *batchv1.Job) bool { return job.Spec.Suspend != nil && *job.Spec.Suspend }

func getCompletionMode(job *batchv1.Job) batchv1.CompletionMode {
	if job.Spec.CompletionMode == nil {
		return batchv1.NonIndexedCompletion
	}
	return *job.Spec.CompletionMode
}

// managedByExternalController names who runs the Job, "" if this controller does.
func managedByExternalController(job *batchv1.Job) string {
	if by := job.Spec.ManagedBy; by != nil && *by != batchv1.JobControllerName {
		return *by
	}
	return ""
}

func nowTime(p *sim.Proc) *metav1.Time {
	t := metav1.NewTime(p.Time())
	return &t
}

func deref(n *int32, otherwise int32) int32 {
	if n == nil {
		return otherwise
	}
	return *n
}

func equal(n *int32, value int32) bool { return n != nil && *n == value }
