// Package prober asks containers whether they have started, are alive and are
// ready: one process for each probe of each container.
//
// A probe is a real request to the container, or a command that is executed in
// it: what comes of it is the program's (see package cri).
//
// Upstream: pkg/kubelet/prober. A probe takes a millisecond of virtual time.
package prober

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/kubelet/kuberuntime"
	"kubewalk/playground/node/kubelet/mailbox"
	"kubewalk/playground/node/kubelet/status"
	"kubewalk/playground/sim"
)

// Type is which question a probe asks.
type Type string

// Upstream: prober_manager.go probeType.
const (
	Liveness  Type = "Liveness"
	Readiness Type = "Readiness"
	Startup   Type = "Startup"
)

// StatusSource is where workers read which container they have to ask.
type StatusSource interface {
	GetPodStatus(uid types.UID) (corev1.PodStatus, bool)
}

// Runtime is where the containers are.
type Runtime interface {
	ContainerStatus(id string) (cri.Container, error)
	PodSandboxStatus(id string) (cri.PodSandbox, error)
	Ask(p *sim.Proc, sandboxID string, port int32, request cri.Request, timeout time.Duration) cri.Response
	ExecSync(p *sim.Proc, id string, argv []string, timeout time.Duration) (cri.ExecResult, error)
}

// Update is a result that differs from the one before.
type Update struct {
	UID         types.UID
	ContainerID string
	Type        Type
	Result      kuberuntime.Verdict
}

type key struct {
	uid       types.UID
	container string
	probe     Type
}

// Manager starts and stops the workers and holds their results.
type Manager struct {
	component *sim.Component
	runtime   Runtime
	statuses  StatusSource
	recorder  container.EventRecorder
	deliver   func(Update)
	start     time.Time
	workers   map[key]*worker
	results   map[Type]map[string]kuberuntime.Verdict // by container ID
}

// New returns a manager. deliver is told of every change of a result.
func New(c *sim.Component, runtime Runtime, statuses StatusSource, recorder container.EventRecorder, deliver func(Update)) *Manager {
	return &Manager{component: c, runtime: runtime, statuses: statuses, recorder: recorder, deliver: deliver,
		start: c.Kernel().Time(), workers: map[key]*worker{},
		results: map[Type]map[string]kuberuntime.Verdict{Liveness: {}, Readiness: {}, Startup: {}}}
}

// Result is what a probe of a container found last; Unknown for none.
func (m *Manager) Result(t Type, containerID string) kuberuntime.Verdict {
	return m.results[t][containerID]
}

func (m *Manager) set(t Type, uid types.UID, containerID string, v kuberuntime.Verdict) {
	if m.results[t][containerID] == v {
		return
	}
	m.results[t][containerID] = v
	m.deliver(Update{uid, containerID, t, v})
}

func probes(c *corev1.Container) []struct {
	t Type
	p *corev1.Probe
} {
	return []struct {
		t Type
		p *corev1.Probe
	}{{Startup, c.StartupProbe}, {Readiness, c.ReadinessProbe}, {Liveness, c.LivenessProbe}}
}

// AddPod starts the workers of a Pod that are missing.
func (m *Manager) AddPod(pod *corev1.Pod) {
	add := func(c *corev1.Container) {
		for _, one := range probes(c) {
			k := key{pod.UID, c.Name, one.t}
			if one.p == nil || m.workers[k] != nil {
				continue
			}
			w := &worker{manager: m, key: k, pod: pod, container: c, probe: one.p, wake: mailbox.New[bool](m.component.Kernel())}
			m.workers[k] = w
			m.component.Go("probe/"+pod.Namespace+"/"+pod.Name+"/"+c.Name+"/"+string(one.t), w.run)
		}
	}
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; container.IsRestartableInitContainer(c) {
			add(c)
		}
	}
	for i := range pod.Spec.Containers {
		add(&pod.Spec.Containers[i])
	}
}

