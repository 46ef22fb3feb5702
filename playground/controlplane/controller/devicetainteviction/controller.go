// Package devicetainteviction deletes Pods that use a device with a NoExecute taint that their claim does not tolerate, at once, or when it
// tolerates it no longer. The time counts from when the taint was added, which the API server writes into the ResourceSlice.
//
// Absent: DeviceTaintRules, which Kubernetes 1.36 does not serve unless asked to (DRADeviceTaintRules), and metrics. As upstream, it looks at the
// claims that a Pod names, not at the one that the scheduler makes for extended resources.
//
// It is in the larger build alone. Upstream: pkg/controller/devicetainteviction.
package devicetainteviction

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resourceclaim"
	"kubewalk/playground/api/resourcev1"
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

// Name is the controller's component and the source of its Events.
const Name = "device-taint-eviction-controller"

// concurrentSyncs is how many Pods are deleted at a time. Upstream: --concurrent-device-taint-eviction-syncs.
const concurrentSyncs = 8

// maxUIDCacheEntries is how many evicted Pods are remembered. Upstream: the same name.
const maxUIDCacheEntries = 500

// Controller evicts Pods. Upstream: device_taint_eviction.go, Controller.
type Controller struct {
	component   *sim.Component
	client      *client.Clientset
	pods        listers.PodLister
	synced      []cache.InformerSynced
	broadcaster *record.EventBroadcaster
	recorder    record.EventRecorder
	queue       workqueue.TypedRateLimitingInterface[podRef]

	deletePodAt     map[podRef]*eviction
	evicted         []types.UID // the newest last: the cache may tell of them as they were
	allocatedClaims map[types.NamespacedName]*allocatedClaim
	pools           map[poolID]pool
}

// podRef is one Pod, not another one of its name. Upstream: tainteviction.NamespacedObject.
type podRef struct {
	types.NamespacedName
	uid types.UID
}

func refTo(pod *corev1.Pod) podRef {
	return podRef{types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, pod.UID}
}

// eviction is when a claim's Pods are deleted, and why: the devices' taints, sorted. Upstream: evictionAndReason.
type eviction struct {
	when   time.Time
	reason []string
}

// String is for the log.
func (e *eviction) String() string {
	return fmt.Sprintf("%s (%s)", e.when.Format(time.RFC3339), strings.Join(e.reason, ", "))
}

func (e *eviction) equal(o *eviction) bool {
	return e == o || e != nil && o != nil && e.when.Equal(o.when) && slices.Equal(e.reason, o.reason)
}

// allocatedClaim is a claim with devices, and whether it is affected by their taints.
type allocatedClaim struct {
	*resourcev1.ResourceClaim
	eviction *eviction
}

// New makes a controller of a component. The informers are not started here.
func New(c *sim.Component, cl *client.Clientset, factory informers.SharedInformerFactory) *Controller {
	pods, claims, slices := factory.Core().V1().Pods(), informers.ResourceClaims(factory), informers.ResourceSlices(factory)
	broadcaster := record.NewBroadcaster(c)
	tc := &Controller{component: c, client: cl, pods: pods.Lister(), broadcaster: broadcaster,
		recorder: broadcaster.NewRecorder(corev1.EventSource{Component: Name}),
		synced:   []cache.InformerSynced{pods.Informer().HasSynced, claims.Informer().HasSynced, slices.Informer().HasSynced},
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[podRef](c),
			workqueue.TypedRateLimitingQueueConfig[podRef]{Name: Name}),
		deletePodAt: map[podRef]*eviction{}, allocatedClaims: map[types.NamespacedName]*allocatedClaim{}, pools: map[poolID]pool{}}
	handle(claims.Informer(), tc.handleClaimChange)
	handle(pods.Informer(), tc.handlePodChange)
	handle(slices.Informer(), tc.handleSliceChange)
	return tc
}

// handle tells of every change in one way: nil is what is not there before or after.
func handle[T any](informer cache.SharedIndexInformer, changed func(oldObj, newObj *T)) {
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { changed(nil, obj.(*T)) },
		UpdateFunc: func(oldObj, newObj any) { changed(oldObj.(*T), newObj.(*T)) },
		DeleteFunc: func(obj any) {
			if d, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = d.Obj
			}
			if o, ok := obj.(*T); ok {
				changed(o, nil)
			}
		},
	}); err != nil {
		panic("devicetainteviction: " + err.Error()) // the informer has just been made
	}
}

// Run works once the caches hold the cluster.
func (tc *Controller) Run(p *sim.Proc) {
	p.Logger().Info("Starting", "controller", Name, "numWorkers", concurrentSyncs)
	tc.broadcaster.StartRecordingToSink(tc.client)
	if !cache.WaitForCacheSync(p, tc.synced...) {
		return
	}
	p.Logger().V(1).Info("Underlying informers have synced")
	for range concurrentSyncs {
		tc.component.Go("worker", tc.work)
	}
}

