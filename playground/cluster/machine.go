package cluster

import (
	"errors"
	"fmt"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/apiserver"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/kubelet"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/network"
	"kubewalk/playground/sim"
)

// box is a node's hardware, and what runs on it now.
type box struct {
	name, ip string
	runtime  *cri.Runtime     // nil before the first boot
	kubelet  *kubelet.Kubelet // nil before the first start
}

// findBox returns a node's machine, nil for none.
func (c *Cluster) findBox(node string) *box {
	for _, m := range c.boxes {
		if m.name == node {
			return m
		}
	}
	return nil
}

// hosting finds the machine on which a container of the Pod runs.
func (c *Cluster) hosting(namespace, pod string) *box {
	for _, m := range c.boxes {
		if m.runtime != nil && m.runtime.Hosts(namespace, pod) {
			return m
		}
	}
	return nil
}

// KubeletServer is what a node's kubelet answers to whoever asks it itself; nil
// if there is no such node, or its kubelet never ran.
func (c *Cluster) KubeletServer(node string) kubelet.Server {
	if m := c.findBox(node); m != nil && m.kubelet != nil {
		return m.kubelet
	}
	return nil
}

// Runtimes are the container runtimes that run now, in the nodes' order.
func (c *Cluster) Runtimes() []*cri.Runtime {
	var out []*cri.Runtime
	for _, m := range c.boxes {
		if m.runtime != nil && m.runtime.Component().Running() {
			out = append(out, m.runtime)
		}
	}
	return out
}

// kubelets is the API server's way to the nodes: it implements apiserver.Kubelets.
type kubelets struct{ cluster *Cluster }

// dialTimeout is how long the API server tries to reach a kubelet.
const dialTimeout = 30 * time.Second

// reach finds a Pod's kubelet. The errors are those of a connection to one that isn't there.
func (k kubelets) reach(p *sim.Proc, pod *corev1.Pod, what string) (*kubelet.Kubelet, error) {
	m := k.cluster.findBox(pod.Spec.NodeName)
	if m == nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("dial tcp: lookup %s: no such host", pod.Spec.NodeName))
	}
	if k.cluster.unreachable(m.name) {
		p.Sleep(dialTimeout)
		return nil, fmt.Errorf("Get \"https://%s:10250/%s\": dial tcp %s:10250: i/o timeout", m.ip, what, m.ip)
	}
	if m.kubelet == nil || !m.kubelet.Component().Running() {
		return nil, fmt.Errorf("Get \"https://%s:10250/%s\": dial tcp %s:10250: connect: connection refused", m.ip, what, m.ip)
	}
	return m.kubelet, nil
}

// ContainerLogs implements apiserver.Kubelets.
func (k kubelets) ContainerLogs(p *sim.Proc, pod *corev1.Pod, opts *corev1.PodLogOptions) (string, error) {
	kl, err := k.reach(p, pod, "containerLogs/"+pod.Namespace+"/"+pod.Name+"/"+opts.Container)
	if err != nil {
		return "", err
	}
	text, err := kl.GetKubeletContainerLogs(pod.Namespace, pod.Name, opts.Container, logOptions(p, opts))
	if err != nil {
		return "", apierrors.NewBadRequest(err.Error())
	}
	return text, nil
}

// logOptions are the kubelet's.
func logOptions(p *sim.Proc, opts *corev1.PodLogOptions) kubelet.LogOptions {
	o := kubelet.LogOptions{Previous: opts.Previous, Timestamps: opts.Timestamps, TailLines: opts.TailLines, LimitBytes: opts.LimitBytes}
	switch {
	case opts.SinceTime != nil:
		o.SinceTime = &opts.SinceTime.Time
	case opts.SinceSeconds != nil:
		since := p.Time().Add(-time.Duration(*opts.SinceSeconds) * time.Second)
		o.SinceTime = &since
	}
	return o
}

// FollowLogs implements apiserver.Kubelets.
func (k kubelets) FollowLogs(p *sim.Proc, pod *corev1.Pod, opts *corev1.PodLogOptions) (apiserver.Follower, error) {
	kl, err := k.reach(p, pod, "containerLogs/"+pod.Namespace+"/"+pod.Name+"/"+opts.Container)
	if err != nil {
		return nil, err
	}
	f, err := kl.FollowKubeletContainerLogs(pod.Namespace, pod.Name, opts.Container, logOptions(p, opts))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return f, nil
}

// PortForward implements apiserver.Kubelets.
func (k kubelets) PortForward(p *sim.Proc, pod *corev1.Pod, port int, method, path string) (status int, body string, err error) {
	if _, err := k.reach(p, pod, "portForward/"+pod.Namespace+"/"+pod.Name); err != nil {
		return 0, "", err
	}
	if k.cluster.fabric == nil {
		return 0, "", errors.New("this cluster has no network")
	}
	from, host := network.Source{Node: pod.Spec.NodeName, Namespace: pod.Namespace, Pod: pod.Name, IP: pod.Status.PodIP}, pod.Status.PodIP
	if pod.Spec.HostNetwork {
		from.IP, host = "", pod.Spec.NodeName
	}
	var answer network.Response
	done := false
	k.cluster.fabric.Dial(from, network.Request{Method: method, URL: fmt.Sprintf("http://%s:%d%s", host, port, path)}, func(r network.Response) {
		answer, done = r, true
		p.Wake()
	})
	for !done {
		p.Park()
	}
	if answer.Failure != "" {
		return 0, "", fmt.Errorf("error forwarding port %d to pod %s: failed to connect to localhost:%d inside its network namespace: %s", port, pod.Name, port, answer.Failure)
	}
	return answer.Status, answer.Body, nil
}

// RunInContainer implements apiserver.Kubelets.
func (k kubelets) RunInContainer(p *sim.Proc, pod *corev1.Pod, container string, command []string, input string) (*client.Text, error) {
	kl, err := k.reach(p, pod, "exec/"+pod.Namespace+"/"+pod.Name+"/"+container)
	if err != nil {
		return nil, err
	}
	result, err := kl.RunInContainer(p, pod.Namespace, pod.Name, container, command, input)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return &client.Text{Body: result.Stdout, Stderr: result.Stderr, ExitCode: result.ExitCode}, nil
}

// Exec implements apiserver.Kubelets.
func (k kubelets) Exec(p *sim.Proc, pod *corev1.Pod, container string, o *client.ExecOptions) (apiserver.Session, error) {
	kl, err := k.reach(p, pod, "exec/"+pod.Namespace+"/"+pod.Name+"/"+container)
	if err != nil {
		return nil, err
	}
	s, err := kl.Exec(pod.Namespace, pod.Name, container, o.Command, cri.SessionOptions{TTY: o.TTY, Shown: o.Shown})
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return s, nil
}

// Attach implements apiserver.Kubelets.
func (k kubelets) Attach(p *sim.Proc, pod *corev1.Pod, container string, o *client.ExecOptions) (apiserver.Session, error) {
	kl, err := k.reach(p, pod, "attach/"+pod.Namespace+"/"+pod.Name+"/"+container)
	if err != nil {
		return nil, err
	}
	a, ok, err := kl.Attach(pod.Namespace, pod.Name, container, cri.SessionOptions{TTY: o.TTY, Shown: o.Shown})
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if !ok {
		return nil, nil
	}
	return a, nil
}
