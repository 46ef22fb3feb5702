package podautoscaler

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/podautoscaler/metrics"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component, the user agent of its requests, and the
// source of its events.
const Name = "horizontal-pod-autoscaler"

// Upstream: podautoscaler/config/v1alpha1/defaults.go, and the flags
// --horizontal-pod-autoscaler-*.
const (
	concurrentHPASyncs            = 5
	syncPeriod                    = 15 * time.Second
	downscaleStabilisationWindow  = 5 * time.Minute
	tolerance                     = 100 // thousandths
	cpuInitializationPeriod       = 5 * time.Minute
	delayOfInitialReadinessStatus = 30 * time.Second
	scaleUpLimitFactor            = 2
	scaleUpLimitMinimum           = 4
)

// HorizontalController scales. Upstream: horizontal.go, HorizontalController.
type HorizontalController struct {
	kernel      *sim.Kernel
	component   *sim.Component
	kubeClient  *client.Clientset
	broadcaster *record.EventBroadcaster
	recorder    record.EventRecorder
	replicaCalc ReplicaCalculator

	hpaLister listers.HorizontalPodAutoscalerLister
	podLister listers.PodLister
	synced    []cache.InformerSynced

	// queue holds keys; each waits 15 s in it.
	queue workqueue.TypedRateLimitingInterface[string]

	// By key: what metrics asked for, and what was done, newest last.
	recommendations map[string][]timestampedRecommendation
	scaleUpEvents   map[string][]timestampedScaleEvent
	scaleDownEvents map[string][]timestampedScaleEvent
	// hpaSelectors are of the targets' Pods: two autoscalers must not share one.
	hpaSelectors map[string]labels.Selector
}

// NewHorizontalController makes a controller of a component. The informers are not
// started here. metricsAPI may be nil: then nobody serves metrics.
func NewHorizontalController(c *sim.Component, kubeClient *client.Clientset, metricsAPI metrics.API,
	hpaInformer informers.HorizontalPodAutoscalerInformer, podInformer informers.PodInformer) *HorizontalController {
	broadcaster := record.NewBroadcaster(c)
	a := &HorizontalController{
		kernel: c.Kernel(), component: c, kubeClient: kubeClient,
		broadcaster: broadcaster, recorder: broadcaster.NewRecorder(corev1.EventSource{Component: Name}),
		hpaLister: hpaInformer.Lister(), podLister: podInformer.Lister(),
		synced: []cache.InformerSynced{hpaInformer.Informer().HasSynced, podInformer.Informer().HasSynced},
		queue: workqueue.NewTypedRateLimitingQueueWithConfig[string](c, fixedItemIntervalRateLimiter{syncPeriod},
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "horizontalpodautoscaler"}),
		recommendations: map[string][]timestampedRecommendation{},
		scaleUpEvents:   map[string][]timestampedScaleEvent{},
		scaleDownEvents: map[string][]timestampedScaleEvent{},
		hpaSelectors:    map[string]labels.Selector{},
	}
	a.replicaCalc = ReplicaCalculator{metrics.Client{Transport: kubeClient.Transport(), API: metricsAPI}, a.podLister, cpuInitializationPeriod,
		delayOfInitialReadinessStatus}
	enqueue := func(hpa *autoscalingv2.HorizontalPodAutoscaler) { a.queue.AddRateLimited(controller.KeyFunc(hpa)) }
	hpaInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { enqueue(obj.(*autoscalingv2.HorizontalPodAutoscaler)) },
		UpdateFunc: func(_, obj any) { enqueue(obj.(*autoscalingv2.HorizontalPodAutoscaler)) },
		DeleteFunc: a.deleteHPA,
	})
	return a
}

// fixedItemIntervalRateLimiter makes every item wait as long.
// Upstream: rate_limiters.go, FixedItemIntervalRateLimiter.
type fixedItemIntervalRateLimiter struct{ interval time.Duration }

func (r fixedItemIntervalRateLimiter) When(string) time.Duration { return r.interval }
func (r fixedItemIntervalRateLimiter) Forget(string)             {}
func (r fixedItemIntervalRateLimiter) NumRequeues(string) int    { return 1 }