func (tc *Controller) work(p *sim.Proc) {
	for {
		ref, quit := tc.queue.Get(p)
		if quit {
			return
		}
		switch again, err := tc.maybeDeletePod(p, ref); {
		case err != nil:
			p.Logger().V(3).Info("Processing work item failed, will retry", "err", err)
			tc.queue.AddRateLimited(ref)
		case again > 0:
			p.Logger().V(5).Info("Checking work item again later", "delay", again)
			tc.queue.AddAfter(ref, again)
		default:
			tc.queue.Forget(ref)
		}
		tc.queue.Done(ref)
	}
}

// maybeDeletePod deletes a Pod whose time has come. Upstream: the same name.
func (tc *Controller) maybeDeletePod(p *sim.Proc, ref podRef) (again time.Duration, err error) {
	e, active := tc.deletePodAt[ref]
	if !active || slices.Contains(tc.evicted, ref.uid) {
		p.Logger().V(5).Info("Work item for pod deletion obsolete, nothing to do", "pod", ref)
		return 0, nil
	}
	if again = e.when.Sub(p.Time()); again > 0 {
		return again, nil
	}
	if err := tc.addConditionAndDeletePod(p, ref); err != nil && !apierrors.IsNotFound(err) {
		return 0, err
	} else if err == nil {
		p.Logger().V(2).Info("Evicted pod by deleting it", "pod", ref, "latency", p.Time().Sub(e.when), "reason", strings.Join(e.reason, ", "))
	}
	delete(tc.deletePodAt, ref)
	tc.evicted = append(tc.evicted, ref.uid)
	tc.evicted = tc.evicted[max(0, len(tc.evicted)-maxUIDCacheEntries):]
	return 0, nil
}

// addConditionAndDeletePod says why in the Pod's conditions, and deletes it. Upstream: the same name.
func (tc *Controller) addConditionAndDeletePod(p *sim.Proc, ref podRef) error {
	pods := tc.client.CoreV1().Pods(ref.Namespace)
	pod, err := pods.Get(p, ref.Name, metav1.GetOptions{})
	if err != nil || pod.UID != ref.uid || pod.DeletionTimestamp != nil {
		return err
	}
	tc.recorder.Eventf(eventRef(ref), corev1.EventTypeNormal, "DeviceTaintManagerEviction", "Marking for deletion")
	if err := controller.PatchPodStatus(p, tc.client, pod, "", &corev1.PodCondition{
		Type:    corev1.DisruptionTarget,
		Status:  corev1.ConditionTrue,
		Reason:  "DeletionByDeviceTaintManager",
		Message: "Device Taint manager: deleting due to NoExecute taint",
	}); err != nil {
		return err
	}
	return pods.Delete(p, ref.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &ref.uid}})
}

func eventRef(ref podRef) api.Object {
	return record.Ref(&corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: ref.Namespace, Name: ref.Name, UID: ref.uid})
}

func (tc *Controller) handleClaimChange(before, after *resourcev1.ResourceClaim) {
	if before != nil && after != nil && before.UID != after.UID {
		tc.handleClaimChange(before, nil)
		before = nil
	}
	claim := after
	if after == nil {
		claim = before
	}
	name := types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}
	known := tc.allocatedClaims[name]
	switch {
	case after == nil || after.Status.Allocation == nil:
		delete(tc.allocatedClaims, name)
		if known == nil {
			return
		}
	case before != nil && before.Status.Allocation != nil && known != nil:
		tc.allocatedClaims[name] = &allocatedClaim{claim, known.eviction}
	default:
		tc.allocatedClaims[name] = &allocatedClaim{claim, tc.claimEviction(claim)}
	}
	if before != nil && after != nil && !slices.Equal(before.Status.ReservedFor, after.Status.ReservedFor) {
		tc.handlePods(before)
	}
	tc.handlePods(claim)
}

// claimEviction is when a claim tolerates a taint of its devices no longer; nil is never. Upstream: claimEvictionTime.
func (tc *Controller) claimEviction(claim *resourcev1.ResourceClaim) (out *eviction) {
	for i := range claim.Status.Allocation.Devices.Results {
		r := &claim.Status.Allocation.Devices.Results[i]
		slice, device := tc.pools[poolID{r.Driver, r.Pool}].device(r.Device)
		if device == nil {
			continue
		}
		for j := range device.Taints {
			when, evicts := evictedAt(&device.Taints[j], r.Tolerations)
			if !evicts {
				continue
			}
			if out == nil {
				out = &eviction{when: when}
			}
			if when.Before(out.when) {
				out.when = when
			}
			out.because(fmt.Sprintf("ResourceSlice %s %s/%s/%s taint #%d", slice.Name, r.Driver, r.Pool, r.Device, j))
		}
	}
	return out
}

func (e *eviction) because(reasons ...string) {
	e.reason = slices.Compact(slices.Sorted(slices.Values(append(e.reason, reasons...))))
}

