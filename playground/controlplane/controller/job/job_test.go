package job_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func fail(after time.Duration, exit int32) func(*corev1.Pod) (time.Duration, int32) {
	return func(*corev1.Pod) (time.Duration, int32) { return after, exit }
}

func indexOf(pod *corev1.Pod) string { return pod.Annotations[batchv1.JobCompletionIndexAnnotation] }

func TestJobs(t *testing.T) {
	for _, c := range []struct {
		name   string
		spec   func(s *batchv1.JobSpec)
		fate   func(pod *corev1.Pod) (time.Duration, int32)
		within time.Duration
		want   string
		event  string
	}{
		{"one Pod", nil, succeed(2 * time.Second), 20 * time.Second,
			"active=0 succeeded=1 failed=0 SuccessCriteriaMet(CompletionsReached) Complete(CompletionsReached)", "Completed: Normal Job completed"},
		{"five completions, two at a time", func(s *batchv1.JobSpec) { s.Completions, s.Parallelism = ptr(int32(5)), ptr(int32(2)) }, succeed(2 * time.Second),
			time.Minute,
			"active=0 succeeded=5 failed=0 SuccessCriteriaMet(CompletionsReached) Complete(CompletionsReached)", "Completed: Normal Job completed"},
		{"a work queue", func(s *batchv1.JobSpec) { s.Parallelism = ptr(int32(3)) }, succeed(2 * time.Second), time.Minute,
			"active=0 succeeded=3 failed=0 SuccessCriteriaMet(CompletionsReached) Complete(CompletionsReached)", "Completed: Normal Job completed"},
		{"no completions at all", func(s *batchv1.JobSpec) { s.Completions = ptr(int32(0)) }, succeed(time.Second), time.Minute,
			"active=0 succeeded=0 failed=0 SuccessCriteriaMet(CompletionsReached) Complete(CompletionsReached)", "Completed: Normal Job completed"},
		{"back-off limit", func(s *batchv1.JobSpec) { s.BackoffLimit = ptr(int32(2)) }, fail(time.Second, 1), time.Minute,
			"active=0 succeeded=0 failed=3 FailureTarget(BackoffLimitExceeded) Failed(BackoffLimitExceeded)",
			"BackoffLimitExceeded: Warning Job has reached the specified backoff limit"},
		{"no second try", func(s *batchv1.JobSpec) { s.BackoffLimit = ptr(int32(0)) }, fail(time.Second, 1), time.Minute,
			"active=0 succeeded=0 failed=1 FailureTarget(BackoffLimitExceeded) Failed(BackoffLimitExceeded)",
			"BackoffLimitExceeded: Warning Job has reached the specified backoff limit"},
		{"deadline", func(s *batchv1.JobSpec) { s.ActiveDeadlineSeconds = ptr(int64(5)) }, fail(never, 0), 20 * time.Second,
			"active=0 succeeded=0 failed=1 FailureTarget(DeadlineExceeded) Failed(DeadlineExceeded)",
			"DeadlineExceeded: Warning Job was active longer than specified deadline"},
		{"indexed", func(s *batchv1.JobSpec) {
			s.Completions, s.Parallelism, s.CompletionMode = ptr(int32(6)), ptr(int32(4)), ptr(batchv1.IndexedCompletion)
		}, succeed(2 * time.Second), time.Minute,
			"active=0 succeeded=6 failed=0 completedIndexes=0-5 SuccessCriteriaMet(CompletionsReached) Complete(CompletionsReached)", "Completed: Normal Job completed"},
		{"back-off limit per index", func(s *batchv1.JobSpec) {
			s.Completions, s.Parallelism, s.CompletionMode, s.BackoffLimitPerIndex = ptr(int32(5)), ptr(int32(5)), ptr(batchv1.IndexedCompletion), ptr(int32(1))
		}, func(pod *corev1.Pod) (time.Duration, int32) {
			if indexOf(pod) == "1" || indexOf(pod) == "3" {
				return time.Second, 1
			}
			return 2 * time.Second, 0
		}, 2 * time.Minute,
			"active=0 succeeded=3 failed=4 completedIndexes=0,2,4 failedIndexes=1,3 FailureTarget(FailedIndexes) Failed(FailedIndexes)",
			"FailedIndexes: Warning Job has failed indexes"},
		{"too many failed indexes", func(s *batchv1.JobSpec) {
			s.Completions, s.Parallelism, s.CompletionMode, s.BackoffLimitPerIndex, s.MaxFailedIndexes = ptr(int32(5)), ptr(int32(1)), ptr(batchv1.IndexedCompletion),
				ptr(int32(0)), ptr(int32(1))
		}, fail(time.Second, 1), 2 * time.Minute,
			"active=0 succeeded=0 failed=2 failedIndexes=0,1 FailureTarget(MaxFailedIndexesExceeded) Failed(MaxFailedIndexesExceeded)",
			"MaxFailedIndexesExceeded: Warning Job has exceeded the specified maximal number of failed indexes"},
		{"success policy", func(s *batchv1.JobSpec) {
			s.Completions, s.Parallelism, s.CompletionMode = ptr(int32(5)), ptr(int32(5)), ptr(batchv1.IndexedCompletion)
			s.SuccessPolicy = &batchv1.SuccessPolicy{Rules: []batchv1.SuccessPolicyRule{{SucceededIndexes: ptr("0-2"), SucceededCount: ptr(int32(2))}}}
		}, func(pod *corev1.Pod) (time.Duration, int32) {
			if indexOf(pod) < "2" {
				return time.Second, 0
			}
			return never, 0
		}, time.Minute,
			"active=0 succeeded=2 failed=0 completedIndexes=0,1 SuccessCriteriaMet(SuccessPolicy) Complete(SuccessPolicy)", "Completed: Normal Job completed"},
		{"a rule fails the Job", func(s *batchv1.JobSpec) {
			s.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{Action: batchv1.PodFailurePolicyActionFailJob,
				OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{42}}}}}
		}, fail(time.Second, 42), time.Minute,
			"active=0 succeeded=0 failed=1 FailureTarget(PodFailurePolicy) Failed(PodFailurePolicy)",
			"PodFailurePolicy: Warning Container work for pod default/POD failed with exit code 42 matching FailJob rule at index 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, 3, "job-controller")
			w.fate = c.fate
			w.create(newJob("work", c.spec))
			w.until(c.within, "finished", w.finished("work"))
			w.run(5 * time.Second)
			if got := status(w.job("work")); got != c.want {
				t.Errorf("status %s\nwant   %s\n%s", got, c.want, w.show())
			}
			reason, message, _ := strings.Cut(c.event, ": ")
			events := w.events(reason)
			if len(w.pods()) > 0 {
				message = strings.ReplaceAll(message, "POD", w.pods()[0].Name)
			}
			if len(events) != 1 || events[0] != message {
				t.Errorf("events %s: %q, want %q", reason, events, message)
			}
			for _, p := range w.pods() {
				if len(p.Finalizers) > 0 {
					t.Errorf("Pod %s keeps finalizers %v", p.Name, p.Finalizers)
				}
			}
		})
	}
}

