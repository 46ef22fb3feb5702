package cluster

import (
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/controlplane/controller/daemonset"
	"kubewalk/playground/controlplane/controller/job"
	"kubewalk/playground/controlplane/controller/replicaset"
	"kubewalk/playground/sim"
)

// Switch builds one component of a cluster otherwise than the real one: what
// would happen if it had no expectations, if its cache were stale? Everything
// else is the same, with the same seed.
type Switch struct {
	Kind SwitchKind `json:"kind"`
	// Component is whose; for NoBackOff "kubelet" is all of them.
	Component string `json:"component"`
	// Resource is that of a watch, or of what is created; "" is any.
	Resource string `json:"resource,omitempty"`
	// From is when it begins, since the epoch.
	From time.Duration `json:"from,omitempty"`
	// For is how long a cache stands still, or a component is away.
	For time.Duration `json:"for,omitempty"`
	// Late is how long what a watch brings lies there before the cache has it.
	Late time.Duration `json:"late,omitempty"`
	// Nth is the request to create at which a component is killed, from 1.
	Nth int `json:"nth,omitempty"`
}

// SwitchKind says what is different.
type SwitchKind string

// The switches.
const (
	// WithoutExpectations: the controller does not remember what it asked for,
	// neither the Pods (expectations) nor the versions that it wrote. It always
	// believes its cache, and does harm when that is behind: Late, as a busy
	// cluster's may be.
	WithoutExpectations SwitchKind = "without-expectations"
	// EdgeTriggered: the controller acts on each event by itself, and never
	// compares what is with what should be.
	EdgeTriggered SwitchKind = "edge-triggered"
	// StaleCache: the component's informers of Resource are Late behind, or stand
	// still from From on, For a while.
	StaleCache SwitchKind = "stale-cache"
	// BrokenWatch: the component does not notice that a watch has ended, and so
	// neither opens another nor lists. With From the watch breaks then; without
	// it, when a fault breaks it.
	BrokenWatch SwitchKind = "broken-watch"
	// KilledMidBatch: the component is killed as its Nth request to create a
	// Resource since From leaves, and started again after For; with 0 it is not.
	KilledMidBatch SwitchKind = "killed-mid-batch"
	// NoBackOff: the component tries again at once what failed: the keys of its
	// work queues, the Pods of a scheduler, the containers and images of a kubelet.
	NoBackOff SwitchKind = "no-back-off"
)

// SwitchKinds are all of them.
var SwitchKinds = []SwitchKind{WithoutExpectations, EdgeTriggered, StaleCache, BrokenWatch, KilledMidBatch, NoBackOff}

// kubelets is the component that means every kubelet.
const everyKubelet = "kubelet"

// Switchable are the components of a cluster that a switch can be about.
func (c Config) Switchable(kind SwitchKind) []string {
	running := slices.DeleteFunc(c.Components(), func(name string) bool {
		return !CanStop(name) || name == Etcd || name == APIServer || slices.Contains(c.managers(), name)
	})
	some := func(names ...string) []string {
		return slices.DeleteFunc(running, func(name string) bool { return !slices.Contains(names, name) })
	}
	switch kind {
	case WithoutExpectations:
		return some(replicaset.Name, daemonset.Name, job.Name)
	case EdgeTriggered:
		return some(replicaset.Name)
	case NoBackOff:
		return append(running, everyKubelet)
	}
	return running
}

// Validate says what is wrong with a switch in a cluster.
func (s *Switch) Validate(c Config) error {
	if !slices.Contains(SwitchKinds, s.Kind) {
		return fmt.Errorf("switch %q is unknown", s.Kind)
	}
	if known := c.Switchable(s.Kind); !slices.Contains(known, s.Component) {
		return fmt.Errorf("switch %q cannot be about component %q (%s)", s.Kind, s.Component, suggest.Cure(s.Component, known))
	}
	if s.Kind == StaleCache && (s.Late > 0) == (s.For > 0) {
		return fmt.Errorf("switch %q: a cache is late, or it stands still for a while", s.Kind)
	}
	if s.Kind == KilledMidBatch && s.Nth < 1 {
		return fmt.Errorf("switch %q: it counts requests from 1", s.Kind)
	}
	return nil
}

// throw applies a switch before anything is built.
func (c *Cluster) throw(s *Switch) {
	if s == nil {
		return
	}
	must(s.Validate(c.config))
	switch s.Kind {
	case WithoutExpectations:
		c.kernel.Build(s.Component, sim.Forgetful)
		if s.Late > 0 {
			c.faulty = &faulty{cluster: c, Switch: *s}
		}
	case EdgeTriggered:
		c.kernel.Build(s.Component, sim.EdgeTriggered)
	case NoBackOff:
		c.kernel.Build(s.Component, sim.Hasty)
		for _, n := range c.config.Nodes {
			if s.Component == everyKubelet {
				c.kernel.Build(kubeletName(n.Name), sim.Hasty)
			}
		}
	default:
		c.faulty = &faulty{cluster: c, Switch: *s}
		if s.Kind == BrokenWatch && s.From > 0 {
			c.kernel.At(s.From, func() { c.mishap(Input{Kind: DropWatch, Component: s.Component, Resource: s.Resource}) })
		}
	}
}
