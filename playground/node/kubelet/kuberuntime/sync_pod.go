package kuberuntime

import (
	"fmt"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
)

// SyncPod brings a Pod's containers closer to its spec. It computes what has
// changed, kills what has to go, creates the sandbox, and starts init
// containers and containers. It doesn't wait for init containers to end: the
// PLEG will see that, and the next sync starts the next one.
//
// Upstream: kuberuntime_manager.go SyncPod.
func (m *Manager) SyncPod(p *sim.Proc, pod *corev1.Pod, status *container.PodStatus, backOff *container.Backoff) *container.PodSyncResult {
	log := p.Logger().WithValues("pod", container.PodKey(pod))
	result := &container.PodSyncResult{}

	// Step 1: what has to be done?
	actions := m.computePodActions(p.Logger(), pod, status)
	if actions.CreateSandbox {
		if actions.SandboxID != "" {
			m.recorder.Eventf(container.PodReference(pod), corev1.EventTypeNormal, "SandboxChanged", "Pod sandbox changed, it will be killed and re-created.")
		} else {
			log.V(4).Info("SyncPod received new pod, will create a sandbox for it")
		}
	}

	if actions.RestartAll != "" {
		log.V(2).Info("Restarting all containers of the pod", "containerName", actions.RestartAll)
		m.resetContainers(p, pod, status, result)
		return result
	}

	// Steps 2 and 3: kill all, or what is not to be kept.
	if actions.KillPod {
		if actions.CreateSandbox {
			log.V(4).Info("Stopping PodSandbox for pod, will start new one")
		} else {
			log.V(4).Info("Stopping PodSandbox for pod, because all other containers are dead")
		}
		if err := m.killPod(p, pod, status, nil, result); err != nil {
			log.Error(err, "killPodWithSyncResult failed")
			return result
		}
		if actions.CreateSandbox {
			m.purgeInitContainers(p, pod, status)
		}
	} else {
		for _, k := range actions.ContainersToKill {
			log.V(3).Info("Killing unwanted container for pod", "containerName", k.spec.Name)
			one := result.Add(container.KillContainer, k.spec.Name)
			if err := m.killContainer(p, pod, k.spec, k.status, k.message, k.reason, nil); err != nil {
				one.Fail(container.ErrKillContainer, err.Error())
				log.Error(err, "killContainer for pod failed", "containerName", k.spec.Name)
				return result
			}
		}
	}
	m.pruneInitContainersBeforeStart(p, pod, status)

	// Step 4: the sandbox.
	sandboxID := actions.SandboxID
	if actions.CreateSandbox {
		log.V(4).Info("Creating PodSandbox for pod")
		one := result.Add(container.CreatePodSandbox, container.FormatPod(pod))
		if err := m.helper.PrepareDynamicResources(p, pod); err != nil {
			m.recorder.Eventf(container.PodReference(pod), corev1.EventTypeWarning, "FailedPrepareDynamicResources", "Failed to prepare dynamic resources: %v", err)
			log.Error(err, "Failed to prepare dynamic resources")
			return result // upstream calls that no failure: it tries again with the Pod's next sync
		}
		id, err := m.runtime.RunPodSandbox(p, cri.PodSandboxConfig{
			Name: pod.Name, Namespace: pod.Namespace, UID: string(pod.UID), Attempt: actions.Attempt, HostNetwork: pod.Spec.HostNetwork,
			Hostname: hostname(pod), DNS: podDNS(pod), HostAliases: hostAliases(pod), Rare: rareConfig(pod),
		})
		if err != nil {
			if m.helper.IsPodTerminationRequested(pod.UID) {
				log.V(4).Info("Pod was deleted and sandbox failed to be created")
				return result
			}
			one.Fail(container.ErrCreatePodSandbox, err.Error())
			log.Error(err, "CreatePodSandbox for pod failed")
			m.recorder.Eventf(container.PodReference(pod), corev1.EventTypeWarning, "FailedCreatePodSandBox", "Failed to create pod sandbox: %v", err)
			return result
		}
		sandboxID = id
		log.V(4).Info("Created PodSandbox for pod", "podSandboxID", id)
		m.helper.OnPodSandboxReady(p, pod)
	}

	podIP := ""
	if sandbox, err := m.runtime.PodSandboxStatus(sandboxID); err == nil {
		podIP = sandbox.IP
	}
	var missing func(*corev1.Container) (string, error)
	if getImageVolumes != nil {
		missing = getImageVolumes(m, p, pod)
	}
	start := func(typeName string, c *corev1.Container) error {
		one := result.Add(container.StartContainer, c.Name)
		if inBackOff, message, err := m.doBackOff(p, pod, c, status, backOff); inBackOff {
			one.Fail(err, message)
			log.V(4).Info("Backing Off restarting container in pod", "containerType", typeName, "container", c.Name)
			return err
		}
		log.V(4).Info("Creating container in pod", "containerType", typeName, "container", c.Name)
		if missing != nil {
			if message, err := missing(c); err != nil {
				one.Fail(err, message)
				return err
			}
		}
		if message, err := m.startContainer(p, sandboxID, podIP, c, pod, status); err != nil {
			one.Fail(err, message)
			log.V(3).Info("Container start failed in pod", "containerType", typeName, "container", c.Name, "containerMessage", message, "err", err)
			return err
		}
		return nil
	}
	// Step 5: ephemeral containers, whatever else there is to do.
	for _, i := range actions.EphemeralContainersToStart {
		_ = start("ephemeral container", container.Ephemeral(&pod.Spec.EphemeralContainers[i]))
	}
	// Step 6: init containers.
	for _, i := range actions.InitContainersToStart {
		c := &pod.Spec.InitContainers[i]
		if err := start("init container", c); err != nil {
			if container.IsRestartableInitContainer(c) {
				log.V(4).Info("Failed to start the restartable init container for the pod, skipping", "initContainerName", c.Name)
				continue
			}
			log.V(4).Info("Failed to initialize the pod, as the init container failed to start, aborting", "initContainerName", c.Name)
			return result
		}
	}
	// Step 7: containers that go on with other limits.
	for _, u := range actions.ContainersToUpdate {
		want := Resources(u.spec)
		log.V(2).Info("Resizing container", "containerName", u.spec.Name, "cpuLimit", want.CPULimit, "memoryLimit", want.MemoryLimit)
		if err := m.runtime.UpdateContainerResources(runtimeID(u.status.ID), want); err != nil {
			log.Error(err, "updateContainerResources failed", "containerName", u.spec.Name)
			result.SyncError = err
			return result
		}
		result.Add(container.ResizePod, u.spec.Name)
	}
	// Step 8: containers. One that fails doesn't keep the others from being started.
	for _, i := range actions.ContainersToStart {
		_ = start("container", &pod.Spec.Containers[i])
	}
	return result
}

