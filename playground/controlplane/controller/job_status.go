package controller

import (
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
)

// FinishedCondition tells how a Job ended: Complete, Failed, or "" while it is
// neither. Several controllers ask this of a Job.
// Upstream: pkg/controller/job/util/utils.go, FinishedCondition.
func FinishedCondition(j *batchv1.Job) batchv1.JobConditionType {
	for i := range j.Status.Conditions {
		c := &j.Status.Conditions[i]
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return c.Type
		}
	}
	return ""
}

// IsJobFinished tells whether a Job is complete or has failed.
// Upstream: pkg/controller/job/util/utils.go, IsJobFinished.
func IsJobFinished(j *batchv1.Job) bool { return FinishedCondition(j) != "" }