// TestBackoff: 10 s pass after the first failure, 20 s after the second.
func TestBackoff(t *testing.T) {
	w := newWorld(t, 3, "job-controller")
	w.fate = fail(time.Second, 1)
	w.create(newJob("work", func(s *batchv1.JobSpec) { s.BackoffLimit = ptr(int32(3)) }))
	var created []time.Time
	w.until(3*time.Minute, "finished", func() bool {
		if n := len(w.pods()); n > len(created) {
			created = append(created, w.k.Time())
		}
		return w.finished("work")()
	})
	if len(created) != 4 {
		t.Fatalf("%d Pods, want 4", len(created))
	}
	for i, want := range []time.Duration{11, 21, 41} {
		if got := created[i+1].Sub(created[i]); got < want*time.Second-200*time.Millisecond || got > (want+2)*time.Second {
			t.Errorf("Pod %d came after %v, want about %v s", i+2, got, int(want))
		}
	}
}

func TestSuspendAndResume(t *testing.T) {
	w := newWorld(t, 3, "job-controller")
	w.create(newJob("work", func(s *batchv1.JobSpec) { s.Suspend = ptr(true) }))
	w.run(5 * time.Second)
	if len(w.pods()) != 0 || w.job("work").Status.StartTime != nil {
		t.Errorf("a suspended Job has started: %s", w.show())
	}
	w.fate = fail(never, 0)
	w.change("work", func(j *batchv1.Job) { j.Spec.Suspend = ptr(false) })
	w.until(5*time.Second, "active", func() bool { return w.job("work").Status.Active == 1 })
	w.change("work", func(j *batchv1.Job) { j.Spec.Suspend = ptr(true) })
	w.until(10*time.Second, "no Pod", func() bool { return len(w.pods()) == 0 })
	w.fate = succeed(time.Second)
	w.change("work", func(j *batchv1.Job) { j.Spec.Suspend = ptr(false) })
	w.until(10*time.Second, "finished", w.finished("work"))
	if got := status(w.job("work")); !strings.HasPrefix(got, "active=0 succeeded=1 failed=0 ") {
		t.Errorf("status %s: a Pod of a suspended Job counts as nothing", got)
	}
	if s, r := w.events("Suspended"), w.events("Resumed"); len(s) == 0 || len(r) == 0 || s[0] != "Normal Job suspended" || r[0] != "Normal Job resumed" {
		t.Errorf("events %q %q", s, r)
	}
}

