// Package tainteviction deletes Pods from nodes with a NoExecute taint that
// they do not tolerate, at once, or when they no longer tolerate it.
//
// It does not matter to it who tainted the node. A Pod that says nothing
// tolerates not-ready and unreachable for 300 s: the admission plugin
// DefaultTolerationSeconds has written that into it. The count begins when this
// controller sees the taint, in its memory: a restart begins it anew.
//
// Simplified: upstream spreads nodes and Pods over eight workers by node; here
// one process takes nodes and one Pods, since neither waits for anything. What
// waits, the eviction itself, has a process to each Pod in both. Absent: metrics.
//
// Upstream: pkg/controller/tainteviction.
package tainteviction

import (
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component and the source of its events. Upstream's
// client calls itself node-controller, as the node lifecycle controller's does,
// of which this was part until 1.29.
const Name = "taint-eviction-controller"

const (
	// retries is how often a deletion is tried, retryPause how long apart.
	retries    = 5
	retryPause = 10 * time.Millisecond
)

type podUpdateItem struct {
	pod      types.NamespacedName
	nodeName string
}

func (i podUpdateItem) String() string {
	if i.nodeName == "" {
		return i.pod.String()
	}
	return i.pod.String() + " on " + i.nodeName
}

// Controller evicts Pods.
// Upstream: taint_eviction.go, Controller.
type Controller struct {
	component   *sim.Component
	client      *client.Clientset
	broadcaster *record.EventBroadcaster
	recorder    record.EventRecorder

	podLister  listers.PodLister
	podIndexer cache.Indexer
	nodeLister listers.NodeLister
	synced     []cache.InformerSynced

	// taintedNodes are the NoExecute taints of each node that has any.
	taintedNodes       map[string][]corev1.Taint
	taintEvictionQueue *TimedWorkerQueue
	nodeUpdateQueue    workqueue.TypedInterface[string]
	podUpdateQueue     workqueue.TypedInterface[podUpdateItem]
}

// New makes a controller of a component and registers its handlers. The
// informers are not started here.
func New(c *sim.Component, kubeClient *client.Clientset, podInformer informers.PodInformer, nodeInformer informers.NodeInformer) *Controller {
	broadcaster := record.NewBroadcaster(c)
	tc := &Controller{
		component:       c,
		client:          kubeClient,
		broadcaster:     broadcaster,
		recorder:        broadcaster.NewRecorder(corev1.EventSource{Component: Name}),
		podLister:       podInformer.Lister(),
		podIndexer:      podInformer.Informer().GetIndexer(),
		nodeLister:      nodeInformer.Lister(),
		synced:          []cache.InformerSynced{podInformer.Informer().HasSynced, nodeInformer.Informer().HasSynced},
		taintedNodes:    map[string][]corev1.Taint{},
		nodeUpdateQueue: workqueue.NewTypedWithConfig[string](c, workqueue.TypedQueueConfig{Name: "noexec_taint_node"}),
		podUpdateQueue:  workqueue.NewTypedWithConfig[podUpdateItem](c, workqueue.TypedQueueConfig{Name: "noexec_taint_pod"}),
	}
	tc.taintEvictionQueue = CreateWorkerQueue(c, tc.deletePod)
	controller.AddPodNodeNameIndexer(podInformer.Informer())
	podInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { tc.PodUpdated(nil, obj.(*corev1.Pod)) },
		UpdateFunc: func(old, cur any) { tc.PodUpdated(old.(*corev1.Pod), cur.(*corev1.Pod)) },
		DeleteFunc: func(obj any) {
			if pod, ok := known(obj).(*corev1.Pod); ok {
				tc.PodUpdated(pod, nil)
			}
		},
	})
	nodeInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { tc.NodeUpdated(nil, obj.(*corev1.Node)) },
		UpdateFunc: func(old, cur any) { tc.NodeUpdated(old.(*corev1.Node), cur.(*corev1.Node)) },
		DeleteFunc: func(obj any) {
			if node, ok := known(obj).(*corev1.Node); ok {
				tc.NodeUpdated(node, nil)
			}
		},
	})
	return tc
}

func known(obj any) any {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return tombstone.Obj
	}
	return obj
}

