package kuberuntime

import (
	"hash/fnv"
	"sort"
	"strconv"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
)

// Verdict is what a container's probe found last.
type Verdict int

// Upstream: pkg/kubelet/prober/results Result; Unknown where upstream has no result.
const (
	Unknown Verdict = iota
	Success
	Failure
)

// RuntimeHelper is what a Manager needs from the kubelet.
// Upstream: pkg/kubelet/container/helpers.go RuntimeHelper.
type RuntimeHelper interface {
	// IsPodTerminationRequested tells whether a Pod is to end.
	IsPodTerminationRequested(uid types.UID) bool
	// PrepareDynamicResources has the devices of a Pod's claims prepared.
	PrepareDynamicResources(p *sim.Proc, pod *corev1.Pod) error
	// OnPodSandboxReady is told that a Pod's network is there, before its images are pulled.
	OnPodSandboxReady(p *sim.Proc, pod *corev1.Pod)
	// Liveness and Startup are what the probes of a container found.
	Liveness(containerID string) Verdict
	Startup(containerID string) Verdict
	// GenerateRunContainerOptions says what a container is to be run with.
	GenerateRunContainerOptions(p *sim.Proc, pod *corev1.Pod, c *corev1.Container, podIP string) (*RunContainerOptions, error)
}

// RunContainerOptions is a container's spec with all that it refers to filled in.
// Upstream: pkg/kubelet/container/runtime.go RunContainerOptions.
type RunContainerOptions struct {
	Env           []cri.Variable
	Mounts        []cri.Mount
	Command, Args []string
}

// Manager works on the containers of one node.
// Upstream: kuberuntime_manager.go kubeGenericRuntimeManager.
type Manager struct {
	component *sim.Component
	runtime   *cri.Runtime
	recorder  container.EventRecorder
	helper    RuntimeHelper
	images    *imageManager
}

// New returns a manager whose processes are the component's.
func New(c *sim.Component, runtime *cri.Runtime, recorder container.EventRecorder, helper RuntimeHelper) *Manager {
	return &Manager{component: c, runtime: runtime, recorder: recorder, helper: helper, images: newImageManager(c, recorder, runtime)}
}

// Changes tells whether the runtime has changed; see cri.Runtime.
func (m *Manager) Changes() int64 { return m.runtime.Changes() }

// ChangedAt is what Changes was after a Pod's last change, 0 if the runtime has nothing of it.
func (m *Manager) ChangedAt(uid types.UID) int64 { return m.runtime.ChangedAt(string(uid)) }

// PodsChangedSince lists the Pods that have changed after Changes was that number, in the order of their first sandbox.
func (m *Manager) PodsChangedSince(changes int64) ([]types.UID, error) {
	list, err := m.runtime.PodsChangedSince(changes)
	out := make([]types.UID, len(list))
	for i, uid := range list {
		out[i] = types.UID(uid)
	}
	return out, err
}

// GetPods lists the Pods that the runtime knows, in the order of their first
// sandbox; with all, those too of which nothing runs any more.
func (m *Manager) GetPods(all bool) ([]*container.Pod, error) {
	sandboxes, err := m.runtime.ListPodSandbox()
	if err != nil {
		return nil, err
	}
	containers, err := m.runtime.ListContainers()
	if err != nil {
		return nil, err
	}
	var pods []*container.Pod
	byID, bySandbox := map[types.UID]*container.Pod{}, map[string]*container.Pod{}
	for _, s := range sandboxes {
		uid := types.UID(s.Config.UID)
		pod := byID[uid]
		if pod == nil {
			pod = &container.Pod{ID: uid, Name: s.Config.Name, Namespace: s.Config.Namespace}
			byID[uid] = pod
			pods = append(pods, pod)
		}
		bySandbox[s.ID] = pod
		if all || s.State == cri.SandboxReady {
			pod.Sandboxes = append(pod.Sandboxes, s)
		}
	}
	for _, c := range containers {
		if pod := bySandbox[c.SandboxID]; pod != nil && (all || c.State == cri.ContainerRunning) {
			pod.Containers = append(pod.Containers, c)
		}
	}
	kept := pods[:0]
	for _, pod := range pods {
		if len(pod.Sandboxes)+len(pod.Containers) > 0 {
			kept = append(kept, pod)
		}
	}
	return kept, nil
}

