package job

import (
	"math/rand"
	"testing"
	"time"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

func TestParseIndexesFromString(t *testing.T) {
	for _, c := range []struct {
		text        string
		completions int
		want, err   string
		total       int
	}{
		{"", 5, "", "", 0},
		{"0", 5, "0", "", 1},
		{"0,1", 5, "0,1", "", 2},
		{"0-2,4", 5, "0-2,4", "", 4},
		{"0,1,2", 5, "0-2", "", 3},
		{"0-7", 5, "0-4", "", 5},
		{"3,6-8", 5, "3", "", 1},
		{"1-x", 5, "", `cannot convert string to integer for index: "x"`, 0},
		{"y", 5, "", `cannot convert string to integer for index: "y"`, 0},
	} {
		got, err := parseIndexesFromString(c.text, c.completions)
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%q: error %v, want %s", c.text, err, c.err)
			}
			continue
		}
		if err != nil || got.String() != c.want || got.total() != c.total {
			t.Errorf("%q: %s, %d; want %s, %d; error %v", c.text, got, got.total(), c.want, c.total, err)
		}
	}
}

// TestIntervals compares with a set of numbers.
func TestIntervals(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 500 {
		set := map[int]bool{}
		var oi orderedIntervals
		for range 4 {
			var add []int
			for i := range 20 {
				if r.Intn(5) == 0 {
					add = append(add, i)
					set[i] = true
				}
			}
			oi = oi.withOrderedIndexes(add)
		}
		if oi.total() != len(set) {
			t.Fatalf("%s has %d indexes, want %d", oi, oi.total(), len(set))
		}
		for i := range 22 {
			if oi.has(i) != set[i] {
				t.Fatalf("%s has %d: %t", oi, i, oi.has(i))
			}
		}
		for i := 1; i < len(oi); i++ {
			if oi[i-1].last+1 >= oi[i].first {
				t.Fatalf("%v could be fewer intervals", oi)
			}
		}
		back, err := parseIndexesFromString(oi.String(), 100)
		if err != nil || back.String() != oi.String() {
			t.Fatalf("%s becomes %s: %v", oi, back, err)
		}
	}
}

func failedPod(name string, code int32, conditions ...corev1.PodCondition) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	p.Status.Phase = corev1.PodFailed
	p.Status.Conditions = conditions
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main",
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code}}}}
	return p
}

func TestMatchPodFailurePolicy(t *testing.T) {
	main, other := "main", "other"
	codes := func(container *string, op batchv1.PodFailurePolicyOnExitCodesOperator, values ...int32) *batchv1.PodFailurePolicyOnExitCodesRequirement {
		return &batchv1.PodFailurePolicyOnExitCodesRequirement{ContainerName: container, Operator: op, Values: values}
	}
	in, notIn := batchv1.PodFailurePolicyOnExitCodesOpIn, batchv1.PodFailurePolicyOnExitCodesOpNotIn
	disrupted := corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}
	onDisruption := []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}}
	for _, c := range []struct {
		name    string
		rules   []batchv1.PodFailurePolicyRule
		pod     *corev1.Pod
		message string
		counts  bool
		action  batchv1.PodFailurePolicyAction
	}{
		{"no rule", nil, failedPod("p", 1), "", true, ""},
		{"in", []batchv1.PodFailurePolicyRule{{Action: batchv1.PodFailurePolicyActionFailJob, OnExitCodes: codes(nil, in, 1, 2)}}, failedPod("p", 2),
			"Container main for pod default/p failed with exit code 2 matching FailJob rule at index 0", true, batchv1.PodFailurePolicyActionFailJob},
		{"not in", []batchv1.PodFailurePolicyRule{{Action: batchv1.PodFailurePolicyActionIgnore, OnExitCodes: codes(nil, notIn, 1, 2)}}, failedPod("p", 3), "", false,
			batchv1.PodFailurePolicyActionIgnore},
		{"not in, but 0", []batchv1.PodFailurePolicyRule{{Action: batchv1.PodFailurePolicyActionIgnore, OnExitCodes: codes(nil, notIn, 1, 2)}}, failedPod("p", 0), "",
			true, ""},
		{"of the container", []batchv1.PodFailurePolicyRule{{Action: batchv1.PodFailurePolicyActionCount, OnExitCodes: codes(&main, in, 1)}}, failedPod("p", 1), "",
			true, batchv1.PodFailurePolicyActionCount},
		{"of another container", []batchv1.PodFailurePolicyRule{{Action: batchv1.PodFailurePolicyActionIgnore, OnExitCodes: codes(&other, in, 1)}}, failedPod("p", 1),
			"", true, ""},
		{"a condition", []batchv1.PodFailurePolicyRule{{Action: batchv1.PodFailurePolicyActionIgnore, OnPodConditions: onDisruption}}, failedPod("p", 137, disrupted),
			"", false, batchv1.PodFailurePolicyActionIgnore},
		{"the first rule counts", []batchv1.PodFailurePolicyRule{{Action: batchv1.PodFailurePolicyActionFailJob, OnPodConditions: onDisruption},
			{Action: batchv1.PodFailurePolicyActionIgnore, OnExitCodes: codes(nil, in, 137)}},
			failedPod("p", 137, disrupted), "Pod default/p has condition DisruptionTarget matching FailJob rule at index 0", true,
			batchv1.PodFailurePolicyActionFailJob},
	} {
		t.Run(c.name, func(t *testing.T) {
			var policy *batchv1.PodFailurePolicy
			if c.rules != nil {
				policy = &batchv1.PodFailurePolicy{Rules: c.rules}
			}
			if message, counts, action := matchPodFailurePolicy(policy, c.pod); message != c.message || counts != c.counts || action != c.action {
				t.Errorf("%q %t %q", message, counts, action)
			}
		})
	}
}

