package kubectl

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/rbacv1"
)

// The verbs that kubectl knows, and the resources that some of them are for.
// Upstream: kubectl pkg/cmd/create/create_role.go and create_clusterrole.go.
var (
	validResourceVerbs = []string{"*", "get", "delete", "list", "create", "update", "patch", "watch", "proxy", "deletecollection", "use", "bind",
		"escalate", "impersonate"}
	validNonResourceVerbs = []string{"*", "get", "post", "put", "delete", "patch", "head", "options"}
	ofRoles               = []api.GroupResource{{Group: rbacv1.GroupName, Resource: "roles"}, {Group: rbacv1.GroupName, Resource: "clusterroles"}}
	specialVerbs          = map[string][]api.GroupResource{
		"use":      {{Group: "policy", Resource: "podsecuritypolicies"}, {Group: "extensions", Resource: "podsecuritypolicies"}},
		"bind":     ofRoles,
		"escalate": ofRoles,
		"impersonate": {{Resource: "users"}, {Resource: "serviceaccounts"}, {Resource: "groups"},
			{Group: "authentication.k8s.io", Resource: "userextras"}},
	}
)

// roleFlags are what create role and create clusterrole are given.
type roleFlags struct {
	verbs, names, paths []string
	resources           []roleResource
}

// roleResource is one of --resource: "deployments.apps/scale".
type roleResource struct{ group, resource, subresource string }

func (s *session) roleFlags() roleFlags {
	var f roleFlags
	for _, v := range splitAll(s.flags.all("verb")) {
		if v == "*" {
			f.verbs = []string{v}
			break
		}
		f.verbs = appendNew(f.verbs, v)
	}
	for _, text := range splitAll(s.flags.all("resource")) {
		what, subresource, sub := strings.Cut(text, "/")
		resource, group, of := strings.Cut(what, ".")
		r := roleResource{group, resource, subresource}
		if resource == "*" && !of && !sub {
			f.resources = []roleResource{r}
			break
		}
		f.resources = append(f.resources, r)
	}
	for _, name := range s.flags.all("resource-name") {
		f.names = appendNew(f.names, name)
	}
	for _, path := range splitAll(s.flags.all("non-resource-url")) {
		f.paths = appendNew(f.paths, path)
	}
	return f
}

func appendNew(list []string, one string) []string {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}

// createRole is kubectl create role. Upstream: kubectl pkg/cmd/create/create_role.go.
func createRole(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	f := s.roleFlags()
	if len(f.verbs) == 0 {
		return errors.New("at least one verb must be specified")
	}
	s.warnOfVerbs(f.verbs)
	if len(f.resources) == 0 {
		return errors.New("at least one resource must be specified")
	}
	if err := s.validateResources(f); err != nil {
		return err
	}
	role := &rbacv1.Role{Rules: s.policyRules(f)}
	role.Name = name
	return s.generate(role, "")
}

