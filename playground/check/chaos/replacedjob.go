package chaos

import (
	"slices"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/trace"
)

// keptForReplaced returns the Pods, by UID, that keep the tracking finalizer for good, in upstream's clusters as in
// ours: those of a Job that was deleted and created again under its name while the Job controller's watch of Jobs was
// cut off.
//
// The list after the cut hands the new Job to the controller as an update of the old one, and updateJob
// (pkg/controller/job/job_controller.go) does not compare UIDs as the handlers of ReplicaSets and Deployments do. So
// deleteJob, which takes the finalizer from the Pods of a Job that is gone, never runs for the old one; the new one does
// not select its Pods. A Pod is freed only by an update of its own that the controller sees after the new Job, for then
// it finds that the owner is gone; or when the controller starts again. What the collector and the kubelet have to
// change on such a Pod may all be done before.
func keptForReplaced(rec *trace.Recorder) map[string]bool {
	const jobs, pods = "job-controller/jobs", "job-controller/pods"
	type place struct{ key, revision string }
	uids := map[place]string{}          // of Jobs
	objects := map[string]*corev1.Pod{} // Pods as they are now, by key
	cached := map[string]string{}       // UIDs in the cache of Jobs, by key
	replaced := map[string]trace.ID{}   // UIDs of Jobs that became another one there
	seen := map[string]trace.ID{}       // Pods in the cache, by key: when they last changed there
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		for _, d := range e.Deltas {
			switch {
			case d.Cell.Kind == trace.CellObject:
				switch o := d.New.(type) {
				case *batchv1.Job:
					uids[place{d.Cell.Key, o.ResourceVersion}] = string(o.UID)
				case *corev1.Pod:
					objects[d.Cell.Key] = o
				}
			case d.Cell.Kind != trace.CellCache:
			case d.Cell.Owner == pods:
				seen[d.Cell.Key] = e.ID
			case d.Cell.Owner == jobs && d.New == nil:
				delete(cached, d.Cell.Key)
			case d.Cell.Owner == jobs:
				revision, _ := d.New.(string)
				uid := uids[place{d.Cell.Key, revision}]
				if before := cached[d.Cell.Key]; before != "" && before != uid {
					replaced[before] = e.ID
				}
				cached[d.Cell.Key] = uid
			}
		}
	}
	kept := map[string]bool{}
	for key, pod := range objects { // order: a set
		if at, ok := replaced[controllerOf(pod)]; ok && seen[key] < at && slices.Contains(pod.Finalizers, batchv1.JobTrackingFinalizer) {
			kept[string(pod.UID)] = true
		}
	}
	return kept
}
