package kubelet

import (
	"fmt"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/kubelet/container"
)

// canAdmitPod tells whether a Pod fits on the node beside those that are on it.
// The scheduler has checked that too, but it isn't the only one who can bind,
// and it may have been wrong.
// Upstream: pkg/kubelet/lifecycle/predicate.go Admit. Only resources and the
// node selector are looked at.
func (kl *Kubelet) canAdmitPod(pod *corev1.Pod) (ok bool, reason, message string) {
	labels := kl.nodeLabels()
	for key, want := range pod.Spec.NodeSelector { // order: any that is missing gives the same answer
		if labels[key] != want {
			return false, "NodeAffinity", "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
		}
	}
	used := corev1.ResourceList{}
	pods := int64(0)
	for _, other := range kl.podManager.GetPods() {
		if other.UID == pod.UID || kl.isPodInactive(other) {
			continue
		}
		pods++
		add(used, podRequests(other))
	}
	allocatable := kl.options.Allocatable
	if limit := quantity(allocatable, corev1.ResourcePods); pods+1 > limit.Value() {
		return refuse(corev1.ResourcePods, 1, pods, limit.Value())
	}
	requests := podRequests(pod)
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
		want, has, limit := quantity(requests, name), quantity(used, name), quantity(allocatable, name)
		if want.Sign() == 0 {
			continue
		}
		sum := has
		sum.Add(want)
		if sum.Cmp(limit) <= 0 {
			continue
		}
		if name == corev1.ResourceCPU {
			return refuse(name, want.MilliValue(), has.MilliValue(), limit.MilliValue())
		}
		return refuse(name, want.Value(), has.Value(), limit.Value())
	}
	return true, "", ""
}

// nodeLabels are the Node's, as the API has them: people add some. Until it is
// known, they are those that the kubelet would register.
// Upstream: pkg/kubelet/kubelet_getters.go, getNodeAnyWay.
func (kl *Kubelet) nodeLabels() map[string]string {
	if node, err := kl.nodeLister.Get(kl.options.Node); err == nil {
		return node.Labels
	}
	return kl.labels()
}

// refuse words what is lacking. Upstream: scheduler framework's
// InsufficientResourceError.
func refuse(name corev1.ResourceName, requested, used, capacity int64) (bool, string, string) {
	return false, "OutOf" + string(name),
		fmt.Sprintf("Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d", name, requested, used, capacity)
}

// isPodInactive tells whether a Pod needs no resources any more.
func (kl *Kubelet) isPodInactive(pod *corev1.Pod) bool {
	if kl.podWorkers.IsPodKnownTerminated(pod.UID) {
		return true
	}
	if isPodPhaseTerminal(pod.Status.Phase) && !kl.podWorkers.IsPodTerminationRequested(pod.UID) {
		return true
	}
	s, ok := kl.statusManager.GetPodStatus(pod.UID)
	return ok && isPodPhaseTerminal(s.Phase) && !kl.podWorkers.IsPodTerminationRequested(pod.UID)
}

// podRequests is what a Pod asks for: its containers and sidecars together, or
// what an init container needs in its turn, if that is more.
// Upstream: k8s.io/component-helpers/resource PodRequests.
func podRequests(pod *corev1.Pod) corev1.ResourceList {
	out, sidecars, inits := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	for i := range pod.Spec.Containers {
		add(out, pod.Spec.Containers[i].Resources.Requests)
	}
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		need := corev1.ResourceList{}
		add(need, c.Resources.Requests)
		if container.IsRestartableInitContainer(c) {
			add(out, c.Resources.Requests)
			add(sidecars, c.Resources.Requests)
			need = sidecars
		} else {
			add(need, sidecars)
		}
		atLeast(inits, need)
	}
	atLeast(out, inits)
	add(out, pod.Spec.Overhead)
	return out
}

func copyOf(list corev1.ResourceList) corev1.ResourceList {
	out := corev1.ResourceList{}
	add(out, list)
	return out
}

func quantity(list corev1.ResourceList, name corev1.ResourceName) resource.Quantity {
	return list[name]
}

// add adds each resource's amount; atLeast raises what is less.
func add(to, more corev1.ResourceList) {
	for name, q := range more { // order: each resource by itself
		sum := to[name]
		sum.Add(q)
		to[name] = sum
	}
}

func atLeast(to, least corev1.ResourceList) {
	for name, q := range least { // order: each resource by itself
		if has := to[name]; has.Cmp(q) < 0 {
			to[name] = q
		}
	}
}

// qosClass is how much a Pod relies on its requests.
// Upstream: pkg/apis/core/v1/helper/qos ComputePodQOS.
func qosClass(pod *corev1.Pod) corev1.PodQOSClass {
	if pod.Status.QOSClass != "" {
		return pod.Status.QOSClass
	}
	any, guaranteed := false, true
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			r := &list[i].Resources
			for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
				request, limit := quantity(r.Requests, name), quantity(r.Limits, name)
				if request.Sign() > 0 || limit.Sign() > 0 {
					any = true
				}
				if limit.Sign() == 0 || (request.Sign() > 0 && request.Cmp(limit) != 0) {
					guaranteed = false
				}
			}
		}
	}
	switch {
	case !any:
		return corev1.PodQOSBestEffort
	case guaranteed:
		return corev1.PodQOSGuaranteed
	}
	return corev1.PodQOSBurstable
}