func TestRemainingTime(t *testing.T) {
	now := time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		failures  int
		ago, want time.Duration
	}{
		{0, 0, 0},
		{1, 0, 10 * time.Second},
		{1, 4 * time.Second, 6 * time.Second},
		{2, 0, 20 * time.Second},
		{3, time.Minute, 0},
		{6, 0, 320 * time.Second},
		{7, 0, 10 * time.Minute},
		{100, 0, 10 * time.Minute},
	} {
		if got := getRemainingTimeForFailuresCount(now, c.failures, now.Add(-c.ago)); got != c.want {
			t.Errorf("%d failures, the last %v ago: %v, want %v", c.failures, c.ago, got, c.want)
		}
	}
}

// A success starts the count of failures anew; failures after it count.
func TestNewBackoffRecord(t *testing.T) {
	at := func(seconds int, phase corev1.PodPhase) *corev1.Pod {
		p := failedPod("p", 1)
		p.Status.Phase = phase
		p.Status.ContainerStatuses[0].State.Terminated.FinishedAt = metav1.NewTime(time.Date(2026, 1, 15, 9, 0, seconds, 0, time.UTC))
		return p
	}
	s := newBackoffStore()
	r := s.newBackoffRecord("k", nil, []*corev1.Pod{at(5, corev1.PodFailed), at(3, corev1.PodFailed)})
	if r.failuresAfterLastSuccess != 2 || r.lastFailureTime.Second() != 5 {
		t.Errorf("record %+v", r)
	}
	s.updateBackoffRecord(r)
	r = s.newBackoffRecord("k", []*corev1.Pod{at(10, corev1.PodSucceeded)}, []*corev1.Pod{at(9, corev1.PodFailed), at(12, corev1.PodFailed)})
	if r.failuresAfterLastSuccess != 1 || r.lastFailureTime.Second() != 12 {
		t.Errorf("record %+v", r)
	}
	if r = s.newBackoffRecord("k", []*corev1.Pod{at(10, corev1.PodSucceeded)}, nil); r.failuresAfterLastSuccess != 0 {
		t.Errorf("record %+v", r)
	}
}

func TestPodGenerateName(t *testing.T) {
	long := "a-job-whose-name-is-so-long-that-an-index-does-not-fit-in-any-more"
	for _, c := range []struct{ name, want string }{{"work", "work-12-"}, {long, long[:54] + "-12-"}} {
		if got := podGenerateNameWithIndex(c.name, 12); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// What has just succeeded is in the status, with what succeeded before.
func TestWriteIndexes(t *testing.T) {
	c := &syncJobCtx{job: &batchv1.Job{}, succeededIndexes: orderedIntervals{{0, 1}}}
	if changed := c.writeIndexes([]int{3, 4}); !changed || c.job.Status.CompletedIndexes != "0,1,3,4" || c.job.Status.Succeeded != 4 {
		t.Errorf("changed %v, status %+v", changed, c.job.Status)
	}
	if changed := c.writeIndexes(nil); changed || c.job.Status.CompletedIndexes != "0,1,3,4" {
		t.Errorf("changed %v, status %+v", changed, c.job.Status)
	}
}
