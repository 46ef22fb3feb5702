package registry

import (
	"maps"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/customresource"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// NewCustomStore makes the registry of a resource that a definition added.
func NewCustomStore(r *customresource.Resource, storage *store.Store, k *sim.Kernel) *Store {
	e := NewStore(r.Kind, storage, k)
	e.Custom, e.Strategy = r, customStrategy{resource: r}
	return e
}

// customStrategy is upstream's apiextensions-apiserver/pkg/registry/customresource/strategy.go. Objects are in their stored form.
type customStrategy struct {
	plain
	resource *customresource.Resource
}

// customStatusStrategy is upstream's status_strategy.go.
type customStatusStrategy struct{ customStrategy }

func (customStrategy) AllowUnconditionalUpdate() bool { return false }

func (s customStrategy) PrepareForCreate(obj api.Object) {
	if s.resource.HasStatus() {
		delete(obj.(*api.Unstructured).Fields, "status")
	}
	obj.SetGeneration(1)
}

func (s customStrategy) Validate(obj api.Object) field.ErrorList {
	return s.resource.Validate(obj.(*api.Unstructured), nil)
}

func (s customStrategy) PrepareForUpdate(obj, old api.Object) {
	u, before := obj.(*api.Unstructured), s.resource.Served(old.(*api.Unstructured))
	if s.resource.HasStatus() {
		if status, ok := before.Fields["status"]; ok {
			u.Fields["status"] = status
		} else {
			delete(u.Fields, "status")
		}
	}
	if !api.SameTree(u.Fields, before.Fields) {
		u.SetGeneration(old.GetGeneration() + 1)
	}
}

func (s customStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return s.resource.Validate(obj.(*api.Unstructured), old.(*api.Unstructured))
}

// SelectableFields are those that the definition names, besides name and namespace.
func (s customStrategy) SelectableFields(obj api.Object) fields.Set {
	u, _ := obj.(*api.Unstructured)
	return fields.Set(s.resource.Selectable(u))
}

func (s customStatusStrategy) PrepareForUpdate(obj, old api.Object) {
	u, before := obj.(*api.Unstructured), old.(*api.Unstructured)
	status, ok := u.Fields["status"]
	u.Fields = maps.Clone(before.Fields)
	if ok {
		u.Fields["status"] = status
	} else {
		delete(u.Fields, "status")
	}
	version := u.ResourceVersion
	before.ObjectMeta.DeepCopyInto(&u.ObjectMeta)
	u.ResourceVersion = version
}

func (s customStatusStrategy) ValidateUpdate(obj, old api.Object) field.ErrorList {
	return s.resource.ValidateStatus(obj.(*api.Unstructured), old.(*api.Unstructured))
}

// CustomResourceCleanup is the finalizer with which a definition stays until its objects are gone.
// Upstream: apiextensions/v1/types.go, CustomResourceCleanupFinalizer.
const CustomResourceCleanup = "customresourcecleanup.apiextensions.k8s.io"

// deleteDefinition marks a definition as being deleted; the server takes the finalizer away once its objects are gone.
// Upstream: apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go, REST.Delete.
func (e *Store) deleteDefinition(p *sim.Proc, name string, options *metav1.DeleteOptions, validate ValidateFunc, dryRun bool) (api.Object, bool, error) {
	key := e.Key("", name)
	current, err := e.Storage.Get(p, key)
	if err != nil {
		return nil, false, e.interpret(err, name)
	}
	if current.GetDeletionTimestamp() != nil {
		return e.Delete(p, "", name, options, validate, dryRun)
	}
	if err := e.checkDeletePreconditions(current, options); err != nil {
		return nil, false, err
	}
	if validate != nil {
		if err := validate(p, nil, current); err != nil {
			return nil, false, err
		}
	}
	if dryRun {
		return current, false, nil
	}
	obj, err := e.Storage.GuaranteedUpdate(p, key, func(current api.Object) (api.Object, error) {
		crd := current.DeepCopyObject().(*apiextensionsv1.CustomResourceDefinition)
		at := now(p)
		crd.SetDeletionTimestamp(&at)
		crd.SetDeletionGracePeriodSeconds(ptr(int64(0)))
		if crd.Generation > 0 {
			crd.Generation++
		}
		if !hasFinalizer(crd, CustomResourceCleanup) {
			crd.Finalizers = append(crd.Finalizers, CustomResourceCleanup)
		}
		customresource.SetCondition(crd, now(p), apiextensionsv1.CustomResourceDefinitionCondition{Type: apiextensionsv1.Terminating,
			Status: apiextensionsv1.ConditionTrue, Reason: "InstanceDeletionPending",
			Message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"})
		return crd, nil
	})
	return obj, false, e.interpret(err, name)
}
