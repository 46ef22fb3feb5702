// Package controllerutil is what nearly every reconciler does, as functions.
// Upstream: controller-runtime/pkg/controller/controllerutil.
package controllerutil

import (
	"fmt"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/operator/controllerruntime/client"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/operator/controllerruntime/runtime"
)

// AddFinalizer adds a finalizer, and tells whether it was missing. Nothing is written yet.
func AddFinalizer(obj client.Object, finalizer string) bool {
	if ContainsFinalizer(obj, finalizer) {
		return false
	}
	obj.SetFinalizers(append(obj.GetFinalizers(), finalizer))
	return true
}

// RemoveFinalizer removes a finalizer, and tells whether it was there. Nothing is written yet.
func RemoveFinalizer(obj client.Object, finalizer string) bool {
	before := obj.GetFinalizers()
	after := slices.DeleteFunc(slices.Clone(before), func(f string) bool { return f == finalizer })
	obj.SetFinalizers(after)
	return len(after) != len(before)
}

// ContainsFinalizer tells whether a finalizer is there.
func ContainsFinalizer(obj client.Object, finalizer string) bool {
	return slices.Contains(obj.GetFinalizers(), finalizer)
}

// SetControllerReference makes owner the controller of an object, unless another one is. Nothing is written yet.
func SetControllerReference(owner, controlled client.Object, scheme *runtime.Scheme) error {
	ref := metav1.NewControllerRef(owner, scheme.KindFor(owner))
	if now := metav1.GetControllerOf(controlled); now != nil && !same(now, ref) {
		return fmt.Errorf("Object %s/%s is already owned by another %s controller %s", controlled.GetNamespace(), controlled.GetName(), now.Kind, now.Name)
	}
	refs := slices.Clone(controlled.GetOwnerReferences())
	if i := slices.IndexFunc(refs, func(r metav1.OwnerReference) bool { return same(&r, ref) }); i >= 0 {
		refs[i] = *ref
	} else {
		refs = append(refs, *ref)
	}
	controlled.SetOwnerReferences(refs)
	return nil
}

func same(a, b *metav1.OwnerReference) bool {
	return schema.FromAPIVersionAndKind(a.APIVersion, a.Kind).Group == schema.FromAPIVersionAndKind(b.APIVersion, b.Kind).Group &&
		a.Kind == b.Kind && a.Name == b.Name
}

// OperationResult is what CreateOrUpdate has done.
type OperationResult string

// They end the sentence "the Deployment was".
const (
	OperationResultNone    OperationResult = "unchanged"
	OperationResultCreated OperationResult = "created"
	OperationResultUpdated OperationResult = "updated"
)

// CreateOrUpdate reads an object, has mutate make it what it should be, and writes it if that changed anything.
func CreateOrUpdate(ctx context.Context, c client.Client, obj client.Object, mutate func() error) (OperationResult, error) {
	err := c.Get(ctx, client.ObjectKeyFromObject(obj), obj)
	if apierrors.IsNotFound(err) {
		if err = mutate(); err == nil {
			err = c.Create(ctx, obj)
		}
		return outcome(OperationResultCreated, err)
	}
	if err != nil {
		return OperationResultNone, err
	}
	before := obj.DeepCopyObject()
	if err := mutate(); err != nil {
		return OperationResultNone, err
	}
	if api.SemanticDeepEqual(before, obj) {
		return OperationResultNone, nil
	}
	return outcome(OperationResultUpdated, c.Update(ctx, obj))
}

func outcome(result OperationResult, err error) (OperationResult, error) {
	if err != nil {
		return OperationResultNone, err
	}
	return result, nil
}
