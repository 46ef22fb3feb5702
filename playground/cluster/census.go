package cluster

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// censusEvery is how often what was counted is told, if it has changed.
const censusEvery = 100 * time.Millisecond

// census counts nodes and Pods as they are committed, for runs of which the
// trace keeps no commits. It reads what etcd writes and nothing else.
type census struct {
	kernel  *sim.Kernel
	nodes   map[string]*nodeCount
	order   []*nodeCount // that changed since the last summary, each once
	counts  map[string]int64
	told    map[string]int64
	now     flow
	seconds [10]flow // the last ones, each censusEvery long
	tick    int
}

// flow is what happened in a while.
type flow struct{ created, bound, started, deleted, commits int64 }

// nodeCount is what is known of a node, whether or not its Node is there.
type nodeCount struct {
	trace.NodeCount
	zone, name string
	exists     bool
	changed    bool
}

// What Pods are counted as.
const (
	podsPending     = "pending"     // no node
	podsStarting    = "starting"    // bound, not running yet
	podsReady       = "ready"       // Ready
	podsNotReady    = "notReady"    // running, not Ready
	podsTerminating = "terminating" // being deleted
	podsFinished    = "finished"    // succeeded or failed
)

var podCounts = []string{podsPending, podsStarting, podsReady, podsNotReady, podsTerminating, podsFinished}

// count begins to count, with what is in the store already.
func (c *Cluster) count(etcd *sim.Component) {
	if c.config.Trace != trace.Totals {
		return
	}
	if c.census != nil {
		c.census.ticks(etcd)
		return
	}
	s := &census{kernel: c.kernel, nodes: map[string]*nodeCount{}, counts: map[string]int64{}, told: map[string]int64{}}
	for _, resource := range []string{"nodes", "pods"} {
		for _, obj := range c.objects(resource) {
			s.change(nil, obj)
		}
	}
	_, err := c.store.Watch(c.store.Revision(), s.committed)
	must(err)
	s.now = flow{}
	etcd.Run(s.tell)
	c.census = s
	s.ticks(etcd)
}

// ticks tells what has changed while etcd runs.
func (s *census) ticks(etcd *sim.Component) {
	var tick func()
	tick = func() {
		s.tell()
		etcd.After(censusEvery, tick)
	}
	etcd.After(censusEvery, tick)
}

func (s *census) committed(e store.Event) {
	s.now.commits++
	switch {
	case e.Key.Resource != "pods" && e.Key.Resource != "nodes":
	case e.Type == store.Deleted:
		s.change(e.Previous, nil)
	default:
		s.change(e.Previous, e.Object)
	}
}

// change counts an object's old state out and its new one in. Either may be nil.
func (s *census) change(old, now api.Object) {
	switch o := now.(type) {
	case *corev1.Node:
		s.node(o)
		return
	case *corev1.Pod:
		before, _ := old.(*corev1.Pod)
		s.flowed(before, o)
	}
	switch o := old.(type) {
	case *corev1.Node:
		n := s.at(o.Name)
		n.exists, n.Ready = false, false
		s.touch(n)
		return
	case *corev1.Pod:
		s.pod(o, -1)
		if now == nil {
			s.now.deleted++
		}
	}
	if pod, ok := now.(*corev1.Pod); ok {
		s.pod(pod, 1)
	}
}

func (s *census) flowed(before, pod *corev1.Pod) {
	if before == nil {
		s.now.created++
	}
	if pod.Spec.NodeName != "" && (before == nil || before.Spec.NodeName == "") {
		s.now.bound++
	}
	if stateOf(pod) == podsReady && (before == nil || stateOf(before) != podsReady) {
		s.now.started++
	}
}

func (s *census) at(name string) *nodeCount {
	n := s.nodes[name]
	if n == nil {
		n = &nodeCount{name: name}
		s.nodes[name] = n
	}
	return n
}

