// Package container holds what the parts of a kubelet tell each other about
// containers: the state of a Pod in the runtime, the results of a sync, and the
// cache that the PLEG fills and the pod workers read.
//
// Upstream: pkg/kubelet/container ("kubecontainer").
package container

import (
	"slices"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/trace"
)

// EventRecorder is what the kubelet's parts record Events with. It doesn't wait
// for the API server.
type EventRecorder interface {
	Eventf(regarding *corev1.ObjectReference, eventtype, reason, messageFmt string, args ...any)
}

// PodReference is how Events name a Pod.
func PodReference(pod *corev1.Pod) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		Kind: "Pod", APIVersion: "v1", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion,
	}
}

// GenerateContainerRef is how Events name a container: its Pod, and the place
// in the Pod's spec. Upstream: ref.go GenerateContainerRef and fieldPath.
func GenerateContainerRef(pod *corev1.Pod, c *corev1.Container) *corev1.ObjectReference {
	ref := PodReference(pod)
	ref.FieldPath = "spec.containers{" + c.Name + "}"
	for i := range pod.Spec.InitContainers {
		if pod.Spec.InitContainers[i].Name == c.Name {
			ref.FieldPath = "spec.initContainers{" + c.Name + "}"
		}
	}
	for i := range pod.Spec.EphemeralContainers {
		if pod.Spec.EphemeralContainers[i].Name == c.Name {
			ref.FieldPath = "spec.ephemeralContainers{" + c.Name + "}"
		}
	}
	return ref
}

// State is what a container is in, as upstream spells it.
type State string

// Upstream: runtime.go ContainerState….
const (
	StateCreated State = "created"
	StateRunning State = "running"
	StateExited  State = "exited"
	StateUnknown State = "unknown"
)

// StateOf translates the runtime's state.
func StateOf(s cri.ContainerState) State {
	switch s {
	case cri.ContainerCreated:
		return StateCreated
	case cri.ContainerRunning:
		return StateRunning
	case cri.ContainerExited:
		return StateExited
	}
	return StateUnknown
}

// Status is one container of a Pod in the runtime. Upstream: runtime.go Status.
type Status struct {
	ID           string // "containerd://…"
	Name         string
	State        State
	CreatedAt    time.Time
	StartedAt    time.Time
	FinishedAt   time.Time
	ExitCode     int32
	Image        string
	ImageRef     string
	Hash         string
	RestartCount int
	Reason       string
	Message      string
	Program      cri.Program
	Resources    cri.Resources
	SandboxID    string
	Cause        trace.ID // the runtime's last event about it
}

// PodStatus is a Pod in the runtime. Upstream: runtime.go PodStatus.
type PodStatus struct {
	ID        types.UID
	Name      string
	Namespace string
	IPs       []string
	// ContainerStatuses are all containers of the Pod, dead ones too, the newest first.
	ContainerStatuses []*Status
	// SandboxStatuses are its sandboxes, the newest first.
	SandboxStatuses []cri.PodSandbox
	TimeStamp       time.Duration
}

// FindContainerStatusByName returns the newest container of that name, or nil.
func (s *PodStatus) FindContainerStatusByName(name string) *Status {
	for _, c := range s.ContainerStatuses {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Running lists the containers that run, the newest first.
func (s *PodStatus) Running() []*Status {
	var out []*Status
	for _, c := range s.ContainerStatuses {
		if c.State == StateRunning {
			out = append(out, c)
		}
	}
	return out
}

// Pod is what the runtime's lists tell of a Pod. Upstream: runtime.go Pod.
type Pod struct {
	ID              types.UID
	Name, Namespace string
	Containers      []cri.Container
	Sandboxes       []cri.PodSandbox
}

// IsRestartableInitContainer says that an init container is a sidecar: it is
// started in its turn and then runs as long as the Pod does.
// Upstream: pkg/api/v1/pod/util.go.
func IsRestartableInitContainer(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// VisitContainers calls do for each container of a Pod: init containers,
// containers, ephemeral containers. Upstream: pkg/api/v1/pod/util.go VisitContainers.
func VisitContainers(pod *corev1.Pod, do func(c *corev1.Container)) {
	for i := range pod.Spec.InitContainers {
		do(&pod.Spec.InitContainers[i])
	}
	for i := range pod.Spec.Containers {
		do(&pod.Spec.Containers[i])
	}
	for i := range pod.Spec.EphemeralContainers {
		do(Ephemeral(&pod.Spec.EphemeralContainers[i]))
	}
}

// Ephemeral is an ephemeral container as a container.
func Ephemeral(e *corev1.EphemeralContainer) *corev1.Container {
	return (*corev1.Container)(&e.EphemeralContainerCommon)
}

// FindMatchingContainerRestartRule returns the first of a container's rules
// that speaks of an exit code. Upstream: pkg/api/v1/pod/util.go findMatchingContainerRestartRule.
func FindMatchingContainerRestartRule(c *corev1.Container, exitCode int32) *corev1.ContainerRestartRule {
	for i := range c.RestartPolicyRules {
		rule := &c.RestartPolicyRules[i]
		if rule.ExitCodes == nil {
			continue
		}
		in := slices.Contains(rule.ExitCodes.Values, exitCode)
		if in == (rule.ExitCodes.Operator == corev1.ContainerRestartRuleOnExitCodesOpIn) {
			return rule
		}
	}
	return nil
}

// ContainerShouldRestart tells whether a container that ended with an exit code
// is to be started again: its rules say so first, then its own policy, then the Pod's.
// Upstream: pkg/api/v1/pod/util.go ContainerShouldRestart.
func ContainerShouldRestart(c *corev1.Container, pod *corev1.Pod, exitCode int32) bool {
	policy := pod.Spec.RestartPolicy
	if c.RestartPolicy != nil {
		if rule := FindMatchingContainerRestartRule(c, exitCode); rule != nil {
			return true // every action restarts it: by itself, or with all others
		}
		policy = corev1.RestartPolicy(*c.RestartPolicy)
	}
	switch policy {
	case corev1.RestartPolicyNever:
		return false
	case corev1.RestartPolicyOnFailure:
		return exitCode != 0
	}
	return true
}

// IsContainerRestartable tells whether a container may be started again at all.
// Upstream: pkg/api/v1/pod/util.go IsContainerRestartable.
func IsContainerRestartable(c *corev1.Container, pod *corev1.Pod) bool {
	if c.RestartPolicy != nil {
		return len(c.RestartPolicyRules) > 0 || *c.RestartPolicy != corev1.ContainerRestartPolicyNever
	}
	return pod.Spec.RestartPolicy != corev1.RestartPolicyNever
}

// ShouldContainerBeRestarted tells whether a container that does not run has
// to. Upstream: helpers.go ShouldContainerBeRestarted.
func ShouldContainerBeRestarted(c *corev1.Container, pod *corev1.Pod, podStatus *PodStatus) bool {
	if pod.DeletionTimestamp != nil {
		return false
	}
	status := podStatus.FindContainerStatusByName(c.Name)
	if status == nil {
		return true
	}
	switch status.State {
	case StateRunning:
		return false
	case StateUnknown, StateCreated:
		return true
	}
	return ContainerShouldRestart(c, pod, status.ExitCode)
}

// FormatPod is how messages name a Pod: "web-1_default(uid)".
// Upstream: pkg/kubelet/util/format Pod.
func FormatPod(pod *corev1.Pod) string {
	return pod.Name + "_" + pod.Namespace + "(" + string(pod.UID) + ")"
}

// PodKey is how structured logs name a Pod: "default/web-1".
func PodKey(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }
