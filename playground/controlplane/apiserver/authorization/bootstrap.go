package authorization

import (
	_ "embed"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/rbacv1"
)

// policy is upstream's bootstrap policy, a line each: a role, then its rules (verbs, groups, resources, names; or verbs and paths); a binding
// with its role and subjects. "to" and "from" are the labels by which roles are aggregated. A test compares it with upstream's own.
// Upstream: plugin/pkg/auth/authorizer/rbac/bootstrappolicy.
//
//go:embed policy.txt
var policy string

// Bootstrap makes the roles and bindings that every cluster has.
func Bootstrap() []api.Object {
	objects := Read(policy)
	for _, obj := range objects {
		labels := map[string]string{"kubernetes.io/bootstrapping": "rbac-defaults"}
		for key, value := range obj.GetLabels() { // order: each has its own key
			labels[key] = value
		}
		obj.SetLabels(labels)
		obj.SetAnnotations(map[string]string{"rbac.authorization.kubernetes.io/autoupdate": "true"})
	}
	return objects
}

const aggregateTo = "rbac.authorization.k8s.io/aggregate-to-"

// Read makes roles and bindings of such lines.
func Read(text string) (objects []api.Object) {
	var rules *[]rbacv1.PolicyRule
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		var meta metav1.ObjectMeta
		meta.Name = words[1]
		if namespace, name, ok := strings.Cut(words[1], "/"); ok && strings.HasPrefix(words[0], "Role") {
			meta.Namespace, meta.Name = namespace, name
		}
		switch words[0] {
		case "ClusterRole":
			role := &rbacv1.ClusterRole{ObjectMeta: meta}
			for _, word := range words[2:] {
				if name, ok := strings.CutPrefix(word, "to="); ok {
					role.Labels = map[string]string{aggregateTo + name: "true"}
				}
				if name, ok := strings.CutPrefix(word, "from="); ok {
					role.AggregationRule = &rbacv1.AggregationRule{ClusterRoleSelectors: []metav1.LabelSelector{
						{MatchLabels: map[string]string{aggregateTo + name: "true"}}}}
				}
			}
			rules, objects = &role.Rules, append(objects, role)
		case "Role":
			role := &rbacv1.Role{ObjectMeta: meta}
			rules, objects = &role.Rules, append(objects, role)
		case "ClusterRoleBinding":
			objects = append(objects, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: roleRef(words[2]), Subjects: subjects(words[3:])})
		case "RoleBinding":
			objects = append(objects, &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: roleRef(words[2]), Subjects: subjects(words[3:])})
		default:
			*rules = append(*rules, rule(words))
		}
	}
	return objects
}

// rule reads "get,list "" pods,services": verbs, groups, resources, names; or verbs and paths.
func rule(words []string) rbacv1.PolicyRule {
	list := func(i int) []string {
		if i >= len(words) {
			return nil
		}
		return strings.Split(strings.ReplaceAll(words[i], `""`, ""), ",")
	}
	if len(words) == 2 {
		return rbacv1.PolicyRule{Verbs: list(0), NonResourceURLs: list(1)}
	}
	return rbacv1.PolicyRule{Verbs: list(0), APIGroups: list(1), Resources: list(2), ResourceNames: list(3)}
}

func roleRef(word string) rbacv1.RoleRef {
	kind, name, _ := strings.Cut(word, ":")
	return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}
}

func subjects(words []string) (out []rbacv1.Subject) {
	for _, word := range words {
		kind, name, _ := strings.Cut(word, ":")
		s := rbacv1.Subject{Kind: kind, APIGroup: rbacv1.GroupName, Name: name}
		if kind == rbacv1.ServiceAccountKind {
			s.APIGroup = ""
			s.Namespace, s.Name, _ = strings.Cut(name, "/")
		}
		out = append(out, s)
	}
	return out
}