// getImageVolumes pulls the images that a Pod's volumes show, and returns what tells why a container that mounts one has to wait; nil is that
// none does. Not every build has it: there such volumes are empty.
var getImageVolumes func(m *Manager, p *sim.Proc, pod *corev1.Pod) func(c *corev1.Container) (message string, err error)

// resetContainers stops all containers; when that was seen, it removes them: the
// sync after that finds none in the sandbox, and begins with the first init container.
func (m *Manager) resetContainers(p *sim.Proc, pod *corev1.Pod, status *container.PodStatus, result *container.PodSyncResult) {
	running := status.Running()
	p.Fork(p.Name(), len(running), func(p *sim.Proc, i int) {
		s := running[i]
		if err := m.killContainer(p, pod, specOf(pod, s.Name), s, "Restarting all containers", reasonRestartAll, nil); err != nil {
			result.Add(container.KillContainer, s.Name).Fail(container.ErrKillContainer, err.Error())
		}
	})
	if len(running) == 0 {
		for _, s := range status.ContainerStatuses {
			m.removeContainer(p, s)
		}
	}
	result.Add(container.RestartAll, container.FormatPod(pod))
}

// doBackOff tells whether a container that ended has to wait before it is
// started again, and otherwise makes the next wait longer.
// Upstream: kuberuntime_manager.go doBackOff.
func (m *Manager) doBackOff(p *sim.Proc, pod *corev1.Pod, c *corev1.Container, status *container.PodStatus, backOff *container.Backoff) (bool, string, error) {
	var last *container.Status
	for _, s := range status.ContainerStatuses {
		if s.Name == c.Name && s.State == container.StateExited {
			last = s
			break
		}
	}
	if last == nil {
		return false, "", nil
	}
	finished := p.Now() - p.Time().Sub(last.FinishedAt)
	key := backoffKey(pod, c)
	if backOff.IsInBackOffSince(key, finished, p.Now()) {
		m.recorder.Eventf(container.GenerateContainerRef(pod, c), corev1.EventTypeWarning, "BackOff",
			"Back-off restarting failed container %s in pod %s", c.Name, container.FormatPod(pod))
		wait := backOff.Get(key)
		message := fmt.Sprintf("back-off %s restarting failed container=%s pod=%s", wait, c.Name, container.FormatPod(pod))
		p.Logger().V(3).Info("Back-off restarting failed container", "err", message)
		return true, message, &container.BackoffError{Err: container.ErrCrashLoopBackOff, Until: finished + wait}
	}
	backOff.Next(key, finished, p.Now())
	return false, "", nil
}

