package job

import (
	"slices"

	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
)

// uidSet is a set of Pods. Upstream: tracking_utils.go, uidSet.
type uidSet map[types.UID]struct{}

func (s uidSet) has(uid types.UID) bool { _, ok := s[uid]; return ok }

// uidTrackingExpectations remembers, for each Job, the Pods whose finalizer was
// removed and still shows in the cache: they were counted, and must not be again.
// Upstream: tracking_utils.go, uidTrackingExpectations.
type uidTrackingExpectations struct{ byKey map[string]uidSet }

func newUIDTrackingExpectations() *uidTrackingExpectations {
	return &uidTrackingExpectations{map[string]uidSet{}}
}

// getExpectedUIDs returns a copy.
func (u *uidTrackingExpectations) getExpectedUIDs(key string) uidSet {
	out := uidSet{}
	for uid := range u.byKey[key] { // order: one set becomes another
		out[uid] = struct{}{}
	}
	return out
}

func (u *uidTrackingExpectations) expectFinalizersRemoved(key string, uids []types.UID) {
	set := u.byKey[key]
	if set == nil {
		set = uidSet{}
		u.byKey[key] = set
	}
	for _, uid := range uids {
		set[uid] = struct{}{}
	}
}

func (u *uidTrackingExpectations) finalizerRemovalObserved(key string, uid types.UID) {
	delete(u.byKey[key], uid)
}

func (u *uidTrackingExpectations) deleteExpectations(key string) { delete(u.byKey, key) }

func hasJobTrackingFinalizer(pod *corev1.Pod) bool {
	return slices.Contains(pod.Finalizers, batchv1.JobTrackingFinalizer)
}

// removeTrackingFinalizerPatch takes one finalizer out of the list, whatever else
// is in it by then. nil when there is nothing to remove.
func removeTrackingFinalizerPatch(pod *corev1.Pod) []byte {
	if !hasJobTrackingFinalizer(pod) {
		return nil
	}
	return []byte(`{"metadata":{"$deleteFromPrimitiveList/finalizers":["` + batchv1.JobTrackingFinalizer + `"]}}`)
}

// uncountedTerminatedPods is the status' list as sets.
type uncountedTerminatedPods struct{ succeeded, failed uidSet }

func newUncountedTerminatedPods(in *batchv1.UncountedTerminatedPods) uncountedTerminatedPods {
	out := uncountedTerminatedPods{uidSet{}, uidSet{}}
	for _, uid := range in.Succeeded {
		out.succeeded[uid] = struct{}{}
	}
	for _, uid := range in.Failed {
		out.failed[uid] = struct{}{}
	}
	return out
}
