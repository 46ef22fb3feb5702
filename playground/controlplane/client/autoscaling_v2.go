package client

import (
	"kubewalk/playground/api/autoscalingv2"
)

// AutoscalingV2Client are the resources of group autoscaling.
// Upstream: k8s.io/client-go/kubernetes/typed/autoscaling/v2
type AutoscalingV2Client struct{ transport Transport }

// What the accessors return, under upstream's names.
type (
	HorizontalPodAutoscalerInterface = ResourceClient[*autoscalingv2.HorizontalPodAutoscaler, *autoscalingv2.HorizontalPodAutoscalerList]
)

// HorizontalPodAutoscalers are the HorizontalPodAutoscalers of a namespace.
func (c AutoscalingV2Client) HorizontalPodAutoscalers(namespace string) HorizontalPodAutoscalerInterface {
	return newResource[*autoscalingv2.HorizontalPodAutoscaler, *autoscalingv2.HorizontalPodAutoscalerList](c.transport, autoscaling2,
		"horizontalpodautoscalers", namespace)
}
