package client

import (
	"kubewalk/playground/api/admissionregistrationv1"
)

// AdmissionregistrationV1Client are the resources of group admissionregistration.k8s.io.
// Upstream: k8s.io/client-go/kubernetes/typed/admissionregistration/v1
type AdmissionregistrationV1Client struct{ transport Transport }

// What the accessors return, under upstream's names.
type (
	MutatingAdmissionPolicyInterface = ResourceClient[*admissionregistrationv1.MutatingAdmissionPolicy,
		*admissionregistrationv1.MutatingAdmissionPolicyList]
	MutatingAdmissionPolicyBindingInterface = ResourceClient[*admissionregistrationv1.MutatingAdmissionPolicyBinding,
		*admissionregistrationv1.MutatingAdmissionPolicyBindingList]
	MutatingWebhookConfigurationInterface = ResourceClient[*admissionregistrationv1.MutatingWebhookConfiguration,
		*admissionregistrationv1.MutatingWebhookConfigurationList]
	ValidatingAdmissionPolicyInterface = ResourceClient[*admissionregistrationv1.ValidatingAdmissionPolicy,
		*admissionregistrationv1.ValidatingAdmissionPolicyList]
	ValidatingAdmissionPolicyBindingInterface = ResourceClient[*admissionregistrationv1.ValidatingAdmissionPolicyBinding,
		*admissionregistrationv1.ValidatingAdmissionPolicyBindingList]
	ValidatingWebhookConfigurationInterface = ResourceClient[*admissionregistrationv1.ValidatingWebhookConfiguration,
		*admissionregistrationv1.ValidatingWebhookConfigurationList]
)

// MutatingAdmissionPolicies are the cluster's MutatingAdmissionPolicies.
func (c AdmissionregistrationV1Client) MutatingAdmissionPolicies() MutatingAdmissionPolicyInterface {
	return newResource[*admissionregistrationv1.MutatingAdmissionPolicy, *admissionregistrationv1.MutatingAdmissionPolicyList](c.transport,
		admissionregistration, "mutatingadmissionpolicies", "")
}

// MutatingAdmissionPolicyBindings are the cluster's MutatingAdmissionPolicyBindings.
func (c AdmissionregistrationV1Client) MutatingAdmissionPolicyBindings() MutatingAdmissionPolicyBindingInterface {
	return newResource[*admissionregistrationv1.MutatingAdmissionPolicyBinding, *admissionregistrationv1.MutatingAdmissionPolicyBindingList](c.transport,
		admissionregistration, "mutatingadmissionpolicybindings", "")
}

// MutatingWebhookConfigurations are the cluster's MutatingWebhookConfigurations.
func (c AdmissionregistrationV1Client) MutatingWebhookConfigurations() MutatingWebhookConfigurationInterface {
	return newResource[*admissionregistrationv1.MutatingWebhookConfiguration, *admissionregistrationv1.MutatingWebhookConfigurationList](c.transport,
		admissionregistration, "mutatingwebhookconfigurations", "")
}

// ValidatingAdmissionPolicies are the cluster's ValidatingAdmissionPolicies.
func (c AdmissionregistrationV1Client) ValidatingAdmissionPolicies() ValidatingAdmissionPolicyInterface {
	return newResource[*admissionregistrationv1.ValidatingAdmissionPolicy, *admissionregistrationv1.ValidatingAdmissionPolicyList](c.transport,
		admissionregistration, "validatingadmissionpolicies", "")
}

// ValidatingAdmissionPolicyBindings are the cluster's ValidatingAdmissionPolicyBindings.
func (c AdmissionregistrationV1Client) ValidatingAdmissionPolicyBindings() ValidatingAdmissionPolicyBindingInterface {
	return newResource[*admissionregistrationv1.ValidatingAdmissionPolicyBinding, *admissionregistrationv1.ValidatingAdmissionPolicyBindingList](c.transport,
		admissionregistration, "validatingadmissionpolicybindings", "")
}

// ValidatingWebhookConfigurations are the cluster's ValidatingWebhookConfigurations.
func (c AdmissionregistrationV1Client) ValidatingWebhookConfigurations() ValidatingWebhookConfigurationInterface {
	return newResource[*admissionregistrationv1.ValidatingWebhookConfiguration, *admissionregistrationv1.ValidatingWebhookConfigurationList](c.transport,
		admissionregistration, "validatingwebhookconfigurations", "")
}
