package kubectl

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/authorizationv1"
	"kubewalk/playground/api/policyrule"
	"kubewalk/playground/api/rbacv1"
	"kubewalk/playground/controlplane/client"
)

// The verbs that can-i knows. Upstream: kubectl pkg/cmd/auth/cani.go.
var (
	canIVerbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "use", "bind", "impersonate", "*",
		"approve", "sign", "escalate", "attest"}
	canIURLVerbs = validNonResourceVerbs
)

// canI is kubectl auth can-i. Upstream: kubectl pkg/cmd/auth/cani.go.
func canI(s *session) error {
	if s.flags.yes("list") {
		return canIList(s)
	}
	if len(s.args) != 2 {
		return errors.New("you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.")
	}
	review := &authorizationv1.SelfSubjectAccessReview{}
	verb, what := s.args[0], s.args[1]
	if strings.HasPrefix(what, "/") {
		if s.flags.text("subresource") != "" {
			return errors.New("--subresource can not be used with NonResourceURL")
		}
		if !slices.Contains(canIURLVerbs, verb) {
			s.complain(fmt.Sprintf("Warning: verb '%s' is not a known verb\n", verb))
		}
		review.Spec.NonResourceAttributes = &authorizationv1.NonResourceAttributes{Verb: verb, Path: what}
	} else {
		review.Spec.ResourceAttributes = s.attributes(verb, what)
	}
	if s.flags.yes("no-headers") {
		return errors.New("--no-headers cannot be set without --list specified")
	}
	answer, err := reviewed(s, review)
	if err != nil {
		return err
	}
	text := "no"
	if answer.Status.Allowed {
		text = "yes"
	} else {
		if answer.Status.Reason != "" {
			text += " - " + answer.Status.Reason
		}
		if answer.Status.EvaluationError != "" {
			text += " - " + answer.Status.EvaluationError
		}
	}
	if !s.flags.yes("quiet") {
		s.printf("%s\n", text)
	}
	if !answer.Status.Allowed {
		return errExit
	}
	return nil
}

// attributes are what can-i asks about a resource. Upstream: cani.go, CanIOptions.Complete, resourceFor and Validate.
func (s *session) attributes(verb, what string) *authorizationv1.ResourceAttributes {
	resource, name, _ := strings.Cut(what, "/")
	a := &authorizationv1.ResourceAttributes{Verb: verb, Resource: resource, Name: name, Subresource: s.flags.text("subresource")}
	k := s.resolve(strings.ToLower(resource))
	switch {
	case k != nil:
		a.Group, a.Resource = k.Group, k.Resource
	case resource != "*" && resource != "users" && resource != "groups":
		what, group, _ := strings.Cut(strings.ToLower(resource), ".")
		s.complain(fmt.Sprintf("Warning: the server doesn't have a resource type '%s'%s\n", what, inGroup(group)))
	}
	if s.flags.yes("all-namespaces") {
		return a
	}
	a.Namespace = s.namespace
	if k != nil && !k.Namespaced {
		s.complain(fmt.Sprintf("Warning: resource '%s' is not namespace scoped%s\n", k.Resource, inGroup(k.Group)))
	}
	if !slices.Contains(canIVerbs, verb) {
		s.complain(fmt.Sprintf("Warning: verb '%s' is not a known verb\n", verb))
	}
	return a
}

func inGroup(group string) string {
	if group == "" {
		return ""
	}
	return fmt.Sprintf(" in group '%s'", group)
}

