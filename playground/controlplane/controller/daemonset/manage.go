package daemonset

import (
	"fmt"
	"sort"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// manage gives every node that fits a Pod, and takes away those that are too many.
func (dsc *DaemonSetsController) manage(p *sim.Proc, ds *appsv1.DaemonSet, nodeList []*corev1.Node, hash string) error {
	nodes, err := dsc.getNodesToDaemonPods(p, ds, nodeList)
	if err != nil {
		return fmt.Errorf("couldn't get node to daemon pod mapping for daemon set %q: %v", ds.Name, err)
	}
	var nodesNeedingDaemonPods, podsToDelete []string
	surge := AllowsSurge(ds)
	for i := range nodes {
		if n := &nodes[i]; n.node != nil {
			needing, deleting := dsc.podsShouldBeOnNode(p, n, ds, hash, surge)
			nodesNeedingDaemonPods = append(nodesNeedingDaemonPods, needing...)
			podsToDelete = append(podsToDelete, deleting...)
		}
	}
	// A Pod that was made for a node and not bound before the node went: nobody else finds it.
	podsToDelete = append(podsToDelete, getUnscheduledPodsWithoutNode(nodes)...)
	return dsc.syncNodes(p, ds, podsToDelete, nodesNeedingDaemonPods, hash)
}

// podsShouldBeOnNode says for one node whether it needs a Pod, and which of its
// Pods have to go.
func (dsc *DaemonSetsController) podsShouldBeOnNode(p *sim.Proc, n *nodePods, ds *appsv1.DaemonSet, hash string,
	surge bool) (nodesNeedingDaemonPods, podsToDelete []string) {
	if log := p.Logger(); log.Enabled() {
		log.V(5).Info("Daemon pod on node", "daemonset", controller.KObj(ds), "node", n.name, "shouldRun", n.shouldRun,
			"shouldContinueRunning", n.shouldContinueRunning, "pods", len(n.pods))
	}
	switch {
	case n.shouldRun && len(n.pods) == 0:
		return []string{n.name}, nil
	case n.shouldContinueRunning:
		running, failed := dsc.sortOutFailed(p, n.node, n.pods, ds)
		podsToDelete = failed
		if !surge {
			// The oldest stays.
			if len(running) > 1 {
				sortPodsByCreationTimestampAndPhase(running)
				for _, pod := range running[1:] {
					podsToDelete = append(podsToDelete, pod.Name)
				}
			}
			return nil, podsToDelete
		}
		if len(running) <= 1 {
			if len(running) == 0 && n.shouldRun {
				nodesNeedingDaemonPods = append(nodesNeedingDaemonPods, n.name)
			}
			return nodesNeedingDaemonPods, podsToDelete
		}
		return nil, append(podsToDelete, dsc.surplus(p, running, ds, hash)...)
	}
	for _, pod := range n.pods {
		if pod.DeletionTimestamp == nil {
			podsToDelete = append(podsToDelete, pod.Name)
		}
	}
	return nil, podsToDelete
}

// sortOutFailed returns the Pods of a node that run, and the names of those that
// ended and are replaced: those that failed only as often as the backoff allows,
// or a crash at start would be repeated as fast as Pods can be made.
func (dsc *DaemonSetsController) sortOutFailed(p *sim.Proc, node *corev1.Node, daemonPods []*corev1.Pod, ds *appsv1.DaemonSet) (running []*corev1.Pod,
	podsToDelete []string) {
	log := p.Logger()
	if len(daemonPods) == 1 && controller.IsPodActive(daemonPods[0]) {
		return daemonPods, nil // most nodes, in each sync: nothing is allocated for them
	}
	for _, pod := range daemonPods {
		if pod.DeletionTimestamp != nil {
			continue
		}
		switch pod.Status.Phase {
		case corev1.PodFailed:
			key := failedPodsBackoffKey(ds, node.Name)
			if dsc.failedPodsBackoff.IsInBackOffSinceUpdate(key, p.Now()) {
				delay := dsc.failedPodsBackoff.Get(key)
				log.V(4).Info("Deleting failed pod on node has been limited by backoff", "pod", controller.KObj(pod), "node", node.Name, "currentDelay", delay)
				dsc.enqueueDaemonSetAfter(ds, delay)
				continue
			}
			dsc.failedPodsBackoff.Next(key, p.Now())
			log.V(2).Info("Found failed daemon pod on node, will try to kill it", "pod", controller.KObj(pod), "node", node.Name)
			dsc.eventRecorder.Eventf(ds, corev1.EventTypeWarning, FailedDaemonPodReason, "Found failed daemon pod %s/%s on node %s, will try to kill it", pod.Namespace,
				pod.Name, node.Name)
			podsToDelete = append(podsToDelete, pod.Name)
		case corev1.PodSucceeded:
			log.V(2).Info("Found succeeded daemon pod on node, will try to delete it", "pod", controller.KObj(pod), "node", node.Name)
			dsc.eventRecorder.Eventf(ds, corev1.EventTypeNormal, SucceededDaemonPodReason, "Found succeeded daemon pod %s/%s on node %s, will try to delete it",
				pod.Namespace, pod.Name, node.Name)
			podsToDelete = append(podsToDelete, pod.Name)
		default:
			running = append(running, pod)
		}
	}
	return running, podsToDelete
}

// surplus returns the Pods that are too many on a node during a surge. Two may
// be there: the oldest of the new template as long as it is not available, and
// the oldest of another that is ready.
func (dsc *DaemonSetsController) surplus(p *sim.Proc, running []*corev1.Pod, ds *appsv1.DaemonSet, hash string) (podsToDelete []string) {
	var oldestNewPod, oldestOldPod *corev1.Pod
	sortPodsByCreationTimestampAndPhase(running)
	for _, pod := range running {
		isNew := pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] == hash
		switch {
		case isNew && oldestNewPod == nil:
			oldestNewPod = pod
		case !isNew && oldestOldPod == nil:
			oldestOldPod = pod
		default:
			podsToDelete = append(podsToDelete, pod.Name)
		}
	}
	if oldestNewPod == nil || oldestOldPod == nil {
		return podsToDelete
	}
	switch {
	case !controller.IsPodReady(oldestOldPod):
		p.Logger().V(5).Info("Pod from daemonset is no longer ready and will be replaced with newer pod", "oldPod", controller.KObj(oldestOldPod),
			"daemonset", controller.KObj(ds), "newPod", controller.KObj(oldestNewPod))
		podsToDelete = append(podsToDelete, oldestOldPod.Name)
	case controller.IsPodAvailable(oldestNewPod, ds.Spec.MinReadySeconds, p.Time()):
		p.Logger().V(5).Info("Pod from daemonset is now ready and will replace older pod", "newPod", controller.KObj(oldestNewPod),
			"daemonset", controller.KObj(ds), "oldPod", controller.KObj(oldestOldPod))
		podsToDelete = append(podsToDelete, oldestOldPod.Name)
	}
	return podsToDelete
}

