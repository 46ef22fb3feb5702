//go:build !js || cel

package kubectl

import "kubewalk/playground/api/corev1"

func init() {
	describeImageVolume = func(d *describer, v *corev1.ImageVolumeSource) {
		d.line(2, "Type:\tImage (a container image or OCI artifact)")
		d.line(2, "Reference:\t%v", v.Reference)
		d.line(2, "PullPolicy:\t%v", v.PullPolicy)
	}
}
