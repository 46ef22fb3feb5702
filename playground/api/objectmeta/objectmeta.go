// Package objectmeta says what is wrong with an object's metadata, in upstream's order and words, for every server of the API.
//
// Upstream: apimachinery/pkg/api/validation/objectmeta.go.
package objectmeta

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/api/validate"
)

// NameFunc returns what is wrong with a name; prefix says that a generated suffix will follow.
type NameFunc func(name string, prefix bool) []string

// What is said of fields of any kind.
const (
	FieldImmutable = "field is immutable"
	IsNonNegative  = "must be greater than or equal to 0"
)

const annotationsSize = 256 * 1024

// NameIsDNSSubdomain is the rule for most objects.
func NameIsDNSSubdomain(name string, prefix bool) []string {
	if prefix {
		name = MaskTrailingDash(name)
	}
	return validate.IsDNS1123Subdomain(name)
}

// NameIsDNSLabel is the rule for namespaces.
func NameIsDNSLabel(name string, prefix bool) []string {
	if prefix {
		name = MaskTrailingDash(name)
	}
	return validate.IsDNS1123Label(name)
}

// NameIsPathSegment is the rule for names that need only be fit for a path.
// Upstream: apimachinery/pkg/api/validation/path/name.go, ValidatePathSegmentName.
func NameIsPathSegment(name string, prefix bool) []string {
	var errs []string
	if !prefix && (name == "." || name == "..") {
		errs = append(errs, fmt.Sprintf("may not be '%s'", name))
	}
	for _, bad := range []string{"/", "%"} {
		if strings.Contains(name, bad) {
			errs = append(errs, fmt.Sprintf("may not contain '%s'", bad))
		}
	}
	return errs
}

// MaskTrailingDash lets a prefix end with a dash: the suffix will follow.
func MaskTrailingDash(name string) string {
	if len(name) > 1 && strings.HasSuffix(name, "-") {
		return name[:len(name)-2] + "a"
	}
	return name
}

// Validate checks a new object's metadata, its name generated already.
// Upstream: api/validation/objectmeta.go, ValidateObjectMetaAccessor.
func Validate(meta *metav1.ObjectMeta, namespaced bool, nameFn NameFunc, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if meta.GenerateName != "" {
		for _, msg := range nameFn(meta.GenerateName, true) {
			errs = append(errs, field.Invalid(path.Child("generateName"), meta.GenerateName, msg))
		}
	}
	if meta.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), "name or generateName is required"))
	}
	for _, msg := range nameFnUnlessEmpty(nameFn, meta.Name) {
		errs = append(errs, field.Invalid(path.Child("name"), meta.Name, msg))
	}
	switch {
	case namespaced && meta.Namespace == "":
		errs = append(errs, field.Required(path.Child("namespace"), ""))
	case namespaced:
		for _, msg := range NameIsDNSLabel(meta.Namespace, false) {
			errs = append(errs, field.Invalid(path.Child("namespace"), meta.Namespace, msg))
		}
	case meta.Namespace != "":
		errs = append(errs, field.Forbidden(path.Child("namespace"), "not allowed on this type"))
	}
	errs = append(errs, Nonnegative(meta.Generation, path.Child("generation"))...)
	errs = append(errs, validateCommon(meta, path)...)
	return append(errs, validateFinalizers(meta.Finalizers, path.Child("finalizers"))...)
}

func nameFnUnlessEmpty(nameFn NameFunc, name string) []string {
	if name == "" {
		return nil
	}
	return nameFn(name, false)
}

func validateCommon(meta *metav1.ObjectMeta, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(meta.Labels) > 0 {
		errs = append(errs, ValidateLabels(meta.Labels, path.Child("labels"))...)
	}
	if len(meta.Annotations) > 0 {
		errs = append(errs, ValidateAnnotations(meta.Annotations, path.Child("annotations"))...)
	}
	if len(meta.OwnerReferences) > 0 {
		errs = append(errs, validateOwnerReferences(meta.OwnerReferences, path.Child("ownerReferences"))...)
	}
	return errs
}

// ValidateLabels checks keys and values, by key. Upstream: apis/meta/v1/validation/validation.go, ValidateLabels, which
// goes in random order.
func ValidateLabels(labels map[string]string, path *field.Path) field.ErrorList {
	if len(labels) == 0 {
		return nil
	}
	var errs field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		for _, msg := range validate.IsLabelKey(key) {
			errs = append(errs, field.Invalid(path, key, msg))
		}
		for _, msg := range validate.IsLabelValue(labels[key]) {
			errs = append(errs, field.Invalid(path, labels[key], msg))
		}
	}
	return errs
}

