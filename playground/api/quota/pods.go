package quota

import (
	"errors"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
)

// podEvaluator is upstream's pkg/quota/v1/evaluator/core/pods.go.
type podEvaluator struct{}

const podObjectCount corev1.ResourceName = "count/pods"

// podResources are the names that Pods are counted under, beside huge pages and extended resources.
var podResources = []corev1.ResourceName{
	podObjectCount, corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage,
	corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory, corev1.ResourceRequestsEphemeralStorage,
	corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory, corev1.ResourceLimitsEphemeralStorage, corev1.ResourcePods,
}

// statedResources are those that every container has to state once a quota limits them.
// Upstream: validationSet.
var statedResources = []corev1.ResourceName{
	corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceRequestsCPU,
	corev1.ResourceRequestsMemory, corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory,
}

var hugePages = []string{corev1.ResourceHugePagesPrefix, corev1.ResourceRequestsHugePagesPrefix}

func (podEvaluator) GroupResource() api.GroupResource { return api.GroupResource{Resource: "pods"} }

func (podEvaluator) Handles(op Operation, subresource string, _, _ api.Object) bool {
	return op == Create && subresource == "" || op == Update && subresource == "resize"
}

func (podEvaluator) MatchingResources(names []corev1.ResourceName) []corev1.ResourceName {
	return filtered(names, func(name corev1.ResourceName) bool {
		return Contains(podResources, name) || ContainsPrefix(hugePages, name) ||
			strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix) && !isNative(name)
	})
}

// Usage counts a Pod for as long as it is stored, and what it requests until it
// has ended, or should have.
// Upstream: PodUsageFunc.
func (podEvaluator) Usage(obj api.Object, now time.Time) corev1.ResourceList {
	pod := obj.(*corev1.Pod)
	out := counted(podObjectCount)
	if !QuotaV1Pod(pod, now) {
		return out
	}
	return Add(out, computeUsage(PodRequests(pod), PodLimits(pod)))
}

// QuotaV1Pod says that a Pod still uses its resources: it has not finished, and
// is not past the time by which a deletion should have ended it.
func QuotaV1Pod(pod *corev1.Pod, now time.Time) bool {
	if pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		return false
	}
	if pod.DeletionTimestamp != nil && pod.DeletionGracePeriodSeconds != nil {
		grace := time.Duration(*pod.DeletionGracePeriodSeconds) * time.Second
		return !now.After(pod.DeletionTimestamp.Time.Add(grace))
	}
	return true
}

// computeUsage gives requests and limits the names that quotas have for them.
// Upstream: podComputeUsageHelper.
func computeUsage(requests, limits corev1.ResourceList) corev1.ResourceList {
	out := counted(corev1.ResourcePods)
	for _, of := range []struct{ name, requests, limits corev1.ResourceName }{
		{corev1.ResourceCPU, corev1.ResourceRequestsCPU, corev1.ResourceLimitsCPU},
		{corev1.ResourceMemory, corev1.ResourceRequestsMemory, corev1.ResourceLimitsMemory},
		{corev1.ResourceEphemeralStorage, corev1.ResourceRequestsEphemeralStorage, corev1.ResourceLimitsEphemeralStorage},
	} {
		if q, ok := requests[of.name]; ok {
			out[of.name], out[of.requests] = q, q
		}
		if q, ok := limits[of.name]; ok {
			out[of.limits] = q
		}
	}
	// order: each fills names of its own.
	for name, q := range requests {
		requested := corev1.DefaultResourceRequestsPrefix + name
		switch {
		case strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix):
			out[name], out[requested] = q, q
		case !isNative(name) && !strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix):
			out[requested] = q
		}
	}
	return out
}

// isNative says that Kubernetes itself defines the resource. Upstream: core/v1/helper, IsNativeResource.
func isNative(name corev1.ResourceName) bool {
	return !strings.Contains(string(name), "/") || strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
}

