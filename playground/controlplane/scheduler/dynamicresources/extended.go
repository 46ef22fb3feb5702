package dynamicresources

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client/retry"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// Extended resources that DeviceClasses stand for: a Pod that requests some gets a special claim, which is in memory alone until the Pod is bound.
// What it asks for depends on the node: a node that has such a resource by itself gives it. Upstream: extendeddynamicresources.go.

// specialClaimInMemName is what the claim is called in memory: not a name that another claim could have. Upstream: the same name.
const specialClaimInMemName = "<extended-resources>"

// GetDeviceClass implements framework.DeviceClassResolver. Of several classes for a resource it is the newest.
// Upstream: dynamic-resource-allocation/deviceclass/extendedresourcecache.
func (pl *plugin) GetDeviceClass(resource corev1.ResourceName) (string, bool) {
	if name, implicit := strings.CutPrefix(string(resource), resourcev1.ResourceDeviceClassPrefix); implicit {
		_, found := pl.manager.classes.Find(name)
		return name, found
	}
	all, _ := pl.manager.classes.List(nil) // the error is that of a selector
	var newest *resourcev1.DeviceClass
	for _, class := range all {
		if n := class.Spec.ExtendedResourceName; n == nil || *n != string(resource) {
			continue
		}
		if newest == nil || cmp.Or(newest.CreationTimestamp.Time.Compare(class.CreationTimestamp.Time), cmp.Compare(class.Name, newest.Name)) < 0 {
			newest = class
		}
	}
	if newest == nil {
		return "", false
	}
	return newest.Name, true
}

// DeviceClassMayHelp implements framework.DeviceClassResolver. Upstream: noderesources/fit.go, isSchedulableAfterDeviceClassEvent.
func (pl *plugin) DeviceClassMayHelp(pod *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
	class := newObj.(*resourcev1.DeviceClass)
	requests := framework.PodRequests(pod, false)
	name := class.Spec.ExtendedResourceName
	if old, _ := oldObj.(*resourcev1.DeviceClass); old != nil {
		if n := old.Spec.ExtendedResourceName; n == nil && name == nil || n != nil && name != nil && *n == *name {
			return framework.QueueSkip
		}
	} else if _, wants := requests[corev1.ResourceName(resourcev1.ResourceDeviceClassPrefix+class.Name)]; wants {
		return framework.Queue
	}
	if name == nil {
		return framework.QueueSkip
	}
	_, wants := requests[corev1.ResourceName(*name)]
	return queueIf(wants)
}

// isExtended says that a class can stand for a resource. Upstream: pkg/scheduler/util/utils.go, IsDRAExtendedResourceName.
func isExtended(name corev1.ResourceName) bool {
	s := string(name)
	return strings.HasPrefix(s, resourcev1.ResourceDeviceClassPrefix) || strings.Contains(s, "/") && !strings.Contains(s, corev1.ResourceDefaultNamespacePrefix)
}

// preFilterExtendedResources is the special claim of a Pod that requests something for which a class stands: that of an earlier attempt, if it
// was left behind, or a new one; nil if it needs none. Upstream: the same name.
func (pl *plugin) preFilterExtendedResources(pod *corev1.Pod, s *state) *resourcev1.ResourceClaim {
	requests := framework.NewResource(framework.PodRequests(pod, false))
	if !slices.ContainsFunc(requests.Scalar, func(r framework.ScalarResource) bool {
		if r.Value == 0 || !isExtended(r.Name) {
			return false
		}
		_, found := pl.GetDeviceClass(r.Name)
		return found
	}) {
		return nil
	}
	s.scalars = requests.Scalar
	for _, claim := range pl.manager.claims.List() {
		if claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] == "true" && metav1.IsControlledBy(claim, pod) {
			return claim
		}
	}
	isTrue := true
	return &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: specialClaimInMemName,
		UID:             types.UID(pl.manager.rand.UUID()), // for what is about to be allocated
		GenerateName:    pod.Name + "-extended-resources-",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: &isTrue}},
		Annotations:     map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"}}}
}

