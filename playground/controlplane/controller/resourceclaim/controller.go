// Package resourceclaim makes ResourceClaims for Pods that name a ResourceClaimTemplate, writes into their status how the claims are called,
// reserves claims for Pods that have a node already, and takes from claims the Pods that use them no longer, and then what was allocated.
//
// What the scheduler claimed for a Pod's extended resources it takes back with the Pod.
//
// Absent: claims of PodGroups, which Kubernetes 1.36 does not serve unless asked to (DRAWorkloadResourceClaims), and metrics.
//
// Upstream: pkg/controller/resourceclaim/controller.go.
package resourceclaim

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	claims "kubewalk/playground/api/resourceclaim"
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

// Name is the controller's component.
const Name = "resource-claim-controller"

// Names of indexes, the prefixes of keys, and who owns what is applied to Pods.
const (
	podResourceClaimIndex         = "podResourceClaim"
	podResourceClaimTemplateIndex = "podResourceClaimTemplate"
	claimPodOwnerIndex            = "claimPodOwner"
	claimKeyPrefix                = "claim:"
	podKeyPrefix                  = "pod:"
	fieldManager                  = "ResourceClaimController"
	maxUIDCacheEntries            = 500
)

// Controller makes claims for Pods.
type Controller struct {
	component   *sim.Component
	client      *client.Clientset
	claims      listers.ResourceClaimLister
	claimIndex  cache.Indexer
	templates   listers.ResourceClaimTemplateLister
	pods        listers.PodLister
	podIndex    cache.Indexer
	synced      []cache.InformerSynced
	broadcaster *record.EventBroadcaster
	recorder    record.EventRecorder
	queue       workqueue.TypedRateLimitingInterface[string]
	deleted     []types.UID // Pods that are known to be gone, the newest last
	// made are claims that may not be in the cache yet. Upstream: the MutationCache.
	made map[types.UID][]*resourcev1.ResourceClaim
}

// NewController makes a controller of a component. The informers are not started here.
func NewController(c *sim.Component, cl *client.Clientset, factory informers.SharedInformerFactory) *Controller {
	pods, claims, templates := factory.Core().V1().Pods(), informers.ResourceClaims(factory), informers.ResourceClaimTemplates(factory)
	broadcaster := record.NewBroadcaster(c)
	ec := &Controller{component: c, client: cl, claims: claims.Lister(), claimIndex: claims.Informer().GetIndexer(), templates: templates.Lister(),
		pods: pods.Lister(), podIndex: pods.Informer().GetIndexer(), broadcaster: broadcaster,
		recorder: broadcaster.NewRecorder(corev1.EventSource{Component: "resource_claim"}),
		synced:   []cache.InformerSynced{pods.Informer().HasSynced, claims.Informer().HasSynced, templates.Informer().HasSynced},
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "resource_claim"}),
		made: map[types.UID][]*resourcev1.ResourceClaim{}}
	pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { ec.enqueuePod(obj, false) },
		UpdateFunc: func(_, obj any) { ec.enqueuePod(obj, false) },
		DeleteFunc: func(obj any) { ec.enqueuePod(obj, true) },
	})
	claims.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { ec.enqueueResourceClaim(obj, false) },
		UpdateFunc: func(_, obj any) { ec.enqueueResourceClaim(obj, false) },
		DeleteFunc: func(obj any) { ec.enqueueResourceClaim(obj, true) },
	})
	templates.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: ec.enqueueTemplate, UpdateFunc: func(_, obj any) { ec.enqueueTemplate(obj) }})
	for indexer, indexes := range map[cache.Indexer]cache.Indexers{ // order: each has its own
		ec.podIndex:   {podResourceClaimIndex: podResourceClaims, podResourceClaimTemplateIndex: podResourceClaimTemplates},
		ec.claimIndex: {claimPodOwnerIndex: claimPodOwner},
	} {
		if err := indexer.AddIndexers(indexes); err != nil {
			panic("resourceclaim: " + err.Error()) // nobody else has indexes of these names
		}
	}
	return ec
}

