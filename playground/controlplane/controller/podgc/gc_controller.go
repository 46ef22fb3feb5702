// Package podgc deletes Pods that nobody else will: those bound to a node that
// is gone, whose kubelet can't confirm their end; those that were deleted before
// they had a node; and the oldest finished ones when there are too many.
//
// It looks every 20 s. A node that is missing from the cache is given 40 s more,
// and then looked up in the API server, before its Pods are failed and deleted
// with no grace.
//
// And a Pod that terminates on a node which is not ready, and of which somebody
// has said with the taint node.kubernetes.io/out-of-service that it is off, need
// not wait for its kubelet.
//
// Absent: metrics.
//
// Upstream: pkg/controller/podgc.
package podgc

import (
	"sort"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/wait"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component and the user agent of its requests.
const Name = "pod-garbage-collector"

const (
	gcCheckPeriod  = 20 * time.Second
	quarantineTime = 40 * time.Second
	// TerminatedPodThreshold is how many finished Pods are kept by default.
	// Upstream: --terminated-pod-gc-threshold.
	TerminatedPodThreshold = 12500
)

// PodGCController collects Pods.
// Upstream: gc_controller.go, PodGCController.
type PodGCController struct {
	component  *sim.Component
	kubeClient *client.Clientset
	podLister  listers.PodLister
	nodeLister listers.NodeLister
	synced     []cache.InformerSynced
	// nodeQueue holds the names of missing nodes; those that are due have been
	// missing for the quarantine time.
	nodeQueue              workqueue.TypedDelayingInterface[string]
	terminatedPodThreshold int
}

// NewPodGC makes a controller of a component. The informers are not started here.
func NewPodGC(c *sim.Component, kubeClient *client.Clientset, podInformer informers.PodInformer, nodeInformer informers.NodeInformer,
	terminatedPodThreshold int) *PodGCController {
	return &PodGCController{
		component:              c,
		kubeClient:             kubeClient,
		podLister:              podInformer.Lister(),
		nodeLister:             nodeInformer.Lister(),
		synced:                 []cache.InformerSynced{podInformer.Informer().HasSynced, nodeInformer.Informer().HasSynced},
		nodeQueue:              workqueue.NewTypedDelayingQueueWithConfig[string](c, workqueue.TypedDelayingQueueConfig{Name: "orphaned_pods_nodes"}),
		terminatedPodThreshold: terminatedPodThreshold,
	}
}

// Run looks every 20 s, once the caches hold the cluster.
func (gcc *PodGCController) Run(p *sim.Proc) {
	p.Logger().Info("Starting GC controller", "controller", "GC")
	cache.WaitForCacheSync(p, gcc.synced...)
	wait.Until(p, gcc.gc, gcCheckPeriod)
}

func (gcc *PodGCController) gc(p *sim.Proc) {
	pods, err := gcc.podLister.List(labels.Everything())
	if err != nil {
		p.Logger().Error(err, "Error while listing all pods")
		return
	}
	nodes, err := gcc.nodeLister.List(labels.Everything())
	if err != nil {
		p.Logger().Error(err, "Error while listing all nodes")
		return
	}
	if gcc.terminatedPodThreshold > 0 {
		gcc.gcTerminated(p, pods)
	}
	gcc.gcTerminating(p, pods)
	gcc.gcOrphaned(p, pods, nodes)
	gcc.gcUnscheduledTerminating(p, pods)
}

// gcTerminated deletes the oldest finished Pods beyond the threshold, evicted ones first.
func (gcc *PodGCController) gcTerminated(p *sim.Proc, pods []*corev1.Pod) {
	var done []*corev1.Pod
	for _, pod := range pods {
		switch pod.Status.Phase {
		case corev1.PodPending, corev1.PodRunning, corev1.PodUnknown:
		default:
			done = append(done, pod)
		}
	}
	count := len(done) - gcc.terminatedPodThreshold
	if count <= 0 {
		return
	}
	p.Logger().Info("Garbage collecting pods", "numPods", count, "threshold", gcc.terminatedPodThreshold)
	byEvictionAndCreationTimestamp(done)
	p.Fork("delete", count, func(p *sim.Proc, i int) { gcc.markFailedAndDeletePod(p, done[i], nil) })
}

// byEvictionAndCreationTimestamp sorts Pods: evicted ones first, then by age.
func byEvictionAndCreationTimestamp(pods []*corev1.Pod) {
	evicted := func(pod *corev1.Pod) bool {
		return pod.Status.Phase == corev1.PodFailed && pod.Status.Reason == "Evicted"
	}
	sort.SliceStable(pods, func(i, j int) bool {
		a, b := pods[i], pods[j]
		if evicted(a) != evicted(b) {
			return evicted(a)
		}
		if a.CreationTimestamp.Equal(&b.CreationTimestamp) {
			return a.Name < b.Name
		}
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	})
}

// gcTerminating deletes the Pods that terminate where nobody will finish them:
// on nodes that are not ready and said to be out of service.
func (gcc *PodGCController) gcTerminating(p *sim.Proc, pods []*corev1.Pod) {
	log := p.Logger()
	var stuck []*corev1.Pod
	for _, pod := range pods {
		if pod.DeletionTimestamp == nil || pod.Spec.NodeName == "" {
			continue
		}
		node, err := gcc.nodeLister.Get(pod.Spec.NodeName)
		if err != nil {
			log.Error(err, "Failed to get node", "node", pod.Spec.NodeName)
			continue
		}
		if isNodeReady(node) || !isOutOfService(node) {
			continue
		}
		log.V(4).Info("Garbage collecting pod that is terminating", "pod", controller.KObj(pod), "phase", string(pod.Status.Phase), "node", node.Name)
		stuck = append(stuck, pod)
	}
	if len(stuck) == 0 {
		return
	}
	log.V(4).Info("Garbage collecting pods that are terminating on node tainted with node.kubernetes.io/out-of-service", "numPods", len(stuck))
	byEvictionAndCreationTimestamp(stuck)
	p.Fork("delete", len(stuck), func(p *sim.Proc, i int) { gcc.markFailedAndDeletePod(p, stuck[i], nil) })
}

func isNodeReady(node *corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func isOutOfService(node *corev1.Node) bool {
	for _, t := range node.Spec.Taints {
		if t.Key == corev1.TaintNodeOutOfService {
			return true
		}
	}
	return false
}

// gcOrphaned deletes the Pods of nodes that do not exist.
func (gcc *PodGCController) gcOrphaned(p *sim.Proc, pods []*corev1.Pod, nodes []*corev1.Node) {
	log := p.Logger()
	existing := map[string]bool{}
	for _, node := range nodes {
		existing[node.Name] = true
	}
	for _, pod := range pods {
		if name := pod.Spec.NodeName; name != "" && !existing[name] {
			gcc.nodeQueue.AddAfter(name, quarantineTime)
		}
	}
	deleted := gcc.discoverDeletedNodes(p, existing)
	for _, pod := range pods {
		if !deleted[pod.Spec.NodeName] {
			continue
		}
		log.V(2).Info("Found orphaned Pod assigned to the Node, deleting", "pod", controller.KObj(pod), "node", pod.Spec.NodeName)
		gcc.markFailedAndDeletePod(p, pod, &corev1.PodCondition{
			Type:    corev1.DisruptionTarget,
			Status:  corev1.ConditionTrue,
			Reason:  "DeletionByPodGC",
			Message: "PodGC: node no longer exists",
		})
	}
}

// discoverDeletedNodes takes the nodes whose quarantine is over and asks the
// API server about them.
func (gcc *PodGCController) discoverDeletedNodes(p *sim.Proc, existing map[string]bool) map[string]bool {
	deleted := map[string]bool{}
	for gcc.nodeQueue.Len() > 0 {
		name, quit := gcc.nodeQueue.Get(p)
		if quit {
			break
		}
		if !existing[name] {
			_, err := gcc.kubeClient.CoreV1().Nodes().Get(p, name, metav1.GetOptions{})
			switch {
			case apierrors.IsNotFound(err):
				deleted[name] = true
			case err != nil:
				// It comes back with the next look, since its Pods are still there.
				p.Logger().Error(err, "Error while getting node", "node", name)
			}
		}
		gcc.nodeQueue.Done(name)
	}
	return deleted
}

// gcUnscheduledTerminating deletes the Pods that were deleted before they had a
// node: there is no kubelet to finish them.
func (gcc *PodGCController) gcUnscheduledTerminating(p *sim.Proc, pods []*corev1.Pod) {
	for _, pod := range pods {
		if pod.DeletionTimestamp == nil || pod.Spec.NodeName != "" {
			continue
		}
		p.Logger().V(2).Info("Found unscheduled terminating Pod not assigned to any Node, deleting", "pod", controller.KObj(pod))
		gcc.markFailedAndDeletePod(p, pod, nil)
	}
}

// markFailedAndDeletePod deletes a Pod without grace. One that had not finished
// is failed first, so that whoever waits for its outcome learns of it.
func (gcc *PodGCController) markFailedAndDeletePod(p *sim.Proc, pod *corev1.Pod, condition *corev1.PodCondition) {
	log := p.Logger()
	log.Info("PodGC is force deleting Pod", "pod", controller.KObj(pod))
	if !controller.IsPodTerminal(pod) {
		if err := controller.PatchPodStatus(p, gcc.kubeClient, pod, corev1.PodFailed, condition); err != nil {
			if !apierrors.IsNotFound(err) {
				controller.HandleError(log, err, "Error marking pod as failed", "pod", controller.KObj(pod))
			}
			return
		}
	}
	now := int64(0)
	err := gcc.kubeClient.CoreV1().Pods(pod.Namespace).Delete(p, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now})
	if err != nil && !apierrors.IsNotFound(err) {
		controller.HandleError(log, err, "Error deleting pod", "pod", controller.KObj(pod))
	}
}
