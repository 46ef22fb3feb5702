package config

import "slices"

// Names of the plugins. Upstream: pkg/scheduler/framework/plugins/names/names.go.
const (
	PrioritySort                    = "PrioritySort"
	SchedulingGates                 = "SchedulingGates"
	NodeUnschedulable               = "NodeUnschedulable"
	NodeName                        = "NodeName"
	TaintToleration                 = "TaintToleration"
	NodeAffinity                    = "NodeAffinity"
	NodePorts                       = "NodePorts"
	NodeResourcesFit                = "NodeResourcesFit"
	VolumeRestrictions              = "VolumeRestrictions"
	VolumeBinding                   = "VolumeBinding"
	VolumeZone                      = "VolumeZone"
	PodTopologySpread               = "PodTopologySpread"
	InterPodAffinity                = "InterPodAffinity"
	DynamicResources                = "DynamicResources"
	DefaultPreemption               = "DefaultPreemption"
	NodeResourcesBalancedAllocation = "NodeResourcesBalancedAllocation"
	ImageLocality                   = "ImageLocality"
	DefaultBinder                   = "DefaultBinder"
)

// defaultPlugins is the default profile, in the order in which plugins are asked.
// Upstream: apis/config/v1/default_plugins.go, getDefaultPlugins.
func defaultPlugins() *Plugins {
	p := &Plugins{}
	for _, pl := range [...]struct {
		name   string
		weight int32
	}{
		{SchedulingGates, 0}, {PrioritySort, 0}, {NodeUnschedulable, 0}, {NodeName, 0}, {TaintToleration, 3},
		{NodeAffinity, 2}, {NodePorts, 0}, {NodeResourcesFit, 1}, {VolumeRestrictions, 0}, {VolumeBinding, 0},
		{VolumeZone, 0}, {PodTopologySpread, 2}, {InterPodAffinity, 2}, {DynamicResources, 2}, {DefaultPreemption, 0},
		{NodeResourcesBalancedAllocation, 1}, {ImageLocality, 1}, {DefaultBinder, 0},
	} {
		e := Plugin{Name: pl.name}
		if pl.weight > 0 {
			e.Weight = &pl.weight
		}
		p.MultiPoint.Enabled = append(p.MultiPoint.Enabled, e)
	}
	return p
}

// mergePlugins applies what a profile wants to the default.
// Upstream: apis/config/v1/default_plugins.go, mergePlugins.
func mergePlugins(custom *Plugins) *Plugins {
	merged := defaultPlugins()
	if custom == nil {
		return merged
	}
	merged.MultiPoint = mergePluginSet(merged.MultiPoint, custom.MultiPoint)
	of := custom.ExtensionPoints()
	for i, e := range merged.ExtensionPoints() {
		*e.Set = mergePluginSet(*e.Set, *of[i].Set)
	}
	return merged
}

// mergePluginSet: a default plugin that is named again keeps its place with its
// new weight; what is new goes to the end.
func mergePluginSet(byDefault, custom PluginSet) PluginSet {
	out := PluginSet{Disabled: append(slices.Clone(custom.Disabled), byDefault.Disabled...)}
	replaced := make([]bool, len(custom.Enabled))
	if !named(out.Disabled, "*") {
		for _, pl := range byDefault.Enabled {
			if named(out.Disabled, pl.Name) {
				continue
			}
			// Of several with that name, the last.
			for i := len(custom.Enabled) - 1; i >= 0; i-- {
				if custom.Enabled[i].Name == pl.Name {
					pl, replaced[i] = custom.Enabled[i], true
					break
				}
			}
			out.Enabled = append(out.Enabled, pl)
		}
	}
	for i, pl := range custom.Enabled {
		if !replaced[i] {
			out.Enabled = append(out.Enabled, pl)
		}
	}
	return out
}

func named(list []Plugin, name string) bool {
	return slices.ContainsFunc(list, func(p Plugin) bool { return p.Name == name })
}