func podResourceClaims(obj any) ([]string, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil, nil
	}
	keys := map[string]bool{}
	for i := range pod.Spec.ResourceClaims {
		if name, _, err := claims.Name(pod, &pod.Spec.ResourceClaims[i]); err == nil && name != "" {
			keys[pod.Namespace+"/"+name] = true
		}
	}
	return slices.Sorted(maps.Keys(keys)), nil
}

func podResourceClaimTemplates(obj any) ([]string, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil, nil
	}
	keys := map[string]bool{}
	for _, c := range pod.Spec.ResourceClaims {
		if c.ResourceClaimTemplateName != nil {
			keys[pod.Namespace+"/"+*c.ResourceClaimTemplateName] = true
		}
	}
	return slices.Sorted(maps.Keys(keys)), nil
}

func claimPodOwner(obj any) ([]string, error) {
	claim, ok := obj.(*resourcev1.ResourceClaim)
	if !ok {
		return nil, nil
	}
	if _, uid := owningPod(claim); uid != "" {
		return []string{string(uid)}, nil
	}
	return nil, nil
}

func (ec *Controller) enqueueTemplate(obj any) {
	if t, ok := obj.(*resourcev1.ResourceClaimTemplate); ok {
		ec.enqueuePods(podResourceClaimTemplateIndex, t.Namespace+"/"+t.Name)
	}
}

func (ec *Controller) enqueuePods(index, value string) {
	pods, _ := ec.podIndex.ByIndex(index, value) // the error is that there is no such index
	for _, pod := range pods {
		ec.enqueuePod(pod, false)
	}
}

func (ec *Controller) enqueueResourceClaim(obj any, deleted bool) {
	if d, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = d.Obj
	}
	claim, ok := obj.(*resourcev1.ResourceClaim)
	if !ok {
		return
	}
	if _, uid := owningPod(claim); uid != "" { // the cache knows it now
		ec.made[uid] = slices.DeleteFunc(ec.made[uid], func(c *resourcev1.ResourceClaim) bool { return c.UID == claim.UID })
		if len(ec.made[uid]) == 0 {
			delete(ec.made, uid)
		}
	}
	if !deleted {
		ec.queue.Add(claimKeyPrefix + claim.Namespace + "/" + claim.Name)
	}
	ec.enqueuePods(podResourceClaimIndex, claim.Namespace+"/"+claim.Name)
}

// enqueuePod looks at the claims of a Pod that needs them no longer, and at a Pod for which there is something to do.
func (ec *Controller) enqueuePod(obj any, deleted bool) {
	if d, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = d.Obj
	}
	pod, ok := obj.(*corev1.Pod)
	extended := ok && pod.Status.ExtendedResourceClaimStatus != nil
	if !ok || len(pod.Spec.ResourceClaims) == 0 && !extended {
		return
	}
	if deleted {
		ec.deleted = append(ec.deleted, pod.UID)
		ec.deleted = ec.deleted[max(0, len(ec.deleted)-maxUIDCacheEntries):]
	}
	if deleted || isPodDone(pod) {
		for i := range pod.Spec.ResourceClaims {
			if name, _, err := claims.Name(pod, &pod.Spec.ResourceClaims[i]); err == nil && name != "" {
				ec.queue.Add(claimKeyPrefix + pod.Namespace + "/" + name)
			}
		}
		if extended {
			ec.queue.Add(claimKeyPrefix + pod.Namespace + "/" + pod.Status.ExtendedResourceClaimStatus.ResourceClaimName)
		}
	}
	if !deleted && ec.podNeedsWork(pod) {
		ec.queue.Add(podKeyPrefix + pod.Namespace + "/" + pod.Name)
	}
}

