package kubelet

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/node/kubelet/eviction"
	"kubewalk/playground/sim"
)

// systemMemory is what a node's own programs use: this agent, the runtime, the
// kernel. A small machine has fewer of them.
func (kl *Kubelet) systemMemory() int64 {
	memory := kl.options.Capacity[corev1.ResourceMemory]
	return min(300<<20, memory.Value()/16) + kl.cri.SystemMemory()
}

// Summary implements eviction.Host, and is what the node's stats endpoint says.
// Upstream: pkg/kubelet/server/stats/summary.go.
func (kl *Kubelet) Summary(pods bool) *eviction.Summary {
	stats, err := kl.cri.ListContainerStats()
	if err != nil {
		return nil
	}
	memory, disk := kl.options.Capacity[corev1.ResourceMemory], kl.options.Capacity[corev1.ResourceEphemeralStorage]
	s := &eviction.Summary{MemoryCapacity: memory.Value(), DiskCapacity: disk.Value()}
	s.MemoryAvailable = s.MemoryCapacity - kl.systemMemory()
	s.DiskAvailable = s.DiskCapacity - kl.cri.DiskUsage()
	for _, c := range stats {
		s.MemoryAvailable -= c.MemoryWorkingSet
	}
	s.MemoryAvailable = max(s.MemoryAvailable, 0)
	for _, pod := range kl.podManager.GetPods() {
		_, bytes := kl.volumeManager.EmptyDirBytes(pod)
		volumes := int64(0)
		for _, n := range bytes {
			volumes += n
		}
		s.DiskAvailable -= volumes
		if !pods || kl.podWorkers.IsPodTerminationRequested(pod.UID) || kl.isPodInactive(pod) {
			continue
		}
		u := eviction.PodUsage{Pod: pod, Volumes: volumes}
		for _, c := range stats {
			if c.UID == string(pod.UID) {
				u.Containers = append(u.Containers, eviction.Usage{Container: c.Container, Memory: c.MemoryWorkingSet, Disk: c.LogBytes + c.WritableLayer})
			}
		}
		if len(u.Containers) > 0 {
			s.Pods = append(s.Pods, u)
		}
	}
	s.DiskAvailable = max(s.DiskAvailable, 0)
	return s
}

// ReclaimDisk implements eviction.Host. Upstream: eviction/helpers.go
// buildResourceToNodeReclaimFuncs.
func (kl *Kubelet) ReclaimDisk(p *sim.Proc) {
	for _, pod := range kl.podManager.GetPods() {
		kl.containerRuntime.DeleteContainersInPod(p, pod.UID, false)
	}
	for _, image := range kl.cri.UnusedImages() {
		p.Logger().Info("Removing image to free bytes", "imageID", image.Name, "size", image.SizeBytes)
		if err := kl.cri.RemoveImage(p, image.Name); err != nil {
			p.Logger().Error(err, "Failed to remove image", "imageID", image.Name)
		}
	}
}

// EvictPod implements eviction.Host. Upstream: pod_workers.go killPodNow.
func (kl *Kubelet) EvictPod(p *sim.Proc, pod *corev1.Pod, message string, grace int64, condition corev1.PodCondition) {
	kl.podWorkers.UpdatePod(p, UpdatePodOptions{Pod: pod, UpdateType: syncPodKill, KillPodOptions: &KillPodOptions{
		Evict: true, PodTerminationGracePeriodSecondsOverride: &grace,
		PodStatusFunc: func(s *corev1.PodStatus) {
			s.Phase, s.Reason, s.Message = corev1.PodFailed, eviction.Reason, message
			for i := range s.Conditions {
				if s.Conditions[i].Type == condition.Type {
					s.Conditions[i] = condition
					return
				}
			}
			s.Conditions = append(s.Conditions, condition)
		},
	}})
}
