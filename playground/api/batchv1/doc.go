// Package batchv1 holds Jobs and CronJobs.
//
// The types are generated from upstream's k8s.io/api/batch/v1; see ../gen.
package batchv1
