package registry

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// TokenREST is serviceaccounts/token: a token that is good for a while, for an audience, and as long as a Pod lives.
//
// The claims are those of a real one. A TokenReview checks the signature. Requests themselves carry no tokens here.
// Absent: tokens that are bound to Secrets or Nodes.
// Upstream: pkg/registry/core/serviceaccount/storage/token.go, TokenREST.
type TokenREST struct {
	accounts, pods, nodes *Store
	signer                TokenSigner
}

// TokenSigner signs the first two parts of a token.
type TokenSigner interface {
	// KeyID names the key.
	KeyID() string
	// Sign makes the signature. salt is a UUID of the server's.
	Sign(text, salt string) []byte
	// Verify tells whether a signature is one of Sign's.
	Verify(text string, signature []byte) bool
}

// NewTokenREST makes the subresource of the service accounts' registry. The signer is the server's.
func NewTokenREST(accounts *Store, signer TokenSigner) *TokenREST {
	of := func(resource string) *Store {
		return accounts.sibling(api.GroupVersionResource{Version: "v1", Resource: resource})
	}
	return &TokenREST{accounts, of("pods"), of("nodes"), signer}
}

const (
	minExpiration       = 10 * 60
	maxExpiration       = 1 << 32
	defaultExpirationIn = 60 * 60
)

// Create issues a token.
func (r *TokenREST) Create(p *sim.Proc, name string, obj api.Object, validate ValidateFunc) (client.Result, error) {
	request := obj.(*authenticationv1.TokenRequest)
	if request.Name != "" && request.Name != name {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("name %q in request body does not match name %q in request path", request.Name, name))
	}
	namespace := request.Namespace
	found, err := r.accounts.Get(p, namespace, name)
	if err != nil {
		return nil, err
	}
	account := found.(*corev1.ServiceAccount)
	request = request.DeepCopyObject().(*authenticationv1.TokenRequest)
	request.Name, request.CreationTimestamp = name, now(p)
	if request.Spec.ExpirationSeconds == nil {
		request.Spec.ExpirationSeconds = ptr(int64(defaultExpirationIn))
	}
	if len(request.Spec.Audiences) == 0 {
		request.Spec.Audiences = []string{authenticationv1.TokenIssuer}
	}
	if errs := validateTokenRequest(request); len(errs) > 0 {
		return nil, apierrors.NewInvalid(api.GroupKind{Group: "authentication.k8s.io", Kind: "TokenRequest"}, "", errs)
	}
	if validate != nil {
		if err := validate(p, request, nil); err != nil {
			return nil, err
		}
	}
	pod, err := r.boundPod(p, namespace, name, request.Spec.BoundObjectRef)
	if err != nil {
		return nil, err
	}
	expires := p.Time().Add(time.Duration(*request.Spec.ExpirationSeconds) * time.Second)
	request.Status = authenticationv1.TokenRequestStatus{
		Token:               r.token(p, account, pod, request.Spec.Audiences, expires),
		ExpirationTimestamp: metav1.NewTime(expires).Rfc3339Copy(),
	}
	api.SetKind(request)
	return request, nil
}

// validateTokenRequest is upstream's pkg/apis/authentication/validation/validation.go, ValidateTokenRequest.
func validateTokenRequest(request *authenticationv1.TokenRequest) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("spec", "expirationSeconds")
	if seconds := *request.Spec.ExpirationSeconds; seconds < minExpiration {
		errs = append(errs, field.Invalid(path, seconds, "may not specify a duration less than 10 minutes"))
	} else if seconds > maxExpiration {
		errs = append(errs, field.Invalid(path, seconds, "may not specify a duration larger than 2^32 seconds"))
	}
	return errs
}

// boundPod is the Pod with which the token ends, nil if it is bound to nothing.
func (r *TokenREST) boundPod(p *sim.Proc, namespace, name string, ref *authenticationv1.BoundObjectReference) (*corev1.Pod, error) {
	if ref == nil {
		return nil, nil
	}
	if ref.Kind != "Pod" || ref.APIVersion != "v1" {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("cannot bind token to object of type %s",
			api.GroupVersionKind{Version: ref.APIVersion, Kind: ref.Kind}))
	}
	found, err := r.pods.Get(p, namespace, ref.Name)
	if err != nil {
		return nil, err
	}
	if uid := found.GetUID(); ref.UID != "" && ref.UID != uid {
		return nil, apierrors.NewConflict(api.GroupResource{Resource: "pods"}, ref.Name,
			fmt.Errorf("the UID in the bound object reference (%s) does not match the UID in record. The object might have been deleted and then recreated",
				ref.UID))
	}
	pod := found.(*corev1.Pod)
	if pod.Spec.ServiceAccountName != name {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("cannot bind token for serviceaccount %q to pod running with different serviceaccount name.", name))
	}
	return pod, nil
}

// named is an object in the claims of a token.
type named struct {
	Name string `json:"name"`
	UID  string `json:"uid"`
}

// tokenClaims are what a token says. Upstream: pkg/serviceaccount/claims.go, Claims and privateClaims.
type tokenClaims struct {
	Audience   []string `json:"aud"`
	Expires    int64    `json:"exp"`
	IssuedAt   int64    `json:"iat"`
	Issuer     string   `json:"iss"`
	ID         string   `json:"jti"`
	Kubernetes struct {
		Namespace      string `json:"namespace"`
		Node           *named `json:"node,omitempty"`
		Pod            *named `json:"pod,omitempty"`
		ServiceAccount named  `json:"serviceaccount"`
	} `json:"kubernetes.io"`
	NotBefore int64  `json:"nbf"`
	Subject   string `json:"sub"`
}

