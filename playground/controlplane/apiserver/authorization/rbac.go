package authorization

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/policyrule"
	"kubewalk/playground/api/rbacv1"
)

// Store is what the authorizer knows of the cluster's objects.
type Store interface {
	// Get returns nil if there is none.
	Get(resource, namespace, name string) api.Object
	// List returns those of a namespace, or all if it is "", by name.
	List(resource, namespace string) []api.Object
}

// rbac looks for a rule that is bound to the user and allows it.
// Upstream: plugin/pkg/auth/authorizer/rbac/rbac.go, RBACAuthorizer.Authorize.
func (z *Authorizer) rbac(a *Attributes) (allowed bool, reason string) {
	var errs []error
	z.visitRulesFor(a.User, a.Namespace, func(b *binding, rule *rbacv1.PolicyRule, err error) bool {
		if rule != nil && policyrule.Allows(rule, a.Request) {
			allowed, reason = true, "RBAC: allowed by "+b.String()
			return false
		}
		if err != nil {
			errs = append(errs, err)
		}
		return true
	})
	if !allowed && len(errs) > 0 {
		reason = "RBAC: " + aggregate(errs).Error()
	}
	return allowed, reason
}

// RulesFor are all rules that are bound to a user, in a namespace and in the cluster; incomplete tells that there may be more that he may.
// Upstream: union.go, RulesFor; node_authorizer.go and rbac.go, the functions of that name.
func (z *Authorizer) RulesFor(user *User, namespace string) (rules []rbacv1.PolicyRule, incomplete bool, err error) {
	var errs []error
	if _, is := NodeOf(user); is {
		incomplete = true
		errs = append(errs, errors.New("node authorizer does not support user rule resolution"))
	}
	rules, err = z.bound(user, namespace)
	if err != nil {
		errs = append(errs, err)
	}
	return rules, incomplete, aggregate(errs)
}

func (z *Authorizer) bound(user *User, namespace string) (rules []rbacv1.PolicyRule, err error) {
	var errs []error
	z.visitRulesFor(user, namespace, func(_ *binding, rule *rbacv1.PolicyRule, err error) bool {
		if rule != nil {
			rules = append(rules, *rule)
		}
		if err != nil {
			errs = append(errs, err)
		}
		return true
	})
	return rules, aggregate(errs)
}

// binding is a RoleBinding or a ClusterRoleBinding, and the subject of it that is the user.
type binding struct {
	kind, namespace, name string
	role                  rbacv1.RoleRef
	subject               *rbacv1.Subject
}

// String says why somebody may do it.
// Upstream: pkg/registry/rbac/validation/rule.go, clusterRoleBindingDescriber and roleBindingDescriber.
func (b *binding) String() string {
	name, subject := b.name, b.subject.Name
	if b.namespace != "" {
		name += "/" + b.namespace
	}
	if b.subject.Kind == rbacv1.ServiceAccountKind {
		if subject += "/"; b.subject.Namespace != "" {
			subject += b.subject.Namespace
		} else {
			subject += b.namespace
		}
	}
	return fmt.Sprintf("%s %q of %s %q to %s %q", b.kind, name, b.role.Kind, b.role.Name, b.subject.Kind, subject)
}

// visitRulesFor shows each rule that is bound to a user, and each error on the way to one, until visit returns false.
// Upstream: pkg/registry/rbac/validation/rule.go, DefaultRuleResolver.VisitRulesFor.
func (z *Authorizer) visitRulesFor(user *User, namespace string, visit func(*binding, *rbacv1.PolicyRule, error) bool) {
	of := func(b binding, subjects []rbacv1.Subject) bool {
		i := slices.IndexFunc(subjects, func(s rbacv1.Subject) bool { return appliesToUser(user, &s, b.namespace) })
		if i < 0 {
			return true
		}
		b.subject = &subjects[i]
		rules, err := z.RoleReferenceRules(b.role, b.namespace)
		if err != nil {
			return visit(nil, nil, err)
		}
		for i := range rules {
			if !visit(&b, &rules[i], nil) {
				return false
			}
		}
		return true
	}
	for _, obj := range z.store.List("clusterrolebindings", "") {
		b := obj.(*rbacv1.ClusterRoleBinding)
		if !of(binding{kind: "ClusterRoleBinding", name: b.Name, role: b.RoleRef}, b.Subjects) {
			return
		}
	}
	if namespace == "" {
		return
	}
	for _, obj := range z.store.List("rolebindings", namespace) {
		b := obj.(*rbacv1.RoleBinding)
		if !of(binding{kind: "RoleBinding", namespace: namespace, name: b.Name, role: b.RoleRef}, b.Subjects) {
			return
		}
	}
}

// RoleReferenceRules are the rules of the role that a binding in a namespace refers to; the namespace of a ClusterRoleBinding is "".
// Upstream: pkg/registry/rbac/validation/rule.go, GetRoleReferenceRules.
func (z *Authorizer) RoleReferenceRules(ref rbacv1.RoleRef, namespace string) ([]rbacv1.PolicyRule, error) {
	switch ref.Kind {
	case "Role":
		if obj := z.store.Get("roles", namespace, ref.Name); obj != nil {
			return obj.(*rbacv1.Role).Rules, nil
		}
	case "ClusterRole":
		if obj := z.store.Get("clusterroles", "", ref.Name); obj != nil {
			return obj.(*rbacv1.ClusterRole).Rules, nil
		}
	default:
		return nil, fmt.Errorf("unsupported role reference kind: %q", ref.Kind)
	}
	return nil, apierrors.NewNotFound(api.GroupResource{Group: rbacv1.GroupName, Resource: strings.ToLower(ref.Kind)}, ref.Name)
}

// appliesToUser tells whether a subject of a binding is the user. Upstream: rule.go, the function of that name.
func appliesToUser(user *User, s *rbacv1.Subject, namespace string) bool {
	switch s.Kind {
	case rbacv1.UserKind:
		return user.Username == s.Name
	case rbacv1.GroupKind:
		return slices.Contains(user.Groups, s.Name)
	case rbacv1.ServiceAccountKind:
		if s.Namespace != "" {
			namespace = s.Namespace
		}
		return namespace != "" && user.Username == serviceAccountPrefix+namespace+":"+s.Name
	}
	return false
}

// aggregate is several errors as one; nil for none.
// Upstream: apimachinery/pkg/util/errors/errors.go, NewAggregate.
func aggregate(errs []error) error {
	var texts []string
	for _, err := range errs {
		if !slices.Contains(texts, err.Error()) {
			texts = append(texts, err.Error())
		}
	}
	switch len(texts) {
	case 0:
		return nil
	case 1:
		return errors.New(texts[0])
	}
	return errors.New("[" + strings.Join(texts, ", ") + "]")
}
