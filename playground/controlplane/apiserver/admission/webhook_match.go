package admission

import (
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/cel"
	"kubewalk/playground/controlplane/store"
)

// matches tells whether a webhook is asked about a request. Upstream: webhook/generic/webhook.go, ShouldCallHook.
func (c *caller) matches(h *webhook, a *Attributes) (bool, error) {
	if a.Kind.Group == "admissionregistration.k8s.io" {
		return false, nil // nobody locks himself out. Upstream: predicates/rules, IsExemptAdmissionConfigurationResource
	}
	if !slices.ContainsFunc(h.Rules, func(r admissionregistrationv1.RuleWithOperations) bool { return ruleMatches(&r, a) }) {
		return false, nil
	}
	object, err := labels.LabelSelectorAsSelector(h.ObjectSelector)
	if err != nil {
		return false, apierrors.NewInternalError(err)
	}
	if !object.Empty() && !labelsMatch(object, a.Object) && !labelsMatch(object, a.OldObject) {
		return false, nil
	}
	ok, err := namespaceMatches(c.store, h.NamespaceSelector, a)
	if !ok || err != nil || len(h.MatchConditions) == 0 {
		return ok, err
	}
	return c.meets(h, a)
}

// meets tells whether a request meets a webhook's conditions. Upstream: the end of ShouldCallHook.
func (c *caller) meets(h *webhook, a *Attributes) (bool, error) {
	if c.evaluator == nil {
		return true, nil // such a configuration was refused
	}
	compiler := c.evaluator.Compiler()
	conditions := compileConditions(compiler, h.MatchConditions, cel.Scope{Authorizer: true})
	in, err := input(c.host, a)
	if err != nil {
		return false, apierrors.NewInternalError(err)
	}
	ok, err := conditions.match(compiler.Start(in, cel.BudgetMatchConditions), h.failsOpen())
	if err != nil {
		return false, a.forbidden(err)
	}
	return ok, nil
}

func labelsMatch(s labels.Selector, obj api.Object) bool {
	return obj != nil && s.Matches(labels.Set(obj.GetLabels()))
}

// namespaceMatches is upstream's predicates/namespace/matcher.go, MatchNamespaceSelector.
func namespaceMatches(st *store.Store, selector *metav1.LabelSelector, a *Attributes) (bool, error) {
	if a.Namespace == "" && a.Kind.Resource != "namespaces" {
		return true, nil
	}
	s, err := labels.LabelSelectorAsSelector(selector)
	if err != nil {
		return false, apierrors.NewInternalError(err)
	}
	if s.Empty() {
		return true, nil
	}
	if a.Kind.Resource == "namespaces" && a.Subresource == "" && a.Object != nil {
		return labelsMatch(s, a.Object), nil
	}
	name := a.Namespace
	if name == "" {
		name = a.Name
	}
	ns := st.Current(store.Key{Resource: "namespaces", Name: name})
	if ns == nil {
		return false, apierrors.NewNotFound(api.GroupResource{Resource: "namespaces"}, name)
	}
	return labelsMatch(s, ns), nil
}

// ruleMatches is upstream's predicates/rules/rules.go, Matcher.Matches.
func ruleMatches(r *admissionregistrationv1.RuleWithOperations, a *Attributes) bool {
	namespaced := a.Kind.Resource != "namespaces" && a.Namespace != ""
	if r.Scope != nil && (*r.Scope == admissionregistrationv1.NamespacedScope && !namespaced || *r.Scope == admissionregistrationv1.ClusterScope && namespaced) {
		return false
	}
	return anyOf(r.APIGroups, a.Kind.Group) && anyOf(r.APIVersions, a.Kind.Version) &&
		anyOf(r.Operations, admissionregistrationv1.OperationType(a.Operation)) &&
		slices.ContainsFunc(r.Resources, func(rule string) bool {
			resource, subresource, _ := strings.Cut(rule, "/")
			return (resource == "*" || resource == a.Kind.Resource) && (subresource == "*" || subresource == a.Subresource)
		})
}

func anyOf[T ~string](list []T, value T) bool {
	return slices.Contains(list, "*") || slices.Contains(list, value)
}