func TestManagedBySomebodyElse(t *testing.T) {
	w := newWorld(t, 3, "job-controller")
	w.create(newJob("work", func(s *batchv1.JobSpec) { s.ManagedBy = ptr("example.com/queue") }))
	w.run(10 * time.Second)
	if len(w.pods()) != 0 || len(w.job("work").Status.Conditions) != 0 {
		t.Errorf("a Job of somebody else was touched: %s", w.show())
	}
}

// TestIgnoredFailures: a failure that a rule ignores is tried again, and counts as nothing.
func TestIgnoredFailures(t *testing.T) {
	w := newWorld(t, 3, "job-controller")
	n := 0
	w.fate = func(*corev1.Pod) (time.Duration, int32) {
		if n++; n <= 2 {
			return time.Second, 7
		}
		return time.Second, 0
	}
	w.create(newJob("work", func(s *batchv1.JobSpec) {
		s.BackoffLimit = ptr(int32(0))
		s.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{Action: batchv1.PodFailurePolicyActionIgnore,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{7}}}}}
	}))
	w.until(2*time.Minute, "finished", w.finished("work"))
	if got := status(w.job("work")); !strings.HasPrefix(got, "active=0 succeeded=1 failed=0 ") {
		t.Errorf("status %s", got)
	}
}

// TestDeletedJob: its Pods lose the finalizer, so that they can go.
func TestDeletedJob(t *testing.T) {
	w := newWorld(t, 3, "job-controller", "garbage-collector-controller")
	w.fate = fail(never, 0)
	w.create(newJob("work", func(s *batchv1.JobSpec) { s.Parallelism, s.Completions = ptr(int32(3)), ptr(int32(3)) }))
	w.until(10*time.Second, "3 active", func() bool { return w.job("work").Status.Active == 3 })
	background := metav1.DeletePropagationBackground
	w.do(func(p *sim.Proc) error {
		return w.cs.BatchV1().Jobs("default").Delete(p, "work", metav1.DeleteOptions{PropagationPolicy: &background})
	})
	w.until(20*time.Second, "nothing left", func() bool { return w.job("work") == nil && len(w.pods()) == 0 })
}

func TestTTL(t *testing.T) {
	w := newWorld(t, 3, "job-controller", "ttl-after-finished-controller", "garbage-collector-controller")
	w.create(newJob("work", func(s *batchv1.JobSpec) { s.TTLSecondsAfterFinished = ptr(int32(30)) }))
	w.until(20*time.Second, "finished", w.finished("work"))
	w.run(29 * time.Second)
	if w.job("work") == nil {
		t.Error("gone before its time")
	}
	w.until(10*time.Second, "nothing left", func() bool { return w.job("work") == nil && len(w.pods()) == 0 })
}

// TestCountedOnce is the promise of the finalizers: whatever Pods do, whoever
// deletes them, however often the controller dies and requests fail, every Pod
// counts at most once, successes never exceed completions, and never are more Pods
// active than may be.
func TestCountedOnce(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { countedOnce(t, seed) })
	}
}

