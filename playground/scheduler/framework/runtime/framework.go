// Package runtime asks the plugins: for each extension point it runs those that
// are registered there, in order, and puts their answers together.
// Upstream: pkg/scheduler/framework/runtime.
package runtime

import (
	"fmt"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/scheduler/framework"
	"kubewalk/playground/sim"
)

// Registration is one plugin of a profile. Upstream spreads it over the registry
// (plugins/registry.go) and the default configuration (default_plugins.go).
type Registration struct {
	Name string
	// Weight multiplies the plugin's scores; 0 for plugins that do not score.
	Weight int64
	New    func(framework.Handle) framework.Plugin
}

// Framework is a profile: a scheduler name and its plugins.
// Upstream: pkg/scheduler/framework/runtime/framework.go, frameworkImpl.
type Framework struct {
	ProfileName string

	preEnqueue []framework.PreEnqueuePlugin
	queueSort  framework.QueueSortPlugin
	enqueue    []framework.Plugin // all plugins that can turn a Pod down
	preFilter  []framework.PreFilterPlugin
	filter     []framework.FilterPlugin
	postFilter []framework.PostFilterPlugin
	preScore   []framework.PreScorePlugin
	score      []weighted
	reserve    []framework.ReservePlugin
	permit     []framework.PermitPlugin
	preBind    []framework.PreBindPlugin
	bind       []framework.BindPlugin
	postBind   []framework.PostBindPlugin

	nodes     func() []*framework.NodeInfo
	binder    framework.Binder
	spreading framework.Spreading

	waiting map[types.UID]*waitingPod
}

type weighted struct {
	framework.ScorePlugin
	weight int64
}

// Options is what a framework gives its plugins.
type Options struct {
	// Nodes is the snapshot of the current cycle.
	Nodes     func() []*framework.NodeInfo
	Binder    framework.Binder
	Spreading framework.Spreading
}

// New makes a profile of plugins, which are asked in the order given. A set of
// plugins that cannot work is a programming error and panics.
func New(profileName string, plugins []Registration, o Options) *Framework {
	f := &Framework{
		ProfileName: profileName,
		nodes:       o.Nodes,
		binder:      o.Binder,
		spreading:   o.Spreading,
		waiting:     map[types.UID]*waitingPod{},
	}
	for _, r := range plugins {
		pl := r.New(f)
		if pl.Name() != r.Name {
			panic(fmt.Sprintf("scheduler: plugin %s is registered as %s", pl.Name(), r.Name))
		}
		f.enqueue = append(f.enqueue, pl)
		f.preEnqueue = appendIf(f.preEnqueue, pl)
		f.preFilter = appendIf(f.preFilter, pl)
		f.filter = appendIf(f.filter, pl)
		f.postFilter = appendIf(f.postFilter, pl)
		f.preScore = appendIf(f.preScore, pl)
		f.reserve = appendIf(f.reserve, pl)
		f.permit = appendIf(f.permit, pl)
		f.preBind = appendIf(f.preBind, pl)
		f.bind = appendIf(f.bind, pl)
		f.postBind = appendIf(f.postBind, pl)
		if sp, ok := pl.(framework.ScorePlugin); ok {
			if r.Weight < 1 {
				panic(fmt.Sprintf("scheduler: score plugin %s has no weight", r.Name))
			}
			f.score = append(f.score, weighted{sp, r.Weight})
		}
		if qs, ok := pl.(framework.QueueSortPlugin); ok {
			if f.queueSort != nil {
				panic(fmt.Sprintf("scheduler: two plugins sort the queue: %s and %s", f.queueSort.Name(), r.Name))
			}
			f.queueSort = qs
		}
	}
	if f.queueSort == nil || len(f.bind) == 0 {
		panic("scheduler: a profile needs a plugin that sorts the queue and one that binds")
	}
	return f
}

func appendIf[T any](list []T, pl framework.Plugin) []T {
	if t, ok := pl.(T); ok {
		return append(list, t)
	}
	return list
}

// SnapshotNodes implements framework.Handle.
func (f *Framework) SnapshotNodes() []*framework.NodeInfo { return f.nodes() }

// Binder implements framework.Handle.
func (f *Framework) Binder() framework.Binder { return f.binder }

