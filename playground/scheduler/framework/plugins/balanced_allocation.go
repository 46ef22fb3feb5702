package plugins

import (
	"math/bits"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/scheduler/framework"
	"kubewalk/playground/sim"
)

// balancedAllocation prefers nodes on which the Pod makes the use of CPU and
// memory more even. Upstream: plugins/noderesources/balanced_allocation.go.
//
// Upstream computes in float64. Here a fraction is a whole number of billionths,
// rounded down, and the score is rounded down once at the end, so it may be one
// less than upstream's where theirs lies within a billionth of a whole number.
type balancedAllocation struct{}

const balancedStateKey = "PreScore" + NodeResourcesBalancedAllocation

func newBalancedAllocation(framework.Handle) framework.Plugin { return balancedAllocation{} }

func (balancedAllocation) Name() string { return NodeResourcesBalancedAllocation }

// PreScore skips Pods that request nothing: they would all go to the one node
// that happens to be the most even.
func (balancedAllocation) PreScore(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, _ []*framework.NodeInfo) *framework.Status {
	r := framework.NewResource(framework.PodRequests(pod, false))
	if r.MilliCPU == 0 && r.Memory == 0 {
		return framework.NewStatus(framework.Skip)
	}
	state.Write(balancedStateKey, &r)
	return nil
}

// Score compares the node with and without the Pod: 75 when it changes nothing.
func (balancedAllocation) Score(_ *sim.Proc, state *framework.CycleState, _ *corev1.Pod, node *framework.NodeInfo) (int64, *framework.Status) {
	r, ok := framework.ReadState[*framework.Resource](state, balancedStateKey)
	if !ok {
		return 0, framework.NewStatus(framework.Error, `reading "PreScoreNodeResourcesBalancedAllocation" from cycleState: not found`)
	}
	used, capacity := &node.Requested, &node.Allocatable
	with := balance(used.MilliCPU+r.MilliCPU, capacity.MilliCPU, used.Memory+r.Memory, capacity.Memory)
	without := balance(used.MilliCPU, capacity.MilliCPU, used.Memory, capacity.Memory)
	const half = framework.MaxNodeScore / 2
	return half + (half+with-without)/2, nil
}

// balance is 100 when both are used to the same degree, 50 when one is full and
// the other empty: 100 × (1 − standard deviation of the two fractions).
func balance(cpu, allCPU, memory, allMemory int64) int64 {
	if allCPU == 0 || allMemory == 0 {
		return framework.MaxNodeScore // one fraction does not deviate
	}
	d := billionths(cpu, allCPU) - billionths(memory, allMemory)
	if d < 0 {
		d = -d
	}
	return (framework.MaxNodeScore*billion - framework.MaxNodeScore/2*d) / billion
}

const billion = 1_000_000_000

// billionths is part/whole, at most 1.
func billionths(part, whole int64) int64 {
	if part >= whole {
		return billion
	}
	hi, lo := bits.Mul64(uint64(part), billion)
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(q)
}
