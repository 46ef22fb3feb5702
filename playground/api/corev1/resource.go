package corev1

import "kubewalk/playground/api/resource"

// Cpu returns the CPU in the list, 0 if there is none. The list isn't changed through the result.
func (rl *ResourceList) Cpu() *resource.Quantity { return rl.Name(ResourceCPU, resource.DecimalSI) }

// Memory returns the memory in the list, in bytes; see Cpu.
func (rl *ResourceList) Memory() *resource.Quantity {
	return rl.Name(ResourceMemory, resource.BinarySI)
}

// Pods returns the number of Pods in the list; see Cpu.
func (rl *ResourceList) Pods() *resource.Quantity { return rl.Name(ResourcePods, resource.DecimalSI) }

// StorageEphemeral returns the ephemeral storage in the list, in bytes; see Cpu.
func (rl *ResourceList) StorageEphemeral() *resource.Quantity {
	return rl.Name(ResourceEphemeralStorage, resource.BinarySI)
}

// Name returns a resource of the list, or 0 of the format if there is none.
// Upstream: k8s.io/api/core/v1/resource.go, ResourceList.Name.
func (rl *ResourceList) Name(name ResourceName, format resource.Format) *resource.Quantity {
	if q, ok := (*rl)[name]; ok {
		return &q
	}
	return &resource.Quantity{Format: format}
}
