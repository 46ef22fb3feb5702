package authorization

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/policyrule"
	"kubewalk/playground/api/validate"
)

// mode is a way to be allowed to act as somebody else. The first four are those of constrained impersonation: they ask for a verb of
// their own on who it is, and for one on what he does there.
// Upstream: apiserver/pkg/endpoints/filters/impersonation/mode.go. Absent: a ServiceAccount that acts as the node it is on, for which a token
// that says so would be needed; and what is remembered of one decision for the next 10 seconds.
type mode struct {
	name string // "" is the legacy one
	fits func(wanted *User) bool
}

var modes = []mode{
	{"arbitrary-node", func(wanted *User) bool { return onlyName(wanted) && isNode(wanted.Username) }},
	{"serviceaccount", func(wanted *User) bool {
		_, _, is := serviceAccountOf(wanted.Username)
		return onlyName(wanted) && is
	}},
	{"user-info", func(wanted *User) bool {
		_, _, is := serviceAccountOf(wanted.Username)
		return !is && !isNode(wanted.Username)
	}},
	{"", func(*User) bool { return true }},
}

func onlyName(u *User) bool { return u.UID == "" && len(u.Groups) == 0 && len(u.Extra) == 0 }

func isNode(user string) bool {
	name, is := strings.CutPrefix(user, nodePrefix)
	return is && len(validate.IsDNS1123Subdomain(name)) == 0
}

// Impersonate is who asks, when that is somebody who acts as another. a is the request, with who sends it.
// Upstream: constrained_impersonation.go, getImpersonatedUser.
func (z *Authorizer) Impersonate(a *Attributes, wanted *User) (*User, error) {
	last, ok := z.modes[a.User.Username]
	var first error
	try := func(i int) *User {
		if !modes[i].fits(wanted) {
			return nil
		}
		user, err := z.impersonateBy(&modes[i], a, wanted)
		if err != nil && first == nil {
			first = err
		}
		return user
	}
	if ok {
		if user := try(last); user != nil {
			return user, nil
		}
	}
	for i := range modes {
		if ok && i == last {
			continue
		}
		if user := try(i); user != nil {
			z.modes[a.User.Username] = i
			return user, nil
		}
	}
	return nil, first
}

// ImpersonateFreely is Impersonate where everybody may do everything.
func ImpersonateFreely(wanted *User) (*User, error) {
	if err := complete(wanted); err != nil {
		return nil, err
	}
	user := *wanted
	if namespace, _, is := serviceAccountOf(user.Username); is && len(user.Groups) == 0 {
		user.Groups = groupsOfServiceAccount(namespace)
	}
	joinAuthenticated(&user)
	return &user, nil
}

// complete sees that somebody is named.
// Upstream: constrained_impersonation.go, processImpersonationHeaders.
func complete(wanted *User) error {
	if wanted.Username != "" {
		return nil
	}
	var extra map[string][]string
	for key, values := range wanted.Extra { // order: each has its own key
		if extra == nil {
			extra = map[string][]string{}
		}
		extra[key] = values
	}
	return apierrors.NewBadRequest(fmt.Sprintf("requested &user.DefaultInfo{Name:\"\", UID:%q, Groups:%#v, Extra:%#v} without impersonating a user name",
		wanted.UID, wanted.Groups, extra))
}

// impersonateBy is upstream's impersonationModeState.check, and the check in front of it of constrainedImpersonationModeState.
func (z *Authorizer) impersonateBy(m *mode, a *Attributes, wanted *User) (*User, error) {
	if err := complete(wanted); err != nil {
		return nil, err
	}
	verb, group := "impersonate", ""
	if m.name != "" {
		verb, group = "impersonate:"+m.name, "authentication.k8s.io"
		on := *a
		on.Verb = "impersonate-on:" + m.name + ":" + a.Verb
		if err := z.Check(&on); err != nil {
			return nil, err
		}
	}
	ask := func(group, resource, subresource, namespace, name string) error {
		return z.Check(&Attributes{User: a.User, Namespace: namespace,
			Request: policyrule.Request{Verb: verb, Group: group, Resource: resource, Subresource: subresource, Name: name}})
	}
	user := *wanted
	err := func() error {
		if namespace, name, is := serviceAccountOf(wanted.Username); is {
			if len(wanted.Groups) == 0 {
				user.Groups = groupsOfServiceAccount(namespace)
			}
			return ask(group, "serviceaccounts", "", namespace, name)
		}
		if name := strings.TrimPrefix(wanted.Username, nodePrefix); m.name == "arbitrary-node" {
			user.Groups = []string{NodesGroup}
			return ask(group, "nodes", "", "", name)
		}
		return ask(group, "users", "", "", wanted.Username)
	}()
	if err != nil {
		return nil, err
	}
	if wanted.UID != "" {
		if err := ask("authentication.k8s.io", "uids", "", "", wanted.UID); err != nil {
			return nil, err
		}
	}
	if err := z.impersonateGroups(m, a, verb, group, wanted.Groups, ask); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(wanted.Extra)) {
		for _, value := range wanted.Extra[key] {
			if err := ask("authentication.k8s.io", "userextras", key, "", value); err != nil {
				return nil, err
			}
		}
	}
	joinAuthenticated(&user)
	return &user, nil
}

// impersonateGroups is upstream's impersonationModeState.authorizeGroups.
func (z *Authorizer) impersonateGroups(m *mode, a *Attributes, verb, group string, groups []string,
	ask func(group, resource, subresource, namespace, name string) error) error {
	if m.name != "" {
		refuse := func(name, why string) error {
			asked := &Attributes{User: a.User, Request: policyrule.Request{Verb: verb, Group: group, Resource: "groups", Name: name}}
			return asked.Forbidden(why)
		}
		switch {
		case slices.Contains(groups, ""):
			return refuse("", "impersonating the empty string group is not allowed")
		case slices.Contains(groups, SystemPrivilegedGroup):
			return refuse(SystemPrivilegedGroup, "impersonating the system:masters group is not allowed")
		case len(groups) >= 4 && ask(group, "groups", "", "", "*") == nil: // one question for many
			return nil
		}
	}
	for _, name := range groups {
		if err := ask(group, "groups", "", "", name); err != nil {
			return err
		}
	}
	return nil
}

func joinAuthenticated(user *User) {
	group := AllAuthenticated
	switch {
	case user.Username == Anonymous:
		group = AllUnauthenticated
	case slices.Contains(user.Groups, AllUnauthenticated):
		return
	}
	if !slices.Contains(user.Groups, group) {
		user.Groups = append(slices.Clip(user.Groups), group)
	}
}