// podNeedsWork says whether a claim has to be made for the Pod, or reserved. Upstream's function of that name.
func (ec *Controller) podNeedsWork(pod *corev1.Pod) bool {
	if pod.DeletionTimestamp != nil {
		return false
	}
	for i := range pod.Spec.ResourceClaims {
		c := &pod.Spec.ResourceClaims[i]
		name, checkOwner, err := claims.Name(pod, c)
		if err != nil {
			return true
		}
		if name == "" {
			continue
		}
		claim, found := ec.claims.ResourceClaims(pod.Namespace).Find(name)
		if !found {
			if c.ResourceClaimTemplateName != nil {
				return true
			}
			continue
		}
		if checkOwner && claims.IsForPod(pod, claim) != nil || pod.Spec.NodeName == "" {
			continue
		}
		if claim.Status.Allocation != nil && !claims.IsReservedForPod(pod, claim) {
			return true
		}
	}
	return false
}

// concurrentSyncs is how many workers there are. Upstream: --concurrent-resource-claim-syncs.
const concurrentSyncs = 50

// Run works once the caches hold the cluster.
func (ec *Controller) Run(p *sim.Proc) {
	ec.broadcaster.StartRecordingToSink(ec.client)
	p.Logger().Info("Starting resource claim controller")
	if !cache.WaitForCacheSync(p, ec.synced...) {
		return
	}
	for range concurrentSyncs {
		ec.component.Go("worker", ec.work)
	}
}

func (ec *Controller) work(p *sim.Proc) {
	for {
		key, quit := ec.queue.Get(p)
		if quit {
			return
		}
		if err := ec.syncHandler(p, key); err == nil {
			ec.queue.Forget(key)
		} else {
			controller.HandleError(p.Logger(), err, "Work item failed", "item", key)
			ec.queue.AddRateLimited(key)
		}
		ec.queue.Done(key)
	}
}

func (ec *Controller) syncHandler(p *sim.Proc, key string) error {
	prefix, object, _ := strings.Cut(key, ":")
	namespace, name, err := cache.SplitMetaNamespaceKey(object)
	switch {
	case err != nil:
		return err
	case prefix+":" == podKeyPrefix:
		return ec.syncPod(p, namespace, name)
	}
	return ec.syncClaim(p, namespace, name)
}

func (ec *Controller) syncPod(p *sim.Proc, namespace, name string) error {
	pod, found := ec.pods.Pods(namespace).Find(name)
	if !found || pod.DeletionTimestamp != nil {
		return nil
	}
	var made []corev1.PodResourceClaimStatus
	for i := range pod.Spec.ResourceClaims {
		c := &pod.Spec.ResourceClaims[i]
		claim, err := ec.handleClaim(p, pod, c)
		if err != nil {
			ec.recorder.Event(pod, corev1.EventTypeWarning, "FailedResourceClaimCreation", fmt.Sprintf("PodResourceClaim %s: %v", c.Name, err))
			return fmt.Errorf("pod %s/%s, PodResourceClaim %s: %w", namespace, name, c.Name, err)
		}
		if claim != nil {
			made = append(made, corev1.PodResourceClaimStatus{Name: c.Name, ResourceClaimName: &claim.Name})
		}
	}
	if len(made) > 0 {
		body, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name, "namespace": namespace},
			"status": map[string]any{"resourceClaimStatuses": made}})
		if err != nil {
			return err
		}
		force := true
		if _, err := ec.client.CoreV1().Pods(namespace).Patch(p, name, types.ApplyPatchType, body,
			metav1.PatchOptions{FieldManager: fieldManager, Force: &force}, "status"); err != nil {
			return fmt.Errorf("update pod %s/%s ResourceClaimStatuses: %w", namespace, name, err)
		}
	}
	if pod.Spec.NodeName == "" {
		return nil // the scheduler reserves
	}
	return ec.reserve(p, pod)
}

// reserve lets a Pod that has a node use what is allocated already.
func (ec *Controller) reserve(p *sim.Proc, pod *corev1.Pod) error {
	for i := range pod.Spec.ResourceClaims {
		name, checkOwner, err := claims.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil {
			return err
		}
		if name == "" {
			continue
		}
		claim, found := ec.claims.ResourceClaims(pod.Namespace).Find(name)
		if !found {
			return nil
		}
		if checkOwner {
			if err := claims.IsForPod(pod, claim); err != nil {
				return err
			}
		}
		if claim.Status.Allocation == nil || claims.IsReservedForPod(pod, claim) {
			continue
		}
		claim = claim.DeepCopyObject().(*resourcev1.ResourceClaim)
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID})
		if _, err := ec.client.ResourceV1().ResourceClaims(claim.Namespace).UpdateStatus(p, claim, metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("reserve claim %s/%s: %w", claim.Namespace, claim.Name, err)
		}
	}
	return nil
}