// Run starts the controller's processes once the caches hold the cluster.
func (tc *Controller) Run(p *sim.Proc) {
	tc.broadcaster.StartRecordingToSink(tc.client)
	p.Logger().Info("Starting controller", "controller", Name)
	cache.WaitForCacheSync(p, tc.synced...)
	tc.component.Go("node-worker", func(p *sim.Proc) { run(p, tc.nodeUpdateQueue, tc.handleNodeUpdate) })
	tc.component.Go("pod-worker", func(p *sim.Proc) { run(p, tc.podUpdateQueue, tc.handlePodUpdate) })
}

func run[T comparable](p *sim.Proc, queue workqueue.TypedInterface[T], handle func(*sim.Proc, T)) {
	for {
		item, shutdown := queue.Get(p)
		if shutdown {
			return
		}
		handle(p, item)
		queue.Done(item)
	}
}

// PodUpdated queues a Pod whose node or tolerations are new, or that is gone.
func (tc *Controller) PodUpdated(old, cur *corev1.Pod) {
	pod := cur
	if cur == nil {
		pod = old
	} else if old != nil && old.Spec.NodeName == cur.Spec.NodeName && slices.EqualFunc(old.Spec.Tolerations, cur.Spec.Tolerations, sameToleration) {
		return
	}
	tc.podUpdateQueue.Add(podUpdateItem{types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, pod.Spec.NodeName})
}

// NodeUpdated queues a node whose NoExecute taints are new, or that is gone.
func (tc *Controller) NodeUpdated(old, cur *corev1.Node) {
	node := cur
	if cur == nil {
		node = old
	} else if old != nil && slices.EqualFunc(noExecuteTaints(old), noExecuteTaints(cur), sameTaint) {
		return
	}
	tc.nodeUpdateQueue.Add(node.Name)
}

func noExecuteTaints(node *corev1.Node) []corev1.Taint {
	var out []corev1.Taint
	for _, t := range node.Spec.Taints {
		if t.Effect == corev1.TaintEffectNoExecute {
			out = append(out, t)
		}
	}
	return out
}

func (tc *Controller) handleNodeUpdate(p *sim.Proc, name string) {
	log := p.Logger()
	node, err := tc.nodeLister.Get(name)
	if err != nil {
		if !apierrors.IsNotFound(err) {
			controller.HandleError(log, err, "cannot get node", "node", name)
			return
		}
		log.V(4).Info("Noticed node deletion", "node", name)
		delete(tc.taintedNodes, name)
		return
	}
	log.V(4).Info("Noticed node update", "node", name)
	taints := noExecuteTaints(node)
	log.V(4).Info("Updating known taints on node", "node", name, "taints", len(taints))
	if len(taints) == 0 {
		delete(tc.taintedNodes, name)
	} else {
		tc.taintedNodes[name] = taints
	}
	pods, err := controller.PodsOnNode(tc.podIndexer, name)
	if err != nil {
		log.Error(err, "Failed to get pods assigned to node", "node", name)
		return
	}
	if len(pods) == 0 {
		return
	}
	if len(taints) == 0 {
		log.V(4).Info("All taints were removed from the node. Cancelling all evictions...", "node", name)
	}
	for _, pod := range pods {
		tc.processPodOnNode(log, types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, name, pod.Spec.Tolerations, taints, p.Time())
	}
}

func (tc *Controller) handlePodUpdate(p *sim.Proc, item podUpdateItem) {
	log := p.Logger()
	pod, err := tc.podLister.Pods(item.pod.Namespace).Get(item.pod.Name)
	if err != nil {
		if !apierrors.IsNotFound(err) {
			controller.HandleError(log, err, "could not get pod", "pod", item.pod)
			return
		}
		log.V(4).Info("Noticed pod deletion", "pod", item.pod)
		tc.cancelWorkWithEvent(log, item.pod)
		return
	}
	if pod.Spec.NodeName != item.nodeName || pod.Spec.NodeName == "" {
		return // there is a newer item, or the Pod has no node yet
	}
	if log.Enabled() { // else 150,000 names are made for nobody
		log.V(4).Info("Noticed pod update", "pod", item.pod)
	}
	if taints, ok := tc.taintedNodes[pod.Spec.NodeName]; ok {
		tc.processPodOnNode(log, item.pod, pod.Spec.NodeName, pod.Spec.Tolerations, taints, p.Time())
	}
}

