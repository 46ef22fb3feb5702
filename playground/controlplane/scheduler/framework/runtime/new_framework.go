package runtime

import (
	"fmt"
	"slices"

	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
)

// NewFramework makes the plugins of a profile. It is an error when the profile
// names plugins that are not there, or puts them where they cannot be.
// Upstream: framework/runtime/framework.go, NewFramework.
func NewFramework(registry Registry, profile *config.Profile, o Options) (*Framework, error) {
	if o.Nominator == nil {
		o.Nominator = nobodyNominated{}
	}
	f := &Framework{
		PodNominator:             o.Nominator,
		ProfileName:              profile.SchedulerName,
		PercentageOfNodesToScore: profile.PercentageOfNodesToScore,
		options:                  o,
		waiting:                  map[types.UID]*waitingPod{},
		preBinding:               map[types.UID]*podInPreBind{},
	}
	if o.Extenders {
		f.enqueue = append(f.enqueue, anyEvent{extender{}})
	}
	made := map[string]framework.Plugin{}
	for _, name := range pluginsNeeded(profile.Plugins) {
		newPlugin := registry[name]
		if newPlugin == nil {
			continue // who names it will be told
		}
		args := profile.Args[name]
		if args == nil {
			args = config.DefaultArgs(name)
		}
		pl, err := newPlugin(args, f)
		if err != nil {
			return nil, fmt.Errorf("initializing plugin %q: %w", name, err)
		}
		made[name] = pl
		if r, ok := pl.(framework.DeviceClassResolver); ok {
			f.classes = r
		}
		f.fillEnqueueExtensions(pl)
	}
	for _, e := range profile.Plugins.ExtensionPoints() {
		names, err := f.expand(e, profile.Plugins.MultiPoint.Enabled, made)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			f.extend(e.Interface, made[name], true)
		}
	}
	if n := len(f.queueSort); n != 1 {
		return nil, fmt.Errorf("only one queue sort plugin required for profile with scheduler name %q, but got %d", profile.SchedulerName, n)
	}
	if len(f.bind) == 0 {
		return nil, fmt.Errorf("at least one bind plugin is needed for profile with scheduler name %q", profile.SchedulerName)
	}
	for _, pl := range f.score {
		f.weights = append(f.weights, weightOf(pl.Name(), profile.Plugins))
	}
	return f, nil
}

func pluginsNeeded(p *config.Plugins) []string {
	var names []string
	add := func(set *config.PluginSet) {
		for _, pl := range set.Enabled {
			if !slices.Contains(names, pl.Name) {
				names = append(names, pl.Name)
			}
		}
	}
	add(&p.MultiPoint)
	for _, e := range p.ExtensionPoints() {
		add(e.Set)
	}
	return names
}

// expand is the order in which plugins are asked at an extension point: those
// that are named both there and at MultiPoint, then those of MultiPoint, then the others.
// Upstream: framework/runtime/framework.go, expandMultiPointPlugins and updatePluginList.
func (f *Framework) expand(e config.ExtensionPoint, multiPoint []config.Plugin, made map[string]framework.Plugin) ([]string, error) {
	var specific []string
	for _, pl := range e.Set.Enabled {
		switch {
		case made[pl.Name] == nil:
			return nil, fmt.Errorf("%s %q does not exist", e.Interface, pl.Name)
		case !f.extend(e.Interface, made[pl.Name], false):
			return nil, fmt.Errorf("plugin %q does not extend %s plugin", pl.Name, e.Interface)
		case slices.Contains(specific, pl.Name):
			return nil, fmt.Errorf("plugin %q already registered as %q", pl.Name, e.Interface)
		}
		specific = append(specific, pl.Name)
	}
	disabled := func(name string) bool {
		return slices.ContainsFunc(e.Set.Disabled, func(p config.Plugin) bool { return p.Name == name })
	}
	if disabled("*") {
		return specific, nil
	}
	var overriding, others, out []string
	for _, pl := range multiPoint {
		switch {
		case made[pl.Name] == nil:
			return nil, fmt.Errorf("%s %q does not exist", e.Interface, pl.Name)
		case !f.extend(e.Interface, made[pl.Name], false) || disabled(pl.Name):
		case slices.Contains(specific, pl.Name):
			overriding = append(overriding, pl.Name)
		case slices.Contains(others, pl.Name):
			return nil, fmt.Errorf("plugin %q already registered as %q", pl.Name, e.Interface)
		default:
			others = append(others, pl.Name)
		}
	}
	for _, name := range specific {
		if slices.Contains(overriding, name) {
			out = append(out, name)
		}
	}
	out = append(out, others...)
	for _, name := range specific {
		if !slices.Contains(overriding, name) {
			out = append(out, name)
		}
	}
	return out, nil
}

