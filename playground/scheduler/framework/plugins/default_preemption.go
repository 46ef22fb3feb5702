package plugins

import (
	"fmt"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/scheduler/framework"
	"kubewalk/playground/sim"
)

// defaultPreemption says whether evicting Pods of lower priority would make room,
// in upstream's words. It evicts nobody: when it could, it says that this
// scheduler does not, and the Pod waits.
// Upstream: plugins/defaultpreemption/default_preemption.go, framework/preemption/preemption.go.
type defaultPreemption struct{ handle framework.Handle }

func newDefaultPreemption(h framework.Handle) framework.Plugin { return defaultPreemption{h} }

func (defaultPreemption) Name() string { return DefaultPreemption }

func (pl defaultPreemption) PostFilter(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, filtered *framework.NodeToStatus) *framework.Status {
	if pod.Spec.PreemptionPolicy != nil && *pod.Spec.PreemptionPolicy == corev1.PreemptNever {
		return framework.NewStatus(framework.Unschedulable, "preemption: not eligible due to preemptionPolicy=Never.")
	}
	nodes := pl.handle.SnapshotNodes()
	counts := map[string]int{}
	for _, n := range nodes {
		if filtered.Get(n.Name()).Code() != framework.Unschedulable {
			counts["Preemption is not helpful for scheduling"]++
			continue
		}
		for _, reason := range pl.whyNotOn(p, state, pod, n) {
			counts[reason]++
		}
	}
	// A FitError in a FitError: the same form of message.
	return framework.NewStatus(framework.Unschedulable, fmt.Sprintf("preemption: "+framework.NoNodeAvailableMsg+": %s.",
		len(nodes), strings.Join(framework.Histogram(counts), ", ")))
}

// whyNotOn is upstream's SelectVictimsOnNode without its result.
func (pl defaultPreemption) whyNotOn(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) []string {
	without := node.Snapshot()
	victims := 0
	for _, pi := range node.Pods {
		if framework.PodPriority(pi.Pod) < framework.PodPriority(pod) {
			victims++
			if err := without.RemovePod(pi.Pod.UID); err != nil {
				panic(err) // it is in the list
			}
		}
	}
	if victims == 0 {
		return []string{"No preemption victims found for incoming pod"}
	}
	if s := pl.handle.RunFilterPlugins(p, state, pod, without); !s.IsSuccess() {
		return s.Reasons()
	}
	return []string{"Preemption would help, but this scheduler does not evict"}
}
