package chaos

import (
	"encoding/json"
	"fmt"
	"time"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "jobs", controllers: []string{"job-controller"}, act: (*dice).jobs, unsettled: jobsUnsettled, holds: jobsCountOnce})
	register(&ingredient{name: "cronjobs", controllers: []string{"job-controller", "cronjob-controller"}, act: (*dice).cronJobs, unsettled: cronJobsUnsettled})
}

// work is a Pod that ends by itself, well or not.
func (d *dice) work(restart string) map[string]any {
	script := fmt.Sprintf("sleep %d; exit %d", d.IntN(8), d.IntN(4)/3)
	return map[string]any{"spec": map[string]any{
		"restartPolicy": restart, "terminationGracePeriodSeconds": []int{0, 2, 30}[d.IntN(3)],
		"containers": []any{map[string]any{"name": "work", "image": "busybox:1.37", "command": []any{"sh", "-c", script}}},
	}}
}

func (d *dice) jobSpec() map[string]any {
	spec := map[string]any{
		"parallelism": 1 + d.IntN(3), "backoffLimit": d.IntN(3),
		"template": d.work([]string{"Never", "OnFailure"}[d.IntN(2)]),
	}
	switch d.IntN(4) {
	case 0: // a work queue
	case 1:
		spec["completions"], spec["completionMode"] = 1+d.IntN(5), "Indexed"
		if d.IntN(2) == 0 {
			spec["backoffLimitPerIndex"] = d.IntN(2)
			spec["template"] = d.work("Never")
			delete(spec, "backoffLimit")
		}
	default:
		spec["completions"] = 1 + d.IntN(5)
	}
	if d.IntN(4) == 0 {
		spec["activeDeadlineSeconds"] = 5 + d.IntN(20)
	}
	if d.IntN(4) == 0 {
		spec["podReplacementPolicy"] = "Failed"
	}
	return spec
}

func (d *dice) jobs(at time.Duration) {
	name := []string{"sum", "crunch"}[d.IntN(2)]
	if d.once("jobs/" + name) {
		d.apply(at, map[string]any{"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": name}, "spec": d.jobSpec()})
		return
	}
	patch := func(text string) {
		d.add(cluster.Input{At: at, Kind: cluster.Patch, Resource: "jobs", Namespace: "default", Name: name, Manifest: json.RawMessage(text)})
	}
	switch d.IntN(6) {
	case 0, 1:
		in := cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: name + "-*"}
		if d.IntN(3) == 0 {
			zero := int64(0)
			in.Grace = &zero
		}
		d.add(in)
	case 2:
		patch(fmt.Sprintf(`{"spec":{"suspend":%t}}`, d.IntN(2) == 0))
	case 3:
		patch(fmt.Sprintf(`{"spec":{"parallelism":%d}}`, 1+d.IntN(4)))
	default:
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "jobs", Namespace: "default", Name: name,
			Cascade: []string{"background", "foreground", "orphan"}[d.IntN(3)]})
		d.applied["jobs/"+name] = false
	}
}

func jobEnded(j *batchv1.Job) batchv1.JobConditionType {
	for _, c := range j.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return c.Type
		}
	}
	return ""
}

// A Job has ended or is suspended, and nothing of it runs.
func jobsUnsettled(s trace.State, say sayer) {
	for _, c := range s.Cells(trace.CellObject) {
		j, ok := s[c].(*batchv1.Job)
		if !ok {
			continue
		}
		ended := jobEnded(j)
		if ownerOf(j) != "" {
			continue // a CronJob's: there is always another
		}
		if j.DeletionTimestamp != nil {
			say("job %s is still being deleted", c.Key)
		}
		suspended := j.Spec.Suspend != nil && *j.Spec.Suspend
		if ended == "" && !suspended {
			say("job %s has not ended: %+v", c.Key, j.Status)
		}
		if j.Status.Active != 0 {
			say("job %s has %d active pods", c.Key, j.Status.Active)
		}
		if u := j.Status.UncountedTerminatedPods; u != nil && len(u.Succeeded)+len(u.Failed) > 0 {
			say("job %s has uncounted pods %+v", c.Key, u)
		}
		if n := j.Spec.Completions; ended == batchv1.JobComplete && n != nil && j.Status.Succeeded < *n {
			say("job %s is complete with %d of %d", c.Key, j.Status.Succeeded, *n)
		}
	}
}

