package cri

import (
	"fmt"
	"strings"
	"time"
)

// memory is what a program uses: so much at some time, and so much more each
// second, up to a maximum.
type memory struct {
	base, rate, max int64
	since           time.Duration
	machine         int64 // of the whole machine, when that bounds it; 0 otherwise
}

func (m *memory) set(now time.Duration, p Program) {
	*m = memory{base: p.Memory, rate: p.Leak, max: p.MemoryMax, since: now}
}

func (m *memory) at(now time.Duration) int64 {
	ms := int64((now - m.since) / time.Millisecond)
	used := m.base + m.rate/1000*ms + m.rate%1000*ms/1000
	if m.max > 0 && used > m.max {
		return max(m.max, m.base)
	}
	return used
}

// oomAt is when the container will use more than its limit; never if it won't.
func (t *task) oomAt(c *Container) time.Duration {
	limit := c.Config.Resources.MemoryLimit
	m := &t.memory
	if limit <= 0 {
		limit = m.machine
	}
	switch {
	case limit <= 0 || t.dead:
		return never
	case m.base > limit:
		return m.since
	case m.rate <= 0 || m.max > 0 && m.max <= limit:
		return never
	}
	return m.since + time.Duration((limit-m.base)*1000/m.rate+1)*time.Millisecond
}

// spent is CPU time that went into requests in a window.
type spent struct {
	window int64
	time   time.Duration
}

// spendWindow is over how long the work for requests is averaged, as
// metrics-server does over the time between two scrapes.
const spendWindow = 15 * time.Second

func (t *task) spend(now, cost time.Duration) {
	w := int64(now / spendWindow)
	if t.spent[0].window != w {
		t.spent[1], t.spent[0] = t.spent[0], spent{window: w}
	}
	t.spent[0].time += cost
	t.counter += cost
}

// cpu is what a program uses now, in nanocores, within its limit.
func (t *task) cpu(now time.Duration, c *Container) int64 {
	used := t.program.CPU + t.load
	w := int64(now / spendWindow)
	for _, s := range t.spent {
		if s.window == w-1 {
			used += int64(s.time) * 1000 / int64(spendWindow/milli)
		}
	}
	if limit := c.Config.Resources.CPULimit; limit > 0 {
		used = min(used, limit)
	}
	return used
}

// used is how much of a CPU's time a program has had since it started: what the counter of its cgroup shows.
func (t *task) used(now time.Duration, c *Container) time.Duration {
	rate := t.program.CPU + t.load
	if limit := c.Config.Resources.CPULimit; limit > 0 {
		rate = min(rate, limit)
	}
	since := now - t.counted
	return t.counter + since/time.Second*time.Duration(rate) + since%time.Second/time.Microsecond*time.Duration(rate)/time.Duration(time.Second/time.Microsecond)
}

// count moves the counter up to now, before what the program uses changes.
func (t *task) count(now time.Duration, c *Container) {
	t.counter, t.counted = t.used(now, c), now
}

// ContainerStats is what one container uses. Upstream: CRI's ContainerStats.
type ContainerStats struct {
	Namespace, Pod, UID, Container string
	ID                             string
	CPUNanoCores                   int64         // a billion is one CPU
	CPUTime                        time.Duration // since it started. Upstream: UsageCoreNanoSeconds
	MemoryWorkingSet               int64         // bytes
	LogBytes, WritableLayer        int64         // on the disk
	StartedAt                      time.Time
}

// What a node uses beside its containers: the runtime and the kubelet themselves, and the system below them.
const (
	systemMilliCPU = 20
	SystemMemory   = 256 << 20 // bytes
)

// CPUTime is how much of its CPUs' time a node has used since it booted: the system, and all containers, with those that are gone.
func (r *Runtime) CPUTime() time.Duration {
	total := r.gone + (r.kernel.Elapsed()-r.booted)/1000*systemMilliCPU
	for _, c := range r.disk.containers {
		if t := r.tasks[c.ID]; t != nil {
			total += t.used(r.kernel.Elapsed(), c)
		}
	}
	return total
}

