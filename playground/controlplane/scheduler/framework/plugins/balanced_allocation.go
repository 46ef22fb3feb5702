package plugins

import (
	"math/bits"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// balancedAllocation prefers nodes on which the Pod makes the use of CPU and
// memory, or what else the profile names, more even. Upstream: plugins/noderesources/balanced_allocation.go.
//
// Upstream computes in float64. Here a fraction is a whole number of billionths,
// rounded down, and the score is rounded down once at the end, so it may be one
// less than upstream's where theirs lies within a billionth of a whole number.
type balancedAllocation struct{ resources []corev1.ResourceName }

const balancedStateKey = "PreScore" + NodeResourcesBalancedAllocation

func newBalancedAllocation(args config.Args, _ framework.Handle) (framework.Plugin, error) {
	pl := &balancedAllocation{}
	for _, r := range args.(*config.NodeResourcesBalancedAllocationArgs).Resources {
		pl.resources = append(pl.resources, corev1.ResourceName(r.Name))
	}
	return pl, nil
}

func (*balancedAllocation) Name() string { return NodeResourcesBalancedAllocation }

// PreScore skips Pods that request nothing: they would all go to the one node
// that happens to be the most even.
func (pl *balancedAllocation) PreScore(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, _ []*framework.NodeInfo) *framework.Status {
	r := framework.NewResource(framework.PodRequests(pod, false))
	for _, name := range pl.resources {
		if r.Value(name) != 0 {
			state.Write(balancedStateKey, &r)
			return nil
		}
	}
	return framework.NewStatus(framework.Skip)
}

// Score compares the node with and without the Pod: 75 when it changes nothing.
func (pl *balancedAllocation) Score(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) (int64, *framework.Status) {
	r, ok := framework.ReadState[*framework.Resource](state, balancedStateKey)
	if !ok {
		// PreScore is disabled.
		computed := framework.NewResource(framework.PodRequests(pod, false))
		r = &computed
	}
	with := pl.balance(node, r)
	without := pl.balance(node, &framework.Resource{})
	const half = framework.MaxNodeScore / 2
	return half + (half+with-without)/2, nil
}

// ScoreExtensions: scores are between 50 and 100 already.
func (*balancedAllocation) ScoreExtensions() framework.ScoreExtensions { return nil }

// balance is 100 when all are used to the same degree, and 50 when of two one is
// full and the other empty: 100 × (1 − standard deviation of the fractions).
func (pl *balancedAllocation) balance(node *framework.NodeInfo, r *framework.Resource) int64 {
	var room [4]int64
	fractions := room[:0]
	for _, name := range pl.resources {
		want, capacity := r.Value(name), node.Allocatable.Value(name)
		if capacity == 0 || want == 0 && framework.IsScalarResourceName(name) {
			continue
		}
		fractions = append(fractions, billionths(node.Requested.Value(name)+want, capacity))
	}
	return (framework.MaxNodeScore*billion - framework.MaxNodeScore*deviation2(fractions)/2) / billion
}

// deviation2 is twice the standard deviation of some fractions.
func deviation2(fractions []int64) int64 {
	switch len(fractions) {
	case 0, 1:
		return 0
	case 2:
		if d := fractions[0] - fractions[1]; d >= 0 {
			return d
		}
		return fractions[1] - fractions[0]
	}
	n := int64(len(fractions))
	var mean int64
	for _, f := range fractions {
		mean += f
	}
	mean /= n
	var sum uint64 // of squares of billionths: below n × 10^18, which has room for 18
	for _, f := range fractions {
		sum += uint64((f - mean) * (f - mean) / n)
	}
	return int64(2 * sqrt(sum))
}

// sqrt is the largest whole number whose square is not more than n.
func sqrt(n uint64) uint64 {
	var root uint64
	for bit := uint64(1) << 31; bit > 0; bit >>= 1 {
		if try := root | bit; try*try <= n {
			root = try
		}
	}
	return root
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