// weightOf: what is said at score counts before what is said at MultiPoint.
func weightOf(name string, p *config.Plugins) int64 {
	for _, set := range [...][]config.Plugin{p.Score.Enabled, p.MultiPoint.Enabled} {
		for _, pl := range set {
			if pl.Name == name && pl.Weight != nil && *pl.Weight != 0 {
				return int64(*pl.Weight)
			} else if pl.Name == name {
				return 1
			}
		}
	}
	return 1
}

// extend tells whether a plugin implements an interface, and adds it there.
func (f *Framework) extend(point string, pl framework.Plugin, add bool) (ok bool) {
	switch point {
	case "PreEnqueuePlugin":
		ok = appendIf(&f.preEnqueue, pl, add)
	case "QueueSortPlugin":
		ok = appendIf(&f.queueSort, pl, add)
	case "PreFilterPlugin":
		ok = appendIf(&f.preFilter, pl, add)
	case "FilterPlugin":
		ok = appendIf(&f.filter, pl, add)
	case "PostFilterPlugin":
		ok = appendIf(&f.postFilter, pl, add)
	case "PreScorePlugin":
		ok = appendIf(&f.preScore, pl, add)
	case "ScorePlugin":
		ok = appendIf(&f.score, pl, add)
	case "ReservePlugin":
		ok = appendIf(&f.reserve, pl, add)
	case "PermitPlugin":
		ok = appendIf(&f.permit, pl, add)
	case "PreBindPlugin":
		ok = appendIf(&f.preBind, pl, add)
	case "BindPlugin":
		ok = appendIf(&f.bind, pl, add)
	case "PostBindPlugin":
		ok = appendIf(&f.postBind, pl, add)
	}
	return ok
}

func appendIf[T any](list *[]T, pl framework.Plugin, add bool) bool {
	t, ok := pl.(T)
	if ok && add {
		*list = append(*list, t)
	}
	return ok
}

// fillEnqueueExtensions notes who can turn a Pod down, and what it waits for then.
func (f *Framework) fillEnqueueExtensions(pl framework.Plugin) {
	switch pl.(type) {
	case framework.PreEnqueuePlugin, framework.PreFilterPlugin, framework.FilterPlugin, framework.ReservePlugin, framework.PermitPlugin:
	default:
		return
	}
	if ext, ok := pl.(framework.EnqueueExtensions); ok {
		f.enqueue = append(f.enqueue, ext)
		return
	}
	f.enqueue = append(f.enqueue, anyEvent{pl})
}

// extender stands for extenders, which have no way to say what they wait for.
type extender struct{}

func (extender) Name() string { return framework.ExtenderName }

// anyEvent stands for a plugin that does not say what it waits for.
type anyEvent struct{ framework.Plugin }

func (anyEvent) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{{Event: framework.ClusterEvent{Resource: framework.WildCard, ActionType: framework.All}}}
}

// DeviceClassResolver implements framework.Handle.
func (f *Framework) DeviceClassResolver() framework.DeviceClassResolver { return f.classes }
