// Package pleg notices what happens to containers: the Pod lifecycle event
// generator. Once a second it asks the runtime for all containers, compares
// with the second before, refreshes the cache for the Pods that differ and
// tells the kubelet's loop. A pod worker that has just changed something asks
// for its own Pod to be looked at at once.
//
// So a container that ended is noticed up to a second later, and never missed.
//
// Upstream: pkg/kubelet/pleg/generic.go. Absent: the evented PLEG.
package pleg

import (
	"slices"
	"time"

	"kubewalk/playground/api/types"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/kubelet/mailbox"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// EventType says what happened to a container or sandbox.
type EventType string

// Upstream: pleg.go.
const (
	ContainerStarted EventType = "ContainerStarted"
	ContainerDied    EventType = "ContainerDied"
	ContainerRemoved EventType = "ContainerRemoved"
	ContainerChanged EventType = "ContainerChanged"
	// ConditionMet: what a sync of the Pod has changed in place can be seen now.
	ConditionMet EventType = "ConditionMet"
)

// Event is one thing that was noticed. Upstream: PodLifecycleEvent.
type Event struct {
	ID   types.UID // the Pod
	Type EventType
	Data string // the container's or sandbox' ID
}

// RelistPeriod is how often all Pods are looked at.
const RelistPeriod = time.Second

// Runtime is what the PLEG reads.
type Runtime interface {
	// Changes grows with every change of a sandbox or a container, -1 if it is unknown.
	Changes() int64
	// ChangedAt is what Changes was after a Pod's last change, 0 if there is nothing of it.
	ChangedAt(uid types.UID) int64
	// PodsChangedSince lists the Pods that have changed after Changes was that number, in the order of their first sandbox.
	PodsChangedSince(changes int64) ([]types.UID, error)
	// GetPod is what there is of one Pod, nil for nothing.
	GetPod(uid types.UID) (*container.Pod, error)
	GetPodStatus(p *sim.Proc, uid types.UID) (*container.PodStatus, error)
}

// Generic is the PLEG.
type Generic struct {
	runtime  Runtime
	cache    *container.Cache
	deliver  func(Event)
	requests *mailbox.Box[types.UID]
	// pods is what was seen last, in the order of first sight.
	pods     map[types.UID]*record
	order    []types.UID
	now      []sighting // see look
	relisted bool
	// changes is the runtime's number at the last relist that left nothing stale: while it is the same, a relist would find nothing.
	changes int64
	// looked is the runtime's number at the last relist: a Pod that has not changed since is as it was seen, unless it is stale.
	looked int64
}

type record struct {
	// seen are containers and sandboxes, the containers first: a handful.
	seen []sighting
	// stale is true when the Pod's status couldn't be read: it is tried again at the next relist.
	stale bool
}

// sighting is what a container or sandbox was in.
type sighting struct {
	id    string
	state state
	cause trace.ID
}

type state string

const (
	running     state = "running"
	exited      state = "exited"
	unknown     state = "unknown"
	nonExistent state = "non-existent"
)

// New returns a PLEG that fills the cache and hands its events to deliver.
func New(k *sim.Kernel, runtime Runtime, cache *container.Cache, deliver func(Event)) *Generic {
	return &Generic{runtime: runtime, cache: cache, deliver: deliver, requests: mailbox.New[types.UID](k), pods: map[types.UID]*record{}}
}

// Healthy tells whether a relist has succeeded yet.
func (g *Generic) Healthy() bool { return g.relisted }

// RequestRelist asks for one Pod to be looked at soon.
func (g *Generic) RequestRelist(uid types.UID) { g.requests.Put(uid) }

// Run is the PLEG's process.
func (g *Generic) Run(p *sim.Proc) {
	k, start := p.Kernel(), p.Kernel().Cause()
	g.Relist(p)
	next := p.Now() + RelistPeriod
	for {
		if uid, ok := g.requests.GetUntil(p, next); ok {
			g.relistPod(p, uid)
			continue
		}
		// What a tick does is not due to what the loop did before it.
		k.Because(start, func() { g.Relist(p) })
		for next <= p.Now() {
			next += RelistPeriod
		}
	}
}

// Relist looks at all Pods.
func (g *Generic) Relist(p *sim.Proc) {
	changes := g.runtime.Changes()
	if g.relisted && changes >= 0 && changes == g.changes {
		g.cache.UpdateTime()
		return
	}
	changed, err := g.runtime.PodsChangedSince(g.looked)
	if err != nil {
		p.Logger().Error(err, "GenericPLEG: Unable to retrieve pods")
		return
	}
	for _, uid := range changed {
		if g.pods[uid] == nil {
			g.pods[uid] = &record{}
			g.order = append(g.order, uid)
		}
	}
	before := g.looked
	g.relisted, g.changes, g.looked = true, changes, changes
	for _, uid := range slices.Clone(g.order) {
		if at := g.runtime.ChangedAt(uid); at != 0 && at <= before && !g.pods[uid].stale {
			continue
		}
		pod, err := g.runtime.GetPod(uid)
		if err != nil {
			p.Logger().Error(err, "GenericPLEG: Unable to retrieve pods")
			return
		}
		g.reconcile(p, uid, pod)
	}
	g.cache.UpdateTime()
}

func (g *Generic) relistPod(p *sim.Proc, uid types.UID) {
	current, err := g.runtime.GetPod(uid)
	if err != nil {
		p.Logger().Error(err, "GenericPLEG: Unable to retrieve pods")
		return
	}
	if g.pods[uid] == nil {
		if current == nil {
			return
		}
		g.pods[uid] = &record{}
		g.order = append(g.order, uid)
	}
	g.pods[uid].stale = true // read its status in any case
	g.reconcile(p, uid, current)
}

// reconcile compares a Pod with what was seen of it before.
// Upstream: reconcilePodRecord, computeEvents and updateCache.
func (g *Generic) reconcile(p *sim.Proc, uid types.UID, pod *container.Pod) {
	old := g.pods[uid]
	now := g.look(pod)
	if !old.stale && slices.EqualFunc(old.seen, now, func(a, b sighting) bool { return a.id == b.id && a.state == b.state }) {
		return
	}
	type noticed struct {
		event Event
		cause trace.ID
	}
	var events []noticed
	notice := func(s sighting, before, after state) {
		for _, t := range generateEvents(before, after) {
			events = append(events, noticed{Event{uid, t, s.id}, s.cause})
		}
	}
	for _, s := range old.seen {
		after := find(now, s.id)
		notice(after, s.state, after.state)
	}
	for _, s := range now {
		if before := find(old.seen, s.id); before.state == nonExistent {
			notice(s, nonExistent, s.state)
		}
	}
	if len(events) == 0 && !old.stale {
		return
	}
	if len(events) > 0 {
		p.Due(events[len(events)-1].cause)
	}
	if pod == nil {
		delete(g.pods, uid)
		g.forget(uid)
		g.cache.Delete(uid)
		p.Logger().V(4).Info("PLEG: Delete status for pod", "podUID", uid)
	} else {
		status, err := g.runtime.GetPodStatus(p, uid)
		if err != nil {
			p.Logger().Error(err, "PLEG: Write status", "podUID", uid)
			old.stale, g.changes = true, -1
		} else {
			status.IPs = g.podIPs(uid, status)
			g.pods[uid] = &record{seen: slices.Clone(now)}
		}
		g.cache.Set(uid, status, err)
		if err != nil {
			return
		}
	}
	for _, n := range events {
		if n.event.Type == ContainerChanged {
			continue
		}
		p.Due(n.cause)
		g.deliver(n.event)
	}
}

// podIPs keeps a Pod's addresses while it has no sandbox that is ready: so that
// the status of one that has ended still shows them. Upstream: getPodIPs.
func (g *Generic) podIPs(uid types.UID, status *container.PodStatus) []string {
	if len(status.IPs) > 0 {
		return status.IPs
	}
	old, err := g.cache.Get(uid)
	if err != nil || old == nil || len(old.IPs) == 0 {
		return nil
	}
	for _, s := range status.SandboxStatuses {
		if s.State == cri.SandboxReady {
			return nil
		}
	}
	return old.IPs
}

func (g *Generic) forget(uid types.UID) {
	for i, other := range g.order {
		if other == uid {
			g.order = append(g.order[:i:i], g.order[i+1:]...)
			return
		}
	}
}

// look writes down what there is of a Pod. The next look overwrites it.
func (g *Generic) look(pod *container.Pod) []sighting {
	out := g.now[:0]
	if pod != nil {
		for i := range pod.Containers {
			c := &pod.Containers[i]
			out = append(out, sighting{c.ID, containerState(c.State), c.Cause})
		}
		for i := range pod.Sandboxes {
			s := &pod.Sandboxes[i]
			state := exited
			if s.State == cri.SandboxReady {
				state = running
			}
			out = append(out, sighting{s.ID, state, s.Cause})
		}
	}
	g.now = out
	return out
}

// find returns what was seen of a container or sandbox.
func find(seen []sighting, id string) sighting {
	for _, s := range seen {
		if s.id == id {
			return s
		}
	}
	return sighting{id: id, state: nonExistent}
}

func containerState(s cri.ContainerState) state {
	switch s {
	case cri.ContainerRunning:
		return running
	case cri.ContainerExited:
		return exited
	}
	return unknown
}

// generateEvents tells what a change of state means. Upstream: generic.go generateEvents.
func generateEvents(old, now state) []EventType {
	if old == now {
		return nil
	}
	switch now {
	case running:
		return []EventType{ContainerStarted}
	case exited:
		return []EventType{ContainerDied}
	case unknown:
		return []EventType{ContainerChanged}
	}
	if old == exited {
		return []EventType{ContainerRemoved}
	}
	return []EventType{ContainerDied, ContainerRemoved}
}
