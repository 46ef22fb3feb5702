//go:build !js || cel

package validation

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
)

func init() { rareVolumes = validateImageVolumes }

// validateImageVolumes is upstream's validateImageVolumeSource, of each: what a Pod has to say and a template need not, or the rest.
func validateImageVolumes(spec *corev1.PodSpec, path *field.Path, pod bool) (errs field.ErrorList) {
	for i := range spec.Volumes {
		image, at := spec.Volumes[i].Image, path.Child("volumes").Index(i).Child("image")
		switch {
		case image == nil:
		case !pod:
			errs = append(errs, oneOf(image.PullPolicy, at.Child("pullPolicy"), corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)...)
		case image.Reference == "":
			errs = append(errs, field.Required(at.Child("reference"), ""))
		}
	}
	return errs
}
