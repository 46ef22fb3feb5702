// Package cache is what the scheduler believes of the cluster: the nodes, the
// Pods on them, and the Pods that it has given a node but whose binding has not
// come back through the watch yet.
//
// That last part is why it exists. Binding takes a round trip to the API server
// and back through a watch; until then an informer's cache shows the Pod without
// a node. The scheduler does not wait for it: it assumes that the binding will
// succeed, counts the Pod in, and goes on with the next Pod. When the watch
// confirms, the assumption becomes fact (AddPod); when the binding fails, it is
// forgotten (ForgetPod).
//
// Guarantees: a Pod is counted on at most one node; a snapshot does not change;
// nodes come in the same order on every host, alternating between zones.
// Assumptions never expire, as upstream's do not by default (durationToExpireAssumedPod is 0).
// Every assumption is in the trace: PodAssume, PodForget, with CellAssumed.
//
// Absent: nominated Pods, Pod groups, volumes.
//
// Upstream: pkg/scheduler/backend/cache.
package cache

import (
	"fmt"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Cache is the scheduler's memory. Upstream: backend/cache/cache.go, cacheImpl.
type Cache struct {
	kernel *sim.Kernel

	// assumed holds the Pods whose binding has not been confirmed. Each is in pods too.
	assumed map[types.UID]bool
	pods    map[types.UID]*podState
	nodes   map[string]*framework.NodeInfo
	tree    nodeTree
	images  map[string]*image

	// changed are the nodes that differ, or may, from snapshot, which is of the
	// tree's version listed.
	changed  map[string]bool
	snapshot *Snapshot
	listed   int
}

type podState struct {
	pod *corev1.Pod
	// bindingFinished is set when the API server has answered the binding.
	bindingFinished bool
}

type image struct {
	size  int64
	nodes map[string]bool
}

// New returns an empty cache.
func New(k *sim.Kernel) *Cache {
	return &Cache{
		kernel:  k,
		assumed: map[types.UID]bool{},
		pods:    map[types.UID]*podState{},
		nodes:   map[string]*framework.NodeInfo{},
		images:  map[string]*image{},
		changed: map[string]bool{},
	}
}

// AssumePod counts a Pod in on its spec.nodeName, before it is bound there. It
// returns the event in the trace, of which the binding is a consequence.
func (c *Cache) AssumePod(pod *corev1.Pod) (trace.ID, error) {
	if _, ok := c.pods[pod.UID]; ok {
		return 0, fmt.Errorf("pod %v(%v) is in the cache, so can't be assumed", pod.UID, framework.Key(pod))
	}
	c.add(pod)
	c.assumed[pod.UID] = true
	return c.kernel.Emit(trace.PodAssume, framework.Ref(pod), trace.Attrs("node", pod.Spec.NodeName),
		trace.Set(assumedCell(pod), true)), nil
}

// FinishBinding notes that the API server has answered the binding. The Pod
// stays assumed until the watch confirms it.
func (c *Cache) FinishBinding(pod *corev1.Pod) {
	if s := c.pods[pod.UID]; s != nil && c.assumed[pod.UID] {
		s.bindingFinished = true
	}
}

// ForgetPod takes an assumption back.
func (c *Cache) ForgetPod(pod *corev1.Pod, reason string) error {
	s := c.pods[pod.UID]
	if s != nil && s.pod.Spec.NodeName != pod.Spec.NodeName {
		return fmt.Errorf("pod %v(%v) was assumed on %v but assigned to %v", pod.UID, framework.Key(pod), pod.Spec.NodeName, s.pod.Spec.NodeName)
	}
	if s == nil || !c.assumed[pod.UID] {
		return fmt.Errorf("pod %v(%v) wasn't assumed so cannot be forgotten", pod.UID, framework.Key(pod))
	}
	c.kernel.Emit(trace.PodForget, framework.Ref(pod), trace.Attrs("node", s.pod.Spec.NodeName, "reason", reason),
		trace.Unset(assumedCell(s.pod)))
	return c.remove(s.pod)
}

// AddPod takes a bound Pod from the watch. For an assumed Pod that is the
// confirmation, wherever it was really bound.
func (c *Cache) AddPod(pod *corev1.Pod) error {
	s := c.pods[pod.UID]
	switch {
	case s != nil && c.assumed[pod.UID]:
		if on := s.pod.Spec.NodeName; on != pod.Spec.NodeName {
			c.kernel.Logger().Info("Pod was added to a different node than it was assumed", "pod", framework.Key(pod),
				"podAssumedOn", on, "podAddedTo", pod.Spec.NodeName)
			c.kernel.Emit(trace.PodForget, framework.Ref(pod), trace.Attrs("node", on, "reason", "bound to "+pod.Spec.NodeName),
				trace.Unset(assumedCell(s.pod)))
		} else {
			// Not forgotten, but no assumption any more. The vocabulary has no word
			// of its own for that, so it is a line of the log that changes a cell.
			c.kernel.Emit(trace.Log, framework.Ref(pod), trace.Attrs("message", "Assumed pod is confirmed", "v", 5, "node", on),
				trace.Unset(assumedCell(s.pod)))
		}
		if err := c.remove(s.pod); err != nil {
			return err
		}
		c.add(pod)
	case s == nil:
		c.add(pod)
	default:
		return fmt.Errorf("pod %v(%v) was already in added state", pod.UID, framework.Key(pod))
	}
	return nil
}

// UpdatePod takes a new version of a bound Pod.
func (c *Cache) UpdatePod(oldPod, newPod *corev1.Pod) error {
	s := c.pods[oldPod.UID]
	if s == nil {
		return fmt.Errorf("pod %v(%v) is not added to scheduler cache, so cannot be updated", oldPod.UID, framework.Key(oldPod))
	}
	if c.assumed[oldPod.UID] {
		// An assumed Pod has no update, its binding comes as an addition.
		return fmt.Errorf("assumed pod %v(%v) should not be updated", oldPod.UID, framework.Key(oldPod))
	}
	if s.pod.Spec.NodeName != newPod.Spec.NodeName {
		panic(fmt.Sprintf("scheduler: pod %s moved from node %s to %s: a binding is for ever",
			framework.Key(newPod), s.pod.Spec.NodeName, newPod.Spec.NodeName))
	}
	if err := c.remove(s.pod); err != nil {
		return err
	}
	c.add(newPod)
	return nil
}

// RemovePod takes away a Pod that was deleted or has ended.
func (c *Cache) RemovePod(pod *corev1.Pod) error {
	s := c.pods[pod.UID]
	if s == nil {
		return fmt.Errorf("pod %v(%v) is not found in scheduler cache, so cannot be removed from it", pod.UID, framework.Key(pod))
	}
	if c.assumed[pod.UID] {
		c.kernel.Emit(trace.PodForget, framework.Ref(pod), trace.Attrs("node", s.pod.Spec.NodeName, "reason", "deleted"),
			trace.Unset(assumedCell(s.pod)))
	}
	return c.remove(s.pod)
}

// GetPod returns the version that is counted: an assumed Pod has its node there.
func (c *Cache) GetPod(uid types.UID) *corev1.Pod {
	if s := c.pods[uid]; s != nil {
		return s.pod
	}
	return nil
}

// IsAssumedPod tells whether the Pod's binding is unconfirmed.
func (c *Cache) IsAssumedPod(pod *corev1.Pod) bool { return c.assumed[pod.UID] }

// PodCount is how many Pods are counted, assumed ones included.
func (c *Cache) PodCount() int { return len(c.pods) }

func (c *Cache) add(pod *corev1.Pod) {
	c.changed[pod.Spec.NodeName] = true
	n := c.nodes[pod.Spec.NodeName]
	if n == nil {
		n = framework.NewNodeInfo(nil)
		c.nodes[pod.Spec.NodeName] = n
	}
	n.AddPodInfo(framework.NewPodInfo(pod))
	c.pods[pod.UID] = &podState{pod: pod}
}

func (c *Cache) remove(pod *corev1.Pod) error {
	delete(c.pods, pod.UID)
	delete(c.assumed, pod.UID)
	c.changed[pod.Spec.NodeName] = true
	n := c.nodes[pod.Spec.NodeName]
	if n == nil {
		return fmt.Errorf("node %v not found when trying to remove pod %v", pod.Spec.NodeName, framework.Key(pod))
	}
	if err := n.RemovePod(pod.UID); err != nil {
		return err
	}
	if len(n.Pods) == 0 && n.Node() == nil {
		delete(c.nodes, pod.Spec.NodeName)
	}
	return nil
}

func assumedCell(pod *corev1.Pod) trace.Cell {
	return trace.Cell{Kind: trace.CellAssumed, Owner: pod.Spec.NodeName, Key: framework.Key(pod)}
}
