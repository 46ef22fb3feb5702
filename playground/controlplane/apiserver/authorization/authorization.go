// Package authorization decides who may do what, as an API server with --authorization-mode=Node,RBAC does: nodes may do what kubelets
// need, for what runs on them; everybody else what the roles allow that are bound to them. A request that nobody allows is refused.
//
// It reads the server's watch caches, so what somebody has just bound counts a moment later, as with upstream's informers.
//
// Simplified: nobody is authenticated. Each program has the name that the cluster gives it (see apiserver.Authorization), without a token or
// a certificate. Label and field selectors are not looked at, but for the name and a kubelet's node; a node's mirror Pods, ResourceSlices
// and certificates are absent, as is the admission plugin NodeRestriction. An
// extension API server asks nobody. What was decided about impersonation is not remembered for 10 s.
//
// Upstream: plugin/pkg/auth/authorizer/rbac and node; pkg/registry/rbac; apiserver/pkg/endpoints/filters.
package authorization

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/policyrule"
	"kubewalk/playground/api/rbacv1"
)

// Mode is what the switch of a cluster is set to.
const Mode = "rbac"

// User is who asks.
type User = authenticationv1.UserInfo

// Groups that the server itself knows.
// Upstream: apiserver/pkg/authentication/user/user.go.
const (
	SystemPrivilegedGroup = "system:masters"
	NodesGroup            = "system:nodes"
	AllAuthenticated      = "system:authenticated"
	AllUnauthenticated    = "system:unauthenticated"
	Anonymous             = "system:anonymous"
)

const (
	serviceAccountPrefix = "system:serviceaccount:"
	serviceAccountsGroup = "system:serviceaccounts"
	nodePrefix           = "system:node:"
)

// NewUser is somebody who is authenticated.
func NewUser(name string, groups ...string) *User {
	return &User{Username: name, Groups: append(slices.Clip(groups), AllAuthenticated)}
}

// ServiceAccount is the user that a ServiceAccount is.
// Upstream: apiserver/pkg/authentication/serviceaccount/util.go, MakeUsername and MakeGroupNames.
func ServiceAccount(namespace, name string) *User {
	return NewUser(serviceAccountPrefix+namespace+":"+name, groupsOfServiceAccount(namespace)...)
}

// NodeUser is the user that a kubelet is.
func NodeUser(node string) *User { return NewUser(nodePrefix+node, NodesGroup) }

func groupsOfServiceAccount(namespace string) []string {
	return []string{serviceAccountsGroup, serviceAccountsGroup + ":" + namespace}
}

// serviceAccountOf splits the name of a user that is a ServiceAccount.
// Upstream: serviceaccount/util.go, SplitUsername.
func serviceAccountOf(user string) (namespace, name string, ok bool) {
	rest, is := strings.CutPrefix(user, serviceAccountPrefix)
	parts := strings.Split(rest, ":")
	if !is || len(parts) != 2 || parts[0] == "" || parts[1] == "" {
		return "", "", false
	}
	return parts[0], parts[1], true
}

// Attributes are a request, as far as it matters.
// Upstream: apiserver/pkg/authorization/authorizer/interfaces.go, Attributes.
type Attributes struct {
	User *User
	policyrule.Request
	Namespace string
	// FieldNode is what a selector on spec.nodeName asks for; "" without.
	FieldNode string
}

// Forbidden is the answer to who may not do it.
// Upstream: endpoints/handlers/responsewriters/errors.go, ForbiddenStatusError.
func (a *Attributes) Forbidden(reason string) *apierrors.StatusError {
	text := sanitizer.Replace(a.forbids())
	if reason != "" {
		text += ": " + reason
	}
	return apierrors.NewForbidden(api.GroupResource{Group: a.Group, Resource: a.Resource}, a.Name, fmt.Errorf("%s", text))
}

// sanitizer keeps what could be read as HTML out of errors.
var sanitizer = strings.NewReplacer(`&`, "&amp;", `<`, "&lt;", `>`, "&gt;")

func (a *Attributes) forbids() string {
	who := a.User.Username
	if a.Path != "" {
		return fmt.Sprintf("User %q cannot %s path %q", who, a.Verb, a.Path)
	}
	resource := a.Resource
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	where := "at the cluster scope"
	if a.Namespace != "" {
		where = fmt.Sprintf("in the namespace %q", a.Namespace)
	}
	return fmt.Sprintf("User %q cannot %s resource %q in API group %q %s", who, a.Verb, resource, a.Group, where)
}

// Authorizer decides.
type Authorizer struct {
	store     Store
	nodeRules []rbacv1.PolicyRule
	// modes is what way to impersonate somebody has used last, by name: see Impersonate.
	modes map[string]int
}

// New makes an authorizer that reads roles and bindings there.
func New(s Store) *Authorizer {
	return &Authorizer{store: s, nodeRules: nodeRules(), modes: map[string]int{}}
}

// Authorize tells whether somebody may do it, and why, or why not.
// Upstream: apiserver/pkg/authorization/union/union.go, over the system:masters group, nodes and RBAC.
func (z *Authorizer) Authorize(a *Attributes) (allowed bool, reason string) {
	if slices.Contains(a.User.Groups, SystemPrivilegedGroup) {
		return true, ""
	}
	allowed, ofNode := z.node(a)
	if allowed {
		return true, ofNode
	}
	allowed, ofRBAC := z.rbac(a)
	if allowed {
		return true, ofRBAC
	}
	return false, strings.Trim(ofNode+"\n"+ofRBAC, "\n")
}

// Check is Authorize as an error.
func (z *Authorizer) Check(a *Attributes) error {
	if allowed, reason := z.Authorize(a); !allowed {
		return a.Forbidden(reason)
	}
	return nil
}
