//go:build !js || cel

package kuberuntime

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/sim"
)

func init() { getImageVolumes = (*Manager).imageVolumes }

// imageVolumes pulls what a Pod's volumes show, each time the Pod is synced. What fails is told when a container that mounts it is to start.
// Upstream: kuberuntime_manager.go, getImageVolumes.
func (m *Manager) imageVolumes(p *sim.Proc, pod *corev1.Pod) map[string]imagePull {
	var out map[string]imagePull
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		if v.Image == nil {
			continue
		}
		ref, message, err := m.images.EnsureImageExists(p, pod, container.PodReference(pod), v.Image.Reference, v.Image.PullPolicy)
		if err == nil {
			p.Logger().V(4).Info("Pulled image", "ref", ref, "pod", container.PodKey(pod))
			continue
		}
		p.Logger().Error(err, "Failed to ensure image", "pod", container.PodKey(pod))
		if out == nil {
			out = map[string]imagePull{}
		}
		out[v.Name] = imagePull{message, m.withBackoff(err, pod, v.Image.Reference)}
	}
	return out
}
