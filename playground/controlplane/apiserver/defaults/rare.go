//go:build !js || cel

package defaults

import (
	"cmp"

	"kubewalk/playground/api"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/flowcontrolv1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/resourcev1"
)

func init() { setRare = setRareKind }

// setRareKind fills in objects of kinds that not every server has.
// Upstream: pkg/apis/autoscaling/v1/defaults.go, pkg/apis/flowcontrol/v1/defaults.go, pkg/apis/resource/v1/defaults.go.
func setRareKind(obj api.Object) {
	switch o := obj.(type) {
	case *autoscalingv1.HorizontalPodAutoscaler: // the rest is filled in once it is a v2
		orElse(&o.Spec.MinReplicas, 1)
	case *flowcontrolv1.FlowSchema:
		if o.Spec.MatchingPrecedence == 0 {
			o.Spec.MatchingPrecedence = 1000
		}
	case *flowcontrolv1.PriorityLevelConfiguration:
		setPriorityLevel(o)
	case *resourcev1.ResourceClaim:
		setDeviceRequests(o.Spec.Devices.Requests)
		if a := o.Status.Allocation; a != nil {
			for i := range a.Devices.Results {
				setDeviceTolerations(a.Devices.Results[i].Tolerations)
			}
		}
	case *resourcev1.ResourceClaimTemplate:
		setDeviceRequests(o.Spec.Spec.Devices.Requests)
	case *resourcev1.ResourceSlice: // since when taints are there is filled in when it is stored
		for i := range o.Spec.Devices {
			mappings := o.Spec.Devices[i].NodeAllocatableResourceMappings
			for key, m := range mappings { // order: each fills its own key
				if m.AllocationMultiplier == nil {
					m.AllocationMultiplier = resource.NewQuantity(1, resource.DecimalSI)
					mappings[key] = m
				}
			}
		}
	}
}

func setDeviceTolerations(tolerations []resourcev1.DeviceToleration) {
	for i := range tolerations {
		tolerations[i].Operator = cmp.Or(tolerations[i].Operator, resourcev1.DeviceTolerationOpEqual)
	}
}

func setDeviceRequests(requests []resourcev1.DeviceRequest) {
	set := func(mode *resourcev1.DeviceAllocationMode, count *int64, tolerations []resourcev1.DeviceToleration) {
		*mode = cmp.Or(*mode, resourcev1.DeviceAllocationModeExactCount)
		if *mode == resourcev1.DeviceAllocationModeExactCount {
			*count = cmp.Or(*count, 1)
		}
		setDeviceTolerations(tolerations)
	}
	for i := range requests {
		if e := requests[i].Exactly; e != nil {
			set(&e.AllocationMode, &e.Count, e.Tolerations)
		}
		for j := range requests[i].FirstAvailable {
			s := &requests[i].FirstAvailable[j]
			set(&s.AllocationMode, &s.Count, s.Tolerations)
		}
	}
}

func setPriorityLevel(o *flowcontrolv1.PriorityLevelConfiguration) {
	if e := o.Spec.Exempt; e != nil {
		orElse(&e.NominalConcurrencyShares, 0)
		orElse(&e.LendablePercent, 0)
	}
	l := o.Spec.Limited
	if l == nil {
		return
	}
	orElse(&l.NominalConcurrencyShares, 30)
	orElse(&l.LendablePercent, 0)
	if q := l.LimitResponse.Queuing; q != nil {
		q.Queues, q.HandSize, q.QueueLengthLimit = cmp.Or(q.Queues, 64), cmp.Or(q.HandSize, 8), cmp.Or(q.QueueLengthLimit, 50)
	}
}
