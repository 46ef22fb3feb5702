package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/schedulingv1"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// priorityClassStrategy is upstream's pkg/registry/scheduling/priorityclass/strategy.go.
type priorityClassStrategy struct{ plain }

func init() { register("scheduling.k8s.io/priorityclasses", priorityClassStrategy{}) }

func (priorityClassStrategy) PrepareForCreate(obj api.Object) {
	obj.(*schedulingv1.PriorityClass).Generation = 1
}

func (priorityClassStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidatePriorityClass(obj.(*schedulingv1.PriorityClass))
}

func (priorityClassStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidatePriorityClassUpdate(obj.(*schedulingv1.PriorityClass), old.(*schedulingv1.PriorityClass))
}
