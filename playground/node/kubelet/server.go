package kubelet

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/kubelet/kuberuntime"
	"kubewalk/playground/node/kubelet/status"
	"kubewalk/playground/sim"
)

// Server is what a kubelet answers the API server, which passes pods/log and
// pods/exec on to it. Package cluster hands each node's to who needs it. What it
// answers over the network is Get.
// Upstream: pkg/kubelet/server/server.go HostInterface.
type Server interface {
	GetKubeletContainerLogs(namespace, pod, container string, options LogOptions) (string, error)
	RunInContainer(p *sim.Proc, namespace, pod, container string, command []string) (cri.ExecResult, error)
}

var _ Server = (*Kubelet)(nil)

// LogOptions says which part of a log is wanted. Upstream: v1.PodLogOptions.
type LogOptions struct {
	Previous   bool       // of the container before the present one
	Timestamps bool       // each line begins with its time
	TailLines  *int64     // the last so many
	LimitBytes *int64     // the first so many bytes
	SinceTime  *time.Time // lines from then on
}

// GetKubeletContainerLogs reads a container's log. container may be "" for a Pod
// that has one. Upstream: kubelet_pods.go GetKubeletContainerLogs, validateContainerLogStatus,
// and pkg/kubelet/kuberuntime/logs ReadLogs.
func (kl *Kubelet) GetKubeletContainerLogs(namespace, name, container string, o LogOptions) (string, error) {
	pod, container, err := kl.find(namespace, name, container)
	if err != nil {
		return "", err
	}
	id, err := kl.containerForLogs(pod, container, o.Previous)
	if err != nil {
		return "", err
	}
	lines, err := kl.cri.Logs(id)
	if err != nil {
		return "", fmt.Errorf("unable to retrieve container logs for %s", kuberuntime.ContainerID(id))
	}
	if o.SinceTime != nil {
		for len(lines) > 0 && lines[0].At.Before(*o.SinceTime) {
			lines = lines[1:]
		}
	}
	if o.TailLines != nil && *o.TailLines >= 0 {
		lines = lines[max(0, len(lines)-int(*o.TailLines)):]
	}
	var b strings.Builder
	for i, line := range lines {
		if o.Timestamps && (i == 0 || !lines[i-1].Open) {
			b.WriteString(line.At.UTC().Format(time.RFC3339Nano) + " ")
		}
		if b.WriteString(line.Text); !line.Open {
			b.WriteByte('\n')
		}
	}
	text := b.String()
	if o.LimitBytes != nil {
		text = text[:min(len(text), int(max(*o.LimitBytes, 0)))]
	}
	return text, nil
}

// containerForLogs is the present or the previous container's ID.
func (kl *Kubelet) containerForLogs(pod *corev1.Pod, container string, previous bool) (string, error) {
	list, err := kl.cri.ListContainersOf(string(pod.UID))
	if err != nil {
		return "", err
	}
	var ids []string // the newest first
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Config.Name == container && list[i].State != cri.ContainerCreated {
			ids = append(ids, list[i].ID)
		}
	}
	switch {
	case previous && len(ids) < 2:
		if len(ids) == 1 && kl.waits(pod, container) {
			return ids[0], nil // the last one that ran, while the next waits
		}
		return "", fmt.Errorf("previous terminated container %q in pod %q not found", container, pod.Name)
	case previous && kl.waits(pod, container):
		return ids[0], nil
	case previous:
		return ids[1], nil
	case len(ids) == 0:
		why := containerCreating
		if s := kl.containerStatus(pod.UID, container); s != nil && s.State.Waiting != nil {
			why = s.State.Waiting.Reason
			switch why {
			case "ErrImagePull", "ImagePullBackOff":
				return "", fmt.Errorf("container %q in pod %q is waiting to start: trying and failing to pull image", container, pod.Name)
			}
		}
		return "", fmt.Errorf("container %q in pod %q is waiting to start: %s", container, pod.Name, why)
	}
	return ids[0], nil
}

func (kl *Kubelet) waits(pod *corev1.Pod, container string) bool {
	s := kl.containerStatus(pod.UID, container)
	return s != nil && s.State.Waiting != nil
}

func (kl *Kubelet) containerStatus(uid types.UID, name string) *corev1.ContainerStatus {
	s, ok := kl.statusManager.GetPodStatus(uid)
	if !ok {
		return nil
	}
	for _, list := range [][]corev1.ContainerStatus{s.ContainerStatuses, s.InitContainerStatuses, s.EphemeralContainerStatuses} {
		if c := status.FindContainer(list, name); c != nil {
			return c
		}
	}
	return nil
}

// find looks up a Pod of this node, and fills in the name of its first container.
func (kl *Kubelet) find(namespace, name, container string) (*corev1.Pod, string, error) {
	if !kl.component.Running() {
		return nil, "", fmt.Errorf("dial tcp %s:10250: connect: connection refused", kl.options.InternalIP)
	}
	for _, pod := range kl.podManager.GetPods() {
		if pod.Namespace == namespace && pod.Name == name {
			if container == "" {
				container = pod.Spec.Containers[0].Name
			}
			return pod, container, nil
		}
	}
	return nil, "", fmt.Errorf("pod %q not found", name)
}

// RunInContainer runs a command in a container and waits for its end.
// Upstream: Kubelet.RunInContainer.
func (kl *Kubelet) RunInContainer(p *sim.Proc, namespace, name, container string, command []string) (cri.ExecResult, error) {
	pod, container, err := kl.find(namespace, name, container)
	if err != nil {
		return cri.ExecResult{}, err
	}
	list, err := kl.cri.ListContainersOf(string(pod.UID))
	if err != nil {
		return cri.ExecResult{}, err
	}
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Config.Name == container && list[i].State == cri.ContainerRunning {
			return kl.cri.ExecSync(p, list[i].ID, command, 0)
		}
	}
	return cri.ExecResult{}, fmt.Errorf("container not found (%q)", container)
}
