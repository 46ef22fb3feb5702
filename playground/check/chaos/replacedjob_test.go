package chaos

import (
	"testing"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/trace"
)

// The Pod of a Job is excused only if the controller saw the Job become another one, and nothing of the Pod after that.
func TestKeptForReplaced(t *testing.T) {
	yes := true
	job := func(uid, revision string) trace.Delta {
		return trace.Set(trace.Cell{Kind: trace.CellObject, Owner: "jobs", Key: "default/sum"},
			&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "sum", UID: types.UID(uid), ResourceVersion: revision}})
	}
	pod := func(finalizers ...string) trace.Delta {
		return trace.Set(trace.Cell{Kind: trace.CellObject, Owner: "pods", Key: "default/sum-x"}, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Name: "sum-x", UID: "pod", Finalizers: finalizers, OwnerReferences: []metav1.OwnerReference{{UID: "old", Controller: &yes}}}})
	}
	cell := func(resource, key string) trace.Cell {
		return trace.Cell{Kind: trace.CellCache, Owner: "job-controller/" + resource, Key: key}
	}
	jobSeen := func(revision string) trace.Delta { return trace.Set(cell("jobs", "default/sum"), revision) }
	podSeen := func(revision string) trace.Delta { return trace.Set(cell("pods", "default/sum-x"), revision) }
	jobGone, controllerStops := trace.Unset(cell("jobs", "default/sum")), trace.Unset(cell("pods", "default/sum-x"))
	tracked := pod(batchv1.JobTrackingFinalizer)
	for name, c := range map[string]struct {
		deltas []trace.Delta
		want   bool
	}{
		"replaced after all of the Pod": {[]trace.Delta{job("old", "1"), jobSeen("1"), tracked, podSeen("2"), job("new", "3"), jobSeen("3")}, true},
		"a version of the same Job":     {[]trace.Delta{job("old", "1"), jobSeen("1"), tracked, podSeen("2"), job("old", "3"), jobSeen("3")}, false},
		"the Pod changed after that":    {[]trace.Delta{job("old", "1"), jobSeen("1"), tracked, job("new", "3"), jobSeen("3"), podSeen("4")}, false},
		"the deletion was seen":         {[]trace.Delta{job("old", "1"), jobSeen("1"), tracked, podSeen("2"), jobGone, job("new", "3"), jobSeen("3")}, false},
		"the finalizer is gone":         {[]trace.Delta{job("old", "1"), jobSeen("1"), tracked, podSeen("2"), job("new", "3"), jobSeen("3"), pod()}, false},
		"the controller starts once again": {[]trace.Delta{job("old", "1"), jobSeen("1"), tracked, podSeen("2"), job("new", "3"), jobSeen("3"),
			controllerStops, podSeen("2")}, false},
	} {
		rec := trace.NewRecorder(trace.All)
		for _, d := range c.deltas {
			rec.Record(trace.Event{Op: trace.CacheSet}, nil, []trace.Delta{d}, 0)
		}
		if got := keptForReplaced(rec); got["pod"] != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
