package apiserver

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/policyrule"
	"kubewalk/playground/api/rbacv1"
	"kubewalk/playground/controlplane/apiserver/authorization"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
)

// Authorization has a server ask who may do what.
type Authorization struct {
	// Users says who a component is.
	Users func(component string) *authorization.User
	// Policy are the roles and bindings of the cluster's own programs, beside those that every cluster has: see authorization.Read.
	Policy string
}

// objects are the server's watch caches, for the authorizer.
type objects struct{ *Server }

func (o objects) Get(resource, namespace, name string) api.Object {
	return o.caches[resource].Get(store.Key{Resource: resource, Namespace: namespace, Name: name})
}

func (o objects) List(resource, namespace string) []api.Object {
	return o.caches[resource].List(namespace)
}

// createPolicy stores the roles and bindings of every cluster that are missing.
// Simplified: those that somebody has changed stay changed. Upstream adds what they lack when it starts.
// Upstream: pkg/registry/rbac/rest/storage_rbac.go, PolicyData.EnsureRBACPolicy.
func (s *Server) createPolicy() {
	if s.opts.Authorization == nil {
		return
	}
	s.authorizer = authorization.New(objects{s})
	for _, obj := range append(authorization.Bootstrap(), authorization.Read(s.opts.Authorization.Policy)...) {
		s.createSystemObject(nil, api.KindOf(obj).Resource, obj)
	}
}

// authorize is what a request passes before anybody looks at what it is about: who asks may act as whom he says, and may do what he wants.
// Upstream: apiserver/pkg/server/config.go, DefaultBuildHandlerChain.
func (s *Server) authorize(c *call) (err error) {
	c.user, err = s.Authorize(c.Sender(), c.Request.Impersonate, attributesOf(c.Request))
	return err
}

// Authorize tells whether a component may do something, itself or as whom it wants, and who it is then. Without authorization a component's
// name is its user. It is for hosts, too, whose requests do not all come to Handle.
func (s *Server) Authorize(component string, wanted *authorization.User, a *authorization.Attributes) (*authorization.User, error) {
	user, err := s.userFor(component, wanted, a)
	if err != nil || s.authorizer == nil {
		return user, err
	}
	return user, s.authorizer.Check(a)
}

// userFor is who a component is, or as whom it acts, if it may.
func (s *Server) userFor(component string, wanted *authorization.User, a *authorization.Attributes) (*authorization.User, error) {
	if s.authorizer == nil {
		if wanted != nil {
			return authorization.ImpersonateFreely(wanted)
		}
		return authorization.NewUser(component), nil
	}
	a.User = s.opts.Authorization.Users(component)
	if wanted != nil {
		user, err := s.authorizer.Impersonate(a, wanted)
		if err != nil {
			return nil, err
		}
		a.User = user
	}
	return a.User, nil
}

// authorized is the request, with who makes it.
func (c *call) authorized() *authorization.Attributes {
	a := attributesOf(c.Request)
	a.User = c.user
	return a
}

// attributesOf is a request as authorization sees it.
// Upstream: apiserver/pkg/endpoints/request/requestinfo.go, NewRequestInfo; endpoints/filters/authorization.go, GetAuthorizerAttributes.
func attributesOf(r *client.Request) *authorization.Attributes {
	a := &authorization.Attributes{Namespace: r.Namespace,
		Request: policyrule.Request{Verb: r.Verb, Group: r.Resource.Group, Resource: r.Resource.Resource, Subresource: r.Subresource, Name: r.Name}}
	switch r.Verb {
	case client.List, client.Watch, client.DeleteCollection:
		if selector, err := fields.ParseSelector(r.List.FieldSelector); err == nil {
			a.Name, _ = selector.RequiresExactMatch("metadata.name")
			a.FieldNode, _ = selector.RequiresExactMatch("spec.nodeName")
		}
	}
	if a.Resource == "namespaces" && a.Group == "" && r.Name != "" {
		a.Namespace = r.Name // its path is that of what is in it
	}
	return a
}

// confirmNoEscalation sees that a role, or a binding to one, gives nobody more than who writes it has.
func (s *Server) confirmNoEscalation(c *call, e *registry.Store, obj, old api.Object) error {
	if s.authorizer == nil || e.Kind.Group != rbacv1.GroupName || c.Request.Subresource != "" {
		return nil
	}
	return s.authorizer.ConfirmNoEscalation(c.authorized(), obj, old)
}

// confirmParams sees that who writes a policy may read its parameters. There are policies only in a build with CEL: see authorize_params.go.
var confirmParams = func(*Server, *call, api.Object, api.Object) error { return nil }

// mayCreate asks once more when an update makes a new object, for which one needs to be allowed to create.
// Upstream: endpoints/handlers/update.go, withAuthorization.
func (s *Server) mayCreate(c *call) error {
	if s.authorizer == nil {
		return nil
	}
	a := c.authorized()
	a.Verb = client.Create
	return s.authorizer.Check(a)
}

// MayRequest is Authorize for a request.
func (s *Server) MayRequest(component string, r *client.Request) error {
	_, err := s.Authorize(component, r.Impersonate, attributesOf(r))
	return err
}

// MayRead is Authorize for a path that is about no resource.
func (s *Server) MayRead(component string, wanted *authorization.User, verb, path string) error {
	_, err := s.Authorize(component, wanted, &authorization.Attributes{Request: policyrule.Request{Verb: verb, Path: path}})
	return err
}
