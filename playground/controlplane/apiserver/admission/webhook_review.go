package admission

import (
	"encoding/json"
	"errors"
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/metav1"
)

// What the server and a webhook say to each other. Upstream: k8s.io/api/admission/v1, types.go; v1beta1 has the same fields.

const reviewGroup = "admission.k8s.io/"

// Review is the body of both directions.
type Review struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Request    *ReviewRequest  `json:"request,omitempty"`
	Response   *ReviewResponse `json:"response,omitempty"`
}

// ReviewRequest says what somebody wants to do.
type ReviewRequest struct {
	UID                string                    `json:"uid"`
	Kind               groupVersionKind          `json:"kind"`
	Resource           groupVersionResource      `json:"resource"`
	SubResource        string                    `json:"subResource,omitempty"`
	RequestKind        *groupVersionKind         `json:"requestKind,omitempty"`
	RequestResource    *groupVersionResource     `json:"requestResource,omitempty"`
	RequestSubResource string                    `json:"requestSubResource,omitempty"`
	Name               string                    `json:"name,omitempty"`
	Namespace          string                    `json:"namespace,omitempty"`
	Operation          Operation                 `json:"operation"`
	UserInfo           authenticationv1.UserInfo `json:"userInfo"`
	Object             json.RawMessage           `json:"object,omitempty"`
	OldObject          json.RawMessage           `json:"oldObject,omitempty"`
	DryRun             bool                      `json:"dryRun"`
	Options            map[string]string         `json:"options,omitempty"`
}

type groupVersionKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

type groupVersionResource struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

// ReviewResponse is what the webhook thinks of it. A patch travels in base64.
type ReviewResponse struct {
	UID              string            `json:"uid"`
	Allowed          bool              `json:"allowed"`
	Status           *metav1.Status    `json:"status,omitempty"`
	Patch            []byte            `json:"patch,omitempty"`
	PatchType        *string           `json:"patchType,omitempty"`
	AuditAnnotations map[string]string `json:"auditAnnotations,omitempty"`
	Warnings         []string          `json:"warnings,omitempty"`
}

// newRequest says what a request is about, but for the objects.
func newRequest(uid string, a *Attributes) *ReviewRequest {
	kind, resource := a.Kind.GroupVersionKind, a.Kind.GroupVersionResource()
	if sub, ok := a.Kind.Subresource(a.Subresource); a.Subresource != "" && ok {
		kind = sub.Kind
	}
	r := &ReviewRequest{
		UID:         uid,
		Kind:        groupVersionKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind},
		Resource:    groupVersionResource{Group: resource.Group, Version: resource.Version, Resource: resource.Resource},
		SubResource: a.Subresource, RequestSubResource: a.Subresource, Name: a.Name, Namespace: a.Namespace, Operation: a.Operation, DryRun: a.DryRun,
	}
	if kind := options[a.Operation]; kind != "" {
		r.Options = map[string]string{"kind": kind, "apiVersion": "meta.k8s.io/v1"}
	}
	r.RequestKind, r.RequestResource = &r.Kind, &r.Resource
	if a.UserInfo != nil {
		r.UserInfo = *a.UserInfo
	}
	if r.Name == "" && a.Object != nil {
		r.Name = a.Object.GetName()
	}
	return r
}

// newReview is upstream's webhook/request/admissionreview.go, CreateV1AdmissionReview.
func newReview(version, uid string, a *Attributes) ([]byte, error) {
	r := newRequest(uid, a)
	var err error
	for _, o := range []struct {
		from api.Object
		into *json.RawMessage
	}{{a.Object, &r.Object}, {a.OldObject, &r.OldObject}} {
		if o.from == nil {
			continue
		}
		if *o.into, err = api.Encode(o.from); err != nil {
			return nil, err
		}
	}
	return json.Marshal(Review{APIVersion: reviewGroup + version, Kind: "AdmissionReview", Request: r})
}

var options = map[Operation]string{Create: "CreateOptions", Update: "UpdateOptions", Delete: "DeleteOptions"}

// readReview looks at a webhook's answer. Upstream: webhook/request/admissionreview.go, VerifyAdmissionResponse.
func readReview(version, uid string, mutating bool, review *Review) (*ReviewResponse, error) {
	r := review.Response
	if r == nil {
		return nil, errors.New("webhook response was absent")
	}
	if version == "v1" {
		if r.UID != uid {
			return nil, fmt.Errorf("expected response.uid=%q, got %q", uid, r.UID)
		}
		if review.APIVersion != reviewGroup+"v1" || review.Kind != "AdmissionReview" {
			got := metav1.TypeMeta{APIVersion: review.APIVersion, Kind: review.Kind}
			return nil, fmt.Errorf("expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got %v", got.GroupVersionKind())
		}
		switch {
		case !mutating && len(r.Patch) > 0:
			return nil, errors.New("validating webhook may not return response.patch")
		case !mutating && r.PatchType != nil:
			return nil, errors.New("validating webhook may not return response.patchType")
		case len(r.Patch) > 0 && r.PatchType == nil:
			return nil, errors.New("webhook returned response.patch but not response.patchType")
		case len(r.Patch) == 0 && r.PatchType != nil:
			return nil, errors.New("webhook returned response.patchType but not response.patch")
		case r.PatchType != nil && *r.PatchType == "":
			return nil, fmt.Errorf("webhook returned invalid response.patchType of %q", *r.PatchType)
		}
	}
	return r, nil
}
