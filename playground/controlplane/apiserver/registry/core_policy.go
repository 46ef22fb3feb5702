package registry

import (
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/controlplane/apiserver/validation"
)

func init() {
	register("/resourcequotas", resourceQuotaStrategy{})
	register("/resourcequotas/status", resourceQuotaStatusStrategy{})
	register("/limitranges", limitRangeStrategy{})
	register("/serviceaccounts", serviceAccountStrategy{})
	register("/endpoints", endpointsStrategy{})
}

// resourceQuotaStrategy is upstream's pkg/registry/core/resourcequota/strategy.go.
type resourceQuotaStrategy struct{ plain }

type resourceQuotaStatusStrategy struct{ resourceQuotaStrategy }

func (resourceQuotaStrategy) PrepareForCreate(obj api.Object) {
	obj.(*corev1.ResourceQuota).Status = corev1.ResourceQuotaStatus{}
}

func (resourceQuotaStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateResourceQuota(obj.(*corev1.ResourceQuota))
}

func (resourceQuotaStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*corev1.ResourceQuota).Status = old.(*corev1.ResourceQuota).Status
}

func (resourceQuotaStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return validation.ValidateResourceQuotaUpdate(obj.(*corev1.ResourceQuota), old.(*corev1.ResourceQuota))
}

func (resourceQuotaStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*corev1.ResourceQuota).Spec = old.(*corev1.ResourceQuota).Spec
}

func (resourceQuotaStatusStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return validation.ValidateResourceQuotaStatusUpdate(obj.(*corev1.ResourceQuota))
}

// limitRangeStrategy is upstream's pkg/registry/core/limitrange/strategy.go.
type limitRangeStrategy struct{ plain }

func (limitRangeStrategy) AllowCreateOnUpdate() bool { return true }

func (limitRangeStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateLimitRange(obj.(*corev1.LimitRange))
}

func (s limitRangeStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList { return s.Validate(obj) }

// serviceAccountStrategy is upstream's pkg/registry/core/serviceaccount/strategy.go.
type serviceAccountStrategy struct{ plain }

// PrepareForCreate leaves of each reference to a Secret what is used: its name.
func (serviceAccountStrategy) PrepareForCreate(obj api.Object) {
	sa := obj.(*corev1.ServiceAccount)
	sa.Secrets = slices.Clone(sa.Secrets)
	for i := range sa.Secrets {
		sa.Secrets[i] = corev1.ObjectReference{Name: sa.Secrets[i].Name}
	}
}

func (s serviceAccountStrategy) PrepareForUpdate(obj, _ api.Object) { s.PrepareForCreate(obj) }

// endpointsStrategy is upstream's pkg/registry/core/endpoint/strategy.go.
type endpointsStrategy struct{ plain }

func (endpointsStrategy) AllowCreateOnUpdate() bool { return true }

func (endpointsStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateEndpoints(obj.(*corev1.Endpoints))
}

func (s endpointsStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList { return s.Validate(obj) }
