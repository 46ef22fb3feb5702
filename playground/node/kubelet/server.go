package kubelet

import (
	"fmt"
	"slices"
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
	FollowKubeletContainerLogs(namespace, pod, container string, options LogOptions) (*LogFollower, error)
	RunInContainer(p *sim.Proc, namespace, pod, container string, command []string, input string) (cri.ExecResult, error)
	Exec(namespace, pod, container string, command []string, o cri.SessionOptions) (*cri.Session, error)
	Attach(namespace, pod, container string, o cri.SessionOptions) (a *cri.Session, ok bool, err error)
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
	_, lines, err := kl.containerLogs(namespace, name, container, &o)
	if err != nil {
		return "", err
	}
	text := o.text(lines, false)
	if o.LimitBytes != nil {
		text = text[:min(len(text), int(max(*o.LimitBytes, 0)))]
	}
	return text, nil
}

// containerLogs is which container's log is meant, and those of its lines that the options ask for.
func (kl *Kubelet) containerLogs(namespace, name, container string, o *LogOptions) (id string, lines []cri.LogLine, err error) {
	pod, container, err := kl.find(namespace, name, container)
	if err != nil {
		return "", nil, err
	}
	if id, err = kl.containerForLogs(pod, container, o.Previous); err != nil {
		return "", nil, err
	}
	if lines, err = kl.cri.Logs(id); err != nil {
		return "", nil, fmt.Errorf("unable to retrieve container logs for %s", kuberuntime.ContainerID(id))
	}
	if o.SinceTime != nil {
		for len(lines) > 0 && lines[0].At.Before(*o.SinceTime) {
			lines = lines[1:]
		}
	}
	if o.TailLines != nil && *o.TailLines >= 0 {
		lines = lines[max(0, len(lines)-int(*o.TailLines)):]
	}
	return id, lines, nil
}

// text is lines as they are printed. open says that the line before them has no end yet.
func (o *LogOptions) text(lines []cri.LogLine, open bool) string {
	var b strings.Builder
	for _, line := range lines {
		if o.Timestamps && !open {
			b.WriteString(line.At.UTC().Format(time.RFC3339Nano) + " ")
		}
		if b.WriteString(line.Text); !line.Open {
			b.WriteByte('\n')
		}
		open = line.Open
	}
	return b.String()
}

// LogFollower reads a container's log as it grows.
type LogFollower struct {
	kubelet *Kubelet
	id      string
	options LogOptions
	first   []cri.LogLine // that were there when it began, and are still to be read
	read    int           // lines of the log
	open    bool          // the last one has no end yet
	left    int64         // bytes that may still be returned, with LimitBytes
	stopped bool
	unwatch func()
	taker   *sim.Proc
}

// FollowKubeletContainerLogs reads a container's log as GetKubeletContainerLogs does, and what is written to it until the container has
// ended, or the kubelet stops.
func (kl *Kubelet) FollowKubeletContainerLogs(namespace, name, container string, o LogOptions) (*LogFollower, error) {
	id, lines, err := kl.containerLogs(namespace, name, container, &o)
	if err != nil {
		return nil, err
	}
	f := &LogFollower{kubelet: kl, id: id, options: o, first: lines}
	if o.LimitBytes != nil {
		f.left = max(*o.LimitBytes, 0)
	}
	_, f.read, _ = kl.cri.LogsFrom(id, 0)
	if f.unwatch, err = kl.cri.Follow(id, f.wake); err != nil {
		return nil, err
	}
	kl.component.OnStop(f.Stop)
	return f, nil
}

func (f *LogFollower) wake() {
	if f.taker != nil {
		f.taker.Wake()
	}
}

// Next waits for more of the log. ok is false when there will be none.
func (f *LogFollower) Next(p *sim.Proc) (text string, ok bool) {
	for f.taker = p; !f.stopped; p.Park() {
		lines, all, more := f.kubelet.cri.LogsFrom(f.id, f.read)
		lines, f.first, f.read = slices.Concat(f.first, lines), nil, all
		if len(lines) > 0 {
			text = f.options.text(lines, f.open)
			f.open = lines[len(lines)-1].Open
			if f.options.LimitBytes != nil {
				text = text[:min(int64(len(text)), f.left)]
				if f.left -= int64(len(text)); f.left == 0 {
					f.Stop()
				}
			}
			return text, true
		}
		if !more {
			f.Stop()
		}
	}
	return "", false
}

// Stop ends it.
func (f *LogFollower) Stop() {
	if !f.stopped {
		f.stopped = true
		f.unwatch()
		f.wake()
	}
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

// RunInContainer runs a command in a container, which reads input, and waits for its end.
// Upstream: Kubelet.RunInContainer.
func (kl *Kubelet) RunInContainer(p *sim.Proc, namespace, name, container string, command []string, input string) (cri.ExecResult, error) {
	id, err := kl.runningContainer(namespace, name, container)
	if err != nil {
		return cri.ExecResult{}, err
	}
	return kl.cri.ExecWithInput(p, id, command, input)
}

// Exec starts a command in a container, to which somebody types. Upstream: pkg/kubelet/kubelet_pods.go, GetExec.
func (kl *Kubelet) Exec(namespace, name, container string, command []string, o cri.SessionOptions) (*cri.Session, error) {
	id, err := kl.runningContainer(namespace, name, container)
	if err != nil {
		return nil, err
	}
	s, err := kl.cri.Exec(id, command, o)
	if err == nil {
		kl.component.OnStop(s.Stop)
	}
	return s, err
}

// Attach connects to a container's program; there is nothing to type to if ok is false. Upstream: pkg/kubelet/kubelet_pods.go, GetAttach.
func (kl *Kubelet) Attach(namespace, name, container string, o cri.SessionOptions) (a *cri.Session, ok bool, err error) {
	id, err := kl.runningContainer(namespace, name, container)
	if err != nil {
		return nil, false, err
	}
	if a, ok = kl.cri.Attach(id, o); ok {
		kl.component.OnStop(a.Stop)
	}
	return a, ok, nil
}

// runningContainer finds one in which a command can be run. The error is what the API server, which sends the request on, makes of the kubelet's.
// Upstream: streaming/pkg/httpstream/spdy/roundtripper.go, NewConnection.
func (kl *Kubelet) runningContainer(namespace, name, container string) (id string, err error) {
	pod, container, err := kl.find(namespace, name, container)
	if err != nil {
		return "", err
	}
	list, err := kl.cri.ListContainersOf(string(pod.UID))
	if err != nil {
		return "", err
	}
	for _, c := range slices.Backward(list) {
		if c.Config.Name == container && c.State == cri.ContainerRunning {
			return c.ID, nil
		}
	}
	return "", fmt.Errorf("unable to upgrade connection: container not found (%q)", container)
}