// processPodOnNode schedules a Pod's eviction, moves or cancels it. The time
// that a Pod tolerates counts from when its eviction was first scheduled.
func (tc *Controller) processPodOnNode(log sim.Logger, pod types.NamespacedName, nodeName string, tolerations []corev1.Toleration, taints []corev1.Taint,
	now time.Time) {
	if len(taints) == 0 {
		tc.cancelWorkWithEvent(log, pod)
		return
	}
	used, tolerated := controller.GetMatchingTolerations(taints, tolerations)
	if !tolerated {
		log.V(2).Info("Not all taints are tolerated after update for pod on node", "pod", pod, "node", nodeName)
		tc.cancelWorkWithEvent(log, pod)
		tc.taintEvictionQueue.AddWork(log, pod, now, now)
		return
	}
	after, limited := getMinTolerationTime(used)
	if !limited {
		log.V(4).Info("Current tolerations for pod tolerate forever, cancelling any scheduled deletion", "pod", pod)
		tc.cancelWorkWithEvent(log, pod)
		return
	}
	start := now
	if scheduled := tc.taintEvictionQueue.GetWorkerUnsafe(pod); scheduled != nil {
		start = scheduled.CreatedAt
		if start.Add(after).Equal(scheduled.FireAt) {
			return
		}
		tc.cancelWorkWithEvent(log, pod)
	}
	tc.taintEvictionQueue.AddWork(log, pod, start, start.Add(after))
}

// getMinTolerationTime is for how long the taints are tolerated; limited is
// false when it is for ever.
func getMinTolerationTime(used []corev1.Toleration) (after time.Duration, limited bool) {
	for i := range used {
		s := used[i].TolerationSeconds
		if s == nil {
			continue
		}
		d := max(0, time.Duration(*s)*time.Second)
		if !limited || d < after {
			after, limited = d, true
		}
	}
	return after, limited
}

func (tc *Controller) cancelWorkWithEvent(log sim.Logger, pod types.NamespacedName) {
	if tc.taintEvictionQueue.CancelWork(log, pod) {
		tc.recorder.Eventf(ref(pod), corev1.EventTypeNormal, "TaintManagerEviction", "Cancelling deletion of Pod %s", pod)
	}
}

func ref(pod types.NamespacedName) api.Object {
	return record.Ref(&corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name})
}

// deletePod evicts one Pod: it says why in the Pod's conditions, then deletes it.
// Upstream: taint_eviction.go, deletePodHandler.
func (tc *Controller) deletePod(p *sim.Proc, pod types.NamespacedName) (err error) {
	p.Logger().Info("Deleting pod", "controller", Name, "pod", pod)
	tc.recorder.Eventf(ref(pod), corev1.EventTypeNormal, "TaintManagerEviction", "Marking for deletion Pod %s", pod)
	for range retries {
		if err = tc.addConditionAndDeletePod(p, pod); err == nil {
			return nil
		}
		p.Sleep(retryPause)
	}
	return err
}

func (tc *Controller) addConditionAndDeletePod(p *sim.Proc, name types.NamespacedName) error {
	pods := tc.client.CoreV1().Pods(name.Namespace)
	pod, err := pods.Get(p, name.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := controller.PatchPodStatus(p, tc.client, pod, "", &corev1.PodCondition{
		Type:    corev1.DisruptionTarget,
		Status:  corev1.ConditionTrue,
		Reason:  "DeletionByTaintManager",
		Message: "Taint manager: deleting due to NoExecute taint",
	}); err != nil {
		return err
	}
	return pods.Delete(p, name.Name, metav1.DeleteOptions{})
}

func sameTaint(a, b corev1.Taint) bool {
	return controller.MatchTaint(&a, &b) && a.Value == b.Value && a.TimeAdded.Equal(b.TimeAdded)
}

func sameToleration(a, b corev1.Toleration) bool {
	if (a.TolerationSeconds == nil) != (b.TolerationSeconds == nil) || a.TolerationSeconds != nil && *a.TolerationSeconds != *b.TolerationSeconds {
		return false
	}
	return a.Key == b.Key && a.Operator == b.Operator && a.Value == b.Value && a.Effect == b.Effect
}