// jobsCountOnce: counts never go down, and never beyond what Pods there were.
func jobsCountOnce(rec *trace.Recorder, say sayer) {
	pods := map[string]map[string]bool{} // by the Job's uid
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Op != trace.StoreCommit {
			continue
		}
		for _, d := range e.Deltas {
			if d.Cell.Kind != trace.CellObject {
				continue
			}
			switch o := d.New.(type) {
			case *corev1.Pod:
				if owner := controllerOf(o); owner != "" {
					if pods[owner] == nil {
						pods[owner] = map[string]bool{}
					}
					pods[owner][string(o.UID)] = true
				}
			case *batchv1.Job:
				counted := int(o.Status.Succeeded + o.Status.Failed)
				if u := o.Status.UncountedTerminatedPods; u != nil {
					counted += len(u.Succeeded) + len(u.Failed)
				}
				if n := len(pods[string(o.UID)]); counted > n {
					say("event %d: job %s has counted %d pods of %d", e.ID, d.Cell.Key, counted, n)
				}
				if n := o.Spec.Completions; n != nil && o.Status.Succeeded > *n {
					say("event %d: job %s has %d successes, completions are %d", e.ID, d.Cell.Key, o.Status.Succeeded, *n)
				}
			}
		}
	}
}

// ownerOf is the uid of a Job's CronJob, "" without one.
func ownerOf(j *batchv1.Job) string {
	if ref := metav1.GetControllerOfNoCopy(j); ref != nil {
		return string(ref.UID)
	}
	return ""
}

func (d *dice) cronJobs(at time.Duration) {
	name := []string{"hourly", "nightly"}[d.IntN(2)]
	if d.once("cronjobs/"+name) || d.IntN(3) == 0 {
		d.apply(at, map[string]any{
			"apiVersion": "batch/v1", "kind": "CronJob", "metadata": map[string]any{"name": name},
			"spec": map[string]any{
				"schedule":          []string{"* * * * *", "*/2 * * * *", "@every 20s"}[d.IntN(3)],
				"concurrencyPolicy": []string{"Allow", "Forbid", "Replace"}[d.IntN(3)],
				"suspend":           d.IntN(5) == 0, "successfulJobsHistoryLimit": d.IntN(3), "failedJobsHistoryLimit": d.IntN(2),
				"jobTemplate": map[string]any{"spec": map[string]any{"backoffLimit": 0, "template": d.work("Never")}},
			},
		})
		return
	}
	d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "cronjobs", Namespace: "default", Name: name,
		Cascade: []string{"background", "foreground"}[d.IntN(2)]})
	d.applied["cronjobs/"+name] = false
}

// A CronJob lists as active what is there and has not ended, and keeps no more of
// what has than it is to.
func cronJobsUnsettled(s trace.State, say sayer) {
	jobs := map[string]*batchv1.Job{}
	kept := map[string]map[batchv1.JobConditionType]int{}
	for _, c := range s.Cells(trace.CellObject) {
		if j, ok := s[c].(*batchv1.Job); ok {
			jobs[string(j.UID)] = j
			owner := ownerOf(j)
			if kept[owner] == nil {
				kept[owner] = map[batchv1.JobConditionType]int{}
			}
			kept[owner][jobEnded(j)]++
		}
	}
	for _, c := range s.Cells(trace.CellObject) {
		cj, ok := s[c].(*batchv1.CronJob)
		if !ok {
			continue
		}
		for _, ref := range cj.Status.Active {
			if j := jobs[string(ref.UID)]; j == nil || jobEnded(j) != "" {
				say("cronjob %s lists %s as active, which has ended or is gone", c.Key, ref.Name)
			}
		}
		if n := kept[string(cj.UID)][batchv1.JobComplete]; n > int(*cj.Spec.SuccessfulJobsHistoryLimit) {
			say("cronjob %s keeps %d successful jobs, of %d", c.Key, n, *cj.Spec.SuccessfulJobsHistoryLimit)
		}
		if n := kept[string(cj.UID)][batchv1.JobFailed]; n > int(*cj.Spec.FailedJobsHistoryLimit) {
			say("cronjob %s keeps %d failed jobs, of %d", c.Key, n, *cj.Spec.FailedJobsHistoryLimit)
		}
	}
}
