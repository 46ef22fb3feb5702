//go:build !js || cel

package plugins

import "kubewalk/playground/api/corev1"

func init() {
	volumeImages = func(pod *corev1.Pod, add func(image string)) {
		for i := range pod.Spec.Volumes {
			if v := pod.Spec.Volumes[i].Image; v != nil {
				add(v.Reference)
			}
		}
	}
}
