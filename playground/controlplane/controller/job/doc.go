// Package job is the Job controller: it runs Pods until enough of them have
// succeeded, or too many have failed.
//
// A Pod counts once, whatever happens to it and to the controller. Every Pod of a
// Job carries a finalizer, so that it cannot vanish before it was counted. Counting
// takes three steps, and a crash between any two of them loses nothing
// (tracking.go): the Pod's UID goes into status.uncountedTerminatedPods, then its
// finalizer is removed, then the UID is replaced by one more in
// status.succeeded or status.failed. An Indexed Job needs no UIDs for successes:
// status.completedIndexes says the same.
//
//	job_controller.go     queue, workers, and one sync from beginning to end
//	handlers.go           what wakes it
//	manage.go             creates and deletes Pods
//	tracking.go           counts Pods that have ended, and ends the Job
//	orphans.go            finalizers on Pods whose Job is gone
//	backoff_utils.go      10 s, 20 s, 40 s … 10 min between a failure and the next try
//	indexed_job_utils.go  completion indexes, "0-3,5" and back
//	pod_failure_policy.go, success_policy.go
//
// A Job ends in two steps as well: FailureTarget or SuccessCriteriaMet says that
// it is decided, Failed or Complete follows when no Pod of it runs any more.
//
// Jobs whose spec.managedBy names somebody else are left alone.
//
// Absent: metrics; what is alpha in 1.36 (Workload and PodGroup objects for gang
// scheduling). Other feature gates are at their defaults.
//
// Upstream: pkg/controller/job.
package job