// canIList is kubectl auth can-i --list. Upstream: cani.go, RunAccessList and printStatus.
func canIList(s *session) error {
	if len(s.args) > 0 {
		return errors.New("list option must be specified with no arguments")
	}
	if s.flags.yes("quiet") || s.flags.yes("all-namespaces") || s.flags.text("subresource") != "" {
		return errors.New("list option can't be specified with neither quiet, all-namespaces nor subresource options")
	}
	answer, err := reviewed(s, &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: s.namespace}})
	if err != nil {
		return err
	}
	if answer.Status.Incomplete {
		s.complain("Warning: the list may be incomplete: " + answer.Status.EvaluationError)
	}
	var rules []rbacv1.PolicyRule
	for _, r := range answer.Status.ResourceRules {
		rules = append(rules, rbacv1.PolicyRule{Verbs: r.Verbs, APIGroups: r.APIGroups, Resources: r.Resources, ResourceNames: r.ResourceNames})
	}
	for _, r := range answer.Status.NonResourceRules {
		rules = append(rules, rbacv1.PolicyRule{Verbs: r.Verbs, NonResourceURLs: r.NonResourceURLs})
	}
	var rows [][]string
	if !s.flags.yes("no-headers") {
		rows = append(rows, []string{"Resources", "Non-Resource URLs", "Resource Names", "Verbs"})
	}
	s.printf("%s", columns(append(rows, ruleRows(rules)...)))
	return nil
}

// ruleRows are rules as a table has them: one resource each.
// Upstream: cani.go, printAccess; kubectl pkg/describe/describe.go, RoleDescriber.Describe.
func ruleRows(rules []rbacv1.PolicyRule) (rows [][]string) {
	var single []rbacv1.PolicyRule
	for _, r := range rules {
		single = append(single, policyrule.Breakdown(r)...)
	}
	single = policyrule.Compact(single)
	policyrule.Sort(single)
	for _, r := range single {
		what := ""
		if len(r.Resources) > 0 {
			resource, subresource, is := strings.Cut(r.Resources[0], "/")
			if what = resource; r.APIGroups[0] != "" {
				what += "." + r.APIGroups[0]
			}
			if is {
				what += "/" + subresource
			}
		}
		rows = append(rows, []string{what, fmt.Sprint(r.NonResourceURLs), fmt.Sprint(r.ResourceNames), fmt.Sprint(r.Verbs)})
	}
	return rows
}

// whoAmI is kubectl auth whoami. Upstream: kubectl pkg/cmd/auth/whoami.go.
func whoAmI(s *session) error {
	answer, err := reviewed(s, &authenticationv1.SelfSubjectReview{})
	if apierrors.IsForbidden(err) {
		return errors.New("the selfsubjectreviews API is not enabled in the cluster or you do not have permission to call it")
	}
	if err != nil {
		return err
	}
	if s.flags.has("output") {
		return s.print([]map[string]any{s.shown(answer)}, true)
	}
	user := answer.Status.UserInfo
	rows := [][]string{{"ATTRIBUTE", "VALUE"}, {"Username", user.Username}}
	if user.UID != "" {
		rows = append(rows, []string{"UID", user.UID})
	}
	if len(user.Groups) > 0 {
		rows = append(rows, []string{"Groups", "[" + strings.Join(user.Groups, " ") + "]"})
	}
	for _, key := range slices.Sorted(maps.Keys(user.Extra)) {
		rows = append(rows, []string{"Extra: " + key, "[" + strings.Join(user.Extra[key], " ") + "]"})
	}
	s.printf("%s", columns(rows))
	return nil
}

// reviewed asks the API server a question of that kind.
func reviewed[T api.Object](s *session, question T) (answer T, err error) {
	k := api.KindOf(question)
	got, err := s.do(&client.Request{Verb: client.Create, Resource: k.GroupVersionResource(), Object: question})
	if err != nil {
		return answer, err
	}
	return got.(T), nil
}

// impersonate has all requests of a command be those of whom --as names.
// Upstream: cli-runtime pkg/genericclioptions/config_flags.go; client-go tools/clientcmd/validation.go, validateAuthInfo.
func (s *session) impersonate() error {
	user := &authenticationv1.UserInfo{Username: s.flags.text("as"), UID: s.flags.text("as-uid"), Groups: s.flags.all("as-group")}
	for _, pair := range s.flags.all("as-user-extra") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			continue
		}
		if user.Extra == nil {
			user.Extra = map[string]authenticationv1.ExtraValue{}
		}
		user.Extra[key] = append(user.Extra[key], value)
	}
	switch {
	case user.Username != "":
		s.transport = client.Impersonating(s.transport, user)
	case user.UID != "" || len(user.Groups) > 0 || len(user.Extra) > 0:
		return errors.New("requesting uid, groups or user-extra for kubernetes-admin without impersonating a user")
	}
	return nil
}
