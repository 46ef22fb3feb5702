package registry

import (
	"maps"
	"strconv"

	"kubewalk/playground/api"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// jobStrategy is upstream's pkg/registry/batch/job/strategy.go.
type jobStrategy struct{ plain }

type jobStatusStrategy struct{ jobStrategy }

// cronJobStrategy is upstream's pkg/registry/batch/cronjob/strategy.go.
type cronJobStrategy struct{ plain }

type cronJobStatusStrategy struct{ cronJobStrategy }

func init() {
	register("batch/jobs", jobStrategy{})
	register("batch/jobs/status", jobStatusStrategy{})
	register("batch/cronjobs", cronJobStrategy{})
	register("batch/cronjobs/status", cronJobStatusStrategy{})
}

func (jobStrategy) PrepareForCreate(obj api.Object) {
	job := obj.(*batchv1.Job)
	if job.Spec.ManualSelector == nil || !*job.Spec.ManualSelector {
		generateSelector(job)
	}
	// A Job without labels has those of its Pods. Upstream's default, which is
	// filled in again whenever the Job is read.
	if len(job.Labels) == 0 {
		job.Labels = maps.Clone(job.Spec.Template.Labels)
	}
	job.Status = batchv1.JobStatus{}
	job.Generation = 1
}

// generateSelector has a Job select its Pods by its own UID, and labels them so.
// What a manifest sets already stays, and validation judges it.
func generateSelector(job *batchv1.Job) {
	t := &job.Spec.Template
	if t.Labels == nil {
		t.Labels = map[string]string{}
	}
	for _, l := range [][2]string{{"job-name", job.Name}, {batchv1.JobNameLabel, job.Name},
		{"controller-uid", string(job.UID)}, {batchv1.ControllerUidLabel, string(job.UID)}} {
		if _, found := t.Labels[l[0]]; !found {
			t.Labels[l[0]] = l[1]
		}
	}
	if job.Spec.Selector == nil {
		job.Spec.Selector = &metav1.LabelSelector{}
	}
	if job.Spec.Selector.MatchLabels == nil {
		job.Spec.Selector.MatchLabels = map[string]string{}
	}
	if _, found := job.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel]; !found {
		job.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel] = string(job.UID)
	}
}

func (jobStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateJob(obj.(*batchv1.Job))
}

func (jobStrategy) PrepareForUpdate(obj, old api.Object) {
	job, oldJob := obj.(*batchv1.Job), old.(*batchv1.Job)
	job.Status = oldJob.Status
	if !api.SemanticDeepEqual(job.Spec, oldJob.Spec) {
		job.Generation = oldJob.Generation + 1
	}
}

func (jobStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateJobUpdate(obj.(*batchv1.Job), old.(*batchv1.Job))
}

// SelectableFields lists what upstream's JobToSelectableFields does.
func (jobStrategy) SelectableFields(obj api.Object) fields.Set {
	job, _ := obj.(*batchv1.Job)
	if job == nil {
		job = &batchv1.Job{}
	}
	return fields.Set{"status.successful": strconv.Itoa(int(job.Status.Succeeded))}
}

func (jobStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*batchv1.Job).Spec = old.(*batchv1.Job).Spec
}

func (jobStatusStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateJobStatusUpdate(obj.(*batchv1.Job), old.(*batchv1.Job))
}

func (cronJobStrategy) PrepareForCreate(obj api.Object) {
	cj := obj.(*batchv1.CronJob)
	cj.Status = batchv1.CronJobStatus{}
	cj.Generation = 1
}

func (cronJobStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateCronJobCreate(obj.(*batchv1.CronJob))
}

func (cronJobStrategy) PrepareForUpdate(obj, old api.Object) {
	cj, oldCJ := obj.(*batchv1.CronJob), old.(*batchv1.CronJob)
	cj.Status = oldCJ.Status
	if !api.SemanticDeepEqual(cj.Spec, oldCJ.Spec) {
		cj.Generation = oldCJ.Generation + 1
	}
}

func (cronJobStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateCronJobUpdate(obj.(*batchv1.CronJob), old.(*batchv1.CronJob))
}

func (cronJobStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*batchv1.CronJob).Spec = old.(*batchv1.CronJob).Spec
}

func (cronJobStatusStrategy) ValidateUpdate(_, _ api.Object) field.ErrorList { return nil }
