package kubectl

import (
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/rbacv1"
)

// role is a Role or a ClusterRole.
// Upstream: kubectl pkg/describe/describe.go, RoleDescriber and ClusterRoleDescriber.
func (d *describer) role(obj api.Object, rules []rbacv1.PolicyRule) {
	d.line(0, "Name:\t%s", obj.GetName())
	d.labels("Labels", obj.GetLabels())
	d.annotations(obj.GetAnnotations())
	d.line(0, "PolicyRule:")
	d.line(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs")
	d.line(1, "---------\t-----------------\t--------------\t-----")
	for _, row := range ruleRows(rules) {
		d.line(1, "%s", strings.Join(row, "\t"))
	}
}

// binding is a RoleBinding or a ClusterRoleBinding.
// Upstream: describe.go, RoleBindingDescriber and ClusterRoleBindingDescriber.
func (d *describer) binding(obj api.Object, ref rbacv1.RoleRef, subjects []rbacv1.Subject) {
	d.line(0, "Name:\t%s", obj.GetName())
	d.labels("Labels", obj.GetLabels())
	d.annotations(obj.GetAnnotations())
	d.line(0, "Role:")
	d.line(1, "Kind:\t%s", ref.Kind)
	d.line(1, "Name:\t%s", ref.Name)
	d.line(0, "Subjects:")
	d.line(1, "Kind\tName\tNamespace")
	d.line(1, "----\t----\t---------")
	for _, s := range subjects {
		d.line(1, "%s\t%s\t%s", s.Kind, s.Name, s.Namespace)
	}
}
