package daemonset

import (
	"fmt"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// AllowsSurge tells whether a second Pod may be on a node during an update.
func AllowsSurge(ds *appsv1.DaemonSet) bool {
	maxSurge, err := SurgeCount(ds, 1)
	return err == nil && maxSurge > 0
}

// SurgeCount is on how many nodes a second Pod may be, rounded up.
func SurgeCount(ds *appsv1.DaemonSet, numberToSchedule int) (int, error) {
	r := ds.Spec.UpdateStrategy.RollingUpdate
	if ds.Spec.UpdateStrategy.Type != appsv1.RollingUpdateDaemonSetStrategyType || r == nil || r.MaxSurge == nil {
		return 0, nil
	}
	return intstr.GetScaledValueFromIntOrPercent(r.MaxSurge, numberToSchedule, true)
}

// UnavailableCount is on how many nodes there may be no available Pod, rounded up.
func UnavailableCount(ds *appsv1.DaemonSet, numberToSchedule int) (int, error) {
	r := ds.Spec.UpdateStrategy.RollingUpdate
	if ds.Spec.UpdateStrategy.Type != appsv1.RollingUpdateDaemonSetStrategyType || r == nil || r.MaxUnavailable == nil {
		return 0, nil
	}
	return intstr.GetScaledValueFromIntOrPercent(r.MaxUnavailable, numberToSchedule, true)
}

// IsPodUpdated tells whether a Pod is of the revision with that hash, or of the
// template with that number.
func IsPodUpdated(pod *corev1.Pod, hash, generation string) bool {
	return hash != "" && pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] == hash ||
		generation != "" && pod.Labels[templateGenerationKey] == generation
}

// rollingUpdate replaces Pods of other revisions: without surge it deletes as
// many as may be unavailable, and manage puts new ones in their place; with
// surge it puts new ones beside the old, which go when the new are available.
func (dsc *DaemonSetsController) rollingUpdate(p *sim.Proc, ds *appsv1.DaemonSet, nodeList []*corev1.Node, hash string) error {
	nodes, err := dsc.getNodesToDaemonPods(p, ds, nodeList)
	if err != nil {
		return fmt.Errorf("couldn't get node to daemon pod mapping for daemon set %q: %v", ds.Name, err)
	}
	maxSurge, maxUnavailable, desired, err := dsc.updatedDesiredNodeCounts(p, ds, nodes)
	if err != nil {
		return fmt.Errorf("couldn't get unavailable numbers: %v", err)
	}
	if maxSurge == 0 {
		return dsc.replaceInPlace(p, ds, nodes, maxUnavailable, hash)
	}
	return dsc.replaceBySurge(p, ds, nodes, maxSurge, desired, hash)
}

// replaceInPlace is rollingUpdate without surge. Old Pods that are not available
// anyway are replaced at once. Upstream: rollingUpdate, first half.
func (dsc *DaemonSetsController) replaceInPlace(p *sim.Proc, ds *appsv1.DaemonSet, nodes []nodePods, maxUnavailable int, hash string) error {
	log, now, generation := p.Logger(), p.Time(), GetTemplateGeneration(ds)
	numUnavailable := 0
	var allowedReplacementPods, candidatePodsToDelete []string
	for i := range nodes {
		n := &nodes[i]
		if len(n.pods) == 0 && !n.shouldRun {
			continue
		}
		nodeName := n.name
		newPod, oldPod, ok := findUpdatedPodsOnNode(n.pods, hash, generation)
		switch {
		case !ok:
			log.V(3).Info("DaemonSet has excess pods on node, skipping to allow the core loop to process", "daemonset", controller.KObj(ds), "node", nodeName)
			numUnavailable++
		case (oldPod == nil) == (newPod == nil):
			// None or both: manage makes it one.
			numUnavailable++
		case newPod != nil:
			if !controller.IsPodAvailable(newPod, ds.Spec.MinReadySeconds, now) {
				if log.Enabled() {
					log.V(5).Info("DaemonSet pod on node is new and not available yet", "daemonset", controller.KObj(ds), "node", nodeName, "pod", controller.KObj(newPod))
				}
				numUnavailable++
			}
		case !controller.IsPodAvailable(oldPod, ds.Spec.MinReadySeconds, now):
			log.V(5).Info("DaemonSet pod on node is out of date and not available, allowing replacement", "daemonset", controller.KObj(ds), "node", nodeName, "pod",
				controller.KObj(oldPod))
			allowedReplacementPods = append(allowedReplacementPods, oldPod.Name)
			numUnavailable++
		case numUnavailable < maxUnavailable:
			log.V(5).Info("DaemonSet pod on node is out of date, this is a candidate to replace", "daemonset", controller.KObj(ds), "node", nodeName, "pod",
				controller.KObj(oldPod))
			candidatePodsToDelete = append(candidatePodsToDelete, oldPod.Name)
		}
	}
	remainingUnavailable := min(max(maxUnavailable-numUnavailable, 0), len(candidatePodsToDelete))
	log.V(4).Info("DaemonSet allowing replacements", "daemonset", controller.KObj(ds), "replacements", len(allowedReplacementPods), "maxUnavailable",
		maxUnavailable,
		"numUnavailable", numUnavailable, "candidates", len(candidatePodsToDelete), "remainingUnavailable", remainingUnavailable)
	return dsc.syncNodes(p, ds, append(allowedReplacementPods, candidatePodsToDelete[:remainingUnavailable]...), nil, hash)
}