// evictedAt is when a taint is tolerated no longer, if it is not for ever: of several tolerations that which ends first counts.
func evictedAt(taint *resourcev1.DeviceTaint, tolerations []resourcev1.DeviceToleration) (when time.Time, evicts bool) {
	if taint.Effect != resourcev1.DeviceTaintEffectNoExecute {
		return when, false
	}
	var shortest *int64
	for i := range tolerations {
		t := &tolerations[i]
		if t.Effect != resourcev1.DeviceTaintEffectNoExecute || !resourceclaim.ToleratesTaint(t, taint) {
			continue
		}
		if t.TolerationSeconds == nil {
			return when, false
		}
		if shortest == nil || *t.TolerationSeconds < *shortest {
			shortest = t.TolerationSeconds
		}
	}
	if taint.TimeAdded != nil {
		when = taint.TimeAdded.Time
	}
	if shortest != nil {
		when = when.Add(time.Duration(max(0, *shortest)) * time.Second)
	}
	return when, true
}

func (tc *Controller) handleSliceChange(before, after *resourcev1.ResourceSlice) {
	of := after
	if after == nil {
		of = before
	}
	id := poolID{of.Spec.Driver, of.Spec.Pool.Name}
	slicesOf := tc.pools[id]
	was := slicesOf.taints()
	if slicesOf == nil {
		slicesOf = pool{}
		tc.pools[id] = slicesOf
	}
	if after == nil {
		delete(slicesOf, before.Name)
	} else {
		slicesOf[after.Name] = after
	}
	if len(slicesOf) == 0 {
		delete(tc.pools, id)
	}
	is := slicesOf.taints()
	changed := func(device string) bool { return !api.SemanticDeepEqual(was[device], is[device]) }
	for _, name := range slices.SortedFunc(maps.Keys(tc.allocatedClaims), func(a, b types.NamespacedName) int {
		return strings.Compare(a.String(), b.String())
	}) {
		claim := tc.allocatedClaims[name]
		if !slices.ContainsFunc(claim.Status.Allocation.Devices.Results, func(r resourcev1.DeviceRequestAllocationResult) bool {
			return r.Driver == id.driver && r.Pool == id.name && changed(r.Device)
		}) {
			continue
		}
		if e := tc.claimEviction(claim.ResourceClaim); !e.equal(claim.eviction) {
			claim.eviction = e
			tc.handlePods(claim.ResourceClaim)
		}
	}
}

func (tc *Controller) handlePodChange(before, after *corev1.Pod) {
	if after == nil {
		delete(tc.deletePodAt, refTo(before))
		return
	}
	if before != nil && before.Spec.NodeName == after.Spec.NodeName &&
		api.SemanticDeepEqual(before.Status.ResourceClaimStatuses, after.Status.ResourceClaimStatuses) {
		return
	}
	tc.handlePod(after)
}

// handlePods looks at the Pods that use a claim.
func (tc *Controller) handlePods(claim *resourcev1.ResourceClaim) {
	for _, consumer := range claim.Status.ReservedFor {
		if consumer.APIGroup != "" || consumer.Resource != "pods" {
			continue
		}
		if pod, found := tc.pods.Pods(claim.Namespace).Find(consumer.Name); found && pod.UID == consumer.UID {
			tc.handlePod(pod)
		}
	}
}

// handlePod puts a Pod down for deletion, or takes it off the list.
func (tc *Controller) handlePod(pod *corev1.Pod) {
	ref, e := refTo(pod), tc.podEviction(pod)
	if e != nil {
		tc.deletePodAt[ref] = e
		log := tc.component.Kernel().Logger().V(3)
		if delay := e.when.Sub(tc.component.Kernel().Time()); delay > 0 {
			log.Info("Adding delayed pod eviction", "pod", ref, "eviction", e, "delay", delay)
			tc.queue.AddAfter(ref, delay)
		} else {
			log.Info("Adding immediate pod eviction", "pod", ref, "eviction", e)
			tc.queue.Add(ref)
		}
		return
	}
	if tc.deletePodAt[ref] != nil {
		delete(tc.deletePodAt, ref)
		tc.recorder.Eventf(eventRef(ref), corev1.EventTypeNormal, "DeviceTaintManagerEviction", "Cancelling deletion")
		tc.component.Kernel().Logger().V(3).Info("Canceled pod eviction", "pod", ref)
	}
}

// podEviction is when a Pod has to go, because of any of its claims; nil is never. Upstream: podEvictionTime.
func (tc *Controller) podEviction(pod *corev1.Pod) (out *eviction) {
	if pod.Spec.NodeName == "" {
		return nil
	}
	for i := range pod.Spec.ResourceClaims {
		name, mustCheckOwner, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil || name == "" {
			continue
		}
		claim := tc.allocatedClaims[types.NamespacedName{Namespace: pod.Namespace, Name: name}]
		if claim == nil || claim.eviction == nil || !resourceclaim.IsReservedForPod(pod, claim.ResourceClaim) ||
			mustCheckOwner && resourceclaim.IsForPod(pod, claim.ResourceClaim) != nil {
			continue
		}
		if out == nil {
			out = &eviction{when: claim.eviction.when}
		}
		if claim.eviction.when.Before(out.when) {
			out.when = claim.eviction.when
		}
		out.because(claim.eviction.reason...)
	}
	return out
}
