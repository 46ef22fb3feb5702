// Package disruption is the disruption controller: it says, in the status of each
// PodDisruptionBudget, how many Pods may be evicted now.
//
// The API server asks that number for each eviction, and takes one off it at once
// (registry/eviction.go there), so that two evictions never share one. It also notes
// the Pod in status.disruptedPods: the Pod is as good as gone for this controller
// until it really is, or for two minutes.
//
// How many Pods there should be is asked of whatever made them: of the Deployment, not
// of its ReplicaSets, or of any other kind that has a scale. A budget with a
// number in minAvailable needs no such owner.
//
// When a budget cannot be calculated it allows nothing.
//
// The controller also takes back the condition DisruptionTarget from Pods that were to
// be disrupted and two minutes later still run.
//
// Absent: metrics.
//
// Upstream: pkg/controller/disruption.
package disruption

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component and the user agent of its requests.
const Name = "disruption-controller"

// eventSource is what its events say they come from. Upstream: disruption.go,
// NewDisruptionControllerInternal.
const eventSource = "controllermanager"

const (
	// DeletionTimeout is how long an evicted Pod counts as gone.
	DeletionTimeout = 2 * time.Minute
	// stalePodDisruptionTimeout is how long a Pod may be a target and run.
	stalePodDisruptionTimeout = 2 * time.Minute
)

var errTombstone = errors.New("couldn't get object from tombstone")

// DisruptionController syncs budgets with Pods. Upstream: disruption.go, DisruptionController.
type DisruptionController struct {
	kernel      *sim.Kernel
	component   *sim.Component
	kubeClient  *client.Clientset
	broadcaster *record.EventBroadcaster
	recorder    record.EventRecorder

	pdbLister listers.PodDisruptionBudgetLister
	selected  *controller.Selections // of budgets
	podLister listers.PodLister
	rcLister  listers.ReplicationControllerLister
	rsLister  listers.ReplicaSetLister
	dLister   listers.DeploymentLister
	ssLister  listers.StatefulSetLister
	synced    []cache.InformerSynced

	// queue holds the keys of budgets that have to be synced.
	queue workqueue.TypedRateLimitingInterface[string]
	// recheckQueue holds those that have to be at a certain time.
	recheckQueue workqueue.TypedDelayingInterface[string]
	// stalePodDisruptionQueue holds Pods with the condition DisruptionTarget.
	stalePodDisruptionQueue workqueue.TypedRateLimitingInterface[string]
}

// NewDisruptionController makes a controller of a component. The informers are not started here.
func NewDisruptionController(c *sim.Component, factory informers.SharedInformerFactory, kubeClient *client.Clientset) *DisruptionController {
	broadcaster := record.NewBroadcaster(c)
	pdbs, pods, rcs := factory.Policy().V1().PodDisruptionBudgets(), factory.Core().V1().Pods(), factory.Core().V1().ReplicationControllers()
	rss, ds, sss := factory.Apps().V1().ReplicaSets(), factory.Apps().V1().Deployments(), factory.Apps().V1().StatefulSets()
	limiter := func() workqueue.TypedRateLimiter[string] {
		return workqueue.DefaultTypedControllerRateLimiter[string](c)
	}
	dc := &DisruptionController{
		selected: controller.NewSelections(pods.Informer().GetIndexer()),
		kernel:   c.Kernel(), component: c, kubeClient: kubeClient,
		broadcaster: broadcaster, recorder: broadcaster.NewRecorder(corev1.EventSource{Component: eventSource}),
		pdbLister: pdbs.Lister(), podLister: pods.Lister(), rcLister: rcs.Lister(), rsLister: rss.Lister(), dLister: ds.Lister(), ssLister: sss.Lister(),
		synced: []cache.InformerSynced{pdbs.Informer().HasSynced, pods.Informer().HasSynced, rcs.Informer().HasSynced,
			rss.Informer().HasSynced, ds.Informer().HasSynced, sss.Informer().HasSynced},
		queue:        workqueue.NewTypedRateLimitingQueueWithConfig(c, limiter(), workqueue.TypedRateLimitingQueueConfig[string]{Name: "disruption"}),
		recheckQueue: workqueue.NewTypedDelayingQueueWithConfig[string](c, workqueue.TypedDelayingQueueConfig{Name: "disruption_recheck"}),
		stalePodDisruptionQueue: workqueue.NewTypedRateLimitingQueueWithConfig(c, limiter(),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "stale_pod_disruption"}),
	}
	pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { dc.podChanged(obj.(*corev1.Pod)) },
		UpdateFunc: func(_, obj any) { dc.podChanged(obj.(*corev1.Pod)) },
		DeleteFunc: dc.deletePod,
	})
	pdbs.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { dc.enqueuePdb(obj.(*policyv1.PodDisruptionBudget)) },
		UpdateFunc: func(_, obj any) { dc.enqueuePdb(obj.(*policyv1.PodDisruptionBudget)) },
		DeleteFunc: func(obj any) {
			if pdb, ok := obj.(*policyv1.PodDisruptionBudget); ok {
				dc.enqueuePdb(pdb)
			} else if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				dc.queue.Add(tombstone.Key)
			}
		},
	})
	return dc
}