// Spreading implements framework.Handle.
func (f *Framework) Spreading() framework.Spreading { return f.spreading }

// QueueSortFunc is the order of activeQ.
func (f *Framework) QueueSortFunc() framework.LessFunc { return f.queueSort.Less }

// PreEnqueuePlugins lists who may gate Pods.
func (f *Framework) PreEnqueuePlugins() []framework.PreEnqueuePlugin { return f.preEnqueue }

// Plugins lists all plugins, for the queueing hints that they register.
func (f *Framework) Plugins() []framework.Plugin { return f.enqueue }

// HasScorePlugins tells whether nodes are ranked at all.
func (f *Framework) HasScorePlugins() bool { return len(f.score) > 0 }

// RunPreFilterPlugins asks each once. The first that turns the Pod down ends it,
// except that UnschedulableAndUnresolvable is preferred over Unschedulable.
func (f *Framework) RunPreFilterPlugins(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod) (*framework.PreFilterResult, *framework.Status, framework.PluginSet) {
	var result *framework.PreFilterResult
	var narrowing framework.PluginSet
	var rejected *framework.Status
	nodes := f.nodes()
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

// RunPostFilterPlugins asks what can be done. The first success, or error, ends it.
func (f *Framework) RunPostFilterPlugins(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, filtered *framework.NodeToStatus) *framework.Status {
	code := framework.Unschedulable
	var reasons []string
	var rejector string
	for _, pl := range f.postFilter {
		s := pl.PostFilter(p, state, pod, filtered)
		switch {
		case s.IsSuccess():
			return s
		case s.Code() == framework.UnschedulableAndUnresolvable:
			return s.WithPlugin(pl.Name())
		case !s.IsRejected():
			return framework.AsStatus(s.AsError()).WithPlugin(pl.Name())
		}
		reasons = append(reasons, s.Reasons()...)
		if rejector == "" {
			rejector = pl.Name()
		}
	}
	return framework.NewStatus(code, reasons...).WithPlugin(rejector)
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

// RunScorePlugins ranks the nodes: each plugin scores, normalises to 0…100 and
// is multiplied by its weight.
func (f *Framework) RunScorePlugins(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodes []*framework.NodeInfo) ([]framework.NodePluginScores, *framework.Status) {
	all := make([]framework.NodePluginScores, len(nodes))
	for i, n := range nodes {
		all[i].Name = n.Name()
	}
	for _, pl := range f.score {
		if state.SkipScorePlugins.Has(pl.Name()) {
			continue
		}
		scores := make([]framework.NodeScore, len(nodes))
		for i, n := range nodes {
			score, s := pl.Score(p, state, pod, n)
			if !s.IsSuccess() {
				return nil, framework.AsStatus(fmt.Errorf("running Score plugins: plugin %q failed with: %w", pl.Name(), s.AsError()))
			}
			scores[i] = framework.NodeScore{Name: n.Name(), Score: score}
		}
		if ext, ok := pl.ScorePlugin.(framework.ScoreExtensions); ok {
			if s := ext.NormalizeScore(p, state, pod, scores); !s.IsSuccess() {
				return nil, framework.AsStatus(fmt.Errorf("running NormalizeScore plugins: plugin %q failed with: %w", pl.Name(), s.AsError()))
			}
		}
		for i, s := range scores {
			if s.Score > framework.MaxNodeScore || s.Score < framework.MinNodeScore {
				return nil, framework.AsStatus(fmt.Errorf("plugin %q returns an invalid score %v, it should in the range of [%v, %v] after normalizing",
					pl.Name(), s.Score, framework.MinNodeScore, framework.MaxNodeScore))
			}
			weightedScore := s.Score * pl.weight
			all[i].Scores = append(all[i].Scores, framework.PluginScore{Name: pl.Name(), Score: weightedScore})
			all[i].TotalScore += weightedScore
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
	f.waiting[pod.UID] = w
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
	defer delete(f.waiting, pod.UID)
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

// RunPreBindPlugins prepares the binding; the first failure ends it.
func (f *Framework) RunPreBindPlugins(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodeName string) *framework.Status {
	for _, pl := range f.preBind {
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
