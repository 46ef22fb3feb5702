//go:build !js || cel

package apiserver

import (
	"fmt"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/policyrule"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/controlplane/apiserver/authorization"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
)

func init() { confirmParams = (*Server).confirmParams }

// confirmParams is a part of upstream's strategies of policies and their bindings: what is well-formed is authorised.
// Upstream: pkg/registry/admissionregistration/validatingadmissionpolicy/strategy.go, and those beside it.
func (s *Server) confirmParams(c *call, obj, old api.Object) error {
	r := c.Request
	write := r.Verb == client.Create || r.Verb == client.Update || r.Verb == client.Patch
	if s.authorizer == nil || r.Subresource != "" || !write || slices.Contains(c.user.Groups, authorization.SystemPrivilegedGroup) {
		return nil
	}
	var err error
	path := "paramKind"
	switch o := obj.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		before, _ := old.(*admissionregistrationv1.ValidatingAdmissionPolicy)
		err = s.mayReadKind(c, o.Spec.ParamKind, before != nil && same(before.Spec.ParamKind, o.Spec.ParamKind))
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		before, _ := old.(*admissionregistrationv1.MutatingAdmissionPolicy)
		err = s.mayReadKind(c, o.Spec.ParamKind, before != nil && same(before.Spec.ParamKind, o.Spec.ParamKind))
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		before, _ := old.(*admissionregistrationv1.ValidatingAdmissionPolicyBinding)
		path = "paramRef"
		err = s.mayReadParams(c, o.Spec.ParamRef, "validatingadmissionpolicies", o.Spec.PolicyName,
			before != nil && before.Spec.PolicyName == o.Spec.PolicyName && sameRef(before.Spec.ParamRef, o.Spec.ParamRef))
	case *admissionregistrationv1.MutatingAdmissionPolicyBinding:
		before, _ := old.(*admissionregistrationv1.MutatingAdmissionPolicyBinding)
		path = "paramRef"
		err = s.mayReadParams(c, o.Spec.ParamRef, "mutatingadmissionpolicies", o.Spec.PolicyName,
			before != nil && before.Spec.PolicyName == o.Spec.PolicyName && sameRef(before.Spec.ParamRef, o.Spec.ParamRef))
	}
	if err == nil {
		return nil
	}
	return apierrors.NewInvalid(kindOf(obj).GroupKind(), obj.GetName(), field.ErrorList{field.Forbidden(field.NewPath("spec", path), err.Error())})
}

func same(a, b *admissionregistrationv1.ParamKind) bool { return a != nil && b != nil && *a == *b }

// sameRef compares pointers within, as upstream does: a selector that was written again is another.
func sameRef(a, b *admissionregistrationv1.ParamRef) bool { return a != nil && b != nil && *a == *b }

// paramResource is what a policy's parameters are: * for what nobody knows.
func (s *Server) paramResource(of *admissionregistrationv1.ParamKind) (group, resource string, parse, resolve error) {
	group, resource = "*", "*"
	gv, err := schema.ParseGroupVersion(of.APIVersion)
	if err != nil {
		return group, resource, err, nil
	}
	group = gv.Group
	kind := s.kinds.For(gv.WithKind(of.Kind))
	if kind == nil {
		return group, resource, nil, fmt.Errorf("no matches for kind %q in version %q", of.Kind, of.APIVersion)
	}
	return group, kind.Resource, nil, nil
}

func (s *Server) mayRead(c *call, verb, group, resource, namespace, name string) bool {
	allowed, _ := s.authorizer.Authorize(&authorization.Attributes{User: c.user, Namespace: namespace,
		Request: policyrule.Request{Verb: verb, Group: group, Resource: resource, Name: name}})
	return allowed
}

// mayReadKind is upstream's validatingadmissionpolicy/authz.go, authorize.
func (s *Server) mayReadKind(c *call, of *admissionregistrationv1.ParamKind, unchanged bool) error {
	if of == nil || unchanged {
		return nil
	}
	group, resource, _, _ := s.paramResource(of)
	if s.mayRead(c, "get", group, resource, "*", "*") {
		return nil
	}
	return fmt.Errorf(`user %s must have "get" permission on all objects of the referenced paramKind (kind=%s, apiVersion=%s)`, asGo(c.user), of.Kind, of.APIVersion)
}

// mayReadParams is upstream's validatingadmissionpolicybinding/authz.go, authorize. (That of mutating policies has the user and the verb of
// its last message the wrong way round, which is left out here.)
func (s *Server) mayReadParams(c *call, ref *admissionregistrationv1.ParamRef, resource, policy string, unchanged bool) error {
	if ref == nil || unchanged {
		return nil
	}
	key := store.Key{Resource: resource, Name: policy}
	var of *admissionregistrationv1.ParamKind
	found := s.store.Current(key)
	switch p := found.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		of = p.Spec.ParamKind
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		of = p.Spec.ParamKind
	}
	group, resource := "*", "*"
	var parse, resolve error
	if of != nil {
		group, resource, parse, resolve = s.paramResource(of)
	}
	verb := "get"
	if ref.Name == "" {
		verb = "list"
	}
	if s.mayRead(c, verb, group, resource, ref.Namespace, ref.Name) {
		return nil
	}
	const more = ` to determine minimum required permissions and user %s does not have "%v" permission for all groups, versions and resources`
	switch {
	case found == nil:
		return fmt.Errorf(`unable to get policy %s`+more, policy, asGo(c.user), verb)
	case parse != nil:
		return fmt.Errorf(`unable to parse paramKind %v`+more, of, asGo(c.user), verb)
	case resolve != nil:
		return fmt.Errorf(`unable to resolve paramKind %v`+more, of, asGo(c.user), verb)
	}
	return fmt.Errorf(`user %s does not have "%v" permission on the object referenced by paramRef`, asGo(c.user), verb)
}

// asGo is a user as Go prints upstream's user.DefaultInfo.
func asGo(u *authorization.User) string {
	return fmt.Sprintf("&{%s %s %v %v}", u.Username, u.UID, u.Groups, u.Extra)
}