// syncNodes creates Pods for nodes and deletes Pods, at most burstReplicas of
// each, and sets expectations for them before the first request.
func (dsc *DaemonSetsController) syncNodes(p *sim.Proc, ds *appsv1.DaemonSet, podsToDelete, nodesNeedingDaemonPods []string, hash string) error {
	log, key := p.Logger(), controller.KeyFunc(ds)
	createDiff, deleteDiff := min(len(nodesNeedingDaemonPods), dsc.burstReplicas), min(len(podsToDelete), dsc.burstReplicas)
	dsc.expectations.SetExpectations(log, key, createDiff, deleteDiff)

	log.V(4).Info("Nodes needing daemon pods for daemon set, creating", "daemonset", key, "needCount", strings.Join(nodesNeedingDaemonPods, " "), "createCount",
		createDiff)
	var first error
	if createDiff > 0 {
		first = dsc.createPods(p, ds, nodesNeedingDaemonPods[:createDiff], CreatePodTemplate(&ds.Spec.Template, GetTemplateGeneration(ds), hash))
	}

	log.V(4).Info("Pods to delete for daemon set, deleting", "daemonset", key, "toDeleteCount", strings.Join(podsToDelete, " "), "deleteCount", deleteDiff)
	p.Fork("delete", deleteDiff, func(p *sim.Proc, i int) {
		err := dsc.podControl.DeletePod(p, ds.Namespace, podsToDelete[i], ds)
		if err == nil {
			return
		}
		dsc.expectations.DeletionObserved(p.Logger(), key)
		if apierrors.IsNotFound(err) {
			return
		}
		p.Logger().V(2).Info("Failed deletion, decremented expectations for daemon set", "daemonset", key)
		if first == nil {
			first = err
		}
	})
	return first
}

