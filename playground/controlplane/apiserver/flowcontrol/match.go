package flowcontrol

import (
	"slices"
	"strings"

	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/flowcontrolv1"
)

// Request is what a FlowSchema can tell requests apart by.
type Request struct {
	User                         *authenticationv1.UserInfo
	Verb                         string // "watch", "deletecollection" …
	Group, Resource, Subresource string
	Namespace                    string // "" for cluster-scoped resources, and across all namespaces
	Path                         string // of a request that is about no resource
}

// matches tells whether a FlowSchema is about a request.
// Upstream: apiserver/pkg/util/flowcontrol/rule.go, matchesFlowSchema.
func matches(r *Request, s *flowcontrolv1.FlowSchema) bool {
	return slices.ContainsFunc(s.Spec.Rules, func(rule flowcontrolv1.PolicyRulesWithSubjects) bool {
		return slices.ContainsFunc(rule.Subjects, r.from) &&
			(r.Path == "" && slices.ContainsFunc(rule.ResourceRules, r.about) || r.Path != "" && slices.ContainsFunc(rule.NonResourceRules, r.at))
	})
}

// from tells whether the request is from a subject.
func (r *Request) from(s flowcontrolv1.Subject) bool {
	switch s.Kind {
	case flowcontrolv1.SubjectKindUser:
		return s.User != nil && (s.User.Name == flowcontrolv1.NameAll || s.User.Name == r.User.Username)
	case flowcontrolv1.SubjectKindGroup:
		return s.Group != nil && (s.Group.Name == flowcontrolv1.NameAll || slices.Contains(r.User.Groups, s.Group.Name))
	case flowcontrolv1.SubjectKindServiceAccount:
		if s.ServiceAccount == nil {
			return false
		}
		name, ok := strings.CutPrefix(r.User.Username, "system:serviceaccount:"+s.ServiceAccount.Namespace+":")
		return ok && (s.ServiceAccount.Name == flowcontrolv1.NameAll || s.ServiceAccount.Name == name)
	}
	return false
}

// about tells whether the request is about what a rule names.
func (r *Request) about(rule flowcontrolv1.ResourcePolicyRule) bool {
	resource := r.Resource
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	if !has(rule.Verbs, r.Verb) || !has(rule.Resources, resource) || !has(rule.APIGroups, r.Group) {
		return false
	}
	if r.Namespace == "" {
		return rule.ClusterScope
	}
	return has(rule.Namespaces, r.Namespace)
}

// at tells whether the request is for a path that a rule names. Upstream: rule.go, matchesNonResourceRule.
func (r *Request) at(rule flowcontrolv1.NonResourcePolicyRule) bool {
	return has(rule.Verbs, r.Verb) && slices.ContainsFunc(rule.NonResourceURLs, func(url string) bool {
		prefix, all := strings.CutSuffix(url, "*")
		return url == r.Path || all && strings.HasPrefix(r.Path, prefix)
	})
}

// has tells whether a list names something, or everything.
func has(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, "*")
}

// flow is what the requests of a FlowSchema are told apart by.
// Upstream: apf_controller.go, computeFlowDistinguisher.
func (r *Request) flow(s *flowcontrolv1.FlowSchema) string {
	if s.Spec.DistinguisherMethod == nil {
		return ""
	}
	if s.Spec.DistinguisherMethod.Type == flowcontrolv1.FlowDistinguisherMethodByNamespaceType {
		return r.Namespace
	}
	return r.User.Username
}