// Run starts the workers once the caches hold the cluster.
func (a *HorizontalController) Run(p *sim.Proc) {
	a.broadcaster.StartRecordingToSink(a.kubeClient)
	p.Logger().Info("Starting HPA controller")
	if !cache.WaitForCacheSync(p, a.synced...) {
		return
	}
	for i := range concurrentHPASyncs {
		a.component.Go(fmt.Sprintf("worker-%d", i+1), func(p *sim.Proc) {
			for a.processNextWorkItem(p) {
			}
		})
	}
}

func (a *HorizontalController) deleteHPA(obj any) {
	key := ""
	switch o := obj.(type) {
	case *autoscalingv2.HorizontalPodAutoscaler:
		key = controller.KeyFunc(o)
	case cache.DeletedFinalStateUnknown:
		key = o.Key
	}
	a.queue.Forget(key)
	delete(a.recommendations, key)
	delete(a.scaleUpEvents, key)
	delete(a.scaleDownEvents, key)
	delete(a.hpaSelectors, key)
}

// processNextWorkItem has every autoscaler back in 15 s, whatever came of it.
func (a *HorizontalController) processNextWorkItem(p *sim.Proc) bool {
	key, quit := a.queue.Get(p)
	if quit {
		return false
	}
	deleted, err := a.reconcileKey(p, key)
	controller.HandleError(p.Logger(), err, "Error reconciling", "HPA", key)
	if !deleted {
		a.queue.AddRateLimited(key)
	}
	a.queue.Done(key)
	return true
}

func (a *HorizontalController) reconcileKey(p *sim.Proc, key string) (deleted bool, err error) {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return true, err
	}
	hpa, err := a.hpaLister.HorizontalPodAutoscalers(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		p.Logger().Info("Horizontal Pod Autoscaler has been deleted", "HPA", key)
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, a.reconcileAutoscaler(p, hpa.DeepCopy(), key)
}

// reconcileAutoscaler looks at one autoscaler and scales its target if that is due.
// hpa is a copy. Upstream: horizontal.go, reconcileAutoscaler.
func (a *HorizontalController) reconcileAutoscaler(p *sim.Proc, hpa *autoscalingv2.HorizontalPodAutoscaler, key string) error {
	before := hpa.Status.DeepCopy()
	ref := &hpa.Spec.ScaleTargetRef
	reference := fmt.Sprintf("%s/%s/%s", ref.Kind, hpa.Namespace, ref.Name)
	scale, resource, err := a.scaleFor(p, hpa.Namespace, ref)
	if err != nil {
		a.recorder.Event(hpa, corev1.EventTypeWarning, "FailedGetScale", err.Error())
		setCondition(p, hpa, autoscalingv2.AbleToScale, corev1.ConditionFalse, "FailedGetScale",
			"the HPA controller was unable to get the target's current scale: "+err.Error())
		a.writeAnyway(p, before, hpa)
		return fmt.Errorf("failed to query scale subresource for %s: %v", reference, err)
	}
	setCondition(p, hpa, autoscalingv2.AbleToScale, corev1.ConditionTrue, "SucceededGetScale", "the HPA controller was able to get the target's current scale")
	current, minReplicas := scale.Spec.Replicas, int32(1)
	if hpa.Spec.MinReplicas != nil {
		minReplicas = *hpa.Spec.MinReplicas
	}
	if a.recommendations[key] == nil {
		a.recommendations[key] = []timestampedRecommendation{{current, p.Time()}}
	}

	var statuses []autoscalingv2.MetricStatus
	var partial error
	desired, rescale, reason := int32(0), true, ""
	switch {
	case current == 0 && minReplicas != 0:
		rescale = false
		setCondition(p, hpa, autoscalingv2.ScalingActive, corev1.ConditionFalse, "ScalingDisabled",
			"scaling is disabled since the replica count of the target is zero")
	case current > hpa.Spec.MaxReplicas:
		desired, reason = hpa.Spec.MaxReplicas, "Current number of replicas above Spec.MaxReplicas"
	case current < minReplicas:
		desired, reason = minReplicas, "Current number of replicas below Spec.MinReplicas"
	default:
		var metric string
		var valid bool
		desired, metric, statuses, valid, partial = a.computeReplicasForMetrics(p, hpa, scale)
		if !valid {
			a.setStatus(p, hpa, current, hpa.Status.DesiredReplicas, statuses, false)
			a.writeAnyway(p, before, hpa)
			a.recorder.Event(hpa, corev1.EventTypeWarning, "FailedComputeMetricsReplicas", partial.Error())
			return fmt.Errorf("failed to compute desired number of replicas based on listed metrics for %s: %v", reference, partial)
		}
		p.Logger().V(2).Info("Proposing desired replicas", "scaleTarget", reference, "currentReplicas", current, "desiredReplicas", desired, "metric", metric)
		if desired > current {
			reason = metric + " above target"
		} else if desired < current {
			reason = "All metrics below target"
		}
		if hpa.Spec.Behavior == nil {
			desired = a.normalizeDesiredReplicas(p, hpa, key, current, desired, minReplicas)
		} else {
			desired = a.normalizeDesiredReplicasWithBehaviors(p, hpa, key, current, desired, minReplicas)
		}
		rescale = desired != current
	}

	if rescale {
		if err := a.rescale(p, hpa, resource, scale, desired, reason); err != nil {
			a.setStatus(p, hpa, current, hpa.Status.DesiredReplicas, statuses, false)
			a.writeAnyway(p, before, hpa)
			return fmt.Errorf("failed to rescale %s: %v", reference, err)
		}
		a.storeScaleEvent(p, hpa.Spec.Behavior, key, current, desired)
		p.Logger().Info("Successfully rescaled", "HPA", key, "currentReplicas", current, "desiredReplicas", desired, "reason", reason)
	} else {
		p.Logger().V(4).Info("Decided not to scale", "scaleTarget", reference, "desiredReplicas", desired, "currentReplicas", current)
		desired = current
	}
	a.setStatus(p, hpa, current, desired, statuses, rescale)
	if err := a.updateStatusIfNeeded(p, before, hpa); err != nil {
		return err
	}
	return partial
}

