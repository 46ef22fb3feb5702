package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
)

// impersonated is whom a request's headers say that it acts as; nil for nobody.
// Upstream: apiserver/pkg/endpoints/filters/impersonation/constrained_impersonation.go, processImpersonationHeaders.
func impersonated(h http.Header) *authenticationv1.UserInfo {
	user := &authenticationv1.UserInfo{
		Username: h.Get(authenticationv1.ImpersonateUserHeader), UID: h.Get(authenticationv1.ImpersonateUIDHeader),
		Groups: h.Values(authenticationv1.ImpersonateGroupHeader),
	}
	for name, values := range h {
		key, is := strings.CutPrefix(name, authenticationv1.ImpersonateUserExtraHeaderPrefix)
		if !is {
			continue
		}
		key = strings.ToLower(key)
		if plain, err := url.PathUnescape(key); err == nil {
			key = plain
		}
		if user.Extra == nil {
			user.Extra = map[string]authenticationv1.ExtraValue{}
		}
		user.Extra[key] = append(user.Extra[key], values...)
	}
	if user.Username == "" && user.UID == "" && len(user.Groups) == 0 && len(user.Extra) == 0 {
		return nil
	}
	return user
}

// permit tells the API server as whom a request is made, and asks it about those that do not come to it: paths about no resource,
// connections to kubelets, metrics.
func (s *Server) permit(r *http.Request, request *client.Request) error {
	as := impersonated(r.Header)
	if request == nil {
		if !s.authenticated(r) {
			return nil // it is one of the public paths
		}
		return s.allowed(func(c *cluster.Cluster) error { return c.MayRead(as, strings.ToLower(r.Method), r.URL.Path) })
	}
	request.Impersonate = as
	connects := slices.Contains([]string{"exec", "attach", "portforward"}, request.Subresource)
	if !connects && !proxied(request) && request.Resource.Group != "metrics.k8s.io" && (request.Log == nil || !request.Log.Follow) {
		return nil
	}
	return s.allowed(func(c *cluster.Cluster) error {
		err := c.MayRequest(request)
		if connects && err == nil { // upstream: pkg/registry/core/pod/rest/subresources.go, ensureAuthorizedForVerb
			create := *request
			create.Verb = client.Create
			err = c.MayRequest(&create)
		}
		return err
	})
}

// allowed has the loop ask.
func (s *Server) allowed(ask func(*cluster.Cluster) error) error {
	var answer error
	if err := s.loop.do(func(c *cluster.Cluster) { answer = ask(c) }); err != nil {
		return err
	}
	return answer
}
