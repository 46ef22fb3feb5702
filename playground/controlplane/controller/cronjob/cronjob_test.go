package cronjob

import (
	"testing"
	"time"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/cron"
	"kubewalk/playground/api/metav1"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, "2026-01-15T"+text+"Z")
	if err != nil {
		t.Fatal(err)
	}
	return v.UTC()
}

func TestMostRecentScheduleTime(t *testing.T) {
	for _, c := range []struct {
		name, schedule, created, last, now string
		deadline                           int64
		want                               string
		missed                             missedSchedulesType
		next                               time.Duration
	}{
		{name: "not yet", schedule: "0 * * * *", created: "09:10:00", now: "09:30:00", next: 30*time.Minute + nextScheduleDelta},
		{name: "just now", schedule: "0 * * * *", created: "09:10:00", now: "10:00:00", want: "10:00:00", next: time.Hour + nextScheduleDelta},
		{name: "done already", schedule: "0 * * * *", created: "09:10:00", last: "10:00:00", now: "10:20:00", next: 40*time.Minute + nextScheduleDelta},
		{name: "several missed: the latest", schedule: "0 * * * *", created: "09:10:00", now: "13:20:00", want: "13:00:00", missed: fewMissed,
			next: 40*time.Minute + nextScheduleDelta},
		{name: "very many missed", schedule: "* * * * *", created: "09:00:00", now: "12:00:30", want: "12:00:00", missed: manyMissed,
			next: 30*time.Second + nextScheduleDelta},
		{name: "the deadline forgives", schedule: "* * * * *", created: "09:00:00", now: "12:00:30", deadline: 200, want: "12:00:00", missed: fewMissed,
			next: 30*time.Second + nextScheduleDelta},
		{name: "every", schedule: "@every 90s", created: "09:00:00", now: "09:05:00", want: "09:04:30", missed: fewMissed, next: 60*time.Second + nextScheduleDelta},
	} {
		t.Run(c.name, func(t *testing.T) {
			sched, err := cron.ParseStandard(c.schedule)
			if err != nil {
				t.Fatal(err)
			}
			cj := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(at(t, c.created))}}
			if c.last != "" {
				cj.Status.LastScheduleTime = &metav1.Time{Time: at(t, c.last)}
			}
			if c.deadline > 0 {
				cj.Spec.StartingDeadlineSeconds = &c.deadline
			}
			_, got, missed, err := mostRecentScheduleTime(cj, at(t, c.now), sched, true)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" && !got.IsZero() || c.want != "" && !got.Equal(at(t, c.want)) {
				t.Errorf("most recent %v, want %s", got, c.want)
			}
			if missed != c.missed {
				t.Errorf("missed %v, want %v", missed, c.missed)
			}
			if d := nextScheduleTimeDuration(cj, at(t, c.now), sched); d != c.next {
				t.Errorf("next in %v, want %v", d, c.next)
			}
		})
	}
	never, _ := cron.ParseStandard("0 0 30 2 *")
	cj := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(at(t, "09:00:00"))}}
	if _, _, _, err := mostRecentScheduleTime(cj, at(t, "10:00:00"), never, true); err == nil ||
		err.Error() != "time difference between two schedules is less than 1 second" {
		t.Errorf("30 February: %v", err)
	}
}

func TestGetJobFromTemplate2(t *testing.T) {
	zone := "Asia/Tokyo"
	cj := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "hello", Namespace: "default", UID: "1"}}
	cj.Spec.TimeZone = &zone
	cj.Spec.JobTemplate.Labels = map[string]string{"a": "b"}
	job := getJobFromTemplate2(cj, at(t, "09:05:00"))
	if job.Name != "hello-29474465" || job.Labels["a"] != "b" || !metav1.IsControlledBy(job, cj) {
		t.Errorf("job %+v", job.ObjectMeta)
	}
	if got := job.Annotations[batchv1.CronJobScheduledTimestampAnnotation]; got != "2026-01-15T18:05:00+09:00" {
		t.Errorf("scheduled at %s", got)
	}
	if cj.Spec.JobTemplate.Annotations != nil {
		t.Error("the template was changed: it is shared")
	}
}
