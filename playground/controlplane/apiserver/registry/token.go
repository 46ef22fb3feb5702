package registry

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
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
// The claims are those of a real one. The signature is none: it is drawn by chance, and nobody checks it, since nobody is
// authenticated here.
// Upstream: pkg/registry/core/serviceaccount/storage/token.go, TokenREST.
type TokenREST struct{ accounts, pods *Store }

// NewTokenREST makes the subresource of the service accounts' registry.
func NewTokenREST(accounts *Store) *TokenREST {
	return &TokenREST{accounts, accounts.sibling(api.GroupVersionResource{Version: "v1", Resource: "pods"})}
}

const (
	tokenIssuer         = "https://kubernetes.default.svc.cluster.local"
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
		request.Spec.Audiences = []string{tokenIssuer}
	}
	if errs := validateTokenRequest(request); len(errs) > 0 {
		return nil, apierrors.NewInvalid(api.GroupKind{Group: "authentication.k8s.io", Kind: "TokenRequest"}, "", errs)
	}
	if validate != nil {
		if err := validate(p, request, nil); err != nil {
			return nil, err
		}
	}
	pod, err := r.boundPod(p, namespace, request.Spec.BoundObjectRef)
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
func (r *TokenREST) boundPod(p *sim.Proc, namespace string, ref *authenticationv1.BoundObjectReference) (*corev1.Pod, error) {
	if ref == nil {
		return nil, nil
	}
	if ref.Kind != "Pod" || ref.APIVersion != "v1" {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("cannot bind token for serviceaccount to type %s",
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
	return found.(*corev1.Pod), nil
}

// named is an object in the claims of a token.
type named struct {
	Name string `json:"name"`
	UID  string `json:"uid"`
}

// token is the three parts of a JSON Web Token. Upstream: pkg/serviceaccount/claims.go, Claims.
func (r *TokenREST) token(p *sim.Proc, account *corev1.ServiceAccount, pod *corev1.Pod, audiences []string, expires time.Time) string {
	type private struct {
		Namespace      string `json:"namespace"`
		Pod            *named `json:"pod,omitempty"`
		ServiceAccount named  `json:"serviceaccount"`
	}
	claims := struct {
		Audience   []string `json:"aud"`
		Expires    int64    `json:"exp"`
		IssuedAt   int64    `json:"iat"`
		Issuer     string   `json:"iss"`
		ID         string   `json:"jti"`
		Kubernetes private  `json:"kubernetes.io"`
		NotBefore  int64    `json:"nbf"`
		Subject    string   `json:"sub"`
	}{
		Audience: audiences, Expires: expires.Unix(), IssuedAt: p.Time().Unix(), Issuer: tokenIssuer, ID: r.accounts.uids.UUID(),
		Kubernetes: private{Namespace: account.Namespace, ServiceAccount: named{account.Name, string(account.UID)}},
		NotBefore:  p.Time().Unix(), Subject: "system:serviceaccount:" + account.Namespace + ":" + account.Name,
	}
	if pod != nil {
		claims.Kubernetes.Pod = &named{pod.Name, string(pod.UID)}
	}
	body, err := json.Marshal(claims)
	if err != nil {
		panic(err) // strings and numbers
	}
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"RS256","kid":"kubewalk"}`)) + "." + encode(body) + "." + encode([]byte(r.accounts.uids.UUID()))
}
