//go:build !js || cel

package defaults

import "kubewalk/playground/api/corev1"

func init() {
	setImageVolume = func(v *corev1.Volume) {
		if v.Image == nil || v.Image.PullPolicy != "" {
			return
		}
		v.Image.PullPolicy = corev1.PullIfNotPresent
		if isLatest(v.Image.Reference) {
			v.Image.PullPolicy = corev1.PullAlways
		}
	}
}
