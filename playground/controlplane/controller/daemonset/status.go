package daemonset

import (
	"fmt"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// updateDaemonSetStatus counts nodes and writes the status. With
// updateObservedGen it says that the generation was acted on.
func (dsc *DaemonSetsController) updateDaemonSetStatus(p *sim.Proc, ds *appsv1.DaemonSet, nodeList []*corev1.Node, hash string, updateObservedGen bool) error {
	p.Logger().V(4).Info("Updating daemon set status", "daemonset", controller.KObj(ds))
	nodes, err := dsc.getNodesToDaemonPods(p, ds, nodeList)
	if err != nil {
		return fmt.Errorf("couldn't get node to daemon pod mapping for daemon set %q: %v", ds.Name, err)
	}
	var status appsv1.DaemonSetStatus
	var becomeAvailable []*corev1.Pod
	now := p.Time()
	generation := GetTemplateGeneration(ds)
	for i := range nodes {
		n := &nodes[i]
		daemonPods := n.pods
		switch {
		case n.node == nil: // it is gone, and its Pods will be
		case !n.shouldRun && len(daemonPods) > 0:
			status.NumberMisscheduled++
		case n.shouldRun:
			status.DesiredNumberScheduled++
			if len(daemonPods) == 0 {
				continue
			}
			status.CurrentNumberScheduled++
			sortPodsByCreationTimestampAndPhase(daemonPods)
			pod := daemonPods[0] // the oldest
			if controller.IsPodReady(pod) {
				status.NumberReady++
				if controller.IsPodAvailable(pod, ds.Spec.MinReadySeconds, now) {
					status.NumberAvailable++
				} else {
					becomeAvailable = append(becomeAvailable, pod)
				}
			}
			if IsPodUpdated(pod, hash, generation) {
				status.UpdatedNumberScheduled++
			}
		}
	}
	status.NumberUnavailable = status.DesiredNumberScheduled - status.NumberAvailable
	if err := dsc.storeDaemonSetStatus(p, ds, &status, updateObservedGen); err != nil {
		return fmt.Errorf("error storing status for daemon set %v: %w", controller.KObj(ds), err)
	}
	// Nothing else happens at the moment when the next Pod becomes available.
	if ds.Spec.MinReadySeconds > 0 && status.NumberReady != status.NumberAvailable {
		after := time.Duration(ds.Spec.MinReadySeconds) * time.Second
		if d, ok := controller.FindMinNextPodAvailabilityCheck(becomeAvailable, ds.Spec.MinReadySeconds, now, p.Time()); ok {
			after = d
		}
		dsc.enqueueDaemonSetAfter(ds, after)
	}
	return nil
}

// storeDaemonSetStatus writes a status, unless it says what the last one said.
// When the write is refused it reads the newest version and tries once more.
func (dsc *DaemonSetsController) storeDaemonSetStatus(p *sim.Proc, ds *appsv1.DaemonSet, s *appsv1.DaemonSetStatus, updateObservedGen bool) error {
	old := &ds.Status
	if old.DesiredNumberScheduled == s.DesiredNumberScheduled && old.CurrentNumberScheduled == s.CurrentNumberScheduled &&
		old.NumberMisscheduled == s.NumberMisscheduled && old.NumberReady == s.NumberReady &&
		old.UpdatedNumberScheduled == s.UpdatedNumberScheduled && old.NumberAvailable == s.NumberAvailable &&
		old.NumberUnavailable == s.NumberUnavailable && old.ObservedGeneration >= ds.Generation {
		return nil
	}
	p.Logger().V(4).Info("Storing daemon set status", "daemonset", controller.KObj(ds), "desiredNumberScheduled", s.DesiredNumberScheduled,
		"currentNumberScheduled", s.CurrentNumberScheduled, "numberMisscheduled", s.NumberMisscheduled, "numberReady", s.NumberReady,
		"updatedNumberScheduled", s.UpdatedNumberScheduled, "numberAvailable", s.NumberAvailable, "numberUnavailable", s.NumberUnavailable)
	c := dsc.kubeClient.AppsV1().DaemonSets(ds.Namespace)
	generation := ds.Generation
	toUpdate := ds.DeepCopy()
	for i := 0; ; i++ {
		to := &toUpdate.Status
		if updateObservedGen {
			to.ObservedGeneration = generation
		}
		to.DesiredNumberScheduled, to.CurrentNumberScheduled, to.NumberMisscheduled = s.DesiredNumberScheduled, s.CurrentNumberScheduled, s.NumberMisscheduled
		to.NumberReady, to.UpdatedNumberScheduled = s.NumberReady, s.UpdatedNumberScheduled
		to.NumberAvailable, to.NumberUnavailable = s.NumberAvailable, s.NumberUnavailable
		updated, err := c.UpdateStatus(p, toUpdate, metav1.UpdateOptions{})
		if err == nil {
			dsc.consistencyStore.WroteAt(types.NamespacedName{Namespace: ds.Namespace, Name: ds.Name}, ds.UID, daemonSets, updated.ResourceVersion)
			return nil
		}
		if i >= StatusUpdateRetries {
			return err
		}
		fresh, getErr := c.Get(p, ds.Name, metav1.GetOptions{})
		if getErr != nil {
			return getErr
		}
		toUpdate = fresh.DeepCopy()
	}
}
