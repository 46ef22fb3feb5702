//go:build !js || cel

package admission

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/controlplane/apiserver/cel"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

func init() {
	newPolicies = func(st *store.Store, opts Options) (mutating, validating Plugin) {
		p := policies{st, opts.Host, opts.Evaluator}
		return &mutatingPolicy{policies: p, compiled: map[string]*compiledMutations{}}, &validatingPolicy{policies: p, compiled: map[string]*policy{}}
	}
}

// policies is what the plugins of both kinds of policies share: which policies, bindings and parameters a request concerns.
//
// Simplified: policies and parameters are read from the store as they are, in the order of their names, where upstream's order is none.
// Upstream: apiserver/pkg/admission/plugin/policy/generic and policy/matching.
type policies struct {
	store     *store.Store
	host      Host
	evaluator cel.Evaluator
}

// excluded are kinds about which no policy decides: with policies over policies somebody could lock everybody out.
// Upstream: pkg/kubeapiserver/admission/exclusion/resources.go.
func excluded(kind *api.Kind) bool {
	switch kind.Group {
	case "admissionregistration.k8s.io":
		return strings.Contains(kind.Resource, "admissionpolic")
	case "authentication.k8s.io", "authorization.k8s.io":
		return true
	}
	return false
}

// matches tells whether a policy or binding is about a request. Upstream: policy/matching/matching.go, Matcher.Matches.
func (v *policies) matches(m *admissionregistrationv1.MatchResources, a *Attributes) (bool, error) {
	if m == nil {
		return true, nil
	}
	inNamespace, namespaceErr := namespaceMatches(v.store, m.NamespaceSelector, a)
	if !inNamespace && namespaceErr == nil {
		return false, nil
	}
	object, err := labels.LabelSelectorAsSelector(m.ObjectSelector)
	if err == nil && !object.Empty() && !labelsMatch(object, a.Object) && !labelsMatch(object, a.OldObject) {
		return false, nil
	}
	rule := func(r admissionregistrationv1.NamedRuleWithOperations) bool {
		return ruleMatches(&r.RuleWithOperations, a) && (len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, nameOf(a)))
	}
	if slices.ContainsFunc(m.ExcludeResourceRules, rule) || len(m.ResourceRules) > 0 && !slices.ContainsFunc(m.ResourceRules, rule) {
		return false, nil
	}
	return true, errors.Join(namespaceErr, err)
}

func nameOf(a *Attributes) string {
	if a.Name == "" && a.Object != nil {
		return a.Object.GetName()
	}
	return a.Name
}

// paramKind is the kind of a policy's parameters; nil if it has none.
func (v *policies) paramKind(of *admissionregistrationv1.ParamKind) (*api.Kind, error) {
	if of == nil {
		return nil, nil
	}
	gv, err := schema.ParseGroupVersion(of.APIVersion)
	if err != nil {
		return nil, err
	}
	gvk := gv.WithKind(of.Kind)
	kind := v.host.Kind(gvk)
	if kind == nil {
		return nil, fmt.Errorf("failed to find resource referenced by paramKind: '%v'", gvk)
	}
	return kind, nil
}

// params are the parameters that a binding names; a policy without any gets one that is nil.
// Upstream: policy/generic/policy_dispatcher.go, CollectParams.
func (v *policies) params(p *sim.Proc, of *admissionregistrationv1.ParamKind, ref *admissionregistrationv1.ParamRef, namespace string) ([]api.Object, error) {
	kind, err := v.paramKind(of)
	switch {
	case err != nil:
		return nil, err
	case kind == nil, ref == nil:
		return []api.Object{nil}, nil
	case kind.Namespaced && ref.Namespace != "":
		namespace = ref.Namespace
	case kind.Namespaced && namespace == "":
		return nil, errors.New("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
	case ref.Namespace != "":
		return nil, errors.New("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
	case !kind.Namespaced:
		namespace = ""
	}
	all, err := v.host.Objects(p, kind, namespace)
	if err != nil {
		return nil, err
	}
	var found []api.Object
	switch {
	case ref.Name != "" && ref.Selector != nil:
		return nil, errors.New("paramRef.name and paramRef.selector are mutually exclusive")
	case ref.Name != "":
		for _, obj := range all {
			if obj.GetName() == ref.Name {
				found = append(found, obj)
			}
		}
	case ref.Selector != nil:
		selector, err := labels.LabelSelectorAsSelector(ref.Selector)
		if err != nil {
			return nil, err
		}
		for _, obj := range all {
			if labelsMatch(selector, obj) {
				found = append(found, obj)
			}
		}
	default:
		return nil, errors.New("one of name or selector must be provided")
	}
	if len(found) == 0 && ref.ParameterNotFoundAction != nil && *ref.ParameterNotFoundAction == admissionregistrationv1.DenyAction {
		return nil, errors.New("no params found for policy binding with `Deny` parameterNotFoundAction")
	}
	return found, nil
}

// bound are the bindings of a policy, by name.
func bound[B api.Object](all []api.Object, policy string, of func(B) string) (out []B) {
	for _, obj := range all {
		if b := obj.(B); of(b) == policy {
			out = append(out, b)
		}
	}
	return out
}

// input is what expressions of policies see of a request, but for the parameters. The error is a status.
func (v *policies) input(a *Attributes) (*cel.Input, error) {
	in, err := input(v.host, a)
	if err != nil || a.Namespace == "" || a.Kind.Resource == "namespaces" {
		return in, err
	}
	ns := v.store.Current(store.Key{Resource: "namespaces", Name: a.Namespace})
	if ns == nil {
		return nil, apierrors.NewNotFound(api.GroupResource{Resource: "namespaces"}, a.Namespace)
	}
	in.Namespace, err = treeOf(ns)
	return in, err
}

func failsOpen(p *admissionregistrationv1.FailurePolicyType) bool {
	return p != nil && *p == admissionregistrationv1.Ignore
}
