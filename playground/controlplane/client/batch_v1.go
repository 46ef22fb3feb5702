package client

import (
	"kubewalk/playground/api/batchv1"
)

// BatchV1Client are the resources of group batch.
// Upstream: k8s.io/client-go/kubernetes/typed/batch/v1
type BatchV1Client struct{ transport Transport }

// What the accessors return, under upstream's names.
type (
	CronJobInterface = ResourceClient[*batchv1.CronJob, *batchv1.CronJobList]
	JobInterface     = ResourceClient[*batchv1.Job, *batchv1.JobList]
)

// CronJobs are the CronJobs of a namespace.
func (c BatchV1Client) CronJobs(namespace string) CronJobInterface {
	return newResource[*batchv1.CronJob, *batchv1.CronJobList](c.transport, batch, "cronjobs", namespace)
}

// Jobs are the Jobs of a namespace.
func (c BatchV1Client) Jobs(namespace string) JobInterface {
	return newResource[*batchv1.Job, *batchv1.JobList](c.transport, batch, "jobs", namespace)
}
