package httpapi

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"math/big"
	"net/http"
	"net/url"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/discovery"
	"kubewalk/playground/endpoints"
)

// tokenKey signs the tokens of service accounts: made anew for each server, as the CA is.
// Upstream: pkg/serviceaccount/jwt.go, signerFromRSAPrivateKey, and kube-apiserver --service-account-signing-key-file.
type tokenKey struct {
	*rsa.PrivateKey
	id string
}

func newTokenKey() (*tokenKey, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(der) // upstream: jwt.go, keyIDFromPublicKey
	return &tokenKey{key, base64.RawURLEncoding.EncodeToString(sum[:])}, nil
}

// KeyID implements registry.TokenSigner.
func (k *tokenKey) KeyID() string { return k.id }

// Sign implements registry.TokenSigner with RS256, which needs no salt.
func (k *tokenKey) Sign(text, _ string) []byte {
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, k.PrivateKey, crypto.SHA256, sum[:])
	if err != nil {
		panic(err) // the key is large enough for the sum
	}
	return signature
}

// Verify implements registry.TokenSigner.
func (k *tokenKey) Verify(text string, signature []byte) bool {
	sum := sha256.Sum256([]byte(text))
	return rsa.VerifyPKCS1v15(&k.PublicKey, crypto.SHA256, sum[:], signature) == nil
}

// JSONWebKey implements discovery.PublicKey.
func (k *tokenKey) JSONWebKey() discovery.JSONWebKey {
	encode := base64.RawURLEncoding.EncodeToString
	return discovery.JSONWebKey{Use: "sig", KeyType: "RSA", ID: k.id, Algorithm: "RS256", N: encode(k.N.Bytes()), E: encode(big.NewInt(int64(k.E)).Bytes())}
}

// issuer describes who issues tokens, or the key. Programs in Pods are told of another address (apiserver.Server.Issuer): that of the port is
// the host's, and theirs is not to be reached from outside.
func (s *Server) issuer(path string) (endpoints.Response, bool) {
	mediaType, answer, ok := discovery.OpenID(path, strings.TrimPrefix(s.URL(), "https://"), s.tokens)
	if !ok {
		return endpoints.Response{}, false
	}
	response := endpoints.JSON(http.StatusOK, answer)
	response.Header["Content-Type"] = []string{mediaType}
	response.Header["Cache-Control"] = []string{"public, max-age=3600"}
	return response, true
}

// account finds out whose token a request has, if it is one of a service account; then the request is that account's.
// Upstream: pkg/serviceaccount/jwt.go, AuthenticateToken. Simplified: an account impersonates nobody.
func (s *Server) account(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || s.tokens == nil || strings.Count(token, ".") != 2 {
		return false
	}
	user := s.review(r.Context(), token)
	if user == nil {
		return false
	}
	for name := range r.Header { // order: all of them go
		if strings.HasPrefix(name, "Impersonate-") {
			return false
		}
	}
	r.Header.Set(authenticationv1.ImpersonateUserHeader, user.Username)
	r.Header.Set(authenticationv1.ImpersonateUIDHeader, user.UID)
	for _, group := range user.Groups {
		r.Header.Add(authenticationv1.ImpersonateGroupHeader, group)
	}
	for name, values := range user.Extra { // order: each has a header of its own
		for _, v := range values {
			r.Header.Add(authenticationv1.ImpersonateUserExtraHeaderPrefix+url.PathEscape(name), v)
		}
	}
	return true
}

func (s *Server) review(ctx context.Context, token string) *authenticationv1.UserInfo {
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}
	api.SetKind(review)
	answer, err := client.As[*authenticationv1.TokenReview](s.loop.ask(ctx, &client.Request{Verb: client.Create, Object: review,
		Resource: api.GroupVersionResource{Group: "authentication.k8s.io", Version: "v1", Resource: "tokenreviews"}}))
	if err != nil || !answer.Status.Authenticated {
		return nil
	}
	return &answer.Status.User
}
