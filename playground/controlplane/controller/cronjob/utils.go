package cronjob

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/cron"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// missedSchedulesType is how many scheduled times have passed without a run.
// Upstream: utils.go, missedSchedulesType.
type missedSchedulesType int

const (
	noneMissed missedSchedulesType = iota
	fewMissed
	manyMissed // more than 100: the clock, or the deadline, is probably wrong
)

const tooManyMissed = 100

// mostRecentScheduleTime returns from when on it looked, the last scheduled time
// since then that is not after now (zero if there is none), and roughly how many
// there were. The number is an estimate by the distance between the first two.
// Upstream: utils.go, mostRecentScheduleTime.
func mostRecentScheduleTime(cj *batchv1.CronJob, now time.Time, schedule cron.Schedule, includeStartingDeadlineSeconds bool) (earliest, mostRecent time.Time,
	missed missedSchedulesType, err error) {
	earliest = cj.CreationTimestamp.Time
	if cj.Status.LastScheduleTime != nil {
		earliest = cj.Status.LastScheduleTime.Time
	}
	if d := cj.Spec.StartingDeadlineSeconds; includeStartingDeadlineSeconds && d != nil {
		if deadline := now.Add(-time.Duration(*d) * time.Second); deadline.After(earliest) {
			earliest = deadline
		}
	}
	t1 := schedule.Next(earliest)
	t2 := schedule.Next(t1)
	switch {
	case now.Before(t1):
		return earliest, time.Time{}, noneMissed, nil
	case now.Before(t2):
		return earliest, t1, noneMissed, nil
	}
	between := t2.Sub(t1).Round(time.Second)
	if between < time.Second {
		return earliest, time.Time{}, noneMissed, errors.New("time difference between two schedules is less than 1 second")
	}
	n := int64(now.Sub(t1)/between) + 1
	// From one distance before the estimate on the times are counted out: distances differ.
	for t := schedule.Next(t1.Add(time.Duration(n-2) * between)); !t.After(now); t = schedule.Next(t) {
		mostRecent = t
	}
	missed = fewMissed
	if n > tooManyMissed {
		missed = manyMissed
	}
	return earliest, mostRecent, missed, nil
}

// nextScheduleTimeDuration is how long it is until the next run is looked at.
func nextScheduleTimeDuration(cj *batchv1.CronJob, now time.Time, schedule cron.Schedule) time.Duration {
	earliest, from, missed, err := mostRecentScheduleTime(cj, now, schedule, false)
	switch {
	case err != nil || from.IsZero() && missed != noneMissed:
		from = now
	case from.IsZero():
		from = earliest
	}
	return schedule.Next(from).Add(nextScheduleDelta).Sub(now)
}

// nextScheduleTime is the time of the run that is due now; zero if none is.
func (jm *ControllerV2) nextScheduleTime(p *sim.Proc, cj *batchv1.CronJob, now time.Time, schedule cron.Schedule) (time.Time, error) {
	_, t, missed, err := mostRecentScheduleTime(cj, now, schedule, true)
	if err != nil || t.IsZero() || t.After(now) {
		return time.Time{}, err
	}
	if missed == manyMissed {
		jm.recorder.Eventf(cj, corev1.EventTypeWarning, "TooManyMissedTimes",
			"too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew")
		p.Logger().Info("too many missed times", "cronjob", controller.KObj(cj))
	}
	return t, nil
}

func zoneOf(cj *batchv1.CronJob) string {
	if cj.Spec.TimeZone == nil {
		return ""
	}
	return *cj.Spec.TimeZone
}

// formatSchedule puts the time zone before the schedule, as the parser reads it.
func formatSchedule(cj *batchv1.CronJob) string {
	if cj.Spec.TimeZone == nil || strings.Contains(cj.Spec.Schedule, "TZ") {
		return cj.Spec.Schedule
	}
	if _, err := cron.LoadLocation(*cj.Spec.TimeZone); err != nil {
		return cj.Spec.Schedule
	}
	return "TZ=" + *cj.Spec.TimeZone + " " + cj.Spec.Schedule
}

func inActiveList(cj *batchv1.CronJob, uid types.UID) bool {
	return slices.ContainsFunc(cj.Status.Active, func(ref corev1.ObjectReference) bool { return ref.UID == uid })
}

func inActiveListByName(cj *batchv1.CronJob, name string) bool {
	return slices.ContainsFunc(cj.Status.Active, func(ref corev1.ObjectReference) bool { return ref.Name == name })
}

func deleteFromActiveList(cj *batchv1.CronJob, uid types.UID) {
	var kept []corev1.ObjectReference
	for _, ref := range cj.Status.Active {
		if ref.UID != uid {
			kept = append(kept, ref)
		}
	}
	cj.Status.Active = kept
}

// getJobName is the CronJob's name and the scheduled time in minutes since 1970.
func getJobName(cj *batchv1.CronJob, scheduled time.Time) string {
	return cj.Name + "-" + strconv.FormatInt(scheduled.Unix()/60, 10)
}

// getJobFromTemplate2 makes the Job of a scheduled time. Upstream: utils.go, getJobFromTemplate2.
func getJobFromTemplate2(cj *batchv1.CronJob, scheduled time.Time) *batchv1.Job {
	t := cj.Spec.JobTemplate.DeepCopy()
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name:            getJobName(cj, scheduled),
			Namespace:       cj.Namespace,
			Labels:          maps.Clone(t.Labels),
			Annotations:     maps.Clone(t.Annotations),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(cj, controllerKind)},
		},
		Spec: t.Spec,
	}
	if job.Annotations == nil {
		job.Annotations = map[string]string{}
	}
	local := scheduled
	if cj.Spec.TimeZone != nil {
		if loc, err := cron.LoadLocation(*cj.Spec.TimeZone); err == nil {
			local = scheduled.In(loc)
		}
	}
	job.Annotations[batchv1.CronJobScheduledTimestampAnnotation] = local.Format(time.RFC3339)
	return job
}
