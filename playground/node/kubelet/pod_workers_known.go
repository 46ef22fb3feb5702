package kubelet

import (
	"sort"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
)

// SyncKnownPods forgets Pods that have finished and that the API doesn't know
// any more, ends those that the API forgot while they ran, and returns what is left.
func (w *podWorkers) SyncKnownPods(p *sim.Proc, desired []*corev1.Pod) map[types.UID]WorkType {
	w.podsSynced = true
	known := map[types.UID]bool{}
	for _, pod := range desired {
		known[pod.UID] = true
	}
	uids := make([]types.UID, 0, len(w.statuses))
	for uid := range w.statuses {
		uids = append(uids, uid)
	}
	sort.Slice(uids, func(i, j int) bool { return uids[i] < uids[j] })
	out := map[types.UID]WorkType{}
	for _, uid := range uids {
		s := w.statuses[uid]
		if orphan := !known[uid]; (orphan || s.restartRequested) && w.removeTerminatedWorker(p, uid, s, orphan) {
			continue
		}
		out[uid] = s.workType()
	}
	return out
}

func (w *podWorkers) removeTerminatedWorker(p *sim.Proc, uid types.UID, s *podSyncStatus, orphan bool) bool {
	if !s.finished {
		if !orphan {
			return false
		}
		s.deleted = true
		if s.started || s.observedRuntime {
			if !s.terminating {
				p.Logger().V(4).Info("Pod is orphaned and still running, began terminating", "pod", s.name)
				s.terminating = true
				w.requeueLastPodUpdate(p, uid, s)
			}
			return false
		}
	}
	p.Logger().V(4).Info("Pod has been terminated and is no longer known to the kubelet, remove all history", "pod", s.name)
	delete(w.statuses, uid)
	if box := w.updates[uid]; box != nil {
		delete(w.updates, uid)
		w.notify(box) // its process sees that it has no status, and ends
	}
	return true
}
