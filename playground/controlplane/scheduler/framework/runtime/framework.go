// Package runtime asks the plugins: for each extension point it runs those that
// are registered there, in order, and puts their answers together.
// Upstream: pkg/scheduler/framework/runtime.
package runtime

import (
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/events"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// PluginFactory makes a plugin of its arguments.
type PluginFactory func(args config.Args, h framework.Handle) (framework.Plugin, error)

// Registry is what plugins there are, by name. Upstream: framework/runtime/registry.go, Registry.
type Registry map[string]PluginFactory

// Framework is a profile: a scheduler name and its plugins.
// Upstream: pkg/scheduler/framework/runtime/framework.go, frameworkImpl.
type Framework struct {
	framework.PodNominator
	ProfileName              string
	PercentageOfNodesToScore int32

	preEnqueue []framework.PreEnqueuePlugin
	queueSort  []framework.QueueSortPlugin
	enqueue    []framework.EnqueueExtensions
	preFilter  []framework.PreFilterPlugin
	filter     []framework.FilterPlugin
	postFilter []framework.PostFilterPlugin
	preScore   []framework.PreScorePlugin
	score      []framework.ScorePlugin
	weights    []int64 // of score
	reserve    []framework.ReservePlugin
	permit     []framework.PermitPlugin
	preBind    []framework.PreBindPlugin
	bind       []framework.BindPlugin
	postBind   []framework.PostBindPlugin

	ranking ranking // what RunScorePlugins works with
	classes framework.DeviceClassResolver
	options Options
	waiting map[types.UID]*waitingPod
	// waitingInOrder are its keys, who waits longest first.
	waitingInOrder []types.UID
	// preBinding holds the Pods whose PreBind plugins are at work.
	preBinding map[types.UID]*podInPreBind
}

// Options is what a framework gives its plugins. Snapshot is all that it cannot do without.
type Options struct {
	Component       *sim.Component
	Snapshot        framework.SharedLister
	ClientSet       *client.Clientset
	InformerFactory informers.SharedInformerFactory
	// DynInformerFactory has the informers of kinds that a definition adds.
	DynInformerFactory informers.SharedInformerFactory
	// Extenders tells that there are some.
	Extenders     bool
	EventRecorder events.EventRecorder
	Nominator     framework.PodNominator
	Activate      func(pods ...*corev1.Pod)
}

// nobodyNominated is a framework's nominator when it is given none.
type nobodyNominated struct{}

func (nobodyNominated) AddNominatedPod(*framework.PodInfo, *framework.NominatingInfo) {}
func (nobodyNominated) DeleteNominatedPodIfExists(*corev1.Pod)                        {}
func (nobodyNominated) UpdateNominatedPod(*corev1.Pod, *framework.PodInfo)            {}
func (nobodyNominated) NominatedPodsForNode(string) []*framework.PodInfo              { return nil }

// SnapshotSharedLister implements framework.Handle.
func (f *Framework) SnapshotSharedLister() framework.SharedLister { return f.options.Snapshot }

// ClientSet implements framework.Handle.
func (f *Framework) ClientSet() *client.Clientset { return f.options.ClientSet }

// DynInformerFactory implements framework.Handle.
func (f *Framework) DynInformerFactory() informers.SharedInformerFactory {
	return f.options.DynInformerFactory
}

// SharedInformerFactory implements framework.Handle.
func (f *Framework) SharedInformerFactory() informers.SharedInformerFactory {
	return f.options.InformerFactory
}

// EventRecorder implements framework.Handle.
func (f *Framework) EventRecorder() events.EventRecorder { return f.options.EventRecorder }

// Component implements framework.Handle.
func (f *Framework) Component() *sim.Component { return f.options.Component }

// Activate implements framework.Handle.
func (f *Framework) Activate(pods ...*corev1.Pod) {
	if f.options.Activate != nil {
		f.options.Activate(pods...)
	}
}

// QueueSortFunc is the order of activeQ.
func (f *Framework) QueueSortFunc() framework.LessFunc { return f.queueSort[0].Less }

// PreEnqueuePlugins lists who may gate Pods.
func (f *Framework) PreEnqueuePlugins() []framework.PreEnqueuePlugin { return f.preEnqueue }

// EnqueueExtensions lists who waits for what, for the queueing hints.
func (f *Framework) EnqueueExtensions() []framework.EnqueueExtensions { return f.enqueue }

// HasPostFilterPlugins tells whether anybody is asked when no node passed.
func (f *Framework) HasPostFilterPlugins() bool { return len(f.postFilter) > 0 }

// HasScorePlugins tells whether nodes are ranked at all.
func (f *Framework) HasScorePlugins() bool { return len(f.score) > 0 }

// RunPreFilterPlugins asks each once. The first that turns the Pod down ends it,
// except that UnschedulableAndUnresolvable is preferred over Unschedulable.
func (f *Framework) RunPreFilterPlugins(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod) (*framework.PreFilterResult, *framework.Status,
	framework.PluginSet) {
	var result *framework.PreFilterResult
	var narrowing framework.PluginSet
	var rejected *framework.Status
	nodes := f.options.Snapshot.List()
	for _, pl := range f.preFilter {
		r, s := pl.PreFilter(p, state, pod, nodes)
		if s.IsSkip() {
			state.SkipFilterPlugins = state.SkipFilterPlugins.Insert(pl.Name())
			continue
		}
		if !s.IsSuccess() {
			s.WithPlugin(pl.Name())
			switch s.Code() {
			case framework.UnschedulableAndUnresolvable:
				return nil, s, nil
			case framework.Unschedulable, framework.Pending:
				rejected = s
				continue
			}
			return nil, framework.AsStatus(fmt.Errorf("running PreFilter plugin %q: %w", pl.Name(), s.AsError())).WithPlugin(pl.Name()), nil
		}
		if r != nil {
			narrowing = narrowing.Insert(pl.Name())
			if result = result.Merge(r); len(result.NodeNames) == 0 {
				msg := fmt.Sprintf("node(s) didn't satisfy plugin(s) %v simultaneously", []string(narrowing))
				if len(narrowing) == 1 {
					msg = fmt.Sprintf("node(s) didn't satisfy plugin %v", narrowing[0])
				}
				return result, framework.NewStatus(framework.UnschedulableAndUnresolvable, msg), narrowing
			}
		}
	}
	return result, rejected, narrowing
}

// RunFilterPlugins asks about one node. The first that says no has the last word.
func (f *Framework) RunFilterPlugins(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	for _, pl := range f.filter {
		if state.SkipFilterPlugins.Has(pl.Name()) {
			continue
		}
		if s := pl.Filter(p, state, pod, node); !s.IsSuccess() {
			if !s.IsRejected() {
				s = framework.AsStatus(fmt.Errorf("running %q filter plugin: %w", pl.Name(), s.AsError()))
			}
			return s.WithPlugin(pl.Name())
		}
	}
	return nil
}

// RunPreFilterExtensionAddPod implements framework.Handle.
func (f *Framework) RunPreFilterExtensionAddPod(p *sim.Proc, state *framework.CycleState, podToSchedule *corev1.Pod, podInfoToAdd *framework.PodInfo,
	node *framework.NodeInfo) *framework.Status {
	for _, pl := range f.preFilter {
		ext := pl.PreFilterExtensions()
		if ext == nil || state.SkipFilterPlugins.Has(pl.Name()) {
			continue
		}
		if s := ext.AddPod(p, state, podToSchedule, podInfoToAdd, node); !s.IsSuccess() {
			return framework.AsStatus(fmt.Errorf("running AddPod on PreFilter plugin %q: %w", pl.Name(), s.AsError()))
		}
	}
	return nil
}

// RunPreFilterExtensionRemovePod implements framework.Handle.
func (f *Framework) RunPreFilterExtensionRemovePod(p *sim.Proc, state *framework.CycleState, podToSchedule *corev1.Pod, podInfoToRemove *framework.PodInfo,
	node *framework.NodeInfo) *framework.Status {
	for _, pl := range f.preFilter {
		ext := pl.PreFilterExtensions()
		if ext == nil || state.SkipFilterPlugins.Has(pl.Name()) {
			continue
		}
		if s := ext.RemovePod(p, state, podToSchedule, podInfoToRemove, node); !s.IsSuccess() {
			return framework.AsStatus(fmt.Errorf("running RemovePod on PreFilter plugin %q: %w", pl.Name(), s.AsError()))
		}
	}
	return nil
}

// RunFilterPluginsWithNominatedPods asks twice when Pods of no lower priority
// have been promised a place on the node: as if they ran there, since the Pod
// must not take their place, and as if they did not, since they may never come
// and the Pod may need to be near them.
// Upstream: framework/runtime/framework.go, same name and addGENominatedPods.
func (f *Framework) RunFilterPluginsWithNominatedPods(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	withState, withNode, added, s := f.addGENominatedPods(p, state, pod, node)
	if !s.IsSuccess() {
		return s
	}
	if added {
		if s := f.RunFilterPlugins(p, withState, pod, withNode); !s.IsSuccess() {
			return s
		}
	}
	return f.RunFilterPlugins(p, state, pod, node)
}

// addGENominatedPods adds nominated Pods of greater or equal priority.
func (f *Framework) addGENominatedPods(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) (*framework.CycleState,
	*framework.NodeInfo, bool, *framework.Status) {
	added := false
	for _, pi := range f.NominatedPodsForNode(node.Name()) {
		if framework.PodPriority(pi.Pod) < framework.PodPriority(pod) || pi.Pod.UID == pod.UID {
			continue
		}
		if !added {
			added, state, node = true, state.Clone(), node.Snapshot()
		}
		node.AddPodInfo(pi)
		if s := f.RunPreFilterExtensionAddPod(p, state, pod, pi, node); !s.IsSuccess() {
			return nil, nil, false, framework.AsStatus(s.AsError())
		}
	}
	return state, node, added, nil
}

// RunPostFilterPlugins asks what can be done until one has done it. The result is
// of the last that had one, the status has the reasons of all.
func (f *Framework) RunPostFilterPlugins(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod,
	filtered *framework.NodeToStatus) (*framework.PostFilterResult, *framework.Status) {
	var result *framework.PostFilterResult
	var reasons []string
	var rejector string
	for _, pl := range f.postFilter {
		r, s := pl.PostFilter(p, state, pod, filtered)
		switch {
		case s.IsSuccess():
			return r, s
		case s.Code() == framework.UnschedulableAndUnresolvable:
			return r, s.WithPlugin(pl.Name())
		case !s.IsRejected():
			return nil, framework.AsStatus(s.AsError()).WithPlugin(pl.Name())
		case r != nil && r.Mode() != framework.ModeNoop:
			result = r
		}
		reasons = append(reasons, s.Reasons()...)
		if rejector == "" {
			rejector = pl.Name()
		}
	}
	return result, framework.NewStatus(framework.Unschedulable, reasons...).WithPlugin(rejector)
}

// RunPreScorePlugins asks each once.
func (f *Framework) RunPreScorePlugins(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodes []*framework.NodeInfo) *framework.Status {
	for _, pl := range f.preScore {
		s := pl.PreScore(p, state, pod, nodes)
		if s.IsSkip() {
			state.SkipScorePlugins = state.SkipScorePlugins.Insert(pl.Name())
			continue
		}
		if !s.IsSuccess() {
			return framework.AsStatus(fmt.Errorf("running PreScore plugin %q: %w", pl.Name(), s.AsError()))
		}
	}
	return nil
}

// ranking is room for the scores of one Pod's nodes. In a large cluster it is hundreds of kilobytes, for each Pod.
type ranking struct {
	all         []framework.NodePluginScores
	room        []framework.PluginScore
	scores, raw []framework.NodeScore
}

// of returns room for so many nodes and plugins, with nothing in it.
func (r *ranking) of(nodes, plugins int) (all []framework.NodePluginScores, room []framework.PluginScore, scores, raw []framework.NodeScore) {
	if len(r.all) < nodes || len(r.room) < nodes*plugins {
		*r = ranking{make([]framework.NodePluginScores, nodes), make([]framework.PluginScore, nodes*plugins),
			make([]framework.NodeScore, nodes), make([]framework.NodeScore, nodes)}
	}
	all, room, scores, raw = r.all[:nodes], r.room[:nodes*plugins], r.scores[:nodes], r.raw[:nodes]
	clear(all)
	return all, room, scores, raw
}

// RunScorePlugins ranks the nodes: each plugin scores, normalises to 0…100 and
// is multiplied by its weight. What it returns is good until the next call.
func (f *Framework) RunScorePlugins(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodes []*framework.NodeInfo) ([]framework.NodePluginScores,
	*framework.Status) {
	told := p == nil || p.Kernel().Trace().Keeps(trace.NodeScore) // what each plugin says of each node
	plugins := len(f.score)
	if !told {
		plugins = 0
	}
	all, room, scores, raw := f.ranking.of(len(nodes), plugins)
	for i, n := range nodes {
		if all[i].Name = n.Name(); !told {
			continue
		}
		all[i].Scores = room[i*len(f.score) : i*len(f.score) : (i+1)*len(f.score)]
	}
	for k, pl := range f.score {
		if state.SkipScorePlugins.Has(pl.Name()) {
			continue
		}
		for i, n := range nodes {
			score, s := pl.Score(p, state, pod, n)
			if !s.IsSuccess() {
				return nil, framework.AsStatus(fmt.Errorf("running Score plugins: plugin %q failed with: %w", pl.Name(), s.AsError()))
			}
			scores[i] = framework.NodeScore{Name: n.Name(), Score: score}
		}
		if told {
			copy(raw, scores)
		}
		if ext := pl.ScoreExtensions(); ext != nil {
			if s := ext.NormalizeScore(p, state, pod, scores); !s.IsSuccess() {
				return nil, framework.AsStatus(fmt.Errorf("running NormalizeScore plugins: plugin %q failed with: %w", pl.Name(), s.AsError()))
			}
		}
		for i, s := range scores {
			if s.Score > framework.MaxNodeScore || s.Score < framework.MinNodeScore {
				return nil, framework.AsStatus(fmt.Errorf("plugin %q returns an invalid score %v, it should in the range of [%v, %v] after normalizing",
					pl.Name(), s.Score, framework.MinNodeScore, framework.MaxNodeScore))
			}
			weightedScore := s.Score * f.weights[k]
			all[i].TotalScore += weightedScore
			if !told {
				continue
			}
			all[i].Scores = append(all[i].Scores, framework.PluginScore{Name: pl.Name(), Score: weightedScore, Weight: f.weights[k], Raw: raw[i].Score})
		}
	}
	return all, nil
}

// RunReservePluginsReserve tells each which node was chosen; the first failure ends it.
func (f *Framework) RunReservePluginsReserve(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodeName string) *framework.Status {
	for _, pl := range f.reserve {
		if s := pl.Reserve(p, state, pod, nodeName); !s.IsSuccess() {
			if s.IsRejected() {
				return s.WithPlugin(pl.Name())
			}
			return framework.AsStatus(fmt.Errorf("running Reserve plugin %q: %w", pl.Name(), s.AsError()))
		}
	}
	return nil
}

// RunReservePluginsUnreserve takes it back, last first.
func (f *Framework) RunReservePluginsUnreserve(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodeName string) {
	for i := len(f.reserve) - 1; i >= 0; i-- {
		f.reserve[i].Unreserve(p, state, pod, nodeName)
	}
}

// RunPermitPlugins asks whether the Pod may be bound. With Wait, WaitOnPermit blocks.
func (f *Framework) RunPermitPlugins(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodeName string) *framework.Status {
	var w *waitingPod
	for _, pl := range f.permit {
		s, timeout := pl.Permit(p, state, pod, nodeName)
		switch {
		case s.IsSuccess():
		case s.IsRejected():
			return s.WithPlugin(pl.Name())
		case s.IsWait():
			if w == nil {
				w = &waitingPod{pending: map[string]time.Duration{}}
			}
			w.pending[pl.Name()] = p.Now() + min(timeout, maxPermitTimeout)
		default:
			return framework.AsStatus(fmt.Errorf("running Permit plugin %q: %w", pl.Name(), s.AsError())).WithPlugin(pl.Name())
		}
	}
	if w == nil {
		return nil
	}
	w.pod = pod
	f.waiting[pod.UID] = w
	f.waitingInOrder = append(f.waitingInOrder, pod.UID)
	p.Logger().V(4).Info("One or more plugins asked to wait and no plugin rejected pod", "pod", framework.Key(pod))
	return framework.NewStatus(framework.Wait, fmt.Sprintf("one or more plugins asked to wait and no plugin rejected pod %q", pod.Name))
}

// WillWaitOnPermit tells whether WaitOnPermit would block.
func (f *Framework) WillWaitOnPermit(pod *corev1.Pod) bool { return f.waiting[pod.UID] != nil }

// WaitOnPermit blocks until every plugin that asked to wait allowed the Pod, or one rejected it.
func (f *Framework) WaitOnPermit(p *sim.Proc, pod *corev1.Pod) *framework.Status {
	w := f.waiting[pod.UID]
	if w == nil {
		return nil
	}
	defer func() {
		delete(f.waiting, pod.UID)
		f.waitingInOrder = slices.DeleteFunc(f.waitingInOrder, func(uid types.UID) bool { return uid == pod.UID })
	}()
	p.Logger().V(4).Info("Pod waiting on permit", "pod", framework.Key(pod))
	s := w.wait(p)
	if s.IsSuccess() {
		return nil
	}
	if s.IsRejected() {
		return s
	}
	return framework.AsStatus(fmt.Errorf("waiting on permit for pod: %w", s.AsError()))
}

// RunPreBindPreFlights asks whether PreBind will have work: Skip when it has
// none. Who has none is not asked again.
func (f *Framework) RunPreBindPreFlights(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodeName string) *framework.Status {
	work := framework.NewStatus(framework.Skip)
	for _, pl := range f.preBind {
		switch s := pl.PreBindPreFlight(p, state, pod, nodeName); {
		case s.IsSkip():
			state.SkipPreBindPlugins = state.SkipPreBindPlugins.Insert(pl.Name())
		case !s.IsSuccess():
			return framework.AsStatus(fmt.Errorf("running PreBindPreFlight %q: %w", pl.Name(), s.AsError()))
		default:
			work = nil
		}
	}
	return work
}

// RunPreBindPlugins prepares the binding; the first failure ends it.
func (f *Framework) RunPreBindPlugins(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodeName string) *framework.Status {
	for _, pl := range f.preBind {
		if state.SkipPreBindPlugins.Has(pl.Name()) {
			continue
		}
		if s := pl.PreBind(p, state, pod, nodeName); !s.IsSuccess() {
			if s.IsRejected() {
				return s.WithPlugin(pl.Name())
			}
			return framework.AsStatus(fmt.Errorf("running PreBind plugin %q: %w", pl.Name(), s.AsError()))
		}
	}
	return nil
}

// RunBindPlugins binds: the first that does not skip.
func (f *Framework) RunBindPlugins(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodeName string) *framework.Status {
	for _, pl := range f.bind {
		s := pl.Bind(p, state, pod, nodeName)
		switch {
		case s.IsSkip():
			continue
		case s.IsSuccess():
			return s
		case s.IsRejected():
			return s.WithPlugin(pl.Name())
		}
		return framework.AsStatus(fmt.Errorf("running Bind plugin %q: %w", pl.Name(), s.AsError()))
	}
	return framework.NewStatus(framework.Skip)
}

// RunPostBindPlugins tells that the Pod is bound.
func (f *Framework) RunPostBindPlugins(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodeName string) {
	for _, pl := range f.postBind {
		pl.PostBind(p, state, pod, nodeName)
	}
}
