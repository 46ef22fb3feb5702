package cronjob

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/cron"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// syncCronJob brings the list of active Jobs up to date and starts a Job if one is
// due. cj is a copy, whose status it changes; updateStatus says so. It returns when
// to look again. Upstream: cronjob_controllerv2.go, syncCronJob.
func (jm *ControllerV2) syncCronJob(p *sim.Proc, cj *batchv1.CronJob, jobs []*batchv1.Job) (requeueAfter time.Duration, updateStatus bool, err error) {
	log, key, now := p.Logger(), controller.KObj(cj), p.Time()
	if updateStatus, err = jm.updateActive(p, cj, jobs); err != nil || cj.DeletionTimestamp != nil {
		return 0, updateStatus, err
	}
	if zone := zoneOf(cj); cj.Spec.TimeZone != nil {
		if _, err := cron.LoadLocation(zone); err != nil {
			log.V(4).Info("Not starting job because timeZone is invalid", "cronjob", key, "timeZone", zone, "err", err)
			jm.recorder.Eventf(cj, corev1.EventTypeWarning, "UnknownTimeZone", "invalid timeZone: %q: %s", zone, err)
			return 0, updateStatus, nil
		}
	}
	if cj.Spec.Suspend != nil && *cj.Spec.Suspend {
		log.V(4).Info("Not starting job because the cron is suspended", "cronjob", key)
		return 0, updateStatus, nil
	}
	if strings.Contains(cj.Spec.Schedule, "TZ") {
		jm.recorder.Eventf(cj, corev1.EventTypeWarning, "UnsupportedSchedule",
			"CRON_TZ or TZ used in schedule %q is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
			cj.Spec.Schedule)
	}
	sched, err := cron.ParseStandard(formatSchedule(cj))
	if err != nil {
		log.V(2).Info("Unparseable schedule", "cronjob", key, "schedule", cj.Spec.Schedule, "err", err)
		jm.recorder.Eventf(cj, corev1.EventTypeWarning, "UnparseableSchedule", "unparseable schedule: %q : %s", cj.Spec.Schedule, err)
		return 0, updateStatus, nil
	}
	scheduled, err := jm.nextScheduleTime(p, cj, now, sched)
	if err != nil {
		log.V(2).Info("Invalid schedule", "cronjob", key, "schedule", cj.Spec.Schedule, "err", err)
		jm.recorder.Eventf(cj, corev1.EventTypeWarning, "InvalidSchedule", "invalid schedule schedule: %s : %s", cj.Spec.Schedule, err)
		return 0, updateStatus, nil
	}
	next := nextScheduleTimeDuration(cj, now, sched)
	if scheduled.IsZero() {
		log.V(4).Info("No unmet start times", "cronjob", key, "next", next)
		return next, updateStatus, nil
	}
	name := getJobName(cj, scheduled)
	log.V(2).Info("A run is due", "cronjob", key, "scheduledTime", scheduled, "late", now.Sub(scheduled), "job", name,
		"active", len(cj.Status.Active), "concurrencyPolicy", string(cj.Spec.ConcurrencyPolicy))
	if d := cj.Spec.StartingDeadlineSeconds; d != nil && scheduled.Add(time.Duration(*d)*time.Second).Before(now) {
		log.V(4).Info("Missed starting window", "cronjob", key, "startingDeadlineSeconds", *d)
		jm.recorder.Eventf(cj, corev1.EventTypeWarning, "MissSchedule", "Missed scheduled time to start a job: %s", scheduled.UTC().Format(time.RFC1123Z))
		return next, updateStatus, nil
	}
	if last := cj.Status.LastScheduleTime; inActiveListByName(cj, name) || last != nil && last.Time.Equal(scheduled) {
		log.V(4).Info("Not starting job because the scheduled time is already processed", "cronjob", key, "schedule", scheduled)
		return next, updateStatus, nil
	}
	if cj.Spec.ConcurrencyPolicy == batchv1.ForbidConcurrent && len(cj.Status.Active) > 0 {
		log.V(4).Info("Not starting job because prior execution is still running and concurrency policy is Forbid", "cronjob", key)
		jm.recorder.Eventf(cj, corev1.EventTypeNormal, "JobAlreadyActive", "Not starting job because prior execution is running and concurrency policy is Forbid")
		return next, updateStatus, nil
	}
	if cj.Spec.ConcurrencyPolicy == batchv1.ReplaceConcurrent {
		for _, ref := range slices.Clone(cj.Status.Active) {
			log.V(4).Info("Deleting job that was still running at next scheduled start time", "job", ref.Namespace+"/"+ref.Name)
			job, err := jm.kubeClient.BatchV1().Jobs(ref.Namespace).Get(p, ref.Name, metav1.GetOptions{})
			if err != nil {
				jm.recorder.Eventf(cj, corev1.EventTypeWarning, "FailedGet", "Get job: %v", err)
				return 0, updateStatus, err
			}
			if !jm.delete(p, cj, job) {
				return 0, updateStatus, fmt.Errorf("could not replace job %s/%s", job.Namespace, job.Name)
			}
			updateStatus = true
		}
	}
	started, err := jm.start(p, cj, scheduled)
	if err != nil || !started {
		return 0, updateStatus, err
	}
	return nextScheduleTimeDuration(cj, now, sched), true, nil
}