// Run starts the workers once the caches hold the cluster.
func (dc *DisruptionController) Run(p *sim.Proc) {
	dc.broadcaster.StartRecordingToSink(dc.kubeClient)
	p.Logger().Info("Starting disruption controller")
	if !cache.WaitForCacheSync(p, dc.synced...) {
		return
	}
	dc.component.Go("worker", func(p *sim.Proc) { dc.work(p, dc.queue, dc.sync) })
	dc.component.Go("stale-pod-disruption-worker", func(p *sim.Proc) { dc.work(p, dc.stalePodDisruptionQueue, dc.syncStalePodDisruption) })
	dc.component.Go("recheck-worker", func(p *sim.Proc) {
		for {
			key, quit := dc.recheckQueue.Get(p)
			if quit {
				return
			}
			dc.queue.AddRateLimited(key)
			dc.recheckQueue.Done(key)
		}
	})
}

func (dc *DisruptionController) work(p *sim.Proc, queue workqueue.TypedRateLimitingInterface[string], sync func(p *sim.Proc, key string) error) {
	for {
		key, quit := queue.Get(p)
		if quit {
			return
		}
		if err := sync(p, key); err != nil {
			controller.HandleError(p.Logger(), err, "Error syncing, requeuing", "key", key)
			queue.AddRateLimited(key)
		} else {
			queue.Forget(key)
		}
		queue.Done(key)
	}
}

func (dc *DisruptionController) enqueuePdb(pdb *policyv1.PodDisruptionBudget) {
	dc.queue.Add(controller.KeyFunc(pdb))
}

func (dc *DisruptionController) podChanged(pod *corev1.Pod) {
	if pdb := dc.getPdbForPod(pod); pdb != nil {
		dc.kernel.Logger().V(4).Info("Pod changed", "pod", controller.KObj(pod), "podDisruptionBudget", controller.KObj(pdb))
		dc.enqueuePdb(pdb)
	}
	if has, after := dc.staleDisruptionCondition(pod); has {
		dc.stalePodDisruptionQueue.AddAfter(controller.KeyFunc(pod), after)
	}
}

func (dc *DisruptionController) deletePod(obj any) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		tombstone, _ := obj.(cache.DeletedFinalStateUnknown)
		if pod, ok = tombstone.Obj.(*corev1.Pod); !ok {
			dc.kernel.Logger().Error(errTombstone, "Unexpected object in delete handler")
			return
		}
	}
	if pdb := dc.getPdbForPod(pod); pdb != nil {
		dc.enqueuePdb(pdb)
	}
}

// getPdbForPod returns the first budget that covers a Pod. More than one is a
// mistake: such a Pod cannot be evicted.
func (dc *DisruptionController) getPdbForPod(pod *corev1.Pod) *policyv1.PodDisruptionBudget {
	all, err := dc.pdbLister.PodDisruptionBudgets(pod.Namespace).List(labels.Everything())
	if err != nil {
		return nil
	}
	var chosen *policyv1.PodDisruptionBudget
	for _, pdb := range all {
		selector, err := labels.LabelSelectorAsSelector(pdb.Spec.Selector)
		if err != nil || !selector.Matches(labels.Set(pod.Labels)) {
			continue
		}
		if chosen == nil {
			chosen = pdb
			continue
		}
		dc.kernel.Logger().Info("Pod matches multiple PodDisruptionBudgets", "pod", controller.KObj(pod), "chosen", controller.KObj(chosen))
		dc.recorder.Eventf(pod, corev1.EventTypeWarning, "MultiplePodDisruptionBudgets", "Pod %q/%q matches multiple PodDisruptionBudgets.  Chose %q arbitrarily.",
			pod.Namespace, pod.Name, chosen.Name)
		break
	}
	return chosen
}

func (dc *DisruptionController) getPodsForPdb(pdb *policyv1.PodDisruptionBudget) ([]*corev1.Pod, error) {
	selector, err := labels.LabelSelectorAsSelector(pdb.Spec.Selector)
	if err != nil {
		return nil, err
	}
	of := dc.selected.Of(pdb.Namespace, pdb.Name, selector)
	of.Settle()
	return of.Pods(), nil
}

// sync calculates one budget. Upstream: disruption.go, sync.
func (dc *DisruptionController) sync(p *sim.Proc, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	pdb, err := dc.pdbLister.PodDisruptionBudgets(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		p.Logger().V(1).Info("PodDisruptionBudget has been deleted", "podDisruptionBudget", key)
		dc.selected.Forget(namespace, name)
		return nil
	}
	if err != nil {
		return err
	}
	err = dc.trySync(p, pdb)
	if err == nil || apierrors.IsConflict(err) {
		return err // the API server has just allowed an eviction: the next sync sees it
	}
	p.Logger().Error(err, "Failed to sync PDB", "podDisruptionBudget", key)
	return dc.failSafe(p, pdb, err)
}

