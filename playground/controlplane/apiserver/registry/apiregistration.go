package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// apiServiceStrategy is upstream's kube-aggregator/pkg/registry/apiservice/strategy.go.
type apiServiceStrategy struct{ plain }

type apiServiceStatusStrategy struct{ apiServiceStrategy }

func init() {
	register("apiregistration.k8s.io/apiservices", apiServiceStrategy{})
	register("apiregistration.k8s.io/apiservices/status", apiServiceStatusStrategy{})
}

func (apiServiceStrategy) ValidateName() validation.NameFunc { return objectmeta.NameIsPathSegment }

func (apiServiceStrategy) PrepareForCreate(obj api.Object) {
	s := obj.(*apiregistrationv1.APIService)
	s.Status = apiregistrationv1.APIServiceStatus{}
	// What is served here is there at once. Upstream: NewLocalAvailableAPIServiceCondition.
	if s.Spec.Service == nil {
		s.Status.Conditions = []apiregistrationv1.APIServiceCondition{{
			Type: apiregistrationv1.Available, Status: apiregistrationv1.ConditionTrue, Reason: "Local",
			Message: "Local APIServices are always available", LastTransitionTime: s.CreationTimestamp,
		}}
	}
}

func (apiServiceStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateAPIService(obj.(*apiregistrationv1.APIService))
}

func (apiServiceStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*apiregistrationv1.APIService).Status = old.(*apiregistrationv1.APIService).Status
}

func (s apiServiceStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList { return s.Validate(obj) }

func (apiServiceStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	s, oldS := obj.(*apiregistrationv1.APIService), old.(*apiregistrationv1.APIService)
	s.Spec, s.Labels, s.Annotations = oldS.Spec, oldS.Labels, oldS.Annotations
	s.Finalizers, s.OwnerReferences = oldS.Finalizers, oldS.OwnerReferences
}

func (apiServiceStatusStrategy) ValidateUpdate(_, _ api.Object) field.ErrorList { return nil }
