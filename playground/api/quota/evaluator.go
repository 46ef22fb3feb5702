package quota

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/selection"
)

// Operation is what is asked of the API server, as admission names it.
type Operation string

// The operations of which a quota may want to know.
const (
	Create Operation = "CREATE"
	Update Operation = "UPDATE"
)

// Evaluator knows what the objects of one resource use.
// Upstream: k8s.io/apiserver/pkg/quota/v1/interfaces.go, Evaluator.
type Evaluator interface {
	// GroupResource is what it evaluates.
	GroupResource() api.GroupResource
	// Handles says that such a request may change what is used.
	Handles(op Operation, subresource string, obj, old api.Object) bool
	// MatchingResources are those of the names that it counts.
	MatchingResources(names []corev1.ResourceName) []corev1.ResourceName
	// Usage is what an object uses. now decides whether a Pod is past its end.
	Usage(obj api.Object, now time.Time) corev1.ResourceList
	// MatchesScope says that the object is in a scope.
	MatchesScope(scope corev1.ScopedResourceSelectorRequirement, obj api.Object) (bool, error)
	// Constraints says what the object has to state, because a quota limits it, and does not.
	Constraints(required []corev1.ResourceName, obj api.Object) error
}

var evaluators = []Evaluator{
	podEvaluator{},
	serviceEvaluator{},
	pvcEvaluator{},
	NewObjectCountEvaluator(api.GroupResource{Resource: "configmaps"}, corev1.ResourceConfigMaps),
	NewObjectCountEvaluator(api.GroupResource{Resource: "replicationcontrollers"}, corev1.ResourceReplicationControllers),
	NewObjectCountEvaluator(api.GroupResource{Resource: "resourcequotas"}, corev1.ResourceQuotas),
	NewObjectCountEvaluator(api.GroupResource{Resource: "secrets"}, corev1.ResourceSecrets),
}

// EvaluatorFor is the evaluator of a resource, whichever it is.
func EvaluatorFor(resource api.GroupResource) Evaluator {
	for _, e := range evaluators {
		if e.GroupResource() == resource {
			return e
		}
	}
	return NewObjectCountEvaluator(resource, "")
}

// EvaluatorsFor are the evaluators that count something of those names: a
// quota's hard limits; kinds are those that the API server serves. They are in a fixed order.
func EvaluatorsFor(kinds api.KindSet, names []corev1.ResourceName) []Evaluator {
	var out []Evaluator
	for _, e := range evaluators {
		if len(e.MatchingResources(names)) > 0 {
			out = append(out, e)
		}
	}
	for _, kind := range kinds {
		if !kind.Namespaced || kind.Resource == "" || kind.NewList == nil {
			continue
		}
		resource := kind.GroupResource()
		name := ObjectCountQuotaResourceNameFor(resource)
		known := false
		for _, e := range out {
			known = known || e.GroupResource() == resource
		}
		if !known && Contains(names, name) {
			out = append(out, NewObjectCountEvaluator(resource, ""))
		}
	}
	return out
}

// Usage is what an object uses of quotas at a time.
func Usage(obj api.Object, now time.Time) corev1.ResourceList {
	return EvaluatorFor(api.KindOf(obj).GroupResource()).Usage(obj, now)
}

// Matches says that a quota's status limits something that the evaluator
// counts, and that the object is in all of its scopes.
// Upstream: pkg/quota/v1/generic/evaluator.go, Matches.
func Matches(quota *corev1.ResourceQuota, e Evaluator, obj api.Object) (bool, error) {
	if len(e.MatchingResources(ResourceNames(quota.Status.Hard))) == 0 {
		return false, nil
	}
	return MatchesScopes(ScopeSelectors(quota), e, obj)
}

// MatchesScopes says that the object is in all of the scopes. Of none it is.
func MatchesScopes(scopes []corev1.ScopedResourceSelectorRequirement, e Evaluator, obj api.Object) (bool, error) {
	for _, scope := range scopes {
		if in, err := e.MatchesScope(scope, obj); err != nil || !in {
			return false, err
		}
	}
	return true, nil
}

// ScopeSelectors are the scopes of a quota, in both ways to write them.
// Upstream: pkg/quota/v1/generic/evaluator.go, getScopeSelectorsFromQuota.
func ScopeSelectors(quota *corev1.ResourceQuota) []corev1.ScopedResourceSelectorRequirement {
	var out []corev1.ScopedResourceSelectorRequirement
	for _, scope := range quota.Spec.Scopes {
		out = append(out, corev1.ScopedResourceSelectorRequirement{ScopeName: scope, Operator: corev1.ScopeSelectorOpExists})
	}
	if quota.Spec.ScopeSelector != nil {
		out = append(out, quota.Spec.ScopeSelector.MatchExpressions...)
	}
	return out
}

// operators are a scope selector's, as labels have them.
var operators = map[corev1.ScopeSelectorOperator]selection.Operator{
	corev1.ScopeSelectorOpIn:           selection.In,
	corev1.ScopeSelectorOpNotIn:        selection.NotIn,
	corev1.ScopeSelectorOpExists:       selection.Exists,
	corev1.ScopeSelectorOpDoesNotExist: selection.DoesNotExist,
}

// selects evaluates a scope's selector against the one value that it is about; "" is none.
// Upstream: pkg/apis/core/v1/helper, ScopedResourceSelectorRequirementsAsSelector.
func selects(scope corev1.ScopedResourceSelectorRequirement, value string) (bool, error) {
	r, err := labels.NewRequirement(string(scope.ScopeName), operators[scope.Operator], scope.Values)
	if err != nil {
		return false, err
	}
	set := labels.Set{}
	if value != "" {
		set[string(scope.ScopeName)] = value
	}
	return r.Matches(set), nil
}

// countEvaluator counts objects. The second name is "" for most.
// Upstream: pkg/quota/v1/generic/evaluator.go, objectCountEvaluator.
type countEvaluator struct {
	resource api.GroupResource
	names    []corev1.ResourceName
}

// NewObjectCountEvaluator counts the objects of a resource, under an alias too unless that is "".
func NewObjectCountEvaluator(resource api.GroupResource, alias corev1.ResourceName) Evaluator {
	names := []corev1.ResourceName{ObjectCountQuotaResourceNameFor(resource)}
	if alias != "" {
		names = append(names, alias)
	}
	return &countEvaluator{resource, names}
}

// ObjectCountQuotaResourceNameFor is "count/configmaps", "count/deployments.apps".
// Upstream: pkg/quota/v1/generic/evaluator.go.
func ObjectCountQuotaResourceNameFor(resource api.GroupResource) corev1.ResourceName {
	name := "count/" + resource.Resource
	if resource.Group != "" {
		name += "." + resource.Group
	}
	return corev1.ResourceName(name)
}

func (e *countEvaluator) GroupResource() api.GroupResource { return e.resource }

func (e *countEvaluator) Handles(op Operation, subresource string, _, _ api.Object) bool {
	return op == Create && subresource == ""
}

func (e *countEvaluator) MatchingResources(names []corev1.ResourceName) []corev1.ResourceName {
	return Intersection(names, e.names)
}

func (e *countEvaluator) Usage(api.Object, time.Time) corev1.ResourceList { return counted(e.names...) }

func (e *countEvaluator) MatchesScope(corev1.ScopedResourceSelectorRequirement, api.Object) (bool, error) {
	return false, nil
}

func (e *countEvaluator) Constraints([]corev1.ResourceName, api.Object) error { return nil }
