package kubelet

import (
	"fmt"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/sim"
)

// allocations are the resources that the kubelet has given to containers. They
// follow the spec, but only when the node has room: until then a Pod goes on
// with what it has, and a condition says so.
// Upstream: pkg/kubelet/allocation/allocation_manager.go.
type allocations struct {
	byPod map[types.UID]map[string]corev1.ResourceRequirements
	// pending is why a Pod's resources are not those of its spec yet.
	pending map[types.UID]corev1.PodCondition
}

func newAllocations() *allocations {
	return &allocations{byPod: map[types.UID]map[string]corev1.ResourceRequirements{}, pending: map[types.UID]corev1.PodCondition{}}
}

// set gives a Pod what its spec asks for.
func (a *allocations) set(pod *corev1.Pod) {
	given := map[string]corev1.ResourceRequirements{}
	visitResizable(pod, func(c *corev1.Container) { given[c.Name] = c.Resources })
	a.byPod[pod.UID] = given
	delete(a.pending, pod.UID)
}

// restore takes over what a kubelet before this one gave: the Pod's status has it.
func (a *allocations) restore(pod *corev1.Pod) {
	a.set(pod)
	for _, list := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for i := range list {
			s := &list[i]
			if was, ok := a.byPod[pod.UID][s.Name]; ok && s.Resources != nil {
				was.Requests, was.Limits = s.AllocatedResources, s.Resources.Limits
				a.byPod[pod.UID][s.Name] = was
			}
		}
	}
}

func (a *allocations) forget(known func(types.UID) bool) {
	for uid := range a.byPod { // order: deleting has none
		if !known(uid) {
			delete(a.byPod, uid)
			delete(a.pending, uid)
		}
	}
}

// visitResizable calls do for the containers that can be resized: not for init
// containers, which end by themselves.
func visitResizable(pod *corev1.Pod, do func(c *corev1.Container)) {
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; container.IsRestartableInitContainer(c) {
			do(c)
		}
	}
	for i := range pod.Spec.Containers {
		do(&pod.Spec.Containers[i])
	}
}

// UpdatePodFromAllocation is the Pod as it is on the node: with the resources
// that it was given. It is the same Pod if these are what it asks for.
// Upstream: allocation_manager.go UpdatePodFromAllocation.
func (a *allocations) UpdatePodFromAllocation(pod *corev1.Pod) (*corev1.Pod, bool) {
	given, differs := a.byPod[pod.UID], false
	if given == nil {
		return pod, false
	}
	visitResizable(pod, func(c *corev1.Container) {
		r, ok := given[c.Name]
		differs = differs || ok && !sameResources(&r, &c.Resources)
	})
	if !differs {
		return pod, false
	}
	pod = pod.DeepCopy()
	visitResizable(pod, func(c *corev1.Container) {
		if r, ok := given[c.Name]; ok {
			c.Resources.Requests, c.Resources.Limits = r.Requests, r.Limits
		}
	})
	return pod, true
}

func sameResources(a, b *corev1.ResourceRequirements) bool {
	return sameAmounts(a.Requests, b.Requests) && sameAmounts(a.Limits, b.Limits)
}

func sameAmounts(a, b corev1.ResourceList) bool {
	if len(a) != len(b) {
		return false
	}
	for name, amount := range a { // order: each is compared for itself
		if other, ok := b[name]; !ok || !amount.Equal(other) {
			return false
		}
	}
	return true
}

// handlePodResources gives a Pod what its spec asks for now, if it can be, and
// returns the Pod as it is to be on the node.
// Upstream: allocation_manager.go handlePodResourcesResize.
func (kl *Kubelet) handlePodResources(p *sim.Proc, pod *corev1.Pod) *corev1.Pod {
	allocated, differs := kl.allocations.UpdatePodFromAllocation(pod)
	if !differs {
		delete(kl.allocations.pending, pod.UID)
		return pod
	}
	log := p.Logger().WithValues("pod", container.PodKey(pod))
	fits, reason, message := kl.canResizePod(pod)
	if fits {
		log.V(2).Info("Pod resize is feasible", "cpu", quantityText(pod, corev1.ResourceCPU), "memory", quantityText(pod, corev1.ResourceMemory))
		kl.allocations.set(pod)
		return pod
	}
	if old, ok := kl.allocations.pending[pod.UID]; !ok || old.Reason != reason || old.Message != message {
		log.V(2).Info("Pod resize is not possible now", "reason", reason, "message", message)
	}
	kl.allocations.pending[pod.UID] = corev1.PodCondition{
		Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: reason, Message: message,
		LastProbeTime: metav1.Time{}, ObservedGeneration: pod.Generation,
	}
	return allocated
}

func quantityText(pod *corev1.Pod, name corev1.ResourceName) string {
	q := quantity(podRequests(pod), name)
	return q.String()
}

// canResizePod tells whether the node has room for a Pod's new requests:
// whether it ever could (Infeasible if not), and whether it has now (Deferred).
// Upstream: allocation_manager.go canResizePod.
func (kl *Kubelet) canResizePod(pod *corev1.Pod) (ok bool, reason, message string) {
	requests := podRequests(pod)
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		want, capacity := quantity(requests, name), quantity(kl.options.Allocatable, name)
		if want.Cmp(capacity) > 0 {
			a, b := want.Value(), capacity.Value()
			if name == corev1.ResourceCPU {
				a, b = want.MilliValue(), capacity.MilliValue()
			}
			return false, corev1.PodReasonInfeasible, fmt.Sprintf("Node didn't have enough capacity: %s, requested: %d, capacity: %d", name, a, b)
		}
	}
	if fits, _, message := kl.hasRoom(pod); !fits {
		return false, corev1.PodReasonDeferred, message
	}
	return true, "", ""
}

// resizeConditions are what a Pod's status says of its resizing.
func (kl *Kubelet) resizeConditions(pod *corev1.Pod, podStatus *container.PodStatus) []corev1.PodCondition {
	var out []corev1.PodCondition
	if c, ok := kl.allocations.pending[pod.UID]; ok {
		out = append(out, c)
	}
	allocated, _ := kl.allocations.UpdatePodFromAllocation(pod)
	changing := false
	visitResizable(allocated, func(c *corev1.Container) {
		s := podStatus.FindContainerStatusByName(c.Name)
		changing = changing || s != nil && s.State == container.StateRunning && s.Resources != containerResources(c)
	})
	if changing {
		out = append(out, corev1.PodCondition{Type: corev1.PodResizeInProgress, Status: corev1.ConditionTrue, ObservedGeneration: pod.Generation})
	}
	return out
}
