package framework

import (
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/sim"
)

// Scores of a node, after normalisation. Upstream: kube-scheduler/framework/interface.go.
const (
	MaxNodeScore int64 = 100
	MinNodeScore int64 = 0
	// MaxTotalScore bounds what Score may return before normalisation.
	MaxTotalScore int64 = 1<<63 - 1
)

// Plugin is what all plugins are. One implements those of the interfaces below
// at whose extension points it wants to be asked.
// Upstream: kube-scheduler/framework/interface.go, Plugin and the interfaces after it.
type Plugin interface {
	Name() string
}

// PreEnqueuePlugin is asked before a Pod enters activeQ. Who turns it down gates it.
type PreEnqueuePlugin interface {
	Plugin
	PreEnqueue(pod *corev1.Pod) *Status
}

// LessFunc tells whether a is to be scheduled before b.
type LessFunc func(a, b *QueuedPodInfo) bool

// QueueSortPlugin orders activeQ. There is exactly one.
type QueueSortPlugin interface {
	Plugin
	Less(a, b *QueuedPodInfo) bool
}

// EnqueueExtensions tells which events may make a Pod schedulable that the
// plugin turned down. Without it, any event may.
type EnqueueExtensions interface {
	Plugin
	EventsToRegister() []ClusterEventWithHint
}

// PreFilterPlugin is asked once for each Pod, before nodes are looked at. It may
// narrow the nodes down, compute what Filter needs, or turn the Pod down.
type PreFilterPlugin interface {
	Plugin
	PreFilter(p *sim.Proc, state *CycleState, pod *corev1.Pod, nodes []*NodeInfo) (*PreFilterResult, *Status)
}

// FilterPlugin is asked for each node: can the Pod run there?
type FilterPlugin interface {
	Plugin
	Filter(p *sim.Proc, state *CycleState, pod *corev1.Pod, node *NodeInfo) *Status
}

// PostFilterPlugin is asked when no node passed: can that be changed?
type PostFilterPlugin interface {
	Plugin
	PostFilter(p *sim.Proc, state *CycleState, pod *corev1.Pod, filtered *NodeToStatus) *Status
}

// PreScorePlugin is asked once for each Pod, before nodes are scored.
type PreScorePlugin interface {
	Plugin
	PreScore(p *sim.Proc, state *CycleState, pod *corev1.Pod, nodes []*NodeInfo) *Status
}

// ScorePlugin ranks the nodes that passed.
type ScorePlugin interface {
	Plugin
	Score(p *sim.Proc, state *CycleState, pod *corev1.Pod, node *NodeInfo) (int64, *Status)
}

// ScoreExtensions is for score plugins whose scores do not lie between
// MinNodeScore and MaxNodeScore before they are compared with each other.
type ScoreExtensions interface {
	NormalizeScore(p *sim.Proc, state *CycleState, pod *corev1.Pod, scores []NodeScore) *Status
}

// ReservePlugin is told which node was chosen, and when that was taken back.
type ReservePlugin interface {
	Plugin
	Reserve(p *sim.Proc, state *CycleState, pod *corev1.Pod, nodeName string) *Status
	Unreserve(p *sim.Proc, state *CycleState, pod *corev1.Pod, nodeName string)
}

// PermitPlugin may hold a Pod back, for at most the time it returns.
type PermitPlugin interface {
	Plugin
	Permit(p *sim.Proc, state *CycleState, pod *corev1.Pod, nodeName string) (*Status, time.Duration)
}

// PreBindPlugin does what has to be done before the binding.
type PreBindPlugin interface {
	Plugin
	PreBind(p *sim.Proc, state *CycleState, pod *corev1.Pod, nodeName string) *Status
}

// BindPlugin binds. The first that does not answer Skip has done it.
type BindPlugin interface {
	Plugin
	Bind(p *sim.Proc, state *CycleState, pod *corev1.Pod, nodeName string) *Status
}

// PostBindPlugin is told that the Pod is bound.
type PostBindPlugin interface {
	Plugin
	PostBind(p *sim.Proc, state *CycleState, pod *corev1.Pod, nodeName string)
}

// PreFilterResult narrows the nodes down. nil is "all of them".
type PreFilterResult struct {
	NodeNames []string // sorted
}

// Merge keeps what both allow.
func (r *PreFilterResult) Merge(other *PreFilterResult) *PreFilterResult {
	if r == nil {
		return other
	}
	if other == nil {
		return r
	}
	out := &PreFilterResult{NodeNames: []string{}}
	for _, n := range r.NodeNames {
		if PluginSet(other.NodeNames).Has(n) {
			out.NodeNames = append(out.NodeNames, n)
		}
	}
	return out
}

// NodeScore is one plugin's score of one node.
type NodeScore struct {
	Name  string
	Score int64
}

// NodePluginScores is all that the plugins said of one node. TotalScore is weighted.
type NodePluginScores struct {
	Name       string
	Scores     []PluginScore
	TotalScore int64
}

// PluginScore is one plugin's weighted score.
type PluginScore struct {
	Name  string
	Score int64
}

// Binder sends a Pod's binding to the API server. It is all that a plugin may write.
type Binder interface {
	Bind(p *sim.Proc, binding *corev1.Binding) error
}

// Spreading tells by which labels a Pod's siblings are known: those of the
// Services, ReplicaSets and StatefulSets that select it. ok is false when
// nothing does. Upstream: plugins/helper/spread.go, DefaultSelector.
type Spreading interface {
	DefaultSelector(pod *corev1.Pod) (selects func(labels map[string]string) bool, ok bool)
}

// Handle is what a plugin may reach. Upstream: kube-scheduler/framework/interface.go, Handle.
type Handle interface {
	// SnapshotNodes is what the current cycle sees. It must not be changed.
	SnapshotNodes() []*NodeInfo
	Binder() Binder
	// Spreading is nil when the program knows of no owners.
	Spreading() Spreading
	// RunFilterPlugins asks all filters about one node, as preemption does for nodes with fewer Pods.
	RunFilterPlugins(p *sim.Proc, state *CycleState, pod *corev1.Pod, node *NodeInfo) *Status
}
