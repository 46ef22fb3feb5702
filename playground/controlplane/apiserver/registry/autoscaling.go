package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/field"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// autoscalerStrategy is upstream's pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go.
type autoscalerStrategy struct{ plain }

type autoscalerStatusStrategy struct{ autoscalerStrategy }

func init() {
	register("autoscaling/horizontalpodautoscalers", autoscalerStrategy{})
	register("autoscaling/horizontalpodautoscalers/status", autoscalerStatusStrategy{})
}

func (autoscalerStrategy) PrepareForCreate(obj api.Object) {
	obj.(*autoscalingv2.HorizontalPodAutoscaler).Status = autoscalingv2.HorizontalPodAutoscalerStatus{}
}

func (autoscalerStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateHorizontalPodAutoscaler(obj.(*autoscalingv2.HorizontalPodAutoscaler))
}

// PrepareForUpdate counts no generation: upstream's does not either.
func (autoscalerStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*autoscalingv2.HorizontalPodAutoscaler).Status = old.(*autoscalingv2.HorizontalPodAutoscaler).Status
}

func (autoscalerStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return validation.ValidateHorizontalPodAutoscaler(obj.(*autoscalingv2.HorizontalPodAutoscaler))
}

func (autoscalerStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*autoscalingv2.HorizontalPodAutoscaler).Spec = old.(*autoscalingv2.HorizontalPodAutoscaler).Spec
}

func (autoscalerStatusStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return validation.ValidateHorizontalPodAutoscalerStatusUpdate(obj.(*autoscalingv2.HorizontalPodAutoscaler))
}
