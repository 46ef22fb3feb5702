package apiserver

import (
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/apiserver/admission"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/transport"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// HTTP codes of good answers.
const (
	statusOK      = 200
	statusCreated = 201
)

// serve finds the handler of a request. Upstream: endpoints/installer.go, where each path and verb gets its handler.
func (s *Server) serve(p *sim.Proc, c *call) (result client.Result, stream *transport.Stream, code int32, err error) {
	r := c.Request
	if a := s.aggregatedAt(r.Resource.GroupVersion()); a != nil {
		result, code, err := s.proxy(p, c, a)
		return result, nil, code, err
	}
	e := s.registries[r.Resource]
	if e == nil {
		if review := reviews[r.Resource.GroupResource()]; review != nil && r.Subresource == "" && r.Name == "" {
			return s.reviewHandler(p, c, review)
		}
		if k := api.KindForResource(r.Resource); k != nil && k.NewList == nil && r.Verb != client.Create && r.Name == "" && r.Namespace != "" {
			return nil, nil, 0, methodNotAllowed()
		}
		return nil, nil, 0, notServed()
	}
	if opened(r) {
		result, err := s.connectHandler(p, c, e)
		return result, nil, statusOK, err
	}
	if r.Subresource != "" {
		if _, ok := e.Kind.Subresource(r.Subresource); !ok {
			return nil, nil, 0, notServed()
		}
	}
	if e.Kind.Namespaced && r.Namespace == "" && r.Verb != client.List && r.Verb != client.Watch {
		return nil, nil, 0, notServed()
	}
	if err := tooLarge(r); err != nil {
		return nil, nil, 0, err
	}
	if err := s.terminating(e, r); err != nil {
		return nil, nil, 0, err
	}
	if e.Resource() == "componentstatuses" {
		return s.componentStatusHandler(p, c, e)
	}
	c.warnOfDeprecation(e)
	code = statusOK
	switch r.Verb {
	case client.Get:
		result, err = s.getHandler(p, c, e)
	case client.List:
		result, err = s.listHandler(p, c, e)
	case client.Watch:
		stream, err = s.watchHandler(p, c, e)
	case client.Create:
		code = statusCreated
		result, err = s.createHandler(p, c, e)
	case client.Update:
		result, code, err = s.updateHandler(p, c, e)
	case client.Patch:
		result, code, err = s.patchHandler(p, c, e)
	case client.Delete:
		result, err = s.deleteHandler(p, c, e)
	case client.DeleteCollection:
		result, err = s.deleteCollectionHandler(p, c, e)
	default:
		err = apierrors.NewMethodNotSupported(e.Kind.GroupResource(), r.Verb)
	}
	if r.Table && err == nil && (r.Verb == client.Get || r.Verb == client.List) {
		result = asTable(result, p.Time())
	}
	return result, stream, code, err
}

// notServed is the answer to a path that nothing is at.
func notServed() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: 404, Reason: metav1.StatusReasonNotFound,
		Message: "the server could not find the requested resource", Details: &metav1.StatusDetails{},
	}}
}

// methodNotAllowed is the answer to a method that a path does not know. Upstream: apiserver/pkg/server/handler.go, serviceErrorHandler.
func methodNotAllowed() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: 405, Reason: metav1.StatusReasonMethodNotAllowed,
		Message: "the server does not allow this method on the requested resource", Details: &metav1.StatusDetails{},
	}}
}

// getHandler is upstream's endpoints/handlers/get.go, GetResource.
func (s *Server) getHandler(p *sim.Proc, c *call, e *registry.Store) (client.Result, error) {
	r := c.Request
	switch r.Subresource {
	case "log":
		return s.logHandler(p, c, e)
	case "attach", "binding", "eviction", "exec", "portforward", "token":
		return nil, apierrors.NewMethodNotSupported(e.Kind.GroupResource(), r.Verb)
	}
	obj, err := e.Get(p, r.Namespace, r.Name)
	if err != nil {
		return nil, err
	}
	if r.Subresource == "scale" {
		return e.Scale(obj)
	}
	return s.outgoing(c, e, obj), nil
}