func (a *HorizontalController) rescale(p *sim.Proc, hpa *autoscalingv2.HorizontalPodAutoscaler, resource api.GroupVersionResource, scale *autoscalingv1.Scale,
	desired int32, reason string) error {
	scale = scale.DeepCopy()
	scale.Spec.Replicas = desired
	_, err := a.kubeClient.Transport().Do(p, &client.Request{Verb: client.Update, Resource: resource, Namespace: scale.Namespace, Name: scale.Name,
		Subresource: "scale", Object: scale})
	if err != nil {
		a.recorder.Eventf(hpa, corev1.EventTypeWarning, "FailedRescale", "New size: %d; reason: %s; error: %v", desired, reason, err)
		setCondition(p, hpa, autoscalingv2.AbleToScale, corev1.ConditionFalse, "FailedUpdateScale",
			"the HPA controller was unable to update the target scale: "+err.Error())
		return err
	}
	setCondition(p, hpa, autoscalingv2.AbleToScale, corev1.ConditionTrue, "SucceededRescale",
		fmt.Sprintf("the HPA controller was able to update the target scale to %d", desired))
	a.recorder.Eventf(hpa, corev1.EventTypeNormal, "SuccessfulRescale", "New size: %d; reason: %s", desired, reason)
	return nil
}

// scaleFor reads the scale of the target. Upstream: scaleForResourceMappings.
func (a *HorizontalController) scaleFor(p *sim.Proc, namespace string, ref *autoscalingv2.CrossVersionObjectReference) (*autoscalingv1.Scale,
	api.GroupVersionResource, error) {
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	kind := a.kubeClient.Transport().Kinds().For(gvk)
	if kind == nil {
		return nil, api.GroupVersionResource{}, fmt.Errorf("no matches for kind %q in group %q", gvk.Kind, gvk.Group)
	}
	resource := kind.GroupVersionResource()
	if _, scalable := kind.Subresource("scale"); !scalable {
		return nil, resource, errors.New("the server could not find the requested resource")
	}
	scale, err := client.As[*autoscalingv1.Scale](a.kubeClient.Transport().Do(p, &client.Request{Verb: client.Get,
		Resource: resource, Namespace: namespace, Name: ref.Name, Subresource: "scale"}))
	return scale, resource, err
}

