package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/apiserver/validation"
	"kubewalk/playground/sim"
)

// metadataPath never changes, so it is made once.
var metadataPath = field.NewPath("metadata")

// fillObjectMetaSystemFields gives a new object its identity. Upstream: rest/meta.go, FillObjectMetaSystemFields.
func (e *Store) fillObjectMetaSystemFields(p *sim.Proc, obj api.Object) {
	obj.SetCreationTimestamp(now(p))
	obj.SetUID(types.UID(e.uids.UUID()))
	obj.GetObjectMeta().SelfLink = ""
}

// beforeCreate does what every create goes through. Upstream: rest/create.go, BeforeCreate.
func (e *Store) beforeCreate(obj api.Object) error {
	obj.SetDeletionTimestamp(nil)
	obj.SetDeletionGracePeriodSeconds(nil)
	obj.SetGeneration(0)
	obj.SetManagedFields(nil)
	e.Strategy.PrepareForCreate(obj)
	errs := objectmeta.Validate(obj.GetObjectMeta(), e.Kind.Namespaced, e.Strategy.ValidateName(), metadataPath)
	errs = append(errs, e.Strategy.Validate(obj)...)
	errs = append(errs, e.expressions(obj, nil, errs)...)
	if len(errs) > 0 {
		return apierrors.NewInvalid(e.Kind.GroupKind(), obj.GetName(), errs)
	}
	return nil
}

// beforeUpdate does what every update goes through: what only the server sets stays as it was, then the strategy
// decides. Upstream: rest/update.go, BeforeUpdate.
func (e *Store) beforeUpdate(obj, old api.Object) error {
	obj.SetGeneration(old.GetGeneration())
	obj.SetManagedFields(nil)
	e.Strategy.PrepareForUpdate(obj, old)
	if obj.GetUID() == "" {
		obj.SetUID(old.GetUID())
	}
	obj.SetCreationTimestamp(old.GetCreationTimestamp())
	if t := old.GetDeletionTimestamp(); t != nil {
		obj.SetDeletionTimestamp(t)
	}
	if old.GetDeletionGracePeriodSeconds() != nil && obj.GetDeletionGracePeriodSeconds() == nil {
		obj.SetDeletionGracePeriodSeconds(old.GetDeletionGracePeriodSeconds())
	}
	obj.GetObjectMeta().SelfLink = ""
	errs := objectmeta.ValidateUpdate(obj.GetObjectMeta(), old.GetObjectMeta(), metadataPath)
	errs = append(errs, e.Strategy.ValidateUpdate(obj, old)...)
	errs = append(errs, e.expressions(obj, old, errs)...)
	if len(errs) > 0 {
		return apierrors.NewInvalid(e.Kind.GroupKind(), obj.GetName(), errs)
	}
	return nil
}

// expressions looks at what an object has in CEL. A definition with other mistakes has no types that could be relied on; what
// has not changed has been looked at.
func (e *Store) expressions(obj, old api.Object, errs field.ErrorList) field.ErrorList {
	if len(errs) > 0 && e.Evaluator == nil {
		return nil
	}
	switch o := obj.(type) {
	case *apiextensionsv1.CustomResourceDefinition:
		if len(errs) > 0 || old != nil && api.SemanticDeepEqual(o.Spec, old.(*apiextensionsv1.CustomResourceDefinition).Spec) {
			return nil
		}
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		if old != nil && api.SemanticDeepEqual(o.Spec, old.(*admissionregistrationv1.ValidatingAdmissionPolicy).Spec) {
			return nil
		}
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		if old != nil && api.SemanticDeepEqual(o.Spec, old.(*admissionregistrationv1.MutatingAdmissionPolicy).Spec) {
			return nil
		}
	}
	if old != nil && rareExpressionsKept != nil && rareExpressionsKept(obj, old) {
		return nil
	}
	return validation.ValidateExpressions(e.Evaluator, obj)
}

// rareExpressionsKept says that an object of a kind that not every server has still has the expressions it had.
var rareExpressionsKept func(obj, old api.Object) bool

func (e *Store) invalidResourceVersion(obj api.Object) error {
	return apierrors.NewInvalid(e.Kind.GroupKind(), obj.GetName(), field.ErrorList{
		field.Invalid(field.NewPath("metadata", "resourceVersion"), int64(0), "must be specified for an update")})
}