// createHandler is upstream's endpoints/handlers/create.go, createHandler.
func (s *Server) createHandler(p *sim.Proc, c *call, e *registry.Store) (client.Result, error) {
	r := c.Request
	switch r.Subresource {
	case "exec":
		return s.execHandler(p, c, e)
	}
	if err := invalidOptions("CreateOptions", validateWriteOptions(r)); err != nil {
		return nil, err
	}
	obj, err := s.decode(c, e)
	if err != nil {
		return nil, err
	}
	if err := checkName(r, obj); err != nil {
		return nil, err
	}
	c.About(obj)
	c.warnOfMetadata(obj)
	attributes := s.attributes(c, e, admission.Create)
	attributes.Object = obj
	if err := s.admit(p, c, attributes); err != nil {
		return nil, err
	}
	obj = attributes.Object
	if err := s.confirmNoEscalation(c, e, obj, nil); err != nil {
		return nil, err
	}
	e.SetUser(obj, c.user)
	switch r.Subresource {
	case "":
	case "binding":
		return registry.NewBindingREST(e).Create(p, r.Name, obj, s.validating(c, attributes), r.DryRun)
	case "eviction":
		return registry.NewEvictionREST(e).Create(p, r.Name, obj, s.validating(c, attributes), r.DryRun)
	case "token":
		return registry.NewTokenREST(e, s.tokens).Create(p, r.Name, obj, s.validating(c, attributes))
	default:
		return nil, apierrors.NewMethodNotSupported(e.Kind.GroupResource(), r.Verb)
	}
	entries := obj.GetManagedFields()
	created, err := e.Create(p, obj, s.validating(c, attributes), r.DryRun)
	if err != nil {
		return nil, err
	}
	if !r.DryRun {
		s.owners.given(e.KeyOf(created), created, entries)
		s.note(p, c, e, nil, created)
	}
	return s.outgoing(c, e, created), nil
}

// updateHandler is upstream's endpoints/handlers/update.go, UpdateResource.
func (s *Server) updateHandler(p *sim.Proc, c *call, e *registry.Store) (client.Result, int32, error) {
	r := c.Request
	if err := invalidOptions("UpdateOptions", validateWriteOptions(r)); err != nil {
		return nil, 0, err
	}
	read := func() (api.Object, error) {
		obj, err := s.decode(c, e)
		if err != nil {
			return nil, err
		}
		return obj, checkName(r, obj)
	}
	body, err := read()
	if err != nil {
		return nil, 0, err
	}
	updated := func(p *sim.Proc, old api.Object) (api.Object, error) {
		obj := body
		if body = nil; obj == nil { // it is tried again: what was read has been changed since, and perhaps stored
			return read()
		}
		return obj, nil
	}
	result, created, err := s.update(p, c, e, updated)
	if created {
		return result, statusCreated, err
	}
	return result, statusOK, err
}

// update is what PUT and PATCH share: the change, and who is noted for it.
func (s *Server) update(p *sim.Proc, c *call, e *registry.Store, updated registry.UpdatedObject) (client.Result, bool, error) {
	r := c.Request
	if r.Subresource == "scale" {
		scale, old, obj, err := registry.NewScaleREST(e).Update(p, r.Namespace, r.Name, updated, r.DryRun)
		if err == nil && !r.DryRun {
			s.note(p, c, e, old, obj)
		}
		if err != nil {
			return nil, false, err
		}
		return scale, false, nil
	}
	var old api.Object
	var entries []metav1.ManagedFieldsEntry
	obj, created, err := s.change(p, c, e, func(p *sim.Proc, current api.Object) (api.Object, error) {
		obj, err := updated(p, current)
		if err == nil {
			old, entries = current, obj.GetManagedFields()
		}
		return obj, err
	})
	if err != nil {
		return nil, false, err
	}
	if !r.DryRun {
		s.owners.given(e.KeyOf(obj), obj, entries)
		s.note(p, c, e, old, obj)
	}
	return s.outgoing(c, e, obj), created, nil
}

