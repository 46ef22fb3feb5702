package replicaset

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// inProc runs body as a process and everything that follows from it.
func inProc(t *testing.T, body func(p *sim.Proc)) {
	t.Helper()
	k := sim.New(1, epoch, trace.NewRecorder(trace.All))
	defer k.Close()
	done := false
	k.Start("test").Go("", func(p *sim.Proc) { body(p); done = true })
	for range 100000 {
		if !k.Step() {
			break
		}
	}
	if !done {
		t.Fatal("the process waits for something that never comes")
	}
}

func TestSlowStartBatch(t *testing.T) {
	for _, c := range []struct {
		count, initial int
		fails          []int // which calls fail, counted from 1
		batches        string
		successes      int
	}{
		{count: 0, initial: 1, batches: ""},
		{count: 1, initial: 1, batches: "1", successes: 1},
		{count: 3, initial: 1, batches: "1 2", successes: 3},
		{count: 10, initial: 1, batches: "1 2 4 3", successes: 10},
		{count: 500, initial: 1, batches: "1 2 4 8 16 32 64 128 245", successes: 500},
		{count: 10, initial: 4, batches: "4 6", successes: 10},
		{count: 3, initial: 10, batches: "3", successes: 3},
		{count: 10, initial: 1, fails: []int{1}, batches: "1", successes: 0},
		{count: 10, initial: 1, fails: []int{2}, batches: "1 2", successes: 2},
		{count: 10, initial: 1, fails: []int{4, 5, 6, 7}, batches: "1 2 4", successes: 3},
		{count: 10, initial: 1, fails: []int{10}, batches: "1 2 4 3", successes: 9},
	} {
		t.Run(fmt.Sprintf("%d from %d failing %v", c.count, c.initial, c.fails), func(t *testing.T) {
			inProc(t, func(p *sim.Proc) {
				calls := 0
				started := map[time.Duration]int{}
				var order []time.Duration
				successes, err := slowStartBatch(p, c.count, c.initial, func(p *sim.Proc) error {
					calls++
					call := calls
					if started[p.Now()] == 0 {
						order = append(order, p.Now())
					}
					started[p.Now()]++
					p.Sleep(time.Duration(call%7+1) * time.Millisecond) // answers come in another order
					for _, f := range c.fails {
						if f == call {
							return fmt.Errorf("call %d", call)
						}
					}
					return nil
				})
				var batches []string
				for _, at := range order {
					batches = append(batches, fmt.Sprint(started[at]))
				}
				if got := strings.Join(batches, " "); got != c.batches {
					t.Errorf("batches %q, want %q", got, c.batches)
				}
				if successes != c.successes {
					t.Errorf("successes %d, want %d", successes, c.successes)
				}
				if (err != nil) != (len(c.fails) > 0) {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}

func pod(name, node string, ready bool) *corev1.Pod {
	p := &corev1.Pod{}
	p.Name, p.Namespace, p.UID = name, "default", types.UID(name)
	p.Spec.NodeName = node
	p.Labels = map[string]string{"app": "web"}
	p.Status.Phase = corev1.PodRunning
	p.CreationTimestamp = metav1.NewTime(epoch)
	if ready {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(epoch)}}
	}
	return p
}

func TestGetPodsToDelete(t *testing.T) {
	// Three on node-1, one on node-2, one that is not ready on node-3.
	a, b, c, d, e := pod("a", "node-1", true), pod("b", "node-1", true), pod("c", "node-1", true), pod("d", "node-2", true), pod("e", "node-3", false)
	all := []*corev1.Pod{d, a, e, b, c}
	// Another ReplicaSet of the same Deployment fills node-2.
	others := []*corev1.Pod{pod("x", "node-2", true), pod("y", "node-2", true), pod("z", "node-2", true)}
	for _, tc := range []struct {
		name    string
		related []*corev1.Pod
		diff    int
		want    string
	}{
		{"not ready first", all, 1, "e"},
		{"then from the crowded node", all, 2, "e a"},
		{"all four that are crowded or not ready", all, 4, "e a b c"},
		{"a sibling's Pods count as a crowd", append(others, all...), 2, "e d"},
		{"without related Pods the nodes do not count", nil, 2, "e d"},
		{"all: in any order, here as they came", all, 5, "d a e b c"},
		{"none", all, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := append([]*corev1.Pod(nil), all...)
			var names []string
			victims, _ := getPodsToDelete(all, tc.related, tc.diff, epoch.Add(time.Hour))
			for _, p := range victims {
				names = append(names, p.Name)
			}
			if got := strings.Join(names, " "); got != tc.want {
				t.Errorf("deletes %q, want %q", got, tc.want)
			}
			if !reflect.DeepEqual(all, before) {
				t.Error("the list that was handed in has another order now: it is the caller's")
			}
		})
	}
}

// A ReplicaSet that nobody owns has no related Pods: upstream looks for them
// through the owner.
func TestGetIndirectlyRelatedPodsWithoutOwner(t *testing.T) {
	inProc(t, func(p *sim.Proc) {
		rsc := &ReplicaSetController{kernel: p.Kernel()}
		rs := &appsv1.ReplicaSet{}
		rs.Name, rs.Namespace = "web", "default"
		related, err := rsc.getIndirectlyRelatedPods(p, rs)
		if err != nil || len(related) > 0 {
			t.Errorf("got %d Pods and error %v, want none", len(related), err)
		}
	})
}

func TestCalculateStatus(t *testing.T) {
	three := int32(3)
	rs := &appsv1.ReplicaSet{}
	rs.Generation = 7
	rs.Spec.Replicas = &three
	rs.Spec.MinReadySeconds = 10
	rs.Spec.Template.Labels = map[string]string{"app": "web", "version": "2"}
	full := pod("full", "node-1", true)
	full.Labels["version"] = "2"
	late := pod("late", "node-1", true)
	late.Status.Conditions[0].LastTransitionTime = metav1.NewTime(epoch.Add(55 * time.Second))
	active := []*corev1.Pod{full, late, pod("starting", "node-2", false)}
	now := epoch.Add(time.Minute)

	got := calculateStatus(rs, countPods(rs, active, []*corev1.Pod{pod("going", "node-1", true)}, now), nil, now)
	one := int32(1)
	want := appsv1.ReplicaSetStatus{Replicas: 3, FullyLabeledReplicas: 1, ReadyReplicas: 2, AvailableReplicas: 1, TerminatingReplicas: &one}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("status %+v\nwant %+v", got, want)
	}

	broken := errors.New("exceeded quota")
	for _, c := range []struct {
		name   string
		pods   int
		err    error
		before []appsv1.ReplicaSetCondition
		reason string
		since  time.Time
	}{
		{name: "creation failed", pods: 2, err: broken, reason: "FailedCreate", since: now},
		{name: "deletion failed", pods: 5, err: broken, reason: "FailedDelete", since: now},
		{name: "still failing: the condition stays as it is", pods: 2, err: broken, reason: "FailedCreate", since: epoch,
			before: []appsv1.ReplicaSetCondition{NewReplicaSetCondition(appsv1.ReplicaSetReplicaFailure, corev1.ConditionTrue, "FailedCreate", "older", epoch)}},
		{name: "works again", pods: 3,
			before: []appsv1.ReplicaSetCondition{NewReplicaSetCondition(appsv1.ReplicaSetReplicaFailure, corev1.ConditionTrue, "FailedCreate", "older", epoch)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rs.Status.Conditions = c.before
			var pods []*corev1.Pod
			for i := range c.pods {
				pods = append(pods, pod(fmt.Sprint(i), "node-1", true))
			}
			status := calculateStatus(rs, countPods(rs, pods, nil, now), c.err, now)
			cond := GetCondition(status, appsv1.ReplicaSetReplicaFailure)
			switch {
			case c.reason == "" && cond != nil:
				t.Errorf("condition %+v, want none", cond)
			case c.reason != "" && (cond == nil || cond.Reason != c.reason || cond.Status != corev1.ConditionTrue || !cond.LastTransitionTime.Time.Equal(c.since)):
				t.Errorf("condition %+v, want %s since %v", cond, c.reason, c.since)
			}
		})
	}
}