// StopLivenessAndStartup ends those of a Pod's workers by which a container
// could be killed, because it is about to be stopped anyway.
func (m *Manager) StopLivenessAndStartup(pod *corev1.Pod) {
	m.stop(pod, func(t Type) bool { return t != Readiness })
}

// RemovePod ends a Pod's workers.
func (m *Manager) RemovePod(pod *corev1.Pod) { m.stop(pod, func(Type) bool { return true }) }

func (m *Manager) stop(pod *corev1.Pod, which func(Type) bool) {
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			for _, one := range probes(&list[i]) {
				if w := m.workers[key{pod.UID, list[i].Name, one.t}]; w != nil && which(one.t) {
					w.stopped = true
					delete(m.workers, w.key)
					w.wake.Put(true)
				}
			}
		}
	}
}

// UpdatePodStatus fills in which containers have started and are ready.
// Upstream: prober_manager.go UpdatePodStatus.
func (m *Manager) UpdatePodStatus(pod *corev1.Pod, s *corev1.PodStatus) {
	for i := range s.ContainerStatuses {
		c := &s.ContainerStatuses[i]
		spec := specOf(pod.Spec.Containers, c.Name)
		started := m.isStarted(pod, c)
		c.Started = &started
		c.Ready = started && m.isReady(pod, c, spec)
	}
	for i := range s.InitContainerStatuses {
		c := &s.InitContainerStatuses[i]
		spec := specOf(pod.Spec.InitContainers, c.Name)
		started := m.isStarted(pod, c)
		c.Started = &started
		if spec != nil && container.IsRestartableInitContainer(spec) {
			c.Ready = started && m.isReady(pod, c, spec)
		} else {
			c.Ready = c.State.Terminated != nil && c.State.Terminated.ExitCode == 0
		}
	}
}

