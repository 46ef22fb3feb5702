package job_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// cronWorld runs CronJobs with the Job controller, whose Pods do what fate says.
func cronWorld(t *testing.T, change func(spec *batchv1.CronJobSpec)) *world {
	w := newWorld(t, 4, "cronjob-controller", "job-controller", "garbage-collector-controller")
	cj := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "hello", Namespace: "default"}}
	cj.Spec.Schedule = "* * * * *"
	cj.Spec.JobTemplate.Spec = newJob("", nil).Spec
	change(&cj.Spec)
	w.do(func(p *sim.Proc) error {
		_, err := w.cs.BatchV1().CronJobs("default").Create(p, cj, metav1.CreateOptions{})
		return err
	})
	return w
}

func (w *world) jobs() []*batchv1.Job { return objects[*batchv1.Job](w, "jobs") }

// running counts the Jobs that have not ended.
func (w *world) running() (n int) {
	for _, j := range w.jobs() {
		if !controller.IsJobFinished(j) && j.DeletionTimestamp == nil {
			n++
		}
	}
	return n
}

func TestConcurrencyPolicy(t *testing.T) {
	for _, c := range []struct {
		policy  batchv1.ConcurrencyPolicy
		running int
		event   string
	}{
		{batchv1.AllowConcurrent, 3, "SuccessfulCreate: Normal Created job hello-29474463"},
		{batchv1.ForbidConcurrent, 1, "JobAlreadyActive: Normal Not starting job because prior execution is running and concurrency policy is Forbid"},
		{batchv1.ReplaceConcurrent, 1, "SuccessfulDelete: Normal Deleted job hello-29474461"},
	} {
		t.Run(string(c.policy), func(t *testing.T) {
			w := cronWorld(t, func(s *batchv1.CronJobSpec) { s.ConcurrencyPolicy = c.policy })
			w.fate = func(*corev1.Pod) (time.Duration, int32) { return never, 0 }
			most := 0
			for range 33 {
				w.run(6 * time.Second)
				most = max(most, w.running())
			}
			if most != c.running {
				t.Errorf("%d Jobs ran at once, want %d", most, c.running)
			}
			reason, message, _ := strings.Cut(c.event, ": ")
			if !strings.Contains(fmt.Sprint(w.events(reason)), message) {
				t.Errorf("events %s: %q, want %q", reason, w.events(reason), message)
			}
		})
	}
}

func TestHistory(t *testing.T) {
	w := cronWorld(t, func(s *batchv1.CronJobSpec) {
		s.SuccessfulJobsHistoryLimit, s.FailedJobsHistoryLimit = ptr(int32(2)), ptr(int32(1))
		s.JobTemplate.Spec.BackoffLimit = ptr(int32(0))
	})
	n := 0
	w.fate = func(*corev1.Pod) (time.Duration, int32) { n++; return 2 * time.Second, int32(n % 2) }
	w.run(8*time.Minute + 30*time.Second)
	kept := map[batchv1.JobConditionType]int{}
	for _, j := range w.jobs() {
		kept[controller.FinishedCondition(j)]++
	}
	if kept[batchv1.JobComplete] != 2 || kept[batchv1.JobFailed] != 1 || len(w.jobs()) != 3 {
		t.Errorf("kept %v\n%s", kept, w.show())
	}
}

// TestStartingDeadline: what was missed for longer is not made up for.
func TestStartingDeadline(t *testing.T) {
	for _, deadline := range []int64{20, 600} {
		w := cronWorld(t, func(s *batchv1.CronJobSpec) { s.Schedule, s.StartingDeadlineSeconds = "*/5 * * * *", &deadline })
		if err := w.m.StopController("cronjob-controller", "crash"); err != nil {
			t.Fatal(err)
		}
		w.run(6 * time.Minute)
		if err := w.m.StartController("cronjob-controller"); err != nil {
			t.Fatal(err)
		}
		w.run(30 * time.Second)
		want := 0
		if deadline == 600 {
			want = 1
		}
		if got := len(w.jobs()); got != want {
			t.Errorf("deadline %d s: %d Jobs a minute late, want %d", deadline, got, want)
		}
	}
}

func TestSuspendedCronJob(t *testing.T) {
	w := cronWorld(t, func(s *batchv1.CronJobSpec) { s.Suspend = ptr(true) })
	w.run(3 * time.Minute)
	if len(w.jobs()) != 0 {
		t.Errorf("a suspended CronJob started %d Jobs", len(w.jobs()))
	}
}