// minimumGracePeriod is what every container is given to stop.
const minimumGracePeriod = 2 * time.Second

// KillPod stops a Pod's containers, then its sandboxes. grace, if not nil, is
// used instead of the Pod's own grace period.
// Upstream: kuberuntime_manager.go KillPod.
func (m *Manager) KillPod(p *sim.Proc, pod *corev1.Pod, status *container.PodStatus, grace *int64) error {
	result := &container.PodSyncResult{}
	_ = m.killPod(p, pod, status, grace, result)
	return result.Error()
}

// killPod stops the regular containers all at once, then the sidecars, the last one first.
// Upstream: killPodWithSyncResult, killContainersWithSyncResult and
// kuberuntime_termination_order.go.
func (m *Manager) killPod(p *sim.Proc, pod *corev1.Pod, status *container.PodStatus, grace *int64, result *container.PodSyncResult) error {
	var regular, sidecars []*container.Status
	for _, s := range status.Running() {
		if i := sidecarIndex(pod, s.Name); i >= 0 {
			sidecars = append(sidecars, s)
		} else {
			regular = append(regular, s)
		}
	}
	began := p.Now()
	kill := func(p *sim.Proc, s *container.Status) {
		left := grace
		if used := int64((p.Now() - began) / time.Second); grace != nil && used > 0 {
			rest := max(*grace-used, 0) // a sidecar has what the others have left of it
			left = &rest
		}
		if err := m.killContainer(p, pod, specOf(pod, s.Name), s, "", reasonUnknown, left); err != nil {
			result.Add(container.KillContainer, s.Name).Fail(container.ErrKillContainer, err.Error())
			p.Logger().Error(err, "Kill container failed", "pod", container.PodKey(pod), "containerName", s.Name)
		}
	}
	if len(regular) == 1 {
		kill(p, regular[0])
	} else if len(regular) > 1 {
		p.Fork(p.Name(), len(regular), func(p *sim.Proc, i int) { kill(p, regular[i]) })
	}
	for i := len(pod.Spec.InitContainers) - 1; i >= 0; i-- {
		for _, s := range sidecars {
			if s.Name == pod.Spec.InitContainers[i].Name {
				kill(p, s)
			}
		}
	}
	for _, sandbox := range status.SandboxStatuses {
		if err := m.runtime.StopPodSandbox(p, sandbox.ID); err != nil {
			result.Add(container.KillPodSandbox, container.FormatPod(pod)).Fail(container.ErrKillPodSandbox, err.Error())
			p.Logger().Error(err, "Failed to stop sandbox", "podSandboxID", sandbox.ID)
		}
	}
	return result.Error()
}

func sidecarIndex(pod *corev1.Pod, name string) int {
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; c.Name == name && container.IsRestartableInitContainer(c) {
			return i
		}
	}
	return -1
}

// specOf finds a container in a Pod's spec. For one that isn't there any more
// it makes one up from the name.
func specOf(pod *corev1.Pod, name string) *corev1.Container {
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == name {
			return &pod.Spec.Containers[i]
		}
	}
	for i := range pod.Spec.InitContainers {
		if pod.Spec.InitContainers[i].Name == name {
			return &pod.Spec.InitContainers[i]
		}
	}
	for i := range pod.Spec.EphemeralContainers {
		if c := container.Ephemeral(&pod.Spec.EphemeralContainers[i]); c.Name == name {
			return c
		}
	}
	return &corev1.Container{Name: name}
}
