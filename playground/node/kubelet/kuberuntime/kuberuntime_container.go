package kuberuntime

import (
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
)

// startContainer pulls the image, creates the container, starts it and runs
// its postStart hook. On failure it returns what the container's status is to say.
// Upstream: kuberuntime_container.go startContainer.
func (m *Manager) startContainer(p *sim.Proc, sandboxID, podIP string, c *corev1.Container, pod *corev1.Pod, status *container.PodStatus) (string, error) {
	regarding := container.GenerateContainerRef(pod, c)
	failed := func(message string) {
		m.recorder.Eventf(regarding, corev1.EventTypeWarning, "Failed", "Error: %v", message)
	}
	// Step 1: pull the image.
	ref, message, err := m.images.EnsureImageExists(p, pod, regarding, c.Image, c.ImagePullPolicy)
	if err != nil {
		failed(err.Error())
		if at, ok := m.images.until(pod, c.Image); ok && err == container.ErrImagePullBackOff {
			err = &container.BackoffError{Err: err, Until: at}
		}
		return message, err
	}
	// Step 2: create the container.
	restarts := 0
	if last := status.FindContainerStatusByName(c.Name); last != nil {
		restarts = last.RestartCount + 1
	} else if old := apiStatus(pod, c.Name); old != nil && old.ContainerID != "" {
		// Nothing of it is left in the runtime. (Upstream counts log files then,
		// calcRestartCountByLogDir.)
		restarts = int(old.RestartCount) + 1
	}
	options, err := m.helper.GenerateRunContainerOptions(p, pod, c, podIP)
	if err != nil {
		failed(err.Error())
		return err.Error(), container.ErrCreateContainerConfig
	}
	config := cri.ContainerConfig{
		Name: c.Name, Attempt: restarts, Image: c.Image, ImageRef: ref, RestartCount: restarts, Hash: hashContainer(c),
		Program: m.runtime.Program(c.Image, options.Command, options.Args).Annotate(pod.Annotations, c.Name),
		Env:     options.Env, Mounts: options.Mounts, Resources: Resources(c), Security: m.security(pod, c), WorkingDir: c.WorkingDir,
		TerminationMessagePath: c.TerminationMessagePath, TerminationMessagePolicy: string(c.TerminationMessagePolicy),
		Command: cri.CommandLine(c.Image, options.Command, options.Args), Target: targetOf(pod, c.Name),
		SharesProcesses: pod.Spec.ShareProcessNamespace != nil && *pod.Spec.ShareProcessNamespace,
	}
	config.User, config.Group, config.Groups = identity(pod, c)
	if c.Stdin {
		config.Program = config.Program.Reading(config.Command, c.TTY)
	}
	for _, port := range c.Ports {
		config.Ports = append(config.Ports, port.ContainerPort)
	}
	var id string
	if loadProfiles != nil {
		err = loadProfiles(pod, c)
	}
	if err == nil {
		id, err = m.runtime.CreateContainer(p, sandboxID, config)
	}
	if err != nil {
		failed(desc(err))
		return desc(err), container.ErrCreateContainer
	}
	m.recorder.Eventf(regarding, corev1.EventTypeNormal, "Created", "Container created")
	// Step 3: start it.
	if err := m.runtime.StartContainer(p, id); err != nil {
		failed(desc(err))
		return desc(err), container.ErrRunContainer
	}
	m.recorder.Eventf(regarding, corev1.EventTypeNormal, "Started", "Container started")
	// Step 4: the postStart hook. The container isn't seen as running before it is over.
	if c.Lifecycle != nil && c.Lifecycle.PostStart != nil {
		if message, ok := m.runHook(p, pod, c, sandboxID, id, c.Lifecycle.PostStart, 0); !ok {
			p.Logger().Error(nil, "Failed to execute PostStartHook", "pod", container.PodKey(pod), "containerName", c.Name, "message", message)
			m.recorder.Eventf(regarding, corev1.EventTypeWarning, "FailedPostStartHook", "PostStartHook failed")
			s := &container.Status{ID: ContainerID(id), Name: c.Name, SandboxID: sandboxID}
			if err := m.killContainer(p, pod, c, s, "FailedPostStartHook", reasonFailedPostStartHook, nil); err != nil {
				p.Logger().Error(err, "Failed to kill container", "pod", container.PodKey(pod), "containerName", c.Name)
			}
			return message, container.ErrPostStartHook
		}
	}
	return "", nil
}

