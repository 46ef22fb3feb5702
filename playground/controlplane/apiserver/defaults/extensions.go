package defaults

import (
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/rbacv1"
)

// setExtension fills in the kinds that change the API itself, and those of who may use it.
// Upstream: pkg/apis/admissionregistration/v1/defaults.go, pkg/apis/rbac/v1/defaults.go,
// apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go, kube-aggregator/pkg/apis/apiregistration/v1/defaults.go.
func setExtension(obj api.Object) {
	switch o := obj.(type) {
	case *rbacv1.RoleBinding:
		setBinding(&o.RoleRef, o.Subjects)
	case *rbacv1.ClusterRoleBinding:
		setBinding(&o.RoleRef, o.Subjects)
	case *apiextensionsv1.CustomResourceDefinition:
		setDefinition(&o.Spec)
	case *apiregistrationv1.APIService:
		if o.Spec.Service != nil {
			orElse(&o.Spec.Service.Port, 443)
		}
	case *admissionregistrationv1.ValidatingWebhookConfiguration:
		for i := range o.Webhooks {
			h := &o.Webhooks[i]
			setWebhook(&h.ClientConfig, h.Rules, &h.FailurePolicy, &h.MatchPolicy, &h.NamespaceSelector, &h.ObjectSelector, &h.TimeoutSeconds)
		}
	case *admissionregistrationv1.MutatingWebhookConfiguration:
		for i := range o.Webhooks {
			h := &o.Webhooks[i]
			setWebhook(&h.ClientConfig, h.Rules, &h.FailurePolicy, &h.MatchPolicy, &h.NamespaceSelector, &h.ObjectSelector, &h.TimeoutSeconds)
			orElse(&h.ReinvocationPolicy, admissionregistrationv1.NeverReinvocationPolicy)
		}
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		orElse(&o.Spec.FailurePolicy, admissionregistrationv1.Fail)
		setMatchResources(o.Spec.MatchConstraints)
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		orElse(&o.Spec.FailurePolicy, admissionregistrationv1.Fail)
		setMatchResources(o.Spec.MatchConstraints)
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		setMatchResources(o.Spec.MatchResources)
	case *admissionregistrationv1.MutatingAdmissionPolicyBinding:
		setMatchResources(o.Spec.MatchResources)
	}
}

func setBinding(ref *rbacv1.RoleRef, subjects []rbacv1.Subject) {
	if ref.APIGroup == "" {
		ref.APIGroup = rbacv1.GroupName
	}
	for i := range subjects {
		if s := &subjects[i]; s.APIGroup == "" && (s.Kind == rbacv1.UserKind || s.Kind == rbacv1.GroupKind) {
			s.APIGroup = rbacv1.GroupName
		}
	}
}

func setDefinition(s *apiextensionsv1.CustomResourceDefinitionSpec) {
	if s.Names.Singular == "" {
		s.Names.Singular = strings.ToLower(s.Names.Kind)
	}
	if s.Names.ListKind == "" && s.Names.Kind != "" {
		s.Names.ListKind = s.Names.Kind + "List"
	}
	orElse(&s.Conversion, apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter})
	if hook := s.Conversion.Webhook; hook != nil && hook.ClientConfig != nil && hook.ClientConfig.Service != nil {
		orElse(&hook.ClientConfig.Service.Port, 443)
	}
}

func setWebhook(c *admissionregistrationv1.WebhookClientConfig, rules []admissionregistrationv1.RuleWithOperations,
	failure **admissionregistrationv1.FailurePolicyType, match **admissionregistrationv1.MatchPolicyType,
	namespaces, objects **metav1.LabelSelector, timeout **int32) {
	orElse(failure, admissionregistrationv1.Fail)
	orElse(match, admissionregistrationv1.Equivalent)
	orElse(namespaces, metav1.LabelSelector{})
	orElse(objects, metav1.LabelSelector{})
	orElse(timeout, 10)
	if c.Service != nil {
		orElse(&c.Service.Port, 443)
	}
	for i := range rules {
		orElse(&rules[i].Scope, admissionregistrationv1.AllScopes)
	}
}

func setMatchResources(m *admissionregistrationv1.MatchResources) {
	if m == nil {
		return
	}
	orElse(&m.MatchPolicy, admissionregistrationv1.Equivalent)
	orElse(&m.NamespaceSelector, metav1.LabelSelector{})
	orElse(&m.ObjectSelector, metav1.LabelSelector{})
	for _, list := range [][]admissionregistrationv1.NamedRuleWithOperations{m.ResourceRules, m.ExcludeResourceRules} {
		for i := range list {
			orElse(&list[i].Scope, admissionregistrationv1.AllScopes)
		}
	}
}
