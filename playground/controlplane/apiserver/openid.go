//go:build !js

package apiserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/policyrule"
	"kubewalk/playground/controlplane/apiserver/authorization"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/discovery"
	"kubewalk/playground/sim"
)

// ShowsIssuer tells whether programs in Pods can find out how tokens are checked: their signer has a key that others may know.
func (s *Server) ShowsIssuer() bool {
	_, ok := s.tokens.(discovery.PublicKey)
	return ok
}

// Issuer answers a program in a Pod that wants to know how tokens are checked. It has to show a token of its own, and where
// there is authorization, the role system:service-account-issuer-discovery lets it read this, which all service accounts have.
// Simplified: this is all that Pods reach of the server over the network.
// Upstream: pkg/routes/openidmetadata.go; apiserver/pkg/server/config.go, DefaultBuildHandlerChain.
func (s *Server) Issuer(method, path, bearer string, done func(status int, body string)) {
	s.component.Go("openid", func(p *sim.Proc) {
		p.Sleep(s.work.Between(s.opts.Processing.Min, s.opts.Processing.Max))
		if refused := s.mayReadPath(p, strings.ToLower(method), path, bearer); refused != nil {
			done(int(refused.ErrStatus.Code), encoded(&refused.ErrStatus))
			return
		}
		key, holds := s.tokens.(discovery.PublicKey)
		if holds && method == "GET" {
			if _, answer, found := discovery.OpenID(path, AdvertiseAddress+":"+strconv.Itoa(SecurePort), key); found {
				done(200, encoded(answer))
				return
			}
		}
		done(404, "404 page not found")
	})
}

// mayReadPath finds out whose a token is, and whether he may read a path that is about no resource.
func (s *Server) mayReadPath(p *sim.Proc, verb, path, bearer string) *apierrors.StatusError {
	accounts := s.registries[api.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}]
	user, _, err := registry.NewTokenREST(accounts, s.tokens).Review(p, bearer, nil)
	if err != nil || user == nil {
		return apierrors.NewUnauthorized("Unauthorized")
	}
	if s.authorizer == nil {
		return nil
	}
	allowed, reason := s.authorizer.Authorize(&authorization.Attributes{User: user, Request: policyrule.Request{Verb: verb, Path: path}})
	if allowed {
		return nil
	}
	text := fmt.Sprintf("User %q cannot %s path %q", user.Username, verb, path)
	if reason != "" {
		text += ": " + reason
	}
	return apierrors.NewForbidden(api.GroupResource{}, "", errors.New(text))
}

func encoded(answer any) string {
	body, _ := json.Marshal(answer) // texts, numbers and lists
	return string(body)
}