func countedOnce(t *testing.T, seed uint64) {
	r := sim.NewRand(seed)
	chance := sim.NewRand(seed + 1000)
	w := newLateWorld(t, seed, func(resource string) time.Duration {
		if resource == "pods" && chance.IntN(3) == 0 {
			return chance.Between(0, 4*time.Second)
		}
		return 0
	}, "job-controller")
	w.fate = func(*corev1.Pod) (time.Duration, int32) { return r.Between(0, 3*time.Second), int32(r.IntN(3) / 2) }
	failing := true
	w.refuse = func(component string, rq *client.Request) error {
		if failing && component == "job-controller" && rq.Verb != client.Get && rq.Verb != client.List && r.IntN(9) == 0 {
			return fmt.Errorf("the wire is cut")
		}
		return nil
	}
	completions, parallelism := int32(1+r.IntN(8)), int32(1+r.IntN(4))
	indexed := r.IntN(2) == 0
	w.create(newJob("work", func(s *batchv1.JobSpec) {
		s.Completions, s.Parallelism, s.BackoffLimit = &completions, &parallelism, ptr(int32(1000))
		if indexed {
			s.CompletionMode = ptr(batchv1.IndexedCompletion)
			if r.IntN(2) == 0 {
				s.BackoffLimitPerIndex = ptr(int32(1000))
			}
		}
	}))
	for i := range 40 {
		w.run(r.Between(0, 4*time.Second))
		switch pods := w.pods(); r.IntN(6) {
		case 0:
			if len(pods) > 0 {
				w.do(func(p *sim.Proc) error {
					w.cs.CoreV1().Pods("default").Delete(p, pods[r.IntN(len(pods))].Name, metav1.DeleteOptions{})
					return nil
				})
			}
		case 1:
			if w.m.Running("job-controller") {
				if err := w.m.StopController("job-controller", "crash"); err != nil {
					t.Fatal(err)
				}
			} else if err := w.m.StartController("job-controller"); err != nil {
				t.Fatal(err)
			}
		}
		if i == 30 {
			failing = false
		}
	}
	if !w.m.Running("job-controller") {
		if err := w.m.StartController("job-controller"); err != nil {
			t.Fatal(err)
		}
	}
	w.until(3*time.Hour, "finished", w.finished("work"))
	w.run(time.Minute)

	// What really became of the Pods, from the trace.
	succeeded, failed, live := map[string]bool{}, map[string]bool{}, map[string]bool{}
	indexesDone := map[string]bool{}
	most := 0
	for _, e := range w.k.Trace().Events(1) {
		if e.Op != trace.StoreCommit {
			continue
		}
		for _, d := range e.Deltas {
			if d.Cell.Kind != trace.CellObject {
				continue
			}
			pod, ok := d.New.(*corev1.Pod)
			if !ok {
				if before, was := d.Old.(*corev1.Pod); was {
					delete(live, string(before.UID))
				}
				continue
			}
			uid := string(pod.UID)
			live[uid] = controller.IsPodActive(pod)
			switch {
			case pod.Status.Phase == corev1.PodSucceeded:
				succeeded[uid] = true
				indexesDone[indexOf(pod)] = true
			case pod.Status.Phase == corev1.PodFailed, pod.DeletionTimestamp != nil:
				failed[uid] = true
			}
		}
		n := 0
		for _, is := range live {
			if is {
				n++
			}
		}
		most = max(most, n)
	}
	j := w.job("work")
	if most > int(parallelism) {
		t.Errorf("%d Pods were active at once, parallelism is %d", most, parallelism)
	}
	if j.Status.Succeeded != completions {
		t.Errorf("%d counted as succeeded, completions %d: %s", j.Status.Succeeded, completions, status(j))
	}
	if indexed && len(indexesDone) != int(completions) {
		t.Errorf("indexes %v have succeeded, of %d", indexesDone, completions)
	}
	if !indexed && int(j.Status.Succeeded) > len(succeeded) {
		t.Errorf("%d counted as succeeded, %d did", j.Status.Succeeded, len(succeeded))
	}
	if int(j.Status.Failed) > len(failed) {
		t.Errorf("%d counted as failed, %d did", j.Status.Failed, len(failed))
	}
	for _, p := range w.pods() {
		if len(p.Finalizers) > 0 {
			t.Errorf("Pod %s keeps finalizers %v", p.Name, p.Finalizers)
		}
	}
}
