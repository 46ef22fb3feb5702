//go:build !js || cel

package validation

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
)

// validateImageVolumes is upstream's validateImageVolumeSource, of each. A template may leave open which image it is: its spec has a longer path
// than a Pod's.
func validateImageVolumes(spec *corev1.PodSpec, path *field.Path) (errs field.ErrorList) {
	for i := range spec.Volumes {
		image, at := spec.Volumes[i].Image, path.Child("volumes").Index(i).Child("image")
		if image == nil {
			continue
		}
		if image.Reference == "" && path.String() == specPath.String() {
			errs = append(errs, field.Required(at.Child("reference"), ""))
		}
		errs = append(errs, oneOf(image.PullPolicy, at.Child("pullPolicy"), corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)...)
	}
	return errs
}
