package kuberuntime

import (
	"kubewalk/playground/api/types"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
)

// GarbageCollect removes what is dead: containers, but for the newest that
// ended of each name (its exit code may still be asked for), and of Pods whose
// content may go, all; then sandboxes without containers, but for a Pod's newest.
// Upstream: kuberuntime_gc.go containerGC.GarbageCollect, called every minute.
func (m *Manager) GarbageCollect(p *sim.Proc, contentGone func(types.UID) bool) {
	pods, err := m.GetPods(true)
	if err != nil {
		return
	}
	for _, pod := range pods {
		gone := contentGone(pod.ID)
		kept := map[string]bool{}
		for i := len(pod.Containers) - 1; i >= 0; i-- {
			c := pod.Containers[i]
			if c.State == cri.ContainerRunning || c.State == cri.ContainerCreated {
				continue
			}
			if kept[c.Config.Name] || gone {
				if err := m.runtime.RemoveContainer(p, c.ID); err != nil {
					p.Logger().Error(err, "Failed to remove container", "containerID", c.ID)
				}
			}
			kept[c.Config.Name] = true
		}
	}
	if pods, err = m.GetPods(true); err != nil {
		return
	}
	for _, pod := range pods {
		for i, s := range pod.Sandboxes {
			newest := i == len(pod.Sandboxes)-1
			if s.State == cri.SandboxReady || holds(pod.Containers, s.ID) || (newest && !contentGone(pod.ID)) {
				continue
			}
			p.Logger().V(4).Info("Removing sandbox", "sandboxID", s.ID)
			if err := m.runtime.RemovePodSandbox(p, s.ID); err != nil {
				p.Logger().Error(err, "Failed to remove sandbox", "sandboxID", s.ID)
			}
		}
	}
}

// DeleteContainersInPod removes a Pod's containers that have ended: all, or all
// but the newest of each name. Upstream: pkg/kubelet/pod_container_deletor.go.
func (m *Manager) DeleteContainersInPod(p *sim.Proc, uid types.UID, all bool) {
	pod, err := m.GetPod(uid)
	if err != nil || pod == nil {
		return
	}
	kept := map[string]bool{}
	for i := len(pod.Containers) - 1; i >= 0; i-- {
		c := pod.Containers[i]
		if c.State == cri.ContainerExited && (all || kept[c.Config.Name]) {
			if err := m.runtime.RemoveContainer(p, c.ID); err != nil {
				p.Logger().Error(err, "Failed to remove container", "containerID", c.ID)
			}
		}
		kept[c.Config.Name] = true
	}
}

func holds(containers []cri.Container, sandboxID string) bool {
	for _, c := range containers {
		if c.SandboxID == sandboxID {
			return true
		}
	}
	return false
}
