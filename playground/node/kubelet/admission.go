package kubelet

import (
	"fmt"
	"slices"
	"strconv"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/eviction"
)

// canAdmitPod tells whether a Pod fits on the node beside those that are on it.
// The scheduler has checked that too, but it isn't the only one who can bind,
// and it may have been wrong.
// Upstream: pkg/kubelet/lifecycle/predicate.go Admit, and the eviction manager's.
func (kl *Kubelet) canAdmitPod(pod *corev1.Pod) (ok bool, reason, message string) {
	if ok, message := kl.evictionManager.Admit(pod, qosClass(pod)); !ok {
		return false, eviction.Reason, message
	}
	labels := kl.nodeLabels()
	for key, want := range pod.Spec.NodeSelector { // order: any that is missing gives the same answer
		if labels[key] != want {
			return false, "NodeAffinity", "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
		}
	}
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil &&
		!kl.matchesAny(a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms, labels) {
		return false, "NodeAffinity", "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
	}
	if node, err := kl.nodeLister.Get(kl.options.Node); err == nil {
		for i := range node.Spec.Taints {
			if taint := &node.Spec.Taints[i]; taint.Effect == corev1.TaintEffectNoExecute && !tolerates(pod, taint) {
				return false, "TaintToleration", "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate"
			}
		}
	}
	if reason, message := admitSecurity(pod); reason != "" {
		return false, reason, message
	}
	if kl.hostPortTaken(pod) {
		return false, "NodePorts", "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"
	}
	return kl.hasRoom(pod)
}

// What hardly any demo needs, and not every build for the browser has: see supported and verifyRunAsNonRoot.
var (
	admitSecurity = func(*corev1.Pod) (reason, message string) { return "", "" }
	verifyUser    = func(*corev1.Pod, *corev1.Container) error { return nil }
)

// limited are the resources, besides the number of Pods, of which a node has so much.
var limited = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage}

// hasRoom tells whether the node has what a Pod requests, beside the others.
func (kl *Kubelet) hasRoom(pod *corev1.Pod) (ok bool, reason, message string) {
	allocatable, requests := kl.options.Allocatable, podRequests(pod)
	limit, others := quantity(allocatable, corev1.ResourcePods), kl.podManager.GetPods()
	if int64(len(others))+1 <= limit.Value() && !slices.ContainsFunc(limited, func(name corev1.ResourceName) bool {
		want := quantity(requests, name)
		return want.Sign() != 0
	}) {
		return true, "", "" // whatever the others have
	}
	used := corev1.ResourceList{}
	pods := int64(0)
	for _, other := range others {
		if other.UID == pod.UID || kl.isPodInactive(other) {
			continue
		}
		pods++
		given, _ := kl.allocations.UpdatePodFromAllocation(other)
		add(used, podRequests(given))
	}
	if pods+1 > limit.Value() {
		return refuse(corev1.ResourcePods, 1, pods, limit.Value())
	}
	for _, name := range limited {
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

func tolerates(pod *corev1.Pod, taint *corev1.Taint) bool {
	for i := range pod.Spec.Tolerations {
		if pod.Spec.Tolerations[i].ToleratesTaint(taint) {
			return true
		}
	}
	return false
}

// matchesAny tells whether one of the terms holds for this node.
// Upstream: component-helpers/scheduling/corev1/nodeaffinity.
func (kl *Kubelet) matchesAny(terms []corev1.NodeSelectorTerm, labels map[string]string) bool {
	fields := map[string]string{"metadata.name": kl.options.Node}
	for i := range terms {
		t := &terms[i]
		if len(t.MatchExpressions)+len(t.MatchFields) > 0 && matchesAll(t.MatchExpressions, labels) && matchesAll(t.MatchFields, fields) {
			return true
		}
	}
	return false
}

func matchesAll(requirements []corev1.NodeSelectorRequirement, labels map[string]string) bool {
	for i := range requirements {
		r := &requirements[i]
		value, has := labels[r.Key]
		ok := false
		switch r.Operator {
		case corev1.NodeSelectorOpIn:
			ok = has && slices.Contains(r.Values, value)
		case corev1.NodeSelectorOpNotIn:
			ok = !has || !slices.Contains(r.Values, value)
		case corev1.NodeSelectorOpExists:
			ok = has
		case corev1.NodeSelectorOpDoesNotExist:
			ok = !has
		case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
			n, err := strconv.ParseInt(value, 10, 64)
			if err == nil && len(r.Values) == 1 {
				bound, err := strconv.ParseInt(r.Values[0], 10, 64)
				ok = err == nil && (r.Operator == corev1.NodeSelectorOpGt && n > bound || r.Operator == corev1.NodeSelectorOpLt && n < bound)
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// hostPortTaken tells whether another Pod has a port of the node that this one wants.
func (kl *Kubelet) hostPortTaken(pod *corev1.Pod) bool {
	wants := hostPorts(pod)
	if len(wants) == 0 {
		return false
	}
	for _, other := range kl.podManager.GetPods() {
		if other.UID == pod.UID || kl.isPodInactive(other) {
			continue
		}
		for _, taken := range hostPorts(other) {
			for _, want := range wants {
				if taken.HostPort == want.HostPort && taken.Protocol == want.Protocol &&
					(taken.HostIP == want.HostIP || anyAddress(taken.HostIP) || anyAddress(want.HostIP)) {
					return true
				}
			}
		}
	}
	return false
}

func anyAddress(ip string) bool { return ip == "" || ip == "0.0.0.0" }

func hostPorts(pod *corev1.Pod) []corev1.ContainerPort {
	var out []corev1.ContainerPort
	container.VisitContainers(pod, func(c *corev1.Container) {
		for _, port := range c.Ports {
			if port.HostPort > 0 {
				out = append(out, port)
			}
		}
	})
	return out
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
	return isPodPhaseTerminal(kl.statusManager.Phase(pod.UID)) && !kl.podWorkers.IsPodTerminationRequested(pod.UID)
}

// podRequests is what a Pod asks for: its containers and sidecars together, or
// what an init container needs in its turn, if that is more.
// Upstream: k8s.io/component-helpers/resource PodRequests.
func podRequests(pod *corev1.Pod) corev1.ResourceList {
	if s := &pod.Spec; len(s.Containers) == 1 && len(s.InitContainers) == 0 && len(s.Overhead) == 0 {
		return s.Containers[0].Resources.Requests // nothing to add up
	}
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
