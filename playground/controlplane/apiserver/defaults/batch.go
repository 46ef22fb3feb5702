package defaults

import (
	"maps"
	"math"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
)

// setJob is upstream's pkg/apis/batch/v1/defaults.go, SetDefaults_Job.
func setJob(j *batchv1.Job) {
	spec := &j.Spec
	if spec.Completions == nil && spec.Parallelism == nil {
		orElse(&spec.Completions, 1)
	}
	orElse(&spec.Parallelism, 1)
	if spec.BackoffLimitPerIndex != nil {
		orElse(&spec.BackoffLimit, math.MaxInt32)
	}
	orElse(&spec.BackoffLimit, 6)
	if len(j.Labels) == 0 && spec.Template.Labels != nil {
		j.Labels = maps.Clone(spec.Template.Labels)
	}
	orElse(&spec.CompletionMode, batchv1.NonIndexedCompletion)
	orElse(&spec.Suspend, false)
	orElse(&spec.ManualSelector, false)
	replacement := batchv1.TerminatingOrFailed
	if spec.PodFailurePolicy != nil {
		replacement = batchv1.Failed
		setPodFailurePolicy(spec.PodFailurePolicy)
	}
	orElse(&spec.PodReplacementPolicy, replacement)
	setPodSpec(&spec.Template.Spec)
}

func setPodFailurePolicy(policy *batchv1.PodFailurePolicy) {
	for i := range policy.Rules {
		for j := range policy.Rules[i].OnPodConditions {
			if pattern := &policy.Rules[i].OnPodConditions[j]; pattern.Status == "" {
				pattern.Status = corev1.ConditionTrue
			}
		}
	}
}

// setCronJob is upstream's SetDefaults_CronJob. The Job in it gets its defaults
// when it is made; only its Pods' are written here.
func setCronJob(cj *batchv1.CronJob) {
	if cj.Spec.ConcurrencyPolicy == "" {
		cj.Spec.ConcurrencyPolicy = batchv1.AllowConcurrent
	}
	orElse(&cj.Spec.Suspend, false)
	orElse(&cj.Spec.SuccessfulJobsHistoryLimit, 3)
	orElse(&cj.Spec.FailedJobsHistoryLimit, 1)
	setPodSpec(&cj.Spec.JobTemplate.Spec.Template.Spec)
}
