// Package rbacv1 holds Roles and who has them.
//
// The types are generated from upstream's k8s.io/api/rbac/v1; see ../gen.
package rbacv1