// filterExtendedResources is the special claim as a node would have it, and which request is for which container; nil if devices need not
// provide anything there. Upstream: the same name.
func (pl *plugin) filterExtendedResources(s *state, pod *corev1.Pod, info *framework.NodeInfo) (*resourcev1.ResourceClaim,
	[]corev1.ContainerExtendedResourceRequest, *framework.Status) {
	special := s.extended()
	if special == nil {
		return nil, nil, nil
	}
	if special.claim.Spec.Devices.Requests != nil { // PostFilter deletes it, for it may not be what this attempt needs
		return nil, nil, unschedulable("cannot schedule extended resource claim")
	}
	var needed []corev1.ResourceName
	for _, r := range s.scalars {
		if r.Value == 0 || !isExtended(r.Name) {
			continue
		}
		_, backed := pl.GetDeviceClass(r.Name)
		switch {
		case backed && info.Allocatable.ScalarValue(r.Name) == 0:
			needed = append(needed, r.Name)
		case !slices.ContainsFunc(info.Allocatable.Scalar, func(has framework.ScalarResource) bool { return has.Name == r.Name }):
			return nil, nil, unschedulable("cannot fit resource")
		}
	}
	if len(needed) == 0 {
		return nil, nil, nil
	}
	claim := special.claim.DeepCopyObject().(*resourcev1.ResourceClaim)
	requests, mappings := requestsAndMappings(pod, needed, pl.GetDeviceClass)
	claim.Spec.Devices.Requests = requests
	return claim, mappings, nil
}

// requestsAndMappings are what the containers' requests for resources are in the special claim. Init containers that end use what containers
// have that start later, and one after the other what the one has that needs most besides. Upstream: createRequestsAndMappings.
func requestsAndMappings(pod *corev1.Pod, resources []corev1.ResourceName, classOf func(corev1.ResourceName) (string, bool)) (
	requests []resourcev1.DeviceRequest, mappings []corev1.ContainerExtendedResourceRequest) {
	containers := slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers)
	ends := func(i int) bool {
		always := containers[i].RestartPolicy != nil && *containers[i].RestartPolicy == corev1.ContainerRestartPolicyAlways
		return i < len(pod.Spec.InitContainers) && !always
	}
	slices.Sort(resources)
	for _, name := range resources {
		class, _ := classOf(name)
		stay := make([]*resourcev1.DeviceRequest, len(containers))
		for i := range containers {
			if !ends(i) {
				r, of := requestAndMappings(i, &containers[i], name, class, nil)
				stay[i] = r
				mappings = append(mappings, of...)
			}
		}
		var most *resourcev1.DeviceRequest
		var own []string
		var short []corev1.ContainerExtendedResourceRequest
		for i := range containers {
			if !ends(i) {
				continue
			}
			r, of := requestAndMappings(i, &containers[i], name, class, stay[i:])
			if r != nil {
				own = append(own, r.Name)
				if most == nil || most.Exactly.Count < r.Exactly.Count {
					most = r
				}
			}
			short = append(short, of...)
		}
		for i := range short {
			if slices.Contains(own, short[i].RequestName) {
				short[i].RequestName = most.Name
			}
		}
		mappings = append(mappings, short...)
		for _, r := range append([]*resourcev1.DeviceRequest{most}, stay...) {
			if r != nil {
				requests = append(requests, *r)
			}
		}
	}
	sorting.Func(requests, func(a, b resourcev1.DeviceRequest) int { return cmp.Compare(a.Name, b.Name) })
	return requests, mappings
}

// requestAndMappings is what a container requests beyond what it can use of others; nil if that is enough.
// Upstream: createResourceRequestAndMappings.
func requestAndMappings(index int, c *corev1.Container, resource corev1.ResourceName, class string, others []*resourcev1.DeviceRequest) (
	*resourcev1.DeviceRequest, []corev1.ContainerExtendedResourceRequest) {
	amount, requested := c.Resources.Requests[resource]
	want, whole := amount.AsInt64()
	if !requested || !whole || want == 0 {
		return nil, nil
	}
	var mappings []corev1.ContainerExtendedResourceRequest
	use := func(request string) {
		mappings = append(mappings, corev1.ContainerExtendedResourceRequest{ContainerName: c.Name, ResourceName: string(resource), RequestName: request})
	}
	for _, r := range others {
		if r == nil {
			continue
		}
		use(r.Name)
		if want -= r.Exactly.Count; want <= 0 {
			return nil, mappings
		}
	}
	before := 0
	for name := range c.Resources.Requests { // order: a number
		if name < resource {
			before++
		}
	}
	name := fmt.Sprintf("container-%d-request-%d", index, before)
	use(name)
	return &resourcev1.DeviceRequest{Name: name, Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: class,
		AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: want}}, mappings
}

