package framework

import (
	"kubewalk/playground/api"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/events"
	"kubewalk/playground/controlplane/client/informers"
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
	// PreFilterExtensions is nil for plugins whose state does not depend on other Pods.
	PreFilterExtensions() PreFilterExtensions
}

// PreFilterExtensions keep what PreFilter computed true while somebody asks what
// would be if a node had one Pod more or less.
type PreFilterExtensions interface {
	AddPod(p *sim.Proc, state *CycleState, podToSchedule *corev1.Pod, podInfoToAdd *PodInfo, node *NodeInfo) *Status
	RemovePod(p *sim.Proc, state *CycleState, podToSchedule *corev1.Pod, podInfoToRemove *PodInfo, node *NodeInfo) *Status
}

// FilterPlugin is asked for each node: can the Pod run there?
type FilterPlugin interface {
	Plugin
	Filter(p *sim.Proc, state *CycleState, pod *corev1.Pod, node *NodeInfo) *Status
}

// PostFilterPlugin is asked when no node passed: can that be changed? The result,
// if any, says which node the Pod may hope for.
type PostFilterPlugin interface {
	Plugin
	PostFilter(p *sim.Proc, state *CycleState, pod *corev1.Pod, filtered *NodeToStatus) (*PostFilterResult, *Status)
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
	// ScoreExtensions is nil for plugins whose scores need no normalisation.
	ScoreExtensions() ScoreExtensions
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
	// PreBindPreFlight tells whether PreBind will have work with this Pod: Success,
	// or Skip when it has none.
	PreBindPreFlight(p *sim.Proc, state *CycleState, pod *corev1.Pod, nodeName string) *Status
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

// PluginScore is one plugin's score: normalised, and what it counts.
type PluginScore struct {
	Name   string
	Score  int64 // weighted
	Weight int64
	Raw    int64 // before it was normalised to 0…100
}

// SharedLister is what the current cycle sees of the cluster. Neither the slices
// nor the nodes may be changed. Upstream: kube-scheduler/framework/listers.go, SharedLister and NodeInfoLister.
type SharedLister interface {
	List() []*NodeInfo
	// Changed tells the list's version, and which places in it are not as they were in the version before by number:
	// when there is none of that number, any may be.
	Changed() (version int64, changed []int)
	// Get returns nil when there is no such node.
	Get(name string) *NodeInfo
	HavePodsWithAffinityList() []*NodeInfo
	HavePodsWithRequiredAntiAffinityList() []*NodeInfo
}

// WaitingPod is a Pod that Permit plugins hold back.
type WaitingPod interface {
	GetPod() *corev1.Pod
	// Allow withdraws one plugin's wish to wait; when none is left, the Pod is bound.
	Allow(pluginName string)
	// Reject turns the Pod down.
	Reject(pluginName, msg string)
	// Preempt takes the Pod's place away before it is bound. It is false when the
	// Pod does not wait any more.
	Preempt(pluginName, msg string) bool
}

// PodInPreBind is a Pod whose PreBind plugins are at work.
type PodInPreBind interface {
	// CancelPod turns it back; false when it is too late.
	CancelPod(reason string) bool
	// Canceled is why it was turned back, for the plugins at work.
	Canceled() error
}

// DeviceClassResolver knows the extended resources that DeviceClasses stand for. The plugin DynamicResources is one where there are devices.
// Upstream: kube-scheduler/framework/listers.go, DeviceClassResolver.
type DeviceClassResolver interface {
	// GetDeviceClass is the name of the class that a resource stands for.
	GetDeviceClass(resource corev1.ResourceName) (class string, found bool)
	// DeviceClassMayHelp is the hint of who waits for a resource: the class that changed may be what provides it.
	DeviceClassMayHelp(pod *corev1.Pod, oldClass, newClass api.Object) QueueingHint
}

// Handle is what a plugin may reach. Upstream: kube-scheduler/framework/interface.go, Handle.
type Handle interface {
	PodNominator
	SnapshotSharedLister() SharedLister
	ClientSet() *client.Clientset
	SharedInformerFactory() informers.SharedInformerFactory
	// DynInformerFactory has the informers of kinds that a definition adds. Nobody waits for them.
	DynInformerFactory() informers.SharedInformerFactory
	EventRecorder() events.EventRecorder
	// DeviceClassResolver is nil where no plugin of the profile is one.
	DeviceClassResolver() DeviceClassResolver
	// Component is where a plugin starts processes and draws chance.
	Component() *sim.Component
	// Activate has Pods tried again at once that wait for anything but a gate.
	Activate(pods ...*corev1.Pod)
	// GetWaitingPod is nil when the Pod does not wait.
	GetWaitingPod(uid types.UID) WaitingPod
	// IterateOverWaitingPods visits the Pods that Permit plugins hold back, who waits longest first.
	IterateOverWaitingPods(callback func(WaitingPod))
	// GetPodInPreBind is nil when no PreBind plugin works for the Pod.
	GetPodInPreBind(uid types.UID) PodInPreBind
	// RunFilterPlugins asks all filters about one node.
	RunFilterPlugins(p *sim.Proc, state *CycleState, pod *corev1.Pod, node *NodeInfo) *Status
	// RunFilterPluginsWithNominatedPods asks them with the Pods on the node, too,
	// that have been promised a place there.
	RunFilterPluginsWithNominatedPods(p *sim.Proc, state *CycleState, pod *corev1.Pod, node *NodeInfo) *Status
	RunPreFilterExtensionAddPod(p *sim.Proc, state *CycleState, podToSchedule *corev1.Pod, podInfoToAdd *PodInfo, node *NodeInfo) *Status
	RunPreFilterExtensionRemovePod(p *sim.Proc, state *CycleState, podToSchedule *corev1.Pod, podInfoToRemove *PodInfo, node *NodeInfo) *Status
}