// ListContainerStats returns what each running container uses now, the oldest
// container first. Upstream: CRI's ListContainerStats.
func (r *Runtime) ListContainerStats() ([]ContainerStats, error) {
	if err := r.Status(); err != nil {
		return nil, err
	}
	now := r.kernel.Elapsed()
	var out []ContainerStats
	for _, c := range r.disk.containers {
		t, s := r.tasks[c.ID], r.disk.sandbox(c.SandboxID)
		if t == nil || s == nil {
			continue
		}
		out = append(out, ContainerStats{
			Namespace: s.Config.Namespace, Pod: s.Config.Name, UID: s.Config.UID, Container: c.Config.Name, ID: c.ID,
			CPUNanoCores: t.cpu(now, c), CPUTime: t.used(now, c), MemoryWorkingSet: t.memory.at(now), StartedAt: c.StartedAt,
			LogBytes: c.log.bytes(), WritableLayer: c.root.Bytes(),
		})
	}
	return out, nil
}

func (l *log) bytes() int64 {
	n := int64(0)
	for _, line := range l.lines {
		n += int64(len(line.Text)) + 1
	}
	return n
}

// UpdateContainerResources gives a running container other bounds: a program
// that uses more memory than its new limit is killed.
// Upstream: CRI's UpdateContainerResources.
func (r *Runtime) UpdateContainerResources(id string, resources Resources) error {
	if err := r.Status(); err != nil {
		return err
	}
	c := r.disk.container(id)
	if c == nil {
		return notFound(id)
	}
	t := r.tasks[id]
	if t != nil {
		t.count(r.kernel.Elapsed(), c)
	}
	c.Config.Resources = resources
	r.disk.changes++
	if t != nil {
		t.proc.Wake()
	}
	return nil
}

// The faults: what befalls one container. pod may end in *, for the Pod whose
// container is the oldest; container may be "", for a Pod's only or first one.

// find returns a running container and its program.
func (r *Runtime) find(namespace, pod, container string) (*Container, *task, error) {
	prefix, any := strings.CutSuffix(pod, "*")
	for _, c := range r.disk.containers {
		s, t := r.disk.sandbox(c.SandboxID), r.tasks[c.ID]
		if s == nil || t == nil || s.Config.Namespace != namespace {
			continue
		}
		if (s.Config.Name == pod || any && strings.HasPrefix(s.Config.Name, prefix)) && (container == "" || c.Config.Name == container) {
			return c, t, nil
		}
	}
	if container != "" {
		return nil, nil, fmt.Errorf("container %q of pod %s/%s does not run on node %q", container, namespace, pod, r.node)
	}
	return nil, nil, fmt.Errorf("no container of pod %s/%s runs on node %q", namespace, pod, r.node)
}

// Crash ends a container's program with an exit code.
func (r *Runtime) Crash(namespace, pod, container string, code int32) error {
	c, _, err := r.find(namespace, pod, container)
	if err == nil {
		r.crash(c, code)
	}
	return err
}

// SetMemory makes a container use so many bytes from now on. Above its limit it
// is killed for that.
func (r *Runtime) SetMemory(namespace, pod, container string, bytes int64) error {
	_, t, err := r.find(namespace, pod, container)
	if err == nil {
		t.memory = memory{base: bytes, since: r.kernel.Elapsed()}
		t.cause = r.kernel.Cause()
		t.proc.Wake()
	}
	return err
}

// SetLoad makes a container use so many nanocores more than its program does.
func (r *Runtime) SetLoad(namespace, pod, container string, nanoCores int64) error {
	c, t, err := r.find(namespace, pod, container)
	if err == nil {
		t.count(r.kernel.Elapsed(), c)
		t.load = nanoCores
	}
	return err
}

// Hosts tells whether a container of the Pod runs here.
func (r *Runtime) Hosts(namespace, pod string) bool {
	if !r.component.Running() {
		return false
	}
	_, _, err := r.find(namespace, pod, "")
	return err == nil
}