// ValidateAnnotations checks keys, in any case of letters, and the total size.
func ValidateAnnotations(annotations map[string]string, path *field.Path) field.ErrorList {
	if len(annotations) == 0 {
		return nil
	}
	var errs field.ErrorList
	size := 0
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		for _, msg := range validate.IsLabelKey(strings.ToLower(key)) {
			errs = append(errs, field.Invalid(path, key, msg))
		}
		size += len(key) + len(annotations[key])
	}
	if size > annotationsSize {
		errs = append(errs, field.TooLong(path, "", annotationsSize))
	}
	return errs
}

func validateOwnerReferences(refs []metav1.OwnerReference, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	controller := ""
	for _, ref := range refs {
		gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
		if gvk.Version == "" {
			errs = append(errs, field.Invalid(path.Child("apiVersion"), ref.APIVersion, "version must not be empty"))
		}
		if gvk.Kind == "" {
			errs = append(errs, field.Invalid(path.Child("kind"), ref.Kind, "must not be empty"))
		}
		if ref.Name == "" {
			errs = append(errs, field.Invalid(path.Child("name"), ref.Name, "must not be empty"))
		}
		if ref.UID == "" {
			errs = append(errs, field.Invalid(path.Child("uid"), ref.UID, "must not be empty"))
		}
		if gvk == (schema.GroupVersionKind{Version: "v1", Kind: "Event"}) {
			errs = append(errs, field.Invalid(path, ref, fmt.Sprintf("%s is disallowed from being an owner", gvk)))
		}
		if ref.Controller == nil || !*ref.Controller {
			continue
		}
		this := ref.Kind + "/" + ref.Name
		if controller != "" {
			errs = append(errs, field.Invalid(path, refs,
				fmt.Sprintf("Only one reference can have Controller set to true. Found \"true\" in references for %v and %v", controller, this)))
			continue
		}
		controller = this
	}
	return errs
}

func validateFinalizers(finalizers []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, f := range finalizers {
		for _, msg := range validate.IsLabelKey(f) {
			errs = append(errs, field.Invalid(path, f, msg))
		}
	}
	if slices.Contains(finalizers, metav1.FinalizerOrphanDependents) && slices.Contains(finalizers, metav1.FinalizerDeleteDependents) {
		errs = append(errs, field.Invalid(path, finalizers,
			fmt.Sprintf("finalizer %s and %s cannot be both set", metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents)))
	}
	return errs
}

// ValidateUpdate checks changed metadata. Upstream: api/validation/objectmeta.go, ValidateObjectMetaAccessorUpdate.
func ValidateUpdate(meta, old *metav1.ObjectMeta, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if old.DeletionTimestamp != nil {
		errs = append(errs, noNewFinalizers(meta.Finalizers, old.Finalizers, path.Child("finalizers"))...)
	}
	if meta.Generation < old.Generation {
		errs = append(errs, field.Invalid(path.Child("generation"), meta.Generation, "must not be decremented"))
	}
	if meta.Name != old.Name {
		errs = append(errs, Immutable(meta.Name, old.Name, path.Child("name"))...)
	}
	if meta.Namespace != old.Namespace {
		errs = append(errs, Immutable(meta.Namespace, old.Namespace, path.Child("namespace"))...)
	}
	if meta.UID != old.UID {
		errs = append(errs, Immutable(meta.UID, old.UID, path.Child("uid"))...)
	}
	if meta.DeletionTimestamp != old.DeletionTimestamp {
		errs = append(errs, Immutable(meta.DeletionTimestamp, old.DeletionTimestamp, path.Child("deletionTimestamp"))...)
	}
	if meta.DeletionGracePeriodSeconds != old.DeletionGracePeriodSeconds {
		errs = append(errs, Immutable(meta.DeletionGracePeriodSeconds, old.DeletionGracePeriodSeconds, path.Child("deletionGracePeriodSeconds"))...)
	}
	return append(errs, validateCommon(meta, path)...)
}

func noNewFinalizers(finalizers, old []string, path *field.Path) field.ErrorList {
	var extra []string
	for _, f := range finalizers {
		if !slices.Contains(old, f) && !slices.Contains(extra, f) {
			extra = append(extra, f)
		}
	}
	if extra == nil {
		return nil
	}
	slices.Sort(extra)
	return field.ErrorList{field.Forbidden(path,
		fmt.Sprintf("no new finalizers can be added if the object is being deleted, found new finalizers %#v", extra))}
}

// Immutable refuses another value. Upstream: api/validation/objectmeta.go, ValidateImmutableField.
func Immutable(value, old any, path *field.Path) field.ErrorList {
	if api.SemanticDeepEqual(old, value) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, FieldImmutable)}
}

// Nonnegative refuses what is less than 0. Upstream: ValidateNonnegativeField.
func Nonnegative(value int64, path *field.Path) field.ErrorList {
	if value >= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, IsNonNegative)}
}