// createExtendedResourceClaim has the special claim made, as the node needs it. Upstream: createExtendedResourceClaimInAPI.
func (pl *plugin) createExtendedResourceClaim(p *sim.Proc, s *state, pod *corev1.Pod, nodeName string) (*resourcev1.ResourceClaim, error) {
	p.Logger().V(5).Info("preparing to create claim for extended resources", "pod", framework.Key(pod), "node", nodeName)
	found := s.byNode[nodeName]
	if found == nil || found.extended == nil {
		return nil, fmt.Errorf("extended resource claim not found for node %s", nodeName)
	}
	claim := found.extended.DeepCopyObject().(*resourcev1.ResourceClaim)
	claim.Name, claim.UID, claim.Status = "", "", resourcev1.ResourceClaimStatus{}
	made, err := pl.handle.ClientSet().ResourceV1().ResourceClaims(claim.Namespace).Create(p, claim, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create claim for extended resources %v: %w", key(claim), err)
	}
	p.Logger().V(5).Info("created claim for extended resources", "pod", framework.Key(pod), "node", nodeName, "resourceclaim", key(made))
	return made, nil
}

// patchPodExtendedResourceClaimStatus tells the kubelet of the claim. Upstream: the same name.
func (pl *plugin) patchPodExtendedResourceClaimStatus(p *sim.Proc, s *state, pod *corev1.Pod, claim *resourcev1.ResourceClaim, nodeName string) error {
	mappings := s.byNode[nodeName].mappings
	if len(mappings) == 0 {
		return fmt.Errorf("nil or empty request mappings, no update of pod %s/%s ExtendedResourceClaimStatus", pod.Namespace, pod.Name)
	}
	body, err := json.Marshal(map[string]any{"status": map[string]any{"extendedResourceClaimStatus": &corev1.PodExtendedResourceClaimStatus{
		RequestMappings: mappings, ResourceClaimName: claim.Name}}})
	if err != nil {
		return err
	}
	_, err = pl.handle.ClientSet().CoreV1().Pods(pod.Namespace).Patch(p, pod.Name, types.StrategicMergePatchType, body, metav1.PatchOptions{}, "status")
	if err != nil {
		return fmt.Errorf("update pod %s/%s ExtendedResourceClaimStatus: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}

// How often it is seen whether the cache has a claim that was made, and how long. Upstream: waitForExtendedClaimInAssumeCache.
const (
	extendedClaimPeriod  = time.Second
	extendedClaimTimeout = 120 * time.Second
)

// waitForExtendedClaim has the cache assume what was written, as soon as it knows the claim. Upstream: waitForExtendedClaimInAssumeCache.
func (pl *plugin) waitForExtendedClaim(p *sim.Proc, claim *resourcev1.ResourceClaim) {
	err := errors.New("context deadline exceeded")
	for waited := time.Duration(0); waited < extendedClaimTimeout; waited += extendedClaimPeriod {
		if _, missing := pl.manager.claims.Get(key(claim), claim.Name); missing == nil {
			err = pl.manager.claims.Assume(key(claim), claim)
			break
		}
		p.Sleep(extendedClaimPeriod)
	}
	if err != nil {
		p.Logger().V(5).Info("Claim not stored in assume cache after retries", "claim", key(claim), "err", err)
	}
}

// unreserveExtended takes the special claim back. Upstream: unreserveExtendedResourceClaim.
func (pl *plugin) unreserveExtended(p *sim.Proc, s *state, pod *corev1.Pod) {
	special := s.extended()
	if special == nil {
		return
	}
	if pl.manager.inFlight[special.uid] != nil {
		delete(pl.manager.inFlight, special.uid)
		pl.manager.claims.Restore(key(special.claim))
	}
	if special.claim.Name == specialClaimInMemName {
		return
	}
	p.Logger().V(5).Info("delete extended resource backed by DRA", "resourceclaim", key(special.claim), "pod", framework.Key(pod), "claim.UID", special.claim.UID)
	if err := pl.deleteClaim(p, special.claim); err != nil {
		p.Logger().Error(err, "delete", "resourceclaim", key(special.claim))
	}
}

// deleteClaim deletes a claim after it has lost its finalizer. Upstream: the same name.
func (pl *plugin) deleteClaim(p *sim.Proc, claim *resourcev1.ResourceClaim) error {
	claims, refresh := pl.handle.ClientSet().ResourceV1().ResourceClaims(claim.Namespace), false
	err := retry.RetryOnConflict(p, retry.DefaultRetry, func() error {
		if refresh {
			latest, err := claims.Get(p, claim.Name, metav1.GetOptions{})
			if err != nil {
				return fmt.Errorf("get resourceclaim %s: %w", key(claim), err)
			}
			claim = latest
		}
		refresh = true
		claim = claim.DeepCopyObject().(*resourcev1.ResourceClaim)
		claim.Finalizers = slices.DeleteFunc(claim.Finalizers, func(f string) bool { return f == resourcev1.Finalizer })
		if _, err := claims.Update(p, claim, metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("update resourceclaim %s: %w", key(claim), err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.Logger().V(5).Info("Delete", "resourceclaim", key(claim))
	return claims.Delete(p, claim.Name, metav1.DeleteOptions{})
}
