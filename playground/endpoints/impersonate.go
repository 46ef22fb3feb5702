package endpoints

import (
	"net/url"
	"strings"

	"kubewalk/playground/api/authenticationv1"
)

// Impersonated is whom a request's headers say that it acts as; nil for nobody.
// Upstream: apiserver/pkg/endpoints/filters/impersonation/constrained_impersonation.go, processImpersonationHeaders.
func Impersonated(h Header) *authenticationv1.UserInfo {
	user := &authenticationv1.UserInfo{
		Username: h.Get(authenticationv1.ImpersonateUserHeader), UID: h.Get(authenticationv1.ImpersonateUIDHeader),
		Groups: h[authenticationv1.ImpersonateGroupHeader],
	}
	for name, values := range h { // order: each extra key has a name of its own
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
