package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/rbacv1"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// rbacStrategy is what the kinds of rbac.authorization.k8s.io share. Nobody asks them what is allowed: see package apiserver.
// Upstream: pkg/registry/rbac/*/strategy.go. Absent: the check that nobody gives away more than he has, and the roles that
// every cluster has.
type rbacStrategy struct{ plain }

func (rbacStrategy) ValidateName() validation.NameFunc { return objectmeta.NameIsPathSegment }
func (rbacStrategy) AllowCreateOnUpdate() bool         { return true }

type roleStrategy struct{ rbacStrategy }

type clusterRoleStrategy struct{ rbacStrategy }

type roleBindingStrategy struct{ rbacStrategy }

type clusterRoleBindingStrategy struct{ rbacStrategy }

func init() {
	register("rbac.authorization.k8s.io/roles", roleStrategy{})
	register("rbac.authorization.k8s.io/clusterroles", clusterRoleStrategy{})
	register("rbac.authorization.k8s.io/rolebindings", roleBindingStrategy{})
	register("rbac.authorization.k8s.io/clusterrolebindings", clusterRoleBindingStrategy{})
}

func (roleStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidatePolicyRules(obj.(*rbacv1.Role).Rules, true)
}

func (s roleStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList { return s.Validate(obj) }

func (clusterRoleStrategy) Validate(obj api.Object) field.ErrorList {
	return validation.ValidateClusterRole(obj.(*rbacv1.ClusterRole))
}

func (s clusterRoleStrategy) ValidateUpdate(obj, _ api.Object) field.ErrorList {
	return s.Validate(obj)
}

func (roleBindingStrategy) Validate(obj api.Object) field.ErrorList {
	b := obj.(*rbacv1.RoleBinding)
	return validation.ValidateBinding(b.RoleRef, b.Subjects, true)
}

func (s roleBindingStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return append(s.Validate(obj), validation.ValidateRoleRefUpdate(obj.(*rbacv1.RoleBinding).RoleRef, old.(*rbacv1.RoleBinding).RoleRef)...)
}

func (clusterRoleBindingStrategy) Validate(obj api.Object) field.ErrorList {
	b := obj.(*rbacv1.ClusterRoleBinding)
	return validation.ValidateBinding(b.RoleRef, b.Subjects, false)
}

func (s clusterRoleBindingStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return append(s.Validate(obj), validation.ValidateRoleRefUpdate(obj.(*rbacv1.ClusterRoleBinding).RoleRef, old.(*rbacv1.ClusterRoleBinding).RoleRef)...)
}
