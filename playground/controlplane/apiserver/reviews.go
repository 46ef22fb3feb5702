package apiserver

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/authorizationv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/transport"
)

// review answers a question about who may do what. Nothing of it is stored.
type review func(user string, obj api.Object) error

// reviews are the kinds that are questions. As there is no authorization, everybody may do everything, as with
// --authorization-mode=AlwaysAllow; a token that is shown belongs to nobody.
// Upstream: pkg/registry/authorization and pkg/registry/authentication, a package for each kind.
var reviews = map[api.GroupResource]review{
	{Group: "authentication.k8s.io", Resource: "selfsubjectreviews"}: func(user string, obj api.Object) error {
		obj.(*authenticationv1.SelfSubjectReview).Status.UserInfo = authenticationv1.UserInfo{Username: user, Groups: []string{"system:authenticated"}}
		return nil
	},
	{Group: "authentication.k8s.io", Resource: "tokenreviews"}: func(_ string, obj api.Object) error {
		r := obj.(*authenticationv1.TokenReview)
		if r.Spec.Token == "" {
			return apierrors.NewBadRequest("token is required for TokenReview in authentication")
		}
		return nil
	},
	{Group: "authorization.k8s.io", Resource: "selfsubjectaccessreviews"}: func(_ string, obj api.Object) error {
		r := obj.(*authorizationv1.SelfSubjectAccessReview)
		return allow(obj, r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes, nil, &r.Status)
	},
	{Group: "authorization.k8s.io", Resource: "subjectaccessreviews"}: func(_ string, obj api.Object) error {
		r := obj.(*authorizationv1.SubjectAccessReview)
		return allow(obj, r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes, subject(&r.Spec), &r.Status)
	},
	{Group: "authorization.k8s.io", Resource: "localsubjectaccessreviews"}: func(_ string, obj api.Object) error {
		r := obj.(*authorizationv1.LocalSubjectAccessReview)
		return allow(obj, r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes, subject(&r.Spec), &r.Status)
	},
	{Group: "authorization.k8s.io", Resource: "selfsubjectrulesreviews"}: func(_ string, obj api.Object) error {
		r := obj.(*authorizationv1.SelfSubjectRulesReview)
		if r.Spec.Namespace == "" {
			return apierrors.NewBadRequest("no namespace on request")
		}
		all := []string{"*"}
		r.Status.ResourceRules = []authorizationv1.ResourceRule{{Verbs: all, APIGroups: all, Resources: all}}
		r.Status.NonResourceRules = []authorizationv1.NonResourceRule{{Verbs: all, NonResourceURLs: all}}
		return nil
	},
}

// allow answers a review, if it asks one thing.
// Upstream: pkg/apis/authorization/validation/validation.go.
func allow(obj api.Object, resource *authorizationv1.ResourceAttributes, other *authorizationv1.NonResourceAttributes, errs field.ErrorList,
	status *authorizationv1.SubjectAccessReviewStatus) error {
	spec := field.NewPath("spec")
	switch {
	case resource != nil && other != nil:
		errs = append(errs, field.Invalid(spec.Child("nonResourceAttributes"), other, "cannot be specified in combination with resourceAttributes"))
	case resource == nil && other == nil:
		errs = append(errs, field.Invalid(spec.Child("resourceAttributes"), resource, "exactly one of nonResourceAttributes or resourceAttributes must be specified"))
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(api.KindOf(obj).GroupKind(), "", errs)
	}
	*status = authorizationv1.SubjectAccessReviewStatus{Allowed: true}
	return nil
}

func subject(spec *authorizationv1.SubjectAccessReviewSpec) field.ErrorList {
	if spec.User == "" && len(spec.Groups) == 0 {
		return field.ErrorList{field.Invalid(field.NewPath("spec", "user"), spec.User, "at least one of user or group must be specified")}
	}
	return nil
}

// reviewHandler answers a question.
func (s *Server) reviewHandler(c *call, review review) (client.Result, *transport.Stream, int32, error) {
	r := c.Request
	kind := api.KindForResource(r.Resource)
	if r.Verb != client.Create {
		return nil, nil, 0, apierrors.NewMethodNotSupported(kind.GroupResource(), r.Verb)
	}
	obj := r.Object
	if r.Body != nil {
		decoded, err := c.decodeBody(nil, r.Body, &kind.GroupVersionKind)
		if err != nil {
			return nil, nil, 0, transformDecodeError(kind.GroupVersionKind, err)
		}
		obj = decoded
	} else if obj != nil {
		obj = obj.DeepCopyObject()
	}
	if obj == nil {
		return nil, nil, 0, apierrors.NewBadRequest("request body is empty")
	}
	if found := api.KindOf(obj); found != kind {
		return nil, nil, 0, apierrors.NewBadRequest("the object provided is no " + kind.Kind)
	}
	api.SetKind(obj)
	if err := review(c.Caller.Component().Name(), obj); err != nil {
		return nil, nil, 0, err
	}
	return obj, nil, statusCreated, nil
}