func (dc *DisruptionController) trySync(p *sim.Proc, pdb *policyv1.PodDisruptionBudget) error {
	pods, err := dc.getPodsForPdb(pdb)
	if err != nil {
		dc.recorder.Eventf(pdb, corev1.EventTypeWarning, "NoPods", "Failed to get pods: %v", err)
		return err
	}
	if len(pods) == 0 {
		dc.recorder.Eventf(pdb, corev1.EventTypeNormal, "NoPods", "No matching pods found")
	}
	expected, desiredHealthy, unmanaged, err := dc.getExpectedPodCount(p, pdb, pods)
	if err != nil {
		dc.recorder.Eventf(pdb, corev1.EventTypeWarning, "CalculateExpectedPodCountFailed", "Failed to calculate the number of expected pods: %v", err)
		return err
	}
	if len(unmanaged) > 0 {
		p.Logger().V(4).Info("Found unmanaged pods associated with this PDB", "pods", unmanaged, "podDisruptionBudget", controller.KObj(pdb))
		dc.recorder.Eventf(pdb, corev1.EventTypeWarning, "UnmanagedPods", "Pods selected by this PodDisruptionBudget (selector: %v) were found "+
			"to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. "+
			"To account for these pods please set \".spec.minAvailable\" field of the PDB to an integer value.", selectorText(pdb.Spec.Selector))
	}
	now := p.Time()
	disrupted, recheck := dc.buildDisruptedPodMap(p, pods, pdb, now)
	healthy := countHealthyPods(pods, disrupted, now)
	p.Logger().V(2).Info("Calculated a budget", "podDisruptionBudget", controller.KObj(pdb), "pods", len(pods), "expectedPods", expected,
		"currentHealthy", healthy, "desiredHealthy", desiredHealthy, "disruptedPods", len(disrupted), "disruptionsAllowed",
		allowed(healthy, desiredHealthy, expected))
	if err := dc.updatePdbStatus(p, pdb, healthy, desiredHealthy, expected, disrupted); err != nil {
		return err
	}
	if !recheck.IsZero() {
		dc.recheckQueue.AddAfter(controller.KeyFunc(pdb), recheck.Sub(now))
	}
	return nil
}

// countHealthyPods counts the Pods that are ready and will stay.
func countHealthyPods(pods []*corev1.Pod, disrupted map[string]metav1.Time, now time.Time) (n int32) {
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil {
			continue
		}
		if t, found := disrupted[pod.Name]; found && t.Add(DeletionTimeout).After(now) {
			continue
		}
		if controller.IsPodReady(pod) {
			n++
		}
	}
	return n
}

// buildDisruptedPodMap keeps those evicted Pods that are still there and still
// have time to go, and returns when the first of them has none.
func (dc *DisruptionController) buildDisruptedPodMap(p *sim.Proc, pods []*corev1.Pod, pdb *policyv1.PodDisruptionBudget,
	now time.Time) (result map[string]metav1.Time, recheck time.Time) {
	if len(pdb.Status.DisruptedPods) == 0 {
		return nil, recheck
	}
	for _, pod := range pods {
		t, found := pdb.Status.DisruptedPods[pod.Name]
		if pod.DeletionTimestamp != nil || !found {
			continue
		}
		expectedDeletion := t.Add(DeletionTimeout)
		if expectedDeletion.Before(now) {
			p.Logger().V(1).Info("pod was expected to be deleted but it wasn't, updating PDB", "pod", controller.KObj(pod), "podDisruptionBudget", controller.KObj(pdb))
			dc.recorder.Eventf(pod, corev1.EventTypeWarning, "NotDeleted", "Pod was expected by PDB %s/%s to be deleted but it wasn't", pdb.Namespace, pdb.Name)
			continue
		}
		if recheck.IsZero() || expectedDeletion.Before(recheck) {
			recheck = expectedDeletion
		}
		if result == nil {
			result = map[string]metav1.Time{}
		}
		result[pod.Name] = t
	}
	return result, recheck
}

// selectorText prints a selector as the generated LabelSelector.String upstream does.
func selectorText(s *metav1.LabelSelector) string {
	if s == nil {
		return "nil"
	}
	text := "&LabelSelector{MatchLabels:map[string]string{"
	for _, k := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		text += k + ": " + s.MatchLabels[k] + ","
	}
	text += "},MatchExpressions:[]LabelSelectorRequirement{"
	for _, r := range s.MatchExpressions {
		text += fmt.Sprintf("LabelSelectorRequirement{Key:%s,Operator:%s,Values:%v,},", r.Key, r.Operator, r.Values)
	}
	return text + "},}"
}