func (s *census) touch(n *nodeCount) {
	if !n.changed {
		n.changed = true
		s.order = append(s.order, n)
	}
}

func (s *census) node(o *corev1.Node) {
	n := s.at(o.Name)
	was := *n
	n.exists, n.zone = true, o.Labels[corev1.LabelTopologyZone]
	most := o.Status.Allocatable[corev1.ResourcePods]
	n.Most, n.Cordoned, n.Ready = int(most.Value()), o.Spec.Unschedulable, false
	for i := range o.Status.Conditions {
		if c := &o.Status.Conditions[i]; c.Type == corev1.NodeReady {
			n.Ready = c.Status == corev1.ConditionTrue
		}
	}
	if *n != was {
		s.touch(n)
	}
}

func (s *census) pod(pod *corev1.Pod, sign int) {
	state := stateOf(pod)
	s.counts[state] += int64(sign)
	if pod.Spec.NodeName == "" || state == podsFinished {
		return
	}
	n := s.at(pod.Spec.NodeName)
	n.Pods += sign
	if state == podsStarting || state == podsTerminating {
		n.Changing += sign
	}
	s.touch(n)
}

// stateOf is what a Pod counts as.
func stateOf(pod *corev1.Pod) string {
	phase := pod.Status.Phase
	switch {
	case phase == corev1.PodSucceeded || phase == corev1.PodFailed:
		return podsFinished
	case pod.DeletionTimestamp != nil:
		return podsTerminating
	case pod.Spec.NodeName == "":
		return podsPending
	}
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return podsReady
		}
	}
	if phase == corev1.PodRunning {
		return podsNotReady
	}
	return podsStarting
}

// tell emits a summary if a count has changed, and once a second for the rates.
func (s *census) tell() {
	s.seconds[s.tick%len(s.seconds)] = s.now
	s.now = flow{}
	s.tick++
	var deltas []trace.Delta
	ready, nodes := s.counts["nodesReady"], s.counts["nodes"]
	for _, n := range s.order {
		n.changed = false
		cell := trace.Cell{Kind: trace.CellNodeCount, Owner: n.zone, Key: n.name}
		before, was := s.kernel.Trace().Now()[cell].(trace.NodeCount)
		if was {
			nodes--
			if before.Ready {
				ready--
			}
		}
		if !n.exists {
			deltas = append(deltas, trace.Unset(cell))
			if n.Pods == 0 {
				delete(s.nodes, n.name)
			}
			continue
		}
		nodes++
		if n.Ready {
			ready++
		}
		if !was || before != n.NodeCount {
			deltas = append(deltas, trace.Set(cell, n.NodeCount))
		}
	}
	s.order = s.order[:0]
	s.counts["nodesReady"], s.counts["nodes"] = ready, nodes
	total := int64(0)
	for _, name := range podCounts {
		total += s.counts[name]
	}
	s.counts["pods"] = total
	attrs := make([]trace.Attr, 0, 14)
	for _, name := range append([]string{"nodes", "nodesReady", "pods"}, podCounts...) {
		n := s.counts[name]
		attrs = append(attrs, trace.Attr{Key: name, Value: n})
		if n != s.told[name] {
			s.told[name] = n
			deltas = append(deltas, trace.Set(trace.Cell{Kind: trace.CellCount, Owner: "cluster", Key: name}, n))
		}
	}
	if len(deltas) == 0 && s.tick%len(s.seconds) != 1 {
		return
	}
	var sum flow
	for _, f := range s.seconds {
		sum.created += f.created
		sum.bound += f.bound
		sum.started += f.started
		sum.deleted += f.deleted
		sum.commits += f.commits
	}
	attrs = append(attrs, trace.Attrs("created", sum.created, "bound", sum.bound, "started", sum.started, "deleted", sum.deleted, "commits", sum.commits)...)
	s.kernel.Emit(trace.Summary, trace.Ref{}, attrs, deltas...)
}
