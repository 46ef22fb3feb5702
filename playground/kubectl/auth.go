package kubectl

import (
	"errors"
	"fmt"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/authorizationv1"
	"kubewalk/playground/controlplane/client"
)

// canI is kubectl auth can-i. Upstream: kubectl pkg/cmd/auth/cani.go, RunAccessCheck.
func canI(s *session) error {
	if len(s.args) != 2 {
		return errors.New("you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.")
	}
	review := &authorizationv1.SelfSubjectAccessReview{}
	verb, what := s.args[0], s.args[1]
	if strings.HasPrefix(what, "/") {
		review.Spec.NonResourceAttributes = &authorizationv1.NonResourceAttributes{Verb: verb, Path: what}
	} else {
		resource, name, _ := strings.Cut(what, "/")
		a := &authorizationv1.ResourceAttributes{Verb: verb, Resource: resource, Name: name, Subresource: s.flags.text("subresource")}
		switch k := s.resolve(resource); {
		case k != nil:
			a.Group, a.Resource = k.Group, k.Resource
			if !k.Namespaced {
				s.complain(fmt.Sprintf("Warning: resource '%s' is not namespace scoped\n", k.Resource))
			}
		case resource != "*":
			s.complain(fmt.Sprintf("Warning: the server doesn't have a resource type '%s'\n", resource))
		}
		if !s.flags.yes("all-namespaces") {
			a.Namespace = s.namespace
		}
		review.Spec.ResourceAttributes = a
	}
	answer, err := reviewed(s, review)
	if err != nil {
		return err
	}
	text := "no"
	if answer.Status.Allowed {
		text = "yes"
	}
	if answer.Status.Reason != "" {
		text += " - " + answer.Status.Reason
	}
	if !s.flags.yes("quiet") {
		s.printf("%s\n", text)
	}
	if !answer.Status.Allowed {
		return errExit
	}
	return nil
}

// whoAmI is kubectl auth whoami. Upstream: kubectl pkg/cmd/auth/whoami.go.
func whoAmI(s *session) error {
	answer, err := reviewed(s, &authenticationv1.SelfSubjectReview{})
	if err != nil {
		return err
	}
	user := answer.Status.UserInfo
	rows := [][]string{{"ATTRIBUTE", "VALUE"}, {"Username", user.Username}}
	if len(user.Groups) > 0 {
		rows = append(rows, []string{"Groups", "[" + strings.Join(user.Groups, " ") + "]"})
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