// start creates the Job of a scheduled time and enters it into the status. That it
// exists already is what a crash between the two leaves.
func (jm *ControllerV2) start(p *sim.Proc, cj *batchv1.CronJob, scheduled time.Time) (started bool, err error) {
	client := jm.kubeClient.BatchV1().Jobs(cj.Namespace)
	request := getJobFromTemplate2(cj, scheduled)
	job, err := client.Create(p, request, metav1.CreateOptions{})
	switch {
	case apierrors.HasStatusCause(err, controller.NamespaceTerminatingCause):
		return false, err
	case apierrors.IsAlreadyExists(err):
		if job, err = client.Get(p, request.Name, metav1.GetOptions{}); err != nil {
			return false, err
		}
		if !metav1.IsControlledBy(job, cj) || inActiveList(cj, job.UID) {
			return false, nil
		}
		p.Logger().Info("Job already exists", "cronjob", controller.KObj(cj), "job", controller.KObj(job))
	case err != nil:
		jm.recorder.Eventf(cj, corev1.EventTypeWarning, "FailedCreate", "Error creating job: %v", err)
		return false, err
	default:
		p.Logger().V(4).Info("Created Job", "job", controller.KObj(job), "cronjob", controller.KObj(cj))
		jm.recorder.Eventf(cj, corev1.EventTypeNormal, "SuccessfulCreate", "Created job %v", job.Name)
	}
	cj.Status.Active = append(cj.Status.Active, *record.GetReference(job))
	cj.Status.LastScheduleTime = &metav1.Time{Time: scheduled}
	return true, nil
}