// Resources are a container's limits as the runtime takes them.
// Upstream: kuberuntime_container_linux.go calculateLinuxResources.
func Resources(c *corev1.Container) cri.Resources {
	cpu, memory := c.Resources.Limits[corev1.ResourceCPU], c.Resources.Limits[corev1.ResourceMemory]
	request, set := c.Resources.Requests[corev1.ResourceCPU]
	if !set {
		request = cpu
	}
	// Upstream: pkg/kubelet/cm/helpers_linux.go, MilliCPUToShares.
	shares := min(max(request.MilliValue()*1024/1000, 2), 262144)
	return cri.Resources{CPULimit: cpu.MilliValue() * 1_000_000, MemoryLimit: memory.Value(), CPUShares: shares}
}

// oomScoreAdj is upstream's pkg/kubelet/qos/policy.go, GetContainerOOMScoreAdjust.
func (m *Manager) oomScoreAdj(pod *corev1.Pod, c *corev1.Container) int64 {
	switch {
	case pod.Status.QOSClass == corev1.PodQOSGuaranteed, pod.Spec.PriorityClassName == "system-node-critical":
		return -997
	case pod.Status.QOSClass == corev1.PodQOSBestEffort:
		return 1000
	}
	request := c.Resources.Requests[corev1.ResourceMemory]
	return min(max(1000-1000*request.Value()/m.runtime.MachineMemory(), 3), 999)
}

func apiStatus(pod *corev1.Pod, name string) *corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses, pod.Status.EphemeralContainerStatuses} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}

// desc is an error's text without the gRPC status. Upstream: grpcstatus.FromError(err).Message().
func desc(err error) string {
	if e, ok := err.(*cri.Error); ok {
		return e.Desc
	}
	return err.Error()
}

// killContainer runs a container's preStop hook and stops it. The hook's time
// is taken off the grace period, of which two seconds always remain.
// Upstream: kuberuntime_container.go killContainer.
func (m *Manager) killContainer(p *sim.Proc, pod *corev1.Pod, c *corev1.Container, s *container.Status, message string, reason killReason,
	override *int64) error {
	grace := setTerminationGracePeriod(pod, c, reason)
	if message == "" {
		message = fmt.Sprintf("Stopping container %s", c.Name)
	}
	m.recorder.Eventf(container.GenerateContainerRef(pod, c), corev1.EventTypeNormal, "Killing", "%s", message)
	if override != nil {
		grace = time.Duration(*override) * time.Second
	}
	log := p.Logger().WithValues("pod", container.PodKey(pod), "containerName", c.Name)
	if c.Lifecycle != nil && c.Lifecycle.PreStop != nil && grace > 0 {
		began := p.Now()
		log.V(3).Info("Running preStop hook", "gracePeriod", int64(grace/time.Second))
		message, ok := m.runHook(p, pod, c, s.SandboxID, runtimeID(s.ID), c.Lifecycle.PreStop, grace)
		switch {
		case p.Now()-began >= grace:
			log.V(2).Info("PreStop hook not completed in grace period", "gracePeriod", int64(grace/time.Second))
		case !ok:
			log.Error(nil, "PreStop hook failed", "message", message)
			m.recorder.Eventf(container.GenerateContainerRef(pod, c), corev1.EventTypeWarning, "FailedPreStopHook", "PreStopHook failed")
		default:
			log.V(3).Info("PreStop hook completed")
		}
		grace -= p.Now() - began
	}
	grace = max(grace, minimumGracePeriod)
	log.V(2).Info("Killing container with a grace period", "gracePeriod", int64(grace/time.Second))
	if err := m.runtime.StopContainer(p, runtimeID(s.ID), grace); err != nil {
		log.Error(err, "Container termination failed with gracePeriod", "gracePeriod", int64(grace/time.Second))
		return err
	}
	log.V(3).Info("Container exited normally")
	return nil
}