func specOf(list []corev1.Container, name string) *corev1.Container {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

func (m *Manager) isStarted(pod *corev1.Pod, c *corev1.ContainerStatus) bool {
	if c.State.Running == nil {
		return false
	}
	if v := m.Result(Startup, c.ContainerID); v != kuberuntime.Unknown {
		return v == kuberuntime.Success
	}
	if m.fromBefore(c) && m.workers[key{pod.UID, c.Name, Startup}] != nil {
		old := status.FindContainer(pod.Status.ContainerStatuses, c.Name)
		return old != nil && old.Started != nil && *old.Started
	}
	return m.workers[key{pod.UID, c.Name, Startup}] == nil
}

func (m *Manager) isReady(pod *corev1.Pod, c *corev1.ContainerStatus, spec *corev1.Container) bool {
	if c.State.Running == nil {
		return false
	}
	if v := m.Result(Readiness, c.ContainerID); v != kuberuntime.Unknown {
		return v == kuberuntime.Success
	}
	w := m.workers[key{pod.UID, c.Name, Readiness}]
	if w == nil && (spec == nil || spec.ReadinessProbe == nil) {
		return true
	}
	if m.fromBefore(c) {
		// It was judged by the kubelet before this one: that holds until this one has asked.
		ready := status.FindCondition(pod.Status.Conditions, corev1.PodReady)
		return ready != nil && ready.Status == corev1.ConditionTrue
	}
	if w != nil {
		w.wake.Put(false) // ask at once
	}
	return false
}

// fromBefore tells whether a container was started before the kubelet was.
// Upstream: kubeletRestartGracePeriod.
func (m *Manager) fromBefore(c *corev1.ContainerStatus) bool {
	return c.State.Running != nil && c.State.Running.StartedAt.Time.Before(m.start.Add(-10*time.Second))
}

// worker asks one question of one container, again and again.
// Upstream: worker.go.
type worker struct {
	manager   *Manager
	key       key
	pod       *corev1.Pod
	container *corev1.Container
	probe     *corev1.Probe
	wake      *mailbox.Box[bool]

	stopped     bool
	containerID string
	onHold      bool // until there is a new container
	lastResult  kuberuntime.Verdict
	resultRun   int32
}

func (w *worker) run(p *sim.Proc) {
	k, start := p.Kernel(), p.Kernel().Cause()
	period := time.Duration(max(w.probe.PeriodSeconds, 1)) * time.Second
	defer func() {
		if w.manager.workers[w.key] == w {
			delete(w.manager.workers, w.key)
		}
		delete(w.manager.results[w.key.probe], w.containerID)
	}()
	for !w.stopped {
		keepGoing := true
		k.Because(start, func() { keepGoing = w.doProbe(p) })
		if !keepGoing {
			return
		}
		next := p.Now() + period
		for !w.stopped {
			if _, ok := w.wake.GetUntil(p, next); !ok || w.containerID == "" || w.lastResult == kuberuntime.Unknown {
				break
			}
		}
	}
}

// doProbe asks once. It tells whether to go on. Upstream: worker.doProbe.
func (w *worker) doProbe(p *sim.Proc) bool {
	m := w.manager
	s, ok := m.statuses.GetPodStatus(w.key.uid)
	if !ok {
		return true
	}
	if s.Phase == corev1.PodFailed || s.Phase == corev1.PodSucceeded {
		return false
	}
	c := status.FindContainer(s.ContainerStatuses, w.key.container)
	if c == nil {
		c = status.FindContainer(s.InitContainerStatuses, w.key.container)
	}
	if c == nil || c.ContainerID == "" {
		return true
	}
	if w.containerID != c.ContainerID {
		delete(m.results[w.key.probe], w.containerID)
		w.containerID, w.onHold, w.resultRun, w.lastResult = c.ContainerID, false, 0, kuberuntime.Unknown
		if !m.fromBefore(c) {
			// Alive until shown otherwise; neither ready nor started until shown.
			switch w.key.probe {
			case Liveness:
				m.set(Liveness, w.key.uid, c.ContainerID, kuberuntime.Success)
			case Readiness:
				m.set(Readiness, w.key.uid, c.ContainerID, kuberuntime.Failure)
			}
		}
	}
	if w.onHold {
		return true
	}
	if c.State.Running == nil {
		m.set(w.key.probe, w.key.uid, c.ContainerID, kuberuntime.Failure)
		return c.State.Terminated == nil || container.IsContainerRestartable(w.container, w.pod)
	}
	if s := p.Time().Sub(c.State.Running.StartedAt.Time); s < time.Duration(w.probe.InitialDelaySeconds)*time.Second {
		return true
	}
	if started := c.Started != nil && *c.Started; (w.key.probe == Startup) == started {
		return true // before it has started only that is asked, and after it not any more
	}
	result := w.ask(p)
	if w.stopped {
		return false
	}
	if w.lastResult == result {
		w.resultRun++
	} else {
		w.lastResult, w.resultRun = result, 1
	}
	if (result == kuberuntime.Failure && w.resultRun < max(w.probe.FailureThreshold, 1)) ||
		(result == kuberuntime.Success && w.resultRun < max(w.probe.SuccessThreshold, 1)) {
		return true
	}
	m.set(w.key.probe, w.key.uid, w.containerID, result)
	if result == kuberuntime.Failure && w.key.probe != Readiness {
		// It will be killed. Don't ask it any more.
		w.onHold, w.resultRun = true, 0
	}
	return true
}

// ask runs the probe and records a failure. Upstream: prober.go probe.
func (w *worker) ask(p *sim.Proc) kuberuntime.Verdict {
	p.Sleep(time.Millisecond)
	s, err := w.manager.runtime.ContainerStatus(w.containerID[len(cri.RuntimeName)+len("://"):])
	if err != nil || s.State != cri.ContainerRunning {
		return kuberuntime.Failure
	}
	failure, good := w.answer(p, s)
	if good {
		return kuberuntime.Success
	}
	p.Logger().V(1).Info("Probe failed", "probeType", string(w.key.probe), "pod", container.PodKey(w.pod), "containerName", w.container.Name, "output", failure)
	w.manager.recorder.Eventf(container.GenerateContainerRef(w.pod, w.container), corev1.EventTypeWarning, "Unhealthy",
		"%s probe failed: %s", w.key.probe, failure)
	return kuberuntime.Failure
}

// answer is what the container says, and whether that is good. A command that fails may say nothing.
// Upstream: prober.go runProbe, and pkg/probe/{exec,http,tcp,grpc}.
func (w *worker) answer(p *sim.Proc, s cri.Container) (says string, good bool) {
	timeout := time.Duration(max(w.probe.TimeoutSeconds, 1)) * time.Second
	ip := ""
	if sandbox, err := w.manager.runtime.PodSandboxStatus(s.SandboxID); err == nil {
		ip = sandbox.IP
	}
	ask := func(port int32, url string) cri.Response {
		return w.manager.runtime.Ask(p, s.SandboxID, port, cri.Request{URL: url}, timeout)
	}
	switch probe := w.probe; {
	case probe.Exec != nil:
		result, err := w.manager.runtime.ExecSync(p, s.ID, probe.Exec.Command, timeout)
		switch {
		case err != nil:
			return err.Error(), false
		case result.TimedOut:
			return fmt.Sprintf("command timed out: %q timed out after %v", strings.Join(probe.Exec.Command, " "), timeout), false
		case result.ExitCode != 0:
			return result.Stdout + result.Stderr, false
		}
		return "", true
	case probe.HTTPGet != nil:
		port, err := kuberuntime.ResolvePort(probe.HTTPGet.Port, w.container)
		if err != nil {
			return err.Error(), false
		}
		url := kuberuntime.HTTPURL(probe.HTTPGet, ip, port)
		response := ask(port, url)
		switch {
		case response.Failure == cri.TimedOut:
			return fmt.Sprintf("Get %q: context deadline exceeded (Client.Timeout exceeded while awaiting headers)", url), false
		case response.Failure == cri.Reset:
			return fmt.Sprintf("Get %q: EOF", url), false
		case response.Failure != "":
			return fmt.Sprintf("Get %q: dial tcp %s:%d: connect: connection refused", url, ip, port), false
		case response.Status < 200 || response.Status >= 400:
			return fmt.Sprintf("HTTP probe failed with statuscode: %d", response.Status), false
		}
		return "", true
	case probe.TCPSocket != nil:
		port, err := kuberuntime.ResolvePort(probe.TCPSocket.Port, w.container)
		if err != nil {
			return err.Error(), false
		}
		if response := ask(port, "tcp://"); response.Failure == cri.TimedOut {
			return fmt.Sprintf("dial tcp %s:%d: i/o timeout", ip, port), false
		} else if response.Failure != "" {
			return fmt.Sprintf("dial tcp %s:%d: connect: connection refused", ip, port), false
		}
		return "", true
	case probe.GRPC != nil:
		response := ask(probe.GRPC.Port, fmt.Sprintf("grpc://%s:%d/grpc.health.v1.Health/Check", ip, probe.GRPC.Port))
		switch {
		case response.Failure == cri.TimedOut:
			return fmt.Sprintf("timeout: health rpc did not complete within %v", timeout), false
		case response.Failure != "":
			return fmt.Sprintf("timeout: failed to connect service %q within %v: context deadline exceeded", fmt.Sprintf("%s:%d", ip, probe.GRPC.Port), timeout), false
		case response.Status != 200:
			return "service unhealthy (responded with \"NOT_SERVING\")", false
		}
		return "", true
	}
	return "missing probe handler for " + container.FormatPod(w.pod) + ":" + w.container.Name, false
}
