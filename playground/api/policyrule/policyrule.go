// Package policyrule is what can be told of the rules of roles without knowing who has them: whether one allows a request, whether some
// cover others, and how they are written. The API server decides by it, and kubectl auth can-i --list prints with it.
//
// Upstream: k8s.io/component-helpers/auth/rbac/validation, pkg/apis/rbac/v1/evaluation_helpers.go, pkg/registry/rbac/validation/policy_compact.go.
package policyrule

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api/rbacv1"
	"kubewalk/playground/api/sorting"
)

// all is what stands for every verb, group, resource or path.
const all = "*"

// Request is what a rule is asked about: a verb on a resource, or on a path that is about none.
type Request struct {
	Verb string
	// Path is set for a request that is about no resource; then the rest is empty.
	Path                               string
	Group, Resource, Subresource, Name string
}

// Allows tells whether a rule allows a request.
// Upstream: plugin/pkg/auth/authorizer/rbac/rbac.go, RuleAllows.
func Allows(rule *rbacv1.PolicyRule, r Request) bool {
	if !has(rule.Verbs, r.Verb) && !has(rule.Verbs, all) {
		return false
	}
	if r.Path != "" {
		return slices.ContainsFunc(rule.NonResourceURLs, func(pattern string) bool { return covers(pattern, r.Path) })
	}
	return (has(rule.APIGroups, r.Group) || has(rule.APIGroups, all)) && resourceMatches(rule.Resources, r.Resource, r.Subresource) &&
		(len(rule.ResourceNames) == 0 || has(rule.ResourceNames, r.Name))
}

// resourceMatches looks for the resource, for a subresource of every resource, or for all.
func resourceMatches(resources []string, resource, subresource string) bool {
	combined := resource
	if subresource != "" {
		combined += "/" + subresource
	}
	return has(resources, all) || has(resources, combined) || subresource != "" && has(resources, "*/"+subresource)
}

// Covers tells whether the owner's rules allow all that others do, and which they do not, taken apart.
func Covers(owner, others []rbacv1.PolicyRule) (bool, []rbacv1.PolicyRule) {
	var missing []rbacv1.PolicyRule
	for _, other := range others {
		for _, one := range Breakdown(other) {
			if !slices.ContainsFunc(owner, func(rule rbacv1.PolicyRule) bool { return coversOne(&rule, &one) }) {
				missing = append(missing, one)
			}
		}
	}
	return len(missing) == 0, missing
}

// Breakdown takes a rule apart: each has one verb, one group, one resource and one name at most, or one verb and one path.
func Breakdown(rule rbacv1.PolicyRule) []rbacv1.PolicyRule {
	var out []rbacv1.PolicyRule
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				one := rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{verb}}
				if len(rule.ResourceNames) == 0 {
					out = append(out, one)
				}
				for _, name := range rule.ResourceNames {
					one.ResourceNames = []string{name}
					out = append(out, one)
				}
			}
		}
	}
	for _, path := range rule.NonResourceURLs {
		for _, verb := range rule.Verbs {
			out = append(out, rbacv1.PolicyRule{NonResourceURLs: []string{path}, Verbs: []string{verb}})
		}
	}
	return out
}

// coversOne tells whether a rule covers one that Breakdown made.
func coversOne(rule, one *rbacv1.PolicyRule) bool {
	if !has(rule.Verbs, all) && !hasAll(rule.Verbs, one.Verbs) || !has(rule.APIGroups, all) && !hasAll(rule.APIGroups, one.APIGroups) {
		return false
	}
	for _, path := range one.NonResourceURLs {
		if !slices.ContainsFunc(rule.NonResourceURLs, func(pattern string) bool { return covers(pattern, path) }) {
			return false
		}
	}
	for _, resource := range one.Resources {
		_, subresource, is := strings.Cut(resource, "/")
		if !has(rule.Resources, all) && !has(rule.Resources, resource) && !(is && has(rule.Resources, "*/"+subresource)) {
			return false
		}
	}
	return len(rule.ResourceNames) == 0 || len(one.ResourceNames) > 0 && hasAll(rule.ResourceNames, one.ResourceNames)
}

// covers tells whether a path, which may end with a *, is or begins another.
func covers(pattern, path string) bool {
	return pattern == path || strings.HasSuffix(pattern, all) && strings.HasPrefix(path, strings.TrimRight(pattern, all))
}

// Compact joins rules of one group, one resource and one name at most that differ by their verbs. The others come first.
func Compact(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	var out, simple []rbacv1.PolicyRule
	at := map[string]int{}
	for _, rule := range rules {
		if len(rule.APIGroups) != 1 || len(rule.Resources) != 1 || len(rule.ResourceNames) > 1 || len(rule.NonResourceURLs) > 0 {
			out = append(out, rule)
			continue
		}
		key := fmt.Sprintf("%q %q %q", rule.APIGroups, rule.Resources, rule.ResourceNames)
		if i, ok := at[key]; ok {
			simple[i].Verbs = append(simple[i].Verbs, rule.Verbs...)
			continue
		}
		at[key] = len(simple)
		rule.Verbs = slices.Clone(rule.Verbs)
		simple = append(simple, rule)
	}
	return append(out, simple...)
}

// Sort puts rules into the order in which kubectl lists them. Upstream: kubectl/pkg/util/rbac/rbac.go, SortableRuleSlice.
func Sort(rules []rbacv1.PolicyRule) {
	key := func(r rbacv1.PolicyRule) string {
		return fmt.Sprintf("&PolicyRule{Verbs:%v,APIGroups:%v,Resources:%v,ResourceNames:%v,NonResourceURLs:%v,}",
			r.Verbs, r.APIGroups, r.Resources, r.ResourceNames, r.NonResourceURLs)
	}
	sorting.Stable(rules, func(a, b rbacv1.PolicyRule) int { return strings.Compare(key(a), key(b)) })
}

// String is a rule as errors have it: {APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}.
// Upstream: pkg/apis/rbac/v1/evaluation_helpers.go, CompactString.
func String(rule rbacv1.PolicyRule) string {
	var parts []string
	add := func(name string, values []string) {
		if len(values) > 0 {
			parts = append(parts, fmt.Sprintf("%s:%q", name, values))
		}
	}
	add("APIGroups", rule.APIGroups)
	add("Resources", rule.Resources)
	add("NonResourceURLs", rule.NonResourceURLs)
	add("ResourceNames", rule.ResourceNames)
	add("Verbs", rule.Verbs)
	return "{" + strings.Join(parts, ", ") + "}"
}

func has(set []string, one string) bool { return slices.Contains(set, one) }

func hasAll(set, all []string) bool {
	return !slices.ContainsFunc(all, func(one string) bool { return !has(set, one) })
}
