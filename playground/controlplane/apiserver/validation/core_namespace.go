package validation

import (
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/validate"
)

// ValidateNamespace is upstream's ValidateNamespace.
func ValidateNamespace(ns *corev1.Namespace) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("spec", "finalizers")
	for i, f := range ns.Spec.Finalizers {
		errs = append(errs, validateFinalizerName(f, path.Index(i))...)
	}
	return errs
}

func validateFinalizerName(f corev1.FinalizerName, path *field.Path) field.ErrorList {
	errs := invalidFor(path, string(f), validate.IsLabelKey(string(f)))
	if len(errs) == 0 && !strings.Contains(string(f), "/") && f != corev1.FinalizerKubernetes && f != "orphan" && f != "foregroundDeletion" {
		errs = append(errs, field.Invalid(path, string(f), "name is neither a standard finalizer name nor is it fully qualified"))
	}
	return errs
}

// ValidateNamespaceStatusUpdate is upstream's ValidateNamespaceStatusUpdate.
func ValidateNamespaceStatusUpdate(ns *corev1.Namespace) field.ErrorList {
	path := field.NewPath("status", "Phase")
	switch {
	case ns.DeletionTimestamp == nil && ns.Status.Phase != corev1.NamespaceActive:
		return field.ErrorList{field.Invalid(path, string(ns.Status.Phase), "may only be 'Active' if `deletionTimestamp` is empty")}
	case ns.DeletionTimestamp != nil && ns.Status.Phase != corev1.NamespaceTerminating:
		return field.ErrorList{field.Invalid(path, string(ns.Status.Phase), "may only be 'Terminating' if `deletionTimestamp` is not empty")}
	}
	return nil
}
