package client

import (
	"kubewalk/playground/api/rbacv1"
)

// RbacV1Client are the resources of group rbac.authorization.k8s.io.
// Upstream: k8s.io/client-go/kubernetes/typed/rbac/v1
type RbacV1Client struct{ transport Transport }

// What the accessors return, under upstream's names.
type (
	ClusterRoleBindingInterface = ResourceClient[*rbacv1.ClusterRoleBinding, *rbacv1.ClusterRoleBindingList]
	ClusterRoleInterface        = ResourceClient[*rbacv1.ClusterRole, *rbacv1.ClusterRoleList]
	RoleBindingInterface        = ResourceClient[*rbacv1.RoleBinding, *rbacv1.RoleBindingList]
	RoleInterface               = ResourceClient[*rbacv1.Role, *rbacv1.RoleList]
)

// ClusterRoleBindings are the cluster's ClusterRoleBindings.
func (c RbacV1Client) ClusterRoleBindings() ClusterRoleBindingInterface {
	return newResource[*rbacv1.ClusterRoleBinding, *rbacv1.ClusterRoleBindingList](c.transport, rbac, "clusterrolebindings", "")
}

// ClusterRoles are the cluster's ClusterRoles.
func (c RbacV1Client) ClusterRoles() ClusterRoleInterface {
	return newResource[*rbacv1.ClusterRole, *rbacv1.ClusterRoleList](c.transport, rbac, "clusterroles", "")
}

// RoleBindings are the RoleBindings of a namespace.
func (c RbacV1Client) RoleBindings(namespace string) RoleBindingInterface {
	return newResource[*rbacv1.RoleBinding, *rbacv1.RoleBindingList](c.transport, rbac, "rolebindings", namespace)
}

// Roles are the Roles of a namespace.
func (c RbacV1Client) Roles(namespace string) RoleInterface {
	return newResource[*rbacv1.Role, *rbacv1.RoleList](c.transport, rbac, "roles", namespace)
}