// createPods creates one Pod for each node, in batches whose size doubles as
// long as all of a batch succeed. Upstream: syncNodes, its middle part.
func (dsc *DaemonSetsController) createPods(p *sim.Proc, ds *appsv1.DaemonSet, nodes []string, template *corev1.PodTemplateSpec) error {
	key := controller.KeyFunc(ds)
	var first error
	for pos, batch := 0, min(len(nodes), controller.SlowStartInitialBatchSize); batch > 0; {
		controller.LogBatch(p.Logger(), batch, len(nodes)-pos)
		p.Fork("create", batch, func(p *sim.Proc, i int) {
			podTemplate := *template
			podTemplate.Spec.Affinity = ReplaceDaemonSetPodNodeNameNodeAffinity(template.Spec.Affinity, nodes[pos+i])
			err := dsc.podControl.CreatePods(p, ds.Namespace, &podTemplate, ds, metav1.NewControllerRef(ds, controllerKind))
			if err == nil || apierrors.HasStatusCause(err, controller.NamespaceTerminatingCause) {
				return // the namespace goes away, and every creation would fail
			}
			p.Logger().V(2).Info("Failed creation, decrementing expectations for daemon set", "daemonset", key, "node", nodes[pos+i])
			dsc.expectations.CreationObserved(p.Logger(), key)
			if first == nil {
				first = err
			}
		})
		pos += batch
		if skipped := len(nodes) - pos; first != nil && skipped > 0 {
			p.Logger().V(2).Info("Slow-start failure. Skipping creation pods, decrementing expectations for daemon set", "skippedPods", skipped, "daemonset", key)
			dsc.expectations.LowerExpectations(p.Logger(), key, skipped, 0)
			break
		}
		batch = min(2*batch, len(nodes)-pos)
	}
	return first
}

// sortPodsByCreationTimestampAndPhase puts Pods on a node before others, and the oldest first.
// Upstream: podByCreationTimestampAndPhase.
func sortPodsByCreationTimestampAndPhase(pods []*corev1.Pod) {
	if len(pods) < 2 {
		return
	}
	sort.SliceStable(pods, func(i, j int) bool {
		a, b := pods[i], pods[j]
		if (a.Spec.NodeName == "") != (b.Spec.NodeName == "") {
			return a.Spec.NodeName != ""
		}
		if a.CreationTimestamp.Equal(&b.CreationTimestamp) {
			return a.Name < b.Name
		}
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	})
}

func failedPodsBackoffKey(ds *appsv1.DaemonSet, nodeName string) string {
	return fmt.Sprintf("%s/%d/%s", ds.UID, ds.Status.ObservedGeneration, nodeName)
}

// getUnscheduledPodsWithoutNode returns Pods that are bound nowhere and were made for a node that is gone.
func getUnscheduledPodsWithoutNode(nodes []nodePods) []string {
	var out []string
	for i := range nodes {
		if nodes[i].node != nil {
			continue
		}
		for _, pod := range nodes[i].pods {
			if pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil {
				out = append(out, pod.Name)
			}
		}
	}
	return out
}