// GetPod returns what the runtime has of one Pod, nil for nothing.
func (m *Manager) GetPod(uid types.UID) (*container.Pod, error) {
	sandboxes, err := m.runtime.ListPodSandboxOf(string(uid))
	if err != nil || len(sandboxes) == 0 {
		return nil, err
	}
	containers, err := m.runtime.ListContainersOf(string(uid))
	if err != nil {
		return nil, err
	}
	first := sandboxes[0].Config
	return &container.Pod{ID: uid, Name: first.Name, Namespace: first.Namespace, Sandboxes: sandboxes, Containers: containers}, nil
}

// GetPodStatus reads a Pod's sandboxes and containers.
// Upstream: kubeGenericRuntimeManager.GetPodStatus.
func (m *Manager) GetPodStatus(p *sim.Proc, uid types.UID) (*container.PodStatus, error) {
	pod, err := m.GetPod(uid)
	if err != nil {
		return nil, err
	}
	status := &container.PodStatus{ID: uid, TimeStamp: p.Now()}
	if pod == nil {
		return status, nil
	}
	status.Name, status.Namespace = pod.Name, pod.Namespace
	for i := len(pod.Sandboxes) - 1; i >= 0; i-- {
		status.SandboxStatuses = append(status.SandboxStatuses, pod.Sandboxes[i])
	}
	if len(status.SandboxStatuses) > 0 {
		if newest := status.SandboxStatuses[0]; newest.State == cri.SandboxReady && newest.IP != "" {
			status.IPs = []string{newest.IP}
		}
	}
	for _, c := range pod.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, m.toStatus(c))
	}
	sort.SliceStable(status.ContainerStatuses, func(i, j int) bool {
		return status.ContainerStatuses[i].CreatedAt.After(status.ContainerStatuses[j].CreatedAt)
	})
	return status, nil
}

func (m *Manager) toStatus(c cri.Container) *container.Status {
	message := ""
	if c.State == cri.ContainerExited {
		message = m.runtime.TerminationMessage(c.ID)
	}
	return &container.Status{
		ID: ContainerID(c.ID), Name: c.Config.Name, State: container.StateOf(c.State),
		CreatedAt: c.CreatedAt, StartedAt: c.StartedAt, FinishedAt: c.FinishedAt, ExitCode: c.ExitCode,
		Image: cri.NormalizeImage(c.Config.Image), ImageRef: c.Config.ImageRef, Hash: c.Config.Hash,
		RestartCount: c.Config.RestartCount, Reason: c.Reason, Message: message, Program: c.Config.Program,
		Resources: c.Config.Resources, SandboxID: c.SandboxID, Cause: c.Cause,
	}
}

// ContainerID is a container's ID as statuses show it.
func ContainerID(id string) string { return cri.RuntimeName + "://" + id }

// runtimeID is the inverse.
func runtimeID(id string) string { return id[len(cri.RuntimeName)+len("://"):] }

// hashContainer is noted with a container, so that a later sync sees that the
// spec asks for another one. Only what can't be changed without a new
// container counts: its name and image.
// Upstream: pkg/kubelet/container/helpers.go HashContainer.
func hashContainer(c *corev1.Container) string {
	h := fnv.New32a()
	h.Write([]byte(c.Name + "\x00" + c.Image))
	return strconv.FormatUint(uint64(h.Sum32()), 16)
}

// backoffKey tells a container's failures from those of another, or of another
// spec of it. Upstream: helpers.go GetBackoffKey.
func backoffKey(pod *corev1.Pod, c *corev1.Container) string {
	return pod.Name + "_" + pod.Namespace + "_" + string(pod.UID) + "_" + c.Name + "_" + hashContainer(c)
}
