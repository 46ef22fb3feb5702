//go:build !js || cel

package kuberuntime

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/sim"
)

func init() { getImageVolumes = (*Manager).imageVolumes }

// imagePull is why the image of a volume is not there.
type imagePull struct {
	message string
	err     error
}

// imageVolumes pulls what a Pod's volumes show, each time the Pod is synced. What fails is told when a container that mounts it is to start.
// Upstream: kuberuntime_manager.go, getImageVolumes and toKubeContainerImageVolumes.
func (m *Manager) imageVolumes(p *sim.Proc, pod *corev1.Pod) func(*corev1.Container) (string, error) {
	failed := map[string]imagePull{} // by the volumes' names
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
		if at, ok := m.images.until(pod, v.Image.Reference); ok && err == container.ErrImagePullBackOff {
			err = &container.BackoffError{Err: err, Until: at}
		}
		failed[v.Name] = imagePull{message, err}
	}
	if len(failed) == 0 {
		return nil
	}
	return func(c *corev1.Container) (message string, err error) {
		for i := range c.VolumeMounts {
			if pull, is := failed[c.VolumeMounts[i].Name]; is {
				m.recorder.Eventf(container.GenerateContainerRef(pod, c), corev1.EventTypeWarning, "Failed", "Error: %v", pull.err)
				message, err = pull.message, pull.err
			}
		}
		return message, err
	}
}
