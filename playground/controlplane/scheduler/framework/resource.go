package framework

import (
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
)

// What scoring assumes a container to need that requests nothing: a Pod without
// requests is not free. Upstream: pkg/scheduler/util/pod_resources.go.
const (
	DefaultMilliCPURequest int64 = 100               // 0.1 core
	DefaultMemoryRequest   int64 = 200 * 1024 * 1024 // 200 MiB
)

// Resource is an amount of everything that is counted.
// Upstream: pkg/scheduler/framework/types.go, Resource.
type Resource struct {
	MilliCPU         int64 // thousandths of a core
	Memory           int64 // bytes
	EphemeralStorage int64 // bytes
	AllowedPodNumber int
	// Scalar holds extended resources and huge pages, sorted by name.
	Scalar []ScalarResource
}

// ScalarResource is an amount of something else, in whole units.
type ScalarResource struct {
	Name  corev1.ResourceName
	Value int64
}

// ScalarValue is 0 when there is none of it.
func (r *Resource) ScalarValue(name corev1.ResourceName) int64 {
	for _, s := range r.Scalar {
		if s.Name == name {
			return s.Value
		}
	}
	return 0
}

// Value is the amount of one resource; CPU in thousandths of a core.
func (r *Resource) Value(name corev1.ResourceName) int64 {
	switch name {
	case corev1.ResourceCPU:
		return r.MilliCPU
	case corev1.ResourceMemory:
		return r.Memory
	case corev1.ResourceEphemeralStorage:
		return r.EphemeralStorage
	case corev1.ResourcePods:
		return int64(r.AllowedPodNumber)
	}
	return r.ScalarValue(name)
}

func (r *Resource) addScalar(name corev1.ResourceName, value int64) {
	i, found := slices.BinarySearchFunc(r.Scalar, name, func(s ScalarResource, n corev1.ResourceName) int {
		return strings.Compare(string(s.Name), string(n))
	})
	if found {
		r.Scalar[i].Value += value
		return
	}
	r.Scalar = slices.Insert(r.Scalar, i, ScalarResource{name, value})
}

// Clone shares nothing.
func (r Resource) Clone() Resource {
	r.Scalar = slices.Clone(r.Scalar)
	return r
}

// NewResource reads a node's or a Pod's list.
func NewResource(list corev1.ResourceList) Resource {
	var r Resource
	// order: each name sums into a field of its own.
	for name, q := range list {
		switch name {
		case corev1.ResourceCPU:
			r.MilliCPU = q.MilliValue()
		case corev1.ResourceMemory:
			r.Memory = q.Value()
		case corev1.ResourcePods:
			r.AllowedPodNumber = int(q.Value())
		case corev1.ResourceEphemeralStorage:
			r.EphemeralStorage = q.Value()
		default:
			if IsScalarResourceName(name) {
				r.addScalar(name, q.Value())
			}
		}
	}
	return r
}

// add changes r by sign times other.
func (r *Resource) add(other Resource, sign int64) {
	r.MilliCPU += sign * other.MilliCPU
	r.Memory += sign * other.Memory
	r.EphemeralStorage += sign * other.EphemeralStorage
	for _, s := range other.Scalar {
		r.addScalar(s.Name, sign*s.Value)
	}
}

// IsScalarResourceName: extended resources (with a domain that is not
// Kubernetes' own), huge pages, attachable volumes.
// Upstream: pkg/scheduler/util/utils.go, IsScalarResourceName.
func IsScalarResourceName(name corev1.ResourceName) bool {
	s := string(name)
	return strings.HasPrefix(s, corev1.ResourceHugePagesPrefix) ||
		strings.HasPrefix(s, corev1.ResourceAttachableVolumesPrefix) ||
		strings.Contains(s, "/") && !strings.HasPrefix(s, corev1.DefaultResourceRequestsPrefix)
}