// setTerminationGracePeriod is how long a container may take to stop.
// Upstream: kuberuntime_container.go setTerminationGracePeriod.
func setTerminationGracePeriod(pod *corev1.Pod, c *corev1.Container, reason killReason) time.Duration {
	seconds := int64(minimumGracePeriod / time.Second)
	probe := c.LivenessProbe
	if reason == reasonStartupProbe {
		probe = c.StartupProbe
	}
	switch {
	case pod.DeletionGracePeriodSeconds != nil:
		seconds = *pod.DeletionGracePeriodSeconds
	case pod.Spec.TerminationGracePeriodSeconds != nil:
		seconds = *pod.Spec.TerminationGracePeriodSeconds
		if (reason == reasonStartupProbe || reason == reasonLivenessProbe) && probe != nil && probe.TerminationGracePeriodSeconds != nil {
			seconds = *probe.TerminationGracePeriodSeconds
		}
	}
	return time.Duration(seconds) * time.Second
}

// purgeInitContainers removes all init containers, which begin anew with a new sandbox.
// Upstream: kuberuntime_container.go purgeInitContainers.
func (m *Manager) purgeInitContainers(p *sim.Proc, pod *corev1.Pod, status *container.PodStatus) {
	for i := range pod.Spec.InitContainers {
		for _, s := range status.ContainerStatuses {
			if s.Name == pod.Spec.InitContainers[i].Name {
				m.removeContainer(p, s)
			}
		}
	}
}

// pruneInitContainersBeforeStart removes init containers that have ended, all
// but the newest of each. Upstream: pruneInitContainersBeforeStart.
func (m *Manager) pruneInitContainersBeforeStart(p *sim.Proc, pod *corev1.Pod, status *container.PodStatus) {
	for i := range pod.Spec.InitContainers {
		seen := 0
		for _, s := range status.ContainerStatuses {
			if s.Name != pod.Spec.InitContainers[i].Name || s.State != container.StateExited {
				continue
			}
			if seen++; seen > 1 {
				m.removeContainer(p, s)
			}
		}
	}
}

func (m *Manager) removeContainer(p *sim.Proc, s *container.Status) {
	if err := m.runtime.RemoveContainer(p, runtimeID(s.ID)); err != nil {
		p.Logger().Error(err, "Failed to remove container", "containerID", s.ID)
	}
}

// targetOf is the container whose processes an ephemeral container sees.
// Upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go, startSpec.getTargetID.
func targetOf(pod *corev1.Pod, name string) string {
	for i := range pod.Spec.EphemeralContainers {
		if c := &pod.Spec.EphemeralContainers[i]; c.Name == name {
			return c.TargetContainerName
		}
	}
	return ""
}

// loadProfiles is why a container is not created with the profiles of seccomp and AppArmor that it is to have; nil in builds that do not look.
var loadProfiles func(pod *corev1.Pod, c *corev1.Container) error

// identity is whom a container runs as: the user and the group of its security context, or of its Pod's, and the Pod's groups. Simplified: images have no user.
// Upstream: pkg/securitycontext/util.go, DetermineEffectiveSecurityContext.
func identity(pod *corev1.Pod, c *corev1.Container) (user, group int64, groups []int64) {
	take := func(u, g *int64) {
		if u != nil {
			user = *u
		}
		if g != nil {
			group = *g
		}
	}
	if s := pod.Spec.SecurityContext; s != nil {
		take(s.RunAsUser, s.RunAsGroup)
		for _, g := range s.SupplementalGroups {
			groups = withGroup(groups, g)
		}
		if s.FSGroup != nil {
			groups = withGroup(groups, *s.FSGroup)
		}
	}
	if s := c.SecurityContext; s != nil {
		take(s.RunAsUser, s.RunAsGroup)
	}
	return user, group, groups
}

// withGroup keeps a list of groups sorted, as the kernel does.
func withGroup(groups []int64, one int64) []int64 {
	at := 0
	for at < len(groups) && groups[at] < one {
		at++
	}
	if at < len(groups) && groups[at] == one {
		return groups
	}
	return slices.Insert(groups, at, one)
}

// security is what a container's processes may do. Upstream: pkg/securitycontext/util.go, and kuberuntime/security_context.go.
func (m *Manager) security(pod *corev1.Pod, c *corev1.Container) *cri.Security {
	out := &cri.Security{OOMScoreAdj: m.oomScoreAdj(pod, c)}
	yes := func(b *bool) bool { return b != nil && *b }
	if s := c.SecurityContext; s != nil {
		out.ReadOnlyRoot, out.Privileged = yes(s.ReadOnlyRootFilesystem), yes(s.Privileged)
		out.NoNewPrivileges = s.AllowPrivilegeEscalation != nil && !*s.AllowPrivilegeEscalation
	}
	return out
}
