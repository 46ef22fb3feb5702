package nodelifecycle

import (
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// podUpdated queues a Pod that was just bound to a node, or is new to the cache.
func (nc *Controller) podUpdated(old, cur *corev1.Pod) {
	if cur.Spec.NodeName != "" && (old == nil || cur.Spec.NodeName != old.Spec.NodeName) {
		nc.podUpdateQueue.Add(podUpdateItem{cur.Namespace, cur.Name})
	}
}

func (nc *Controller) doPodProcessingWorker(p *sim.Proc) {
	for {
		item, shutdown := nc.podUpdateQueue.Get(p)
		if shutdown {
			return
		}
		nc.processPod(p, item)
		nc.podUpdateQueue.Done(item)
	}
}

// processPod marks a Pod not ready that came to a node, in this cache, after
// the node was found to be silent.
func (nc *Controller) processPod(p *sim.Proc, item podUpdateItem) {
	log := p.Logger()
	pod, err := nc.podLister.Pods(item.namespace).Get(item.name)
	if err != nil {
		if !apierrors.IsNotFound(err) {
			log.Info("Failed to read pod", "pod", item.String(), "err", err)
			nc.podUpdateQueue.AddRateLimited(item)
		}
		return
	}
	name := pod.Spec.NodeName
	health := nc.nodeHealth[name]
	if health == nil {
		return // not looked at yet, or gone
	}
	if _, err := nc.nodeLister.Get(name); err != nil {
		log.Info("Failed to read node", "node", name, "err", err)
		nc.podUpdateQueue.AddRateLimited(item)
		return
	}
	ready := getNodeCondition(health.status, corev1.NodeReady)
	if ready == nil || ready.Status == corev1.ConditionTrue {
		return
	}
	if err := nc.markPodsNotReady(p, []*corev1.Pod{pod}, name); err != nil {
		log.Info("Unable to mark pod NotReady on node", "pod", item.String(), "node", name, "err", err)
		nc.podUpdateQueue.AddRateLimited(item)
	}
}

// markPodsNotReady writes Ready=False into the Pods of a node whose kubelet
// can't. It tries all, and returns the first error.
// Upstream: pkg/controller/util/node MarkPodsNotReady.
func (nc *Controller) markPodsNotReady(p *sim.Proc, pods []*corev1.Pod, nodeName string) error {
	log := p.Logger()
	log.V(2).Info("Update ready status of pods on node", "node", nodeName)
	var first error
	for _, pod := range pods {
		if pod.Spec.NodeName != nodeName || !controller.IsPodReady(pod) {
			continue
		}
		pod = pod.DeepCopy()
		_, c := controller.GetPodCondition(&pod.Status, corev1.PodReady)
		notReady := *c
		notReady.Status = corev1.ConditionFalse
		controller.UpdatePodCondition(&pod.Status, &notReady, metav1.NewTime(p.Time()))
		log.V(2).Info("Updating ready status of pod to false", "pod", controller.KObj(pod))
		if _, err := nc.kubeClient.CoreV1().Pods(pod.Namespace).UpdateStatus(p, pod, metav1.UpdateOptions{}); err != nil {
			if apierrors.IsNotFound(err) {
				continue
			}
			log.Error(err, "Failed to update status for pod", "pod", controller.KObj(pod))
			if first == nil {
				first = err
			}
			continue
		}
		nc.recorder.Eventf(pod, corev1.EventTypeWarning, "NodeNotReady", "Node is not ready")
	}
	return first
}