// PodRequests is what a Pod asks of its node: the sum of its containers and
// sidecars, or what its init containers need one after the other if that is
// more, then the Pod's own requests where it states them, then its overhead.
// nonMissing fills in what a container leaves out of CPU and memory, for scoring.
//
// While a container is being resized, it counts with the most of what is asked
// for, allocated and in use; what the node has refused for good is not counted.
// The list must not be changed: it may be the Pod's own.
// Upstream: component-helpers/resource/helpers.go, PodRequests.
func PodRequests(pod *corev1.Pod, nonMissing bool) corev1.ResourceList {
	if s := &pod.Spec; len(s.Containers) == 1 && len(s.InitContainers) == 0 && s.Resources == nil && len(s.Overhead) == 0 {
		return containerRequests(pod, &s.Containers[0], pod.Status.ContainerStatuses, nonMissing) // nothing to add up
	}
	sum := corev1.ResourceList{}
	for i := range pod.Spec.Containers {
		addList(sum, containerRequests(pod, &pod.Spec.Containers[i], pod.Status.ContainerStatuses, nonMissing))
	}
	initMax, sidecars := corev1.ResourceList{}, corev1.ResourceList{}
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		requests := containerRequests(pod, c, pod.Status.InitContainerStatuses, nonMissing)
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			addList(sum, requests)
			addList(sidecars, requests)
			maxList(initMax, sidecars)
			continue
		}
		during := corev1.ResourceList{}
		addList(during, requests)
		addList(during, sidecars)
		maxList(initMax, during)
	}
	maxList(sum, initMax)
	if pod.Spec.Resources != nil {
		for name, q := range pod.Spec.Resources.Requests {
			if name == corev1.ResourceCPU || name == corev1.ResourceMemory ||
				strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
				sum[name] = q
			}
		}
	}
	addList(sum, pod.Spec.Overhead)
	return sum
}

func containerRequests(pod *corev1.Pod, c *corev1.Container, statuses []corev1.ContainerStatus, nonMissing bool) corev1.ResourceList {
	requests := c.Resources.Requests
	for i := range statuses {
		if s := &statuses[i]; s.Name == c.Name && s.Resources != nil {
			largest := corev1.ResourceList{}
			if !resizeInfeasible(pod) {
				maxList(largest, requests)
			}
			maxList(largest, s.Resources.Requests)
			maxList(largest, s.AllocatedResources)
			requests = largest
		}
	}
	if !nonMissing {
		return requests
	}
	if len(requests) == 0 {
		return missing
	}
	_, cpu := requests[corev1.ResourceCPU]
	_, memory := requests[corev1.ResourceMemory]
	if cpu && memory {
		return requests
	}
	out := corev1.ResourceList{}
	addList(out, requests)
	if !cpu {
		out[corev1.ResourceCPU] = *resource.NewMilliQuantity(DefaultMilliCPURequest, resource.DecimalSI)
	}
	if !memory {
		out[corev1.ResourceMemory] = *resource.NewQuantity(DefaultMemoryRequest, resource.BinarySI)
	}
	return out
}

// missing is what counts for a container that asks for nothing.
var missing = corev1.ResourceList{
	corev1.ResourceCPU:    *resource.NewMilliQuantity(DefaultMilliCPURequest, resource.DecimalSI),
	corev1.ResourceMemory: *resource.NewQuantity(DefaultMemoryRequest, resource.BinarySI),
}

// resizeInfeasible: the node will never have what the new size asks for.
func resizeInfeasible(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodResizePending {
			return c.Reason == corev1.PodReasonInfeasible
		}
	}
	return false
}

func addList(into, list corev1.ResourceList) {
	// order: each name has its own sum.
	for name, q := range list {
		v := into[name]
		v.Add(q)
		into[name] = v
	}
}

func maxList(into, list corev1.ResourceList) {
	// order: each name has its own largest.
	for name, q := range list {
		if v, ok := into[name]; !ok || q.Cmp(v) > 0 {
			into[name] = q
		}
	}
}