// validateAndParseSelector reads the selector of the scale's Pods. Two autoscalers
// over the same Pods would work against each other: neither does then.
func (a *HorizontalController) validateAndParseSelector(p *sim.Proc, hpa *autoscalingv2.HorizontalPodAutoscaler, text string) (labels.Selector, error) {
	fail := func(reason, event, condition string) error {
		a.recorder.Event(hpa, corev1.EventTypeWarning, reason, event)
		if reason == "SelectorRequired" {
			reason = "InvalidSelector"
		}
		setCondition(p, hpa, autoscalingv2.ScalingActive, corev1.ConditionFalse, reason, condition)
		return errors.New(event)
	}
	if text == "" {
		return nil, fail("SelectorRequired", "selector is required", "the HPA target's scale is missing a selector")
	}
	selector, err := labels.Parse(text)
	if err != nil {
		message := fmt.Sprintf("couldn't convert selector into a corresponding internal selector object: %v", err)
		return nil, fail("InvalidSelector", message, message)
	}
	pods, err := a.podLister.Pods(hpa.Namespace).List(selector)
	if err != nil {
		return nil, err
	}
	a.hpaSelectors[controller.KeyFunc(hpa)] = selector
	if others := a.hpasControllingPodsUnderSelector(hpa.Namespace, pods); len(others) > 1 {
		message := fmt.Sprintf("pods by selector %v are controlled by multiple HPAs: %v", text, others)
		return nil, fail("AmbiguousSelector", message, message)
	}
	return selector, nil
}

// hpasControllingPodsUnderSelector lists the autoscalers of the namespace whose
// targets were last seen to select one of the Pods, by name.
// Upstream keeps the selectors in a BiMultimap.
func (a *HorizontalController) hpasControllingPodsUnderSelector(namespace string, pods []*corev1.Pod) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(a.hpaSelectors)) {
		if !strings.HasPrefix(key, namespace+"/") {
			continue
		}
		for _, pod := range pods {
			if a.hpaSelectors[key].Matches(labels.Set(pod.Labels)) {
				out = append(out, key)
				break
			}
		}
	}
	return out
}

func (a *HorizontalController) setStatus(p *sim.Proc, hpa *autoscalingv2.HorizontalPodAutoscaler, current, desired int32, statuses []autoscalingv2.MetricStatus,
	rescaled bool) {
	s := &hpa.Status
	s.CurrentReplicas, s.DesiredReplicas, s.CurrentMetrics = current, desired, statuses
	if rescaled {
		t := metav1.NewTime(p.Time())
		s.LastScaleTime = &t
	}
}

// writeAnyway writes the status of an attempt that failed.
func (a *HorizontalController) writeAnyway(p *sim.Proc, before *autoscalingv2.HorizontalPodAutoscalerStatus, hpa *autoscalingv2.HorizontalPodAutoscaler) {
	controller.HandleError(p.Logger(), a.updateStatusIfNeeded(p, before, hpa), "Failed to update status", "HPA", controller.KObj(hpa))
}

func (a *HorizontalController) updateStatusIfNeeded(p *sim.Proc, before *autoscalingv2.HorizontalPodAutoscalerStatus,
	hpa *autoscalingv2.HorizontalPodAutoscaler) error {
	if api.SemanticDeepEqual(*before, hpa.Status) {
		return nil
	}
	if _, err := a.kubeClient.AutoscalingV2().HorizontalPodAutoscalers(hpa.Namespace).UpdateStatus(p, hpa.DeepCopy(), metav1.UpdateOptions{}); err != nil {
		a.recorder.Event(hpa, corev1.EventTypeWarning, "FailedUpdateStatus", err.Error())
		return fmt.Errorf("failed to update status for %s: %v", hpa.Name, err)
	}
	return nil
}

// setCondition makes a condition say so. The time of transition moves only with
// its status. Upstream: horizontal.go, setConditionInList.
func setCondition(p *sim.Proc, hpa *autoscalingv2.HorizontalPodAutoscaler, t autoscalingv2.HorizontalPodAutoscalerConditionType, status corev1.ConditionStatus,
	reason, message string) {
	list := &hpa.Status.Conditions
	for i := range *list {
		if c := &(*list)[i]; c.Type == t {
			if c.Status != status {
				c.LastTransitionTime = metav1.NewTime(p.Time())
			}
			c.Status, c.Reason, c.Message = status, reason, message
			return
		}
	}
	*list = append(*list, autoscalingv2.HorizontalPodAutoscalerCondition{Type: t, Status: status, Reason: reason, Message: message,
		LastTransitionTime: metav1.NewTime(p.Time())})
}