// Constraints wants each container to state what a quota limits, unless the Pod
// states its resources as a whole.
func (podEvaluator) Constraints(required []corev1.ResourceName, obj api.Object) error {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return errors.New("unexpected input object")
	}
	if r := pod.Spec.Resources; r != nil && (len(r.Requests) > 0 || len(r.Limits) > 0) {
		return nil
	}
	missing := map[corev1.ResourceName][]string{}
	wanted := Intersection(required, statedResources)
	for _, containers := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers {
			c := &containers[i]
			stated := computeUsage(c.Resources.Requests, c.Resources.Limits)
			for _, name := range wanted {
				if _, ok := stated[name]; !ok && !slices.Contains(missing[name], c.Name) {
					missing[name] = append(missing[name], c.Name)
				}
			}
		}
	}
	var said []string
	for _, name := range wanted {
		if of := missing[name]; len(of) > 0 {
			slices.Sort(of)
			said = append(said, string(name)+" for: "+strings.Join(of, ","))
		}
	}
	if len(said) == 0 {
		return nil
	}
	return errors.New("must specify " + strings.Join(said, "; "))
}

// MatchesScope is upstream's podMatchesScopeFunc.
func (podEvaluator) MatchesScope(scope corev1.ScopedResourceSelectorRequirement, obj api.Object) (bool, error) {
	pod := obj.(*corev1.Pod)
	ends := pod.Spec.ActiveDeadlineSeconds != nil && *pod.Spec.ActiveDeadlineSeconds >= 0
	switch scope.ScopeName {
	case corev1.ResourceQuotaScopeTerminating:
		return ends, nil
	case corev1.ResourceQuotaScopeNotTerminating:
		return !ends, nil
	case corev1.ResourceQuotaScopeBestEffort:
		return isBestEffort(pod), nil
	case corev1.ResourceQuotaScopeNotBestEffort:
		return !isBestEffort(pod), nil
	case corev1.ResourceQuotaScopePriorityClass:
		if scope.Operator == corev1.ScopeSelectorOpExists {
			return pod.Spec.PriorityClassName != "", nil
		}
		return selects(scope, pod.Spec.PriorityClassName)
	case corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return usesCrossNamespacePodAffinity(pod), nil
	}
	return false, nil
}

// isBestEffort says that no container states CPU or memory.
// Upstream: pkg/apis/core/v1/helper/qos GetPodQOS.
func isBestEffort(pod *corev1.Pod) bool {
	if pod.Status.QOSClass != "" {
		return pod.Status.QOSClass == corev1.PodQOSBestEffort
	}
	if r := pod.Spec.Resources; r != nil && statesCompute(r) {
		return false
	}
	for _, containers := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers {
			if statesCompute(&containers[i].Resources) {
				return false
			}
		}
	}
	return true
}

func statesCompute(r *corev1.ResourceRequirements) bool {
	for _, list := range []corev1.ResourceList{r.Requests, r.Limits} {
		if list.Cpu().Sign() > 0 || list.Memory().Sign() > 0 {
			return true
		}
	}
	return false
}

func usesCrossNamespacePodAffinity(pod *corev1.Pod) bool {
	a := pod.Spec.Affinity
	if a == nil {
		return false
	}
	if a.PodAffinity != nil && crossesNamespaces(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
		a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution) {
		return true
	}
	return a.PodAntiAffinity != nil && crossesNamespaces(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
		a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
}

func crossesNamespaces(required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm) bool {
	for i := range required {
		if len(required[i].Namespaces) > 0 || required[i].NamespaceSelector != nil {
			return true
		}
	}
	for i := range preferred {
		if t := &preferred[i].PodAffinityTerm; len(t.Namespaces) > 0 || t.NamespaceSelector != nil {
			return true
		}
	}
	return false
}

// counted is one of each name.
func counted(names ...corev1.ResourceName) corev1.ResourceList {
	out := corev1.ResourceList{}
	for _, name := range names {
		out[name] = *resource.NewQuantity(1, resource.DecimalSI)
	}
	return out
}