// change is admission around a change, then the registry of the object or subresource.
func (s *Server) change(p *sim.Proc, c *call, e *registry.Store, updated registry.UpdatedObject) (api.Object, bool, error) {
	r := c.Request
	attributes := s.attributes(c, e, admission.Update)
	admitted := func(p *sim.Proc, old api.Object) (api.Object, error) {
		c.phase = trace.PhaseDecoding
		obj, err := updated(p, old)
		if err != nil {
			return nil, err
		}
		c.warnOfMetadata(obj)
		a := *attributes
		a.Object, a.OldObject = obj, old
		if old == nil {
			a.Operation = admission.Create
		}
		if err := s.admit(p, c, &a); err != nil {
			return obj, err
		}
		obj = a.Object
		if old == nil {
			if err := s.mayCreate(c); err != nil {
				return obj, err
			}
		}
		return obj, s.confirmNoEscalation(c, e, obj, old)
	}
	switch r.Subresource {
	case "":
	case "attach", "binding", "eviction", "exec", "log", "portforward", "token":
		return nil, false, apierrors.NewMethodNotSupported(e.Kind.GroupResource(), r.Verb)
	default:
		e = e.For(r.Subresource)
	}
	return e.Update(p, r.Namespace, r.Name, admitted, s.validating(c, attributes), r.DryRun)
}

// deleteHandler is upstream's endpoints/handlers/delete.go, DeleteResource.
func (s *Server) deleteHandler(p *sim.Proc, c *call, e *registry.Store) (client.Result, error) {
	r := c.Request
	options := r.Delete
	if err := validateDeleteOptions(&options); err != nil {
		return nil, err
	}
	dryRun := r.DryRun || len(options.DryRun) > 0
	attributes := s.attributes(c, e, admission.Delete)
	if err := s.admit(p, c, attributes); err != nil {
		return nil, err
	}
	c.warnOfOrphans(e, &options)
	obj, deleted, err := e.DeleteObject(p, r.Namespace, r.Name, &options, s.validating(c, attributes), dryRun)
	if err != nil {
		return nil, err
	}
	if !deleted || e.ReturnsDeletedObject() {
		return s.outgoing(c, e, obj), nil
	}
	return success(e, obj), nil
}

// success is the answer to a delete of most kinds.
func success(e *registry.Store, obj api.Object) *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{Name: obj.GetName(), Group: e.Kind.Group, Kind: e.Kind.Resource, UID: obj.GetUID()},
	}
}

// deleteCollectionHandler deletes what a list returns, one after the other.
// Upstream: endpoints/handlers/delete.go, DeleteCollection; generic/registry/store.go, Store.DeleteCollection.
func (s *Server) deleteCollectionHandler(p *sim.Proc, c *call, e *registry.Store) (client.Result, error) {
	r := c.Request
	if r.Subresource != "" {
		return nil, apierrors.NewMethodNotSupported(e.Kind.GroupResource(), r.Verb)
	}
	if err := validateDeleteOptions(&r.Delete); err != nil {
		return nil, err
	}
	list, err := s.listHandler(p, c, e)
	if err != nil {
		return nil, err
	}
	attributes := s.attributes(c, e, admission.Delete)
	for _, obj := range list.(api.List).GetItems() {
		options := r.Delete
		_, _, err := e.DeleteObject(p, obj.GetNamespace(), obj.GetName(), &options, s.validating(c, attributes), r.DryRun || len(options.DryRun) > 0)
		if err != nil && !apierrors.IsNotFound(err) {
			return nil, err
		}
	}
	return list, nil
}