// createClusterRole is kubectl create clusterrole. Upstream: kubectl pkg/cmd/create/create_clusterrole.go.
func createClusterRole(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	f := s.roleFlags()
	role := &rbacv1.ClusterRole{}
	role.Name = name
	if aggregate := splitAll(s.flags.all("aggregation-rule")); len(aggregate) > 0 {
		if len(f.paths)+len(f.verbs)+len(f.resources)+len(f.names) > 0 {
			return errors.New("aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames")
		}
		labels := map[string]string{}
		for _, pair := range aggregate {
			key, value, ok := strings.Cut(pair, "=")
			if !ok {
				return fmt.Errorf("malformed pair, expect string=string")
			}
			labels[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
		role.AggregationRule = &rbacv1.AggregationRule{ClusterRoleSelectors: []metav1.LabelSelector{{MatchLabels: labels}}}
		return s.generate(role, "")
	}
	switch {
	case len(f.verbs) == 0:
		return errors.New("at least one verb must be specified")
	case len(f.resources) == 0 && len(f.paths) == 0:
		return errors.New("one of resource or nonResourceURL must be specified")
	}
	if len(f.resources) > 0 {
		s.warnOfVerbs(f.verbs)
		if err := s.validateResources(f); err != nil {
			return err
		}
	}
	if err := validatePaths(f); err != nil {
		return err
	}
	role.Rules = s.policyRules(f)
	return s.generate(role, "")
}

func (s *session) warnOfVerbs(verbs []string) {
	for _, v := range verbs {
		if !slices.Contains(validResourceVerbs, v) {
			s.complain(fmt.Sprintf("Warning: '%s' is not a standard resource verb", v))
		}
	}
}

// validateResources sees that there are such resources, and that the verbs are for them.
func (s *session) validateResources(f roleFlags) error {
	for _, r := range f.resources {
		if r.resource == "" {
			return errors.New("resource must be specified if apiGroup/subresource specified")
		}
		if r.resource == "*" {
			return nil
		}
		found, known := s.resourceOf(r)
		for _, v := range f.verbs {
			if of, special := specialVerbs[v]; special {
				if !slices.Contains(of, found) {
					return fmt.Errorf("can not perform '%s' on '%s' in group '%s'", v, found.Resource, found.Group)
				}
				known = true
			}
		}
		if !known {
			return noMatch{r.resource, r.group}
		}
	}
	return nil
}

// resourceOf is the resource that a person means, or what he says if there is none.
func (s *session) resourceOf(r roleResource) (found api.GroupResource, known bool) {
	name := r.resource
	if r.group != "" {
		name += "." + r.group
	}
	if k := s.resolve(name); k != nil {
		return k.GroupResource(), true
	}
	return api.GroupResource{Group: r.group, Resource: r.resource}, false
}

func validatePaths(f roleFlags) error {
	if len(f.paths) == 0 {
		return nil
	}
	for _, v := range f.verbs {
		if !slices.Contains(validNonResourceVerbs, v) {
			return fmt.Errorf("invalid verb: '%s' for nonResourceURL", v)
		}
	}
	for _, path := range f.paths {
		switch {
		case path == "*":
		case !strings.HasPrefix(path, "/"):
			return errors.New("nonResourceURL should start with /")
		case strings.Contains(path[:len(path)-1], "*"):
			return errors.New("nonResourceURL only supports wildcard matches when '*' is at the end")
		}
	}
	return nil
}

// policyRules makes a rule for each group. Upstream: create_role.go, generateResourcePolicyRules.
func (s *session) policyRules(f roleFlags) (rules []rbacv1.PolicyRule) {
	resources := map[string][]string{}
	for _, r := range f.resources {
		found, _ := s.resourceOf(r)
		name := found.Resource
		if r.subresource != "" {
			name += "/" + r.subresource
		}
		resources[found.Group] = appendNew(resources[found.Group], name)
	}
	for _, group := range slices.Sorted(maps.Keys(resources)) {
		rules = append(rules, rbacv1.PolicyRule{Verbs: f.verbs, APIGroups: []string{group}, Resources: resources[group], ResourceNames: f.names})
	}
	if len(f.paths) > 0 {
		rules = append(rules, rbacv1.PolicyRule{Verbs: f.verbs, NonResourceURLs: f.paths})
	}
	return rules
}

// createRoleBinding is kubectl create rolebinding. Upstream: kubectl pkg/cmd/create/create_rolebinding.go.
func createRoleBinding(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	b := &rbacv1.RoleBinding{}
	b.Name = name
	role, clusterRole := s.flags.text("role"), s.flags.text("clusterrole")
	switch {
	case (role == "") == (clusterRole == ""):
		return errors.New("exactly one of clusterrole or role must be specified")
	case role != "":
		b.RoleRef = rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role}
	default:
		b.RoleRef = rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: clusterRole}
	}
	if b.Subjects, err = s.subjects(); err != nil {
		return err
	}
	return s.generate(b, "rolebinding")
}

// createClusterRoleBinding is kubectl create clusterrolebinding. Upstream: kubectl pkg/cmd/create/create_clusterrolebinding.go.
func createClusterRoleBinding(s *session) error {
	if !s.flags.has("clusterrole") {
		return errors.New(`required flag(s) "clusterrole" not set`)
	}
	name, err := s.oneName()
	if err != nil {
		return err
	}
	b := &rbacv1.ClusterRoleBinding{RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: s.flags.text("clusterrole")}}
	b.Name = name
	if b.Subjects, err = s.subjects(); err != nil {
		return err
	}
	return s.generate(b, "clusterrolebinding")
}

func (s *session) subjects() (out []rbacv1.Subject, err error) {
	for _, user := range s.flags.all("user") {
		out = append(out, rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user})
	}
	for _, group := range s.flags.all("group") {
		out = append(out, rbacv1.Subject{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: group})
	}
	for _, account := range s.flags.all("serviceaccount") {
		parts := strings.Split(account, ":")
		if len(parts) != 2 || parts[0] == "" || parts[1] == "" {
			return nil, errors.New("serviceaccount must be <namespace>:<name>")
		}
		out = append(out, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: parts[0], Name: parts[1]})
	}
	return out, nil
}