// handleClaim returns the claim that the Pod's status does not name yet, which it makes unless it is there; nil if there is nothing to do.
func (ec *Controller) handleClaim(p *sim.Proc, pod *corev1.Pod, c *corev1.PodResourceClaim) (*resourcev1.ResourceClaim, error) {
	name, checkOwner, err := claims.Name(pod, c)
	switch {
	case errors.Is(err, claims.ErrClaimNotFound):
	case err != nil:
		return nil, fmt.Errorf("checking for claim before creating it: %w", err)
	case name == "":
		return nil, nil
	default:
		if claim, found := ec.claims.ResourceClaims(pod.Namespace).Find(name); found && (!checkOwner || claims.IsForPod(pod, claim) == nil) {
			return nil, nil
		}
	}
	if c.ResourceClaimTemplateName == nil {
		return nil, nil
	}
	if claim := ec.findPodResourceClaim(pod, c); claim != nil {
		return claim, nil
	}
	template, err := ec.templates.ResourceClaimTemplates(pod.Namespace).Get(*c.ResourceClaimTemplateName)
	if err != nil {
		return nil, fmt.Errorf("resource claim template %q: %w", *c.ResourceClaimTemplateName, err)
	}
	template = template.DeepCopyObject().(*resourcev1.ResourceClaimTemplate)
	annotations, isTrue := map[string]string{resourcev1.PodResourceClaimAnnotation: c.Name}, true
	for key, value := range template.Spec.Annotations { // order: each fills its own key
		if key != resourcev1.PodResourceClaimAnnotation {
			annotations[key] = value
		}
	}
	claim, err := ec.client.ResourceV1().ResourceClaims(pod.Namespace).Create(p, &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{GenerateName: generateName(pod.Name, c.Name), Namespace: pod.Namespace,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: &isTrue}},
			Annotations:     annotations, Labels: template.Spec.Labels},
		Spec: template.Spec.Spec}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create ResourceClaim %s: %w", "", err) // upstream's has no name yet either
	}
	p.Logger().V(4).Info("Created ResourceClaim", "claim", claim.Namespace+"/"+claim.Name, "pod", pod.Namespace+"/"+pod.Name)
	ec.made[pod.UID] = append(ec.made[pod.UID], claim)
	return claim, nil
}

// generateName is of which a claim's name is made: of both names is taken as much as leaves room for what is added. Upstream: handleClaim.
func generateName(pod, claim string) string {
	const maxBase = 57
	name := pod + "-" + claim + "-"
	if len(name) > maxBase {
		n := len(name)
		name = pod[:len(pod)*maxBase/n] + "-"
		// upstream divides by the length of what it has by then, which is shorter
		name += claim[:min(len(claim), len(claim)*maxBase/n)]
	}
	return name
}

// findPodResourceClaim is a claim that was made for the Pod before its status could be written. Upstream's function of that name.
func (ec *Controller) findPodResourceClaim(pod *corev1.Pod, c *corev1.PodResourceClaim) *resourcev1.ResourceClaim {
	is := func(claim *resourcev1.ResourceClaim) bool {
		return claim.Annotations[resourcev1.PodResourceClaimAnnotation] == c.Name
	}
	known, _ := ec.claimIndex.ByIndex(claimPodOwnerIndex, string(pod.UID)) // the error is that there is no such index
	for _, obj := range known {
		if claim := obj.(*resourcev1.ResourceClaim); is(claim) {
			return claim
		}
	}
	if i := slices.IndexFunc(ec.made[pod.UID], is); i >= 0 {
		return ec.made[pod.UID][i]
	}
	return nil
}
