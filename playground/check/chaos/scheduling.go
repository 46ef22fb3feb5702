package chaos

import (
	"fmt"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "priorities", act: (*dice).priorities, unsettled: prioritiesUnsettled, holds: prioritiesHold})
}

// ranked is the app of the Pods that push each other away.
const ranked = "ranked"

// ranks are the priority classes. All are below what Pods have by default, so
// that these push each other away, and give way to all others.
var ranks = []struct {
	name   string
	value  int
	policy string
}{{"ranked-low", -1000, "PreemptLowerPriority"}, {"ranked-polite", -500, "Never"}, {"ranked-high", -10, "PreemptLowerPriority"}}

func (d *dice) priorities(at time.Duration) {
	if d.once("priorityclasses") {
		for _, r := range ranks {
			d.apply(at, map[string]any{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": map[string]any{"name": r.name},
				"value": r.value, "preemptionPolicy": r.policy})
		}
		return
	}
	for range 1 + d.IntN(4) {
		d.rankedPod(at)
	}
}

func (d *dice) rankedPod(at time.Duration) {
	name := fmt.Sprintf("%s-%d", ranked, d.IntN(16))
	if d.applied["pods/"+name] && d.IntN(3) > 0 {
		return
	}
	if !d.once("pods/" + name) {
		d.applied["pods/"+name] = false
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: name})
		return
	}
	spec := map[string]any{
		"terminationGracePeriodSeconds": []int{0, 2, 30}[d.IntN(3)],
		"containers": []any{map[string]any{"name": "c", "image": "nginx:1.27", "resources": map[string]any{
			"requests": map[string]any{"cpu": []string{"500m", "1500m", "2", "3"}[d.IntN(4)]}}}},
	}
	spec["priorityClassName"] = ranks[d.IntN(len(ranks))].name
	label := ranked
	if d.IntN(4) == 0 {
		label = "apart" // one that wants no other of its kind on its node
		spec["affinity"] = map[string]any{"podAntiAffinity": map[string]any{"requiredDuringSchedulingIgnoredDuringExecution": []any{map[string]any{
			"topologyKey": corev1.LabelHostname, "labelSelector": map[string]any{"matchLabels": map[string]any{"app": label}}}}}}
	}
	d.apply(at, map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name, "labels": map[string]any{"app": label}}, "spec": spec})
}

// milliCPU is what a Pod of these asks for.
func milliCPU(pod *corev1.Pod) (sum int64) {
	for i := range pod.Spec.Containers {
		q := pod.Spec.Containers[i].Resources.Requests[corev1.ResourceCPU]
		sum += q.MilliValue()
	}
	return sum
}

func priorityOf(pod *corev1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

// A Pod waits only if there is room for it nowhere, not even by evicting whom it
// may evict; and what runs on a node, the node has.
func prioritiesUnsettled(s trace.State, say sayer) {
	on := map[string][]*corev1.Pod{}
	var waiting []*corev1.Pod
	var nodes []*corev1.Node
	for _, c := range s.Cells(trace.CellObject) {
		switch o := s[c].(type) {
		case *corev1.Node:
			nodes = append(nodes, o)
		case *corev1.Pod:
			switch {
			case o.Status.Phase == corev1.PodSucceeded || o.Status.Phase == corev1.PodFailed:
			case o.Spec.NodeName != "":
				on[o.Spec.NodeName] = append(on[o.Spec.NodeName], o)
			case o.Labels["app"] == ranked && o.DeletionTimestamp == nil:
				waiting = append(waiting, o)
			}
		}
	}
	for _, n := range nodes {
		cpu := n.Status.Allocatable[corev1.ResourceCPU]
		var used int64
		for _, pod := range on[n.Name] {
			used += milliCPU(pod)
		}
		if used > cpu.MilliValue() {
			say("node %s has %dm CPU, and %dm are asked for by what is on it", n.Name, cpu.MilliValue(), used)
		}
	}
	for _, pod := range waiting {
		for _, n := range nodes {
			if free, ok := roomFor(pod, n, on[n.Name]); ok {
				say("pod %s of priority %d waits for %dm CPU, and node %s has %dm", pod.Name, priorityOf(pod), milliCPU(pod), n.Name, free)
			}
		}
	}
}

// roomFor counts whom the Pod may evict as gone.
func roomFor(pod *corev1.Pod, n *corev1.Node, there []*corev1.Pod) (milli int64, ok bool) {
	ready := false
	for _, c := range n.Status.Conditions {
		ready = ready || c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	}
	if !ready || n.Spec.Unschedulable || len(n.Spec.Taints) > 0 {
		return 0, false
	}
	cpu, pods := n.Status.Allocatable[corev1.ResourceCPU], n.Status.Allocatable[corev1.ResourcePods]
	left, seats := cpu.MilliValue(), pods.Value()
	evicts := pod.Spec.PreemptionPolicy == nil || *pod.Spec.PreemptionPolicy != corev1.PreemptNever
	for _, o := range there {
		if evicts && priorityOf(o) < priorityOf(pod) {
			continue
		}
		left -= milliCPU(o)
		seats--
	}
	return left, left >= milliCPU(pod) && seats > 0
}

// prioritiesHold: nobody evicts whom nobody is above, and who is too polite to
// evict is promised nothing.
func prioritiesHold(rec *trace.Recorder, say sayer) {
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Op != trace.StoreCommit {
			continue
		}
		for _, d := range e.Deltas {
			pod, ok := d.New.(*corev1.Pod)
			if !ok || d.Cell.Kind != trace.CellObject {
				continue
			}
			for _, c := range pod.Status.Conditions {
				if c.Type == corev1.DisruptionTarget && c.Reason == corev1.PodReasonPreemptionByScheduler && priorityOf(pod) >= 0 {
					say("event %d: pod %s of priority %d was evicted for another", e.ID, pod.Name, priorityOf(pod))
				}
			}
			polite := pod.Spec.PreemptionPolicy != nil && *pod.Spec.PreemptionPolicy == corev1.PreemptNever
			if polite && pod.Status.NominatedNodeName != "" {
				say("event %d: pod %s evicts nobody, and is nominated for %s", e.ID, pod.Name, pod.Status.NominatedNodeName)
			}
		}
	}
}