// token is the three parts of a JSON Web Token.
func (r *TokenREST) token(p *sim.Proc, account *corev1.ServiceAccount, pod *corev1.Pod, audiences []string, expires time.Time) string {
	claims := tokenClaims{Audience: audiences, Expires: expires.Unix(), IssuedAt: p.Time().Unix(), Issuer: authenticationv1.TokenIssuer, ID: r.accounts.uids.UUID(),
		NotBefore: p.Time().Unix(), Subject: "system:serviceaccount:" + account.Namespace + ":" + account.Name}
	claims.Kubernetes.Namespace, claims.Kubernetes.ServiceAccount = account.Namespace, named{account.Name, string(account.UID)}
	if pod != nil {
		claims.Kubernetes.Pod = &named{pod.Name, string(pod.UID)}
		if node := r.nodes.Storage.Current(r.nodes.Key("", pod.Spec.NodeName)); node != nil {
			claims.Kubernetes.Node = &named{node.GetName(), string(node.GetUID())}
		}
	}
	body, err := json.Marshal(claims)
	if err != nil {
		panic(err) // strings and numbers
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"RS256","kid":"`+r.signer.KeyID()+`"}`)) + "." + encode(body)
	return signed + "." + encode(r.signer.Sign(signed, r.accounts.uids.UUID()))
}

// HashSigner signs with a hash and this key, which is good enough where nobody forges tokens.
type HashSigner string

// KeyID implements TokenSigner.
func (HashSigner) KeyID() string { return "kubewalk" }

// Sign implements TokenSigner: the signature begins with the salt.
func (key HashSigner) Sign(text, salt string) []byte {
	h := fnv.New128a()
	for _, part := range []string{string(key), salt, text} {
		_, _ = h.Write([]byte(part)) // it has no error
	}
	return h.Sum([]byte(salt))
}

// Verify implements TokenSigner.
func (key HashSigner) Verify(text string, signature []byte) bool {
	const salt = 36 // bytes of a UUID
	return len(signature) >= salt && string(key.Sign(text, string(signature[:salt]))) == string(signature)
}

// leeway is how much clocks may differ. Upstream: go-jose/jwt, DefaultLeeway.
const leeway = time.Minute

// Review says whose token one is, and for which of the audiences it is good. The user is nil if it is nobody's; the error says why, if it is one
// of ours. Upstream: pkg/serviceaccount/jwt.go, jwtTokenAuthenticator.AuthenticateToken, and claims.go, validator.Validate.
func (r *TokenREST) Review(p *sim.Proc, token string, audiences []string) (user *authenticationv1.UserInfo, good []string, err error) {
	claims := r.read(token)
	if claims == nil {
		return nil, nil, nil
	}
	if len(audiences) == 0 {
		audiences = []string{authenticationv1.TokenIssuer}
	}
	for _, a := range audiences {
		if slices.Contains(claims.Audience, a) {
			good = append(good, a)
		}
	}
	if len(good) == 0 {
		return nil, nil, fmt.Errorf("token audiences %q is invalid for the target audiences %q", claims.Audience, audiences)
	}
	of := &claims.Kubernetes
	if p.Time().After(time.Unix(claims.Expires, 0).Add(leeway)) {
		return nil, nil, errors.New("service account token has expired")
	}
	gone := func(obj api.Object) bool {
		at := obj.GetDeletionTimestamp()
		return at != nil && at.Time.Before(p.Time().Add(-leeway))
	}
	account, err := r.accounts.Get(p, of.Namespace, of.ServiceAccount.Name)
	switch {
	case err != nil:
		return nil, nil, err
	case string(account.GetUID()) != of.ServiceAccount.UID:
		return nil, nil, fmt.Errorf("service account UID (%s) does not match claim (%s)", account.GetUID(), of.ServiceAccount.UID)
	case gone(account):
		return nil, nil, fmt.Errorf("service account %s/%s has been deleted", of.Namespace, of.ServiceAccount.Name)
	}
	user = &authenticationv1.UserInfo{Username: claims.Subject, UID: of.ServiceAccount.UID,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + of.Namespace, "system:authenticated"},
		Extra:  map[string]authenticationv1.ExtraValue{}}
	extra := func(key, value string) {
		user.Extra["authentication.kubernetes.io/"+key] = authenticationv1.ExtraValue{value}
	}
	extra("credential-id", "JTI="+claims.ID)
	if of.Pod == nil {
		return user, good, nil
	}
	pod, err := r.pods.Get(p, of.Namespace, of.Pod.Name)
	switch {
	case err != nil, string(pod.GetUID()) == of.Pod.UID && gone(pod):
		return nil, nil, errors.New("service account token has been invalidated")
	case string(pod.GetUID()) != of.Pod.UID:
		return nil, nil, fmt.Errorf("pod UID (%s) does not match service account pod ref claim (%s)", pod.GetUID(), of.Pod.UID)
	}
	extra("pod-name", of.Pod.Name)
	extra("pod-uid", of.Pod.UID)
	if of.Node != nil {
		extra("node-name", of.Node.Name)
		extra("node-uid", of.Node.UID)
	}
	return user, good, nil
}

// read returns the claims of a token that this server signed, nil of any other.
func (r *TokenREST) read(token string) *tokenClaims {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || !r.signer.Verify(parts[0]+"."+parts[1], signature) {
		return nil
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims tokenClaims
	if err != nil || json.Unmarshal(body, &claims) != nil {
		return nil
	}
	return &claims
}