// replaceBySurge is rollingUpdate with surge. An old Pod that is not available
// gets its successor at once, an available one when the surge allows. On a node
// that is to have no Pod any more the old one goes when enough others are
// available. Upstream: rollingUpdate, second half.
func (dsc *DaemonSetsController) replaceBySurge(p *sim.Proc, ds *appsv1.DaemonSet, nodes []nodePods, maxSurge, desired int, hash string) error {
	log, generation := p.Logger(), GetTemplateGeneration(ds)
	var oldPodsToDelete, shouldNotRunPodsToDelete, allowedNewNodes, candidateNewNodes []string
	numSurge, numAvailable := 0, 0
	for i := range nodes {
		n := &nodes[i]
		if len(n.pods) == 0 && !n.shouldRun {
			continue
		}
		nodeName := n.name
		newPod, oldPod, ok := findUpdatedPodsOnNode(n.pods, hash, generation)
		if !ok {
			log.V(3).Info("DaemonSet has excess pods on node, skipping to allow the core loop to process", "daemonset", controller.KObj(ds), "node", nodeName)
			numSurge++
			continue
		}
		available := func(pod *corev1.Pod) bool {
			return pod != nil && controller.IsPodAvailable(pod, ds.Spec.MinReadySeconds, p.Time())
		}
		if available(oldPod) || oldPod == nil && available(newPod) {
			numAvailable++
		}
		switch {
		case oldPod == nil: // manage sees to it
		case newPod != nil && available(newPod):
			log.V(5).Info("DaemonSet pod on node is available, remove old pod", "daemonset", controller.KObj(ds), "newPod", controller.KObj(newPod), "node", nodeName,
				"oldPod", controller.KObj(oldPod))
			oldPodsToDelete = append(oldPodsToDelete, oldPod.Name)
		case newPod != nil:
			numSurge++
			// The status looks at the older Pod, so nobody else comes back when this one becomes available.
			now := p.Time()
			if d, ok := controller.FindMinNextPodAvailabilityCheck([]*corev1.Pod{newPod}, ds.Spec.MinReadySeconds, now, now); ok {
				dsc.enqueueDaemonSetAfter(ds, d)
			}
		case !available(oldPod) && !n.shouldRun:
			oldPodsToDelete = append(oldPodsToDelete, oldPod.Name)
		case !available(oldPod):
			log.V(5).Info("Pod on node is out of date and not available, allowing replacement", "daemonset", controller.KObj(ds), "pod", controller.KObj(oldPod), "node",
				nodeName)
			allowedNewNodes = append(allowedNewNodes, nodeName)
		case !n.shouldRun:
			shouldNotRunPodsToDelete = append(shouldNotRunPodsToDelete, oldPod.Name)
		case numSurge < maxSurge:
			log.V(5).Info("DaemonSet pod on node is out of date, this is a surge candidate", "daemonset", controller.KObj(ds), "pod", controller.KObj(oldPod), "node",
				nodeName)
			candidateNewNodes = append(candidateNewNodes, nodeName)
		}
	}
	remainingSurge := min(max(maxSurge-numSurge, 0), len(candidateNewNodes))
	log.V(4).Info("DaemonSet allowing replacements", "daemonset", controller.KObj(ds), "replacements", len(allowedNewNodes), "maxSurge", maxSurge,
		"numSurge", numSurge, "candidates", len(candidateNewNodes), "remainingSurge", remainingSurge, "numAvailable", numAvailable)
	if deletable := min(numAvailable-desired, len(shouldNotRunPodsToDelete)); deletable > 0 {
		oldPodsToDelete = append(oldPodsToDelete, shouldNotRunPodsToDelete[:deletable]...)
	}
	return dsc.syncNodes(p, ds, oldPodsToDelete, append(allowedNewNodes, candidateNewNodes[:remainingSurge]...), hash)
}

// findUpdatedPodsOnNode returns the Pod of the new revision on a node and that
// of another; ok is false when there are several of one.
func findUpdatedPodsOnNode(podsOnNode []*corev1.Pod, hash, generation string) (newPod, oldPod *corev1.Pod, ok bool) {
	for _, pod := range podsOnNode {
		if pod.DeletionTimestamp != nil {
			continue
		}
		which := &oldPod
		if IsPodUpdated(pod, hash, generation) {
			which = &newPod
		}
		if *which != nil {
			return nil, nil, false
		}
		*which = pod
	}
	return newPod, oldPod, true
}

// updatedDesiredNodeCounts makes numbers of maxSurge and maxUnavailable. A node
// without a Pod counts among those that get one. When both come out as 0, one
// node may be without.
func (dsc *DaemonSetsController) updatedDesiredNodeCounts(p *sim.Proc, ds *appsv1.DaemonSet,
	nodes []nodePods) (maxSurge, maxUnavailable, desired int, err error) {
	for i := range nodes {
		if nodes[i].shouldRun {
			desired++
		}
	}
	if maxUnavailable, err = UnavailableCount(ds, desired); err != nil {
		return -1, -1, -1, fmt.Errorf("invalid value for MaxUnavailable: %v", err)
	}
	if maxSurge, err = SurgeCount(ds, desired); err != nil {
		return -1, -1, -1, fmt.Errorf("invalid value for MaxSurge: %v", err)
	}
	if desired > 0 && maxUnavailable == 0 && maxSurge == 0 {
		p.Logger().Info("DaemonSet is not configured for surge or unavailability, defaulting to accepting unavailability", "daemonset", controller.KObj(ds))
		maxUnavailable = 1
	}
	p.Logger().V(5).Info("DaemonSet with maxSurge and maxUnavailable", "daemonset", controller.KObj(ds), "maxSurge", maxSurge, "maxUnavailable", maxUnavailable,
		"desired", desired)
	return maxSurge, maxUnavailable, desired, nil
}
