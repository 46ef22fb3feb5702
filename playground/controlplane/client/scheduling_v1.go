package client

import (
	"kubewalk/playground/api/schedulingv1"
)

// SchedulingV1Client are the resources of group scheduling.k8s.io.
// Upstream: k8s.io/client-go/kubernetes/typed/scheduling/v1
type SchedulingV1Client struct{ transport Transport }

// What the accessors return, under upstream's names.
type (
	PriorityClassInterface = ResourceClient[*schedulingv1.PriorityClass, *schedulingv1.PriorityClassList]
)

// PriorityClasses are the cluster's PriorityClasses.
func (c SchedulingV1Client) PriorityClasses() PriorityClassInterface {
	return newResource[*schedulingv1.PriorityClass, *schedulingv1.PriorityClassList](c.transport, scheduling, "priorityclasses", "")
}
