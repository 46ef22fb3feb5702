package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/apiserver/validation"
	"kubewalk/playground/sim"
)

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
	errs := validation.ValidateObjectMeta(obj.GetObjectMeta(), e.Kind.Namespaced, e.Strategy.ValidateName(), field.NewPath("metadata"))
	errs = append(errs, e.Strategy.Validate(obj)...)
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
	errs := validation.ValidateObjectMetaUpdate(obj.GetObjectMeta(), old.GetObjectMeta(), field.NewPath("metadata"))
	errs = append(errs, e.Strategy.ValidateUpdate(obj, old)...)
	if len(errs) > 0 {
		return apierrors.NewInvalid(e.Kind.GroupKind(), obj.GetName(), errs)
	}
	return nil
}

func (e *Store) invalidResourceVersion(obj api.Object) error {
	return apierrors.NewInvalid(e.Kind.GroupKind(), obj.GetName(), field.ErrorList{
		field.Invalid(field.NewPath("metadata", "resourceVersion"), int64(0), "must be specified for an update")})
}
