package authorization

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/policyrule"
	"kubewalk/playground/api/rbacv1"
)

// fullAuthority is what one must have to say which roles are aggregated.
// Upstream: pkg/registry/rbac/clusterrole/policybased/storage.go.
var fullAuthority = []rbacv1.PolicyRule{
	{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}},
	{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}},
}

// ConfirmNoEscalation sees that nobody gives away more than he has: in a role, or by binding one. a is the request, obj what it would store,
// and old what is stored, nil for a new object. Other kinds pass.
// Upstream: pkg/registry/rbac/role/policybased/storage.go and those beside it; pkg/registry/rbac/escalation_check.go.
func (z *Authorizer) ConfirmNoEscalation(a *Attributes, obj, old api.Object) error {
	if slices.Contains(a.User.Groups, SystemPrivilegedGroup) || old != nil && onlyMutatesGCFields(obj, old) {
		return nil
	}
	switch o := obj.(type) {
	case *rbacv1.Role:
		if z.mayEscalate(a) {
			return nil
		}
		return forbidden("roles", o.Name, z.confirm(a, o.Rules))
	case *rbacv1.ClusterRole:
		if z.mayEscalate(a) {
			return nil
		}
		if err := z.confirm(a, o.Rules); err != nil {
			return forbidden("clusterroles", o.Name, err)
		}
		before, _ := old.(*rbacv1.ClusterRole)
		if (aggregates(o) || aggregates(before)) && z.confirm(a, fullAuthority) != nil {
			return forbidden("clusterroles", o.Name, errors.New("must have cluster-admin privileges to use the aggregationRule"))
		}
	case *rbacv1.RoleBinding:
		return z.confirmBinding(a, "rolebindings", o.Name, o.RoleRef, a.Namespace)
	case *rbacv1.ClusterRoleBinding:
		return z.confirmBinding(a, "clusterrolebindings", o.Name, o.RoleRef, "")
	}
	return nil
}

// mayEscalate asks for the verb escalate on the role. Upstream: escalation_check.go, RoleEscalationAuthorized.
func (z *Authorizer) mayEscalate(a *Attributes) bool {
	asked := *a
	asked.Verb, asked.Subresource = "escalate", ""
	allowed, _ := z.Authorize(&asked)
	return allowed
}

func (z *Authorizer) confirmBinding(a *Attributes, resource, name string, ref rbacv1.RoleRef, namespace string) error {
	bind := &Attributes{User: a.User, Namespace: namespace, Request: policyrule.Request{Verb: "bind", Group: ref.APIGroup,
		Resource: strings.ToLower(ref.Kind) + "s", Name: ref.Name}}
	if allowed, _ := z.Authorize(bind); allowed { // upstream: escalation_check.go, BindingAuthorized
		return nil
	}
	rules, err := z.RoleReferenceRules(ref, namespace)
	if err != nil {
		return err
	}
	return forbidden(resource, name, z.confirm(a, rules))
}

// confirm is upstream's pkg/registry/rbac/validation/rule.go, ConfirmNoEscalation.
func (z *Authorizer) confirm(a *Attributes, rules []rbacv1.PolicyRule) error {
	own, failed := z.bound(a.User, a.Namespace)
	covered, missing := policyrule.Covers(own, rules)
	if covered {
		return nil
	}
	var lines []string
	for _, rule := range policyrule.Compact(missing) {
		lines = append(lines, policyrule.String(rule))
	}
	slices.Sort(lines)
	text := fmt.Sprintf("user %q (groups=%q) is attempting to grant RBAC permissions not currently held:\n%s",
		a.User.Username, a.User.Groups, strings.Join(slices.Compact(lines), "\n"))
	if failed != nil {
		text += fmt.Sprintf("; resolution errors: %v", []error{failed})
	}
	return errors.New(text)
}

func forbidden(resource, name string, err error) error {
	if err == nil {
		return nil
	}
	return apierrors.NewForbidden(api.GroupResource{Group: rbacv1.GroupName, Resource: resource}, name, err)
}

func aggregates(r *rbacv1.ClusterRole) bool {
	return r != nil && r.AggregationRule != nil && len(r.AggregationRule.ClusterRoleSelectors) > 0
}

// onlyMutatesGCFields tells whether a change is only about who owns an object and who waits for its end.
// Upstream: pkg/registry/rbac/helpers.go, IsOnlyMutatingGCFields.
func onlyMutatesGCFields(obj, old api.Object) bool {
	copied := obj.DeepCopyObject()
	copied.SetOwnerReferences(old.GetOwnerReferences())
	copied.SetFinalizers(old.GetFinalizers())
	same := []metav1.ManagedFieldsEntry(nil)
	copied.SetManagedFields(same)
	before := old.DeepCopyObject()
	before.SetManagedFields(same)
	return api.SemanticDeepEqual(copied, before)
}
