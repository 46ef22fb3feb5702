package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// The kinds of admissionregistration.k8s.io.
// Upstream: pkg/registry/admissionregistration/*/strategy.go.

// registrationStrategy is what they share: a change of the spec counts.
type registrationStrategy struct {
	plain
	spec     func(obj api.Object) any
	validate func(obj api.Object) field.ErrorList
}

// policyStatusStrategy is for the status of ValidatingAdmissionPolicies.
type policyStatusStrategy struct{ plain }

func init() {
	for resource, s := range map[string]registrationStrategy{ // order: each fills its own key
		"validatingwebhookconfigurations": {spec: func(obj api.Object) any {
			return obj.(*admissionregistrationv1.ValidatingWebhookConfiguration).Webhooks
		}, validate: webhooks},
		"mutatingwebhookconfigurations": {spec: func(obj api.Object) any {
			return obj.(*admissionregistrationv1.MutatingWebhookConfiguration).Webhooks
		}, validate: webhooks},
		"validatingadmissionpolicies": {spec: func(obj api.Object) any {
			return obj.(*admissionregistrationv1.ValidatingAdmissionPolicy).Spec
		}, validate: func(obj api.Object) field.ErrorList {
			return validation.ValidateValidatingAdmissionPolicy(obj.(*admissionregistrationv1.ValidatingAdmissionPolicy))
		}},
		"mutatingadmissionpolicies": {spec: func(obj api.Object) any {
			return obj.(*admissionregistrationv1.MutatingAdmissionPolicy).Spec
		}, validate: func(obj api.Object) field.ErrorList {
			return validation.ValidateMutatingAdmissionPolicy(obj.(*admissionregistrationv1.MutatingAdmissionPolicy))
		}},
		"validatingadmissionpolicybindings": {spec: func(obj api.Object) any {
			return obj.(*admissionregistrationv1.ValidatingAdmissionPolicyBinding).Spec
		}, validate: func(obj api.Object) field.ErrorList {
			s := &obj.(*admissionregistrationv1.ValidatingAdmissionPolicyBinding).Spec
			return append(validation.ValidatePolicyBinding(false, s.PolicyName, s.ParamRef, s.MatchResources),
				validation.ValidateValidationActions(s.ValidationActions)...)
		}},
		"mutatingadmissionpolicybindings": {spec: func(obj api.Object) any {
			return obj.(*admissionregistrationv1.MutatingAdmissionPolicyBinding).Spec
		}, validate: func(obj api.Object) field.ErrorList {
			s := &obj.(*admissionregistrationv1.MutatingAdmissionPolicyBinding).Spec
			return validation.ValidatePolicyBinding(true, s.PolicyName, s.ParamRef, s.MatchResources)
		}},
	} {
		register("admissionregistration.k8s.io/"+resource, s)
	}
	register("admissionregistration.k8s.io/validatingadmissionpolicies/status", policyStatusStrategy{})
}

func (registrationStrategy) PrepareForCreate(obj api.Object) {
	obj.SetGeneration(1)
	if p, ok := obj.(*admissionregistrationv1.ValidatingAdmissionPolicy); ok {
		p.Status = admissionregistrationv1.ValidatingAdmissionPolicyStatus{}
	}
}

func (s registrationStrategy) Validate(obj api.Object) field.ErrorList { return s.validate(obj) }

func (s registrationStrategy) PrepareForUpdate(obj, old api.Object) {
	if p, ok := obj.(*admissionregistrationv1.ValidatingAdmissionPolicy); ok {
		p.Status = old.(*admissionregistrationv1.ValidatingAdmissionPolicy).Status
	}
	if !api.SemanticDeepEqual(s.spec(obj), s.spec(old)) {
		obj.SetGeneration(old.GetGeneration() + 1)
	}
}

func (s registrationStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return s.validate(obj)
}

func (policyStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	obj.(*admissionregistrationv1.ValidatingAdmissionPolicy).Spec = old.(*admissionregistrationv1.ValidatingAdmissionPolicy).Spec
}

func (policyStatusStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return validation.ValidateExpressionWarnings(&obj.(*admissionregistrationv1.ValidatingAdmissionPolicy).Status)
}

func webhooks(obj api.Object) field.ErrorList {
	return validation.ValidateWebhooks(validation.WebhooksOf(obj))
}
