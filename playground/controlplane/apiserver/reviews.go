package apiserver

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/authorizationv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/policyrule"
	"kubewalk/playground/api/rbacv1"
	"kubewalk/playground/controlplane/apiserver/authorization"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/transport"
	"kubewalk/playground/sim"
)

// review answers a question about who may do what. Nothing of it is stored.
type review func(s *Server, p *sim.Proc, c *call, obj api.Object) error

// reviews are the kinds that are questions. Without authorization everybody may do everything, as with --authorization-mode=AlwaysAllow.
// Tokens that are known are those of service accounts.
// Upstream: pkg/registry/authorization and pkg/registry/authentication, a package for each kind.
var reviews = map[api.GroupResource]review{
	{Group: "authentication.k8s.io", Resource: "selfsubjectreviews"}: func(_ *Server, _ *sim.Proc, c *call, obj api.Object) error {
		obj.(*authenticationv1.SelfSubjectReview).Status.UserInfo = *c.user
		return nil
	},
	{Group: "authentication.k8s.io", Resource: "tokenreviews"}: func(s *Server, p *sim.Proc, _ *call, obj api.Object) error {
		r := obj.(*authenticationv1.TokenReview)
		if r.Spec.Token == "" {
			return apierrors.NewBadRequest("token is required for TokenReview in authentication")
		}
		accounts := s.registries[api.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}]
		user, audiences, err := registry.NewTokenREST(accounts, s.tokens).Review(p, r.Spec.Token, r.Spec.Audiences)
		switch {
		case err != nil:
			r.Status.Error = "[invalid bearer token, " + err.Error() + "]"
		case user == nil:
			r.Status.Error = "invalid bearer token"
		default:
			r.Status.Authenticated, r.Status.User, r.Status.Audiences = true, *user, audiences
		}
		return nil
	},
	{Group: "authorization.k8s.io", Resource: "selfsubjectaccessreviews"}: func(s *Server, _ *sim.Proc, c *call, obj api.Object) error {
		r := obj.(*authorizationv1.SelfSubjectAccessReview)
		return s.answer(obj, c.user, r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes, nil, &r.Status)
	},
	{Group: "authorization.k8s.io", Resource: "subjectaccessreviews"}: func(s *Server, _ *sim.Proc, _ *call, obj api.Object) error {
		r := obj.(*authorizationv1.SubjectAccessReview)
		return s.answer(obj, userOf(&r.Spec), r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes, subject(&r.Spec), &r.Status)
	},
	{Group: "authorization.k8s.io", Resource: "localsubjectaccessreviews"}: func(s *Server, _ *sim.Proc, c *call, obj api.Object) error {
		r := obj.(*authorizationv1.LocalSubjectAccessReview)
		errs := subject(&r.Spec)
		if r.Spec.ResourceAttributes != nil && r.Spec.ResourceAttributes.Namespace != r.Namespace {
			errs = append(errs, field.Invalid(field.NewPath("spec.resourceAttributes.namespace"), r.Spec.ResourceAttributes.Namespace,
				"must match metadata.namespace"))
		}
		if r.Spec.NonResourceAttributes != nil {
			errs = append(errs, field.Invalid(field.NewPath("spec.nonResourceAttributes"), r.Spec.NonResourceAttributes,
				"disallowed on this kind of request"))
		}
		return s.answer(obj, userOf(&r.Spec), r.Spec.ResourceAttributes, r.Spec.NonResourceAttributes, errs, &r.Status)
	},
	{Group: "authorization.k8s.io", Resource: "selfsubjectrulesreviews"}: func(s *Server, _ *sim.Proc, c *call, obj api.Object) error {
		r := obj.(*authorizationv1.SelfSubjectRulesReview)
		if r.Spec.Namespace == "" {
			return apierrors.NewBadRequest("no namespace on request")
		}
		rules, incomplete := everything, false
		if s.authorizer != nil {
			var err error
			if rules, incomplete, err = s.authorizer.RulesFor(c.user, r.Spec.Namespace); err != nil {
				r.Status.EvaluationError = err.Error()
			}
		}
		r.Status.Incomplete = incomplete
		for _, rule := range rules {
			if len(rule.Resources) > 0 {
				r.Status.ResourceRules = append(r.Status.ResourceRules,
					authorizationv1.ResourceRule{Verbs: rule.Verbs, APIGroups: rule.APIGroups, Resources: rule.Resources, ResourceNames: rule.ResourceNames})
			}
			if len(rule.NonResourceURLs) > 0 {
				r.Status.NonResourceRules = append(r.Status.NonResourceRules,
					authorizationv1.NonResourceRule{Verbs: rule.Verbs, NonResourceURLs: rule.NonResourceURLs})
			}
		}
		return nil
	},
}

// everything is what everybody may do without authorization.
// Upstream: apiserver/pkg/authorization/authorizerfactory/builtin.go, alwaysAllowAuthorizer.RulesFor.
var everything = []rbacv1.PolicyRule{
	{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}}, {Verbs: []string{"*"}, NonResourceURLs: []string{"*"}},
}

func userOf(spec *authorizationv1.SubjectAccessReviewSpec) *authorization.User {
	return &authorization.User{Username: spec.User, UID: spec.UID, Groups: spec.Groups}
}

// answer answers a review, if it asks one thing.
// Upstream: pkg/apis/authorization/validation/validation.go; pkg/registry/authorization/util/helpers.go.
func (s *Server) answer(obj api.Object, user *authorization.User, resource *authorizationv1.ResourceAttributes,
	other *authorizationv1.NonResourceAttributes, errs field.ErrorList, status *authorizationv1.SubjectAccessReviewStatus) error {
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
	if s.authorizer == nil {
		return nil
	}
	a := &authorization.Attributes{User: user}
	if resource != nil {
		a.Namespace = resource.Namespace
		a.Request = policyrule.Request{Verb: resource.Verb, Group: resource.Group, Resource: resource.Resource, Subresource: resource.Subresource, Name: resource.Name}
	} else {
		a.Request = policyrule.Request{Verb: other.Verb, Path: other.Path}
	}
	status.Allowed, status.Reason = s.authorizer.Authorize(a)
	return nil
}

func subject(spec *authorizationv1.SubjectAccessReviewSpec) field.ErrorList {
	if spec.User == "" && len(spec.Groups) == 0 {
		return field.ErrorList{field.Invalid(field.NewPath("spec", "user"), spec.User, "at least one of user or group must be specified")}
	}
	return nil
}

// reviewHandler answers a question.
func (s *Server) reviewHandler(p *sim.Proc, c *call, review review) (client.Result, *transport.Stream, int32, error) {
	r := c.Request
	kind := api.KindForResource(r.Resource)
	if r.Verb != client.Create {
		return nil, nil, 0, methodNotAllowed()
	}
	obj := r.Object
	if r.Body != nil {
		decoded, err := c.decodeBody(nil, r.Body, &kind.GroupVersionKind)
		if err != nil {
			return nil, nil, 0, transformDecodeError(kind.GroupVersionKind, err, r.Body)
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
	if kind.Namespaced && obj.GetNamespace() == "" {
		obj.SetNamespace(r.Namespace)
	}
	if err := review(s, p, c, obj); err != nil {
		return nil, nil, 0, err
	}
	return obj, nil, statusCreated, nil
}