// updateActive takes Jobs that have ended, or are gone, off the list of active
// ones, and notes the latest success.
func (jm *ControllerV2) updateActive(p *sim.Proc, cj *batchv1.CronJob, jobs []*batchv1.Job) (updateStatus bool, err error) {
	children := map[types.UID]bool{}
	for _, job := range jobs {
		children[job.UID] = true
		found, finished := inActiveList(cj, job.UID), controller.FinishedCondition(job)
		switch {
		case !found && finished == "":
			// It may have been entered since: a cache of Jobs can be ahead of one of CronJobs.
			fresh, err := jm.kubeClient.BatchV1().CronJobs(cj.Namespace).Get(p, cj.Name, metav1.GetOptions{})
			if err != nil {
				return updateStatus, err
			}
			if inActiveList(fresh, job.UID) {
				*cj = *fresh.DeepCopy()
				continue
			}
			jm.recorder.Eventf(cj, corev1.EventTypeWarning, "UnexpectedJob", "Saw a job that the controller did not create or forgot: %s", job.Name)
		case found && finished != "":
			deleteFromActiveList(cj, job.UID)
			jm.recorder.Eventf(cj, corev1.EventTypeNormal, "SawCompletedJob", "Saw completed job: %s, condition: %v", job.Name, finished)
			updateStatus = true
		case finished == batchv1.JobComplete:
			done, last := job.Status.CompletionTime, cj.Status.LastSuccessfulTime
			if done != nil && (last == nil || done.Time.After(last.Time)) {
				cj.Status.LastSuccessfulTime = done
				updateStatus = true
			}
		}
	}
	for _, ref := range slices.Clone(cj.Status.Active) {
		if children[ref.UID] {
			continue
		}
		_, err := jm.kubeClient.BatchV1().Jobs(ref.Namespace).Get(p, ref.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			jm.recorder.Eventf(cj, corev1.EventTypeNormal, "MissingJob", "Active job went missing: %v", ref.Name)
			deleteFromActiveList(cj, ref.UID)
			updateStatus = true
		} else if err != nil {
			return updateStatus, err
		}
	}
	return updateStatus, nil
}

// cleanupFinishedJobs deletes the oldest Jobs beyond the limits of the history.
func (jm *ControllerV2) cleanupFinishedJobs(p *sim.Proc, cj *batchv1.CronJob, jobs []*batchv1.Job) (updateStatus bool) {
	var successful, failed []*batchv1.Job
	for _, job := range jobs {
		switch controller.FinishedCondition(job) {
		case batchv1.JobComplete:
			successful = append(successful, job)
		case batchv1.JobFailed:
			failed = append(failed, job)
		}
	}
	if n := cj.Spec.SuccessfulJobsHistoryLimit; n != nil && jm.removeOldestJobs(p, cj, successful, int(*n)) {
		updateStatus = true
	}
	if n := cj.Spec.FailedJobsHistoryLimit; n != nil && jm.removeOldestJobs(p, cj, failed, int(*n)) {
		updateStatus = true
	}
	return updateStatus
}

func (jm *ControllerV2) removeOldestJobs(p *sim.Proc, cj *batchv1.CronJob, jobs []*batchv1.Job, limit int) (updateStatus bool) {
	n := len(jobs) - limit
	if n <= 0 {
		return false
	}
	p.Logger().V(4).Info("Cleaning up jobs from CronJob list", "deletejobnum", n, "jobnum", len(jobs), "cronjob", controller.KObj(cj))
	sort.SliceStable(jobs, func(i, j int) bool { return startedBefore(jobs[i], jobs[j]) })
	for _, job := range jobs[:n] {
		if jm.delete(p, cj, job) {
			updateStatus = true
		}
	}
	return updateStatus
}

// startedBefore puts Jobs that have not started last. Upstream: utils.go, byJobStartTime.
func startedBefore(a, b *batchv1.Job) bool {
	s, t := a.Status.StartTime, b.Status.StartTime
	switch {
	case s == nil || t == nil:
		return s != nil
	case s.Time.Equal(t.Time):
		return a.Name < b.Name
	}
	return s.Time.Before(t.Time)
}

// delete deletes a Job, and its Pods in the background, and tells whether it could.
func (jm *ControllerV2) delete(p *sim.Proc, cj *batchv1.CronJob, job *batchv1.Job) bool {
	policy := metav1.DeletePropagationBackground
	if err := jm.kubeClient.BatchV1().Jobs(job.Namespace).Delete(p, job.Name, metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
		jm.recorder.Eventf(cj, corev1.EventTypeWarning, "FailedDelete", "Deleted job: %v", err)
		p.Logger().Error(err, "Error deleting job from cronjob", "job", controller.KObj(job), "cronjob", controller.KObj(cj))
		return false
	}
	deleteFromActiveList(cj, job.UID)
	jm.recorder.Eventf(cj, corev1.EventTypeNormal, "SuccessfulDelete", "Deleted job %v", job.Name)
	return true
}