func (s *Server) attributes(c *call, e *registry.Store, op admission.Operation) *admission.Attributes {
	r := c.Request
	return &admission.Attributes{
		Kind: e.Kind, Namespace: r.Namespace, Name: r.Name, Subresource: r.Subresource,
		Operation: op, User: c.Caller.Component().Name(), UserInfo: c.user, DryRun: r.DryRun, Report: &c.report, Warn: c.Warn, Asks: c.asks,
	}
}

// admit is the part of admission that may change the object, before it is validated.
func (s *Server) admit(p *sim.Proc, c *call, attributes *admission.Attributes) error {
	c.phase, c.report = trace.PhaseMutating, admission.Report{}
	if err := s.admission.Admit(p, attributes); err != nil {
		return err
	}
	c.phase = trace.PhaseValidation
	return nil
}

// validating is the part of admission that sees the object as it will be stored.
func (s *Server) validating(c *call, attributes *admission.Attributes) registry.ValidateFunc {
	return func(p *sim.Proc, obj, old api.Object) error {
		if err := confirmParams(s, c, obj, old); err != nil {
			return err
		}
		c.phase = trace.PhaseValidating
		a := *attributes
		a.Object, a.OldObject = obj, old
		if err := s.admission.Validate(p, &a); err != nil {
			return err
		}
		c.phase = trace.PhaseStore
		if a.Operation == admission.Delete {
			return nil
		}
		return tooLargeToStore(c.Request, obj)
	}
}

// validateDeleteOptions is upstream's apimachinery/pkg/apis/meta/v1/validation/validation.go, ValidateDeleteOptions.
func validateDeleteOptions(o *metav1.DeleteOptions) error {
	if o.OrphanDependents != nil && o.PropagationPolicy != nil {
		return apierrors.NewInvalid(api.GroupKind{Group: "meta.k8s.io", Kind: "DeleteOptions"}, "", invalidDelete("propagationPolicy", string(*o.PropagationPolicy),
			"orphanDependents and deletionPropagation cannot be both set"))
	}
	if o.PropagationPolicy != nil {
		switch *o.PropagationPolicy {
		case metav1.DeletePropagationForeground, metav1.DeletePropagationBackground, metav1.DeletePropagationOrphan:
		default:
			return apierrors.NewInvalid(api.GroupKind{Group: "meta.k8s.io", Kind: "DeleteOptions"}, "",
				unsupportedDelete("propagationPolicy", string(*o.PropagationPolicy)))
		}
	}
	for _, v := range o.DryRun {
		if v != metav1.DryRunAll {
			return invalidOptions("DeleteOptions", field.ErrorList{field.NotSupported(field.NewPath("dryRun"), v, []string{metav1.DryRunAll})})
		}
	}
	return nil
}

// checkName compares the body with the URL. Upstream: endpoints/handlers/rest.go, checkName; rest/meta.go,
// EnsureObjectNamespaceMatchesRequestNamespace.
func checkName(r *client.Request, obj api.Object) error {
	if obj.GetNamespace() == "" {
		obj.SetNamespace(r.Namespace)
	}
	if r.Namespace != obj.GetNamespace() {
		if r.Namespace == "" {
			obj.SetNamespace("")
			return nil
		}
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	if r.Verb == client.Create {
		return nil
	}
	if r.Name == "" {
		return apierrors.NewBadRequest("name must be provided")
	}
	if obj.GetName() == "" {
		obj.SetName(r.Name)
	}
	if obj.GetName() != r.Name {
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", obj.GetName(), r.Name))
	}
	return nil
}

// patchTypes are the patches that are taken.
var patchTypes = []string{string(types.JSONPatchType), string(types.MergePatchType), string(types.StrategicMergePatchType), string(types.ApplyPatchType)}

// customPatchTypes are those of objects that only a definition describes.
var customPatchTypes = []string{string(types.JSONPatchType), string(types.MergePatchType), string(types.ApplyPatchType)}
