// Package config is the scheduler's configuration as plain data: profiles, each
// a scheduler name with the plugins that are asked at each extension point, their
// weights and their arguments.
//
// The JSON is that of a profile in upstream's KubeSchedulerConfiguration
// (kubescheduler.config.k8s.io/v1), and so are defaults, merging and the errors
// of what does not make sense. The fields of the configuration around the
// profiles are not here: they are about clients, leases and metrics.
//
// Upstream: kube-scheduler/config/v1, pkg/scheduler/apis/config.
package config

import "encoding/json"

// KubeSchedulerProfile is one scheduler name and how its Pods are scheduled.
type KubeSchedulerProfile struct {
	// SchedulerName is what spec.schedulerName has to say; "" is default-scheduler
	// when there is one profile only.
	SchedulerName string `json:"schedulerName,omitempty"`
	// PercentageOfNodesToScore is after how many feasible nodes to stop looking; 0
	// or nothing adapts it to the size of the cluster.
	PercentageOfNodesToScore *int32         `json:"percentageOfNodesToScore,omitempty"`
	Plugins                  *Plugins       `json:"plugins,omitempty"`
	PluginConfig             []PluginConfig `json:"pluginConfig,omitempty"`
}

// Plugins says what to change at each extension point. MultiPoint is all of them.
type Plugins struct {
	PreEnqueue PluginSet `json:"preEnqueue,omitzero"`
	QueueSort  PluginSet `json:"queueSort,omitzero"`
	PreFilter  PluginSet `json:"preFilter,omitzero"`
	Filter     PluginSet `json:"filter,omitzero"`
	PostFilter PluginSet `json:"postFilter,omitzero"`
	PreScore   PluginSet `json:"preScore,omitzero"`
	Score      PluginSet `json:"score,omitzero"`
	Reserve    PluginSet `json:"reserve,omitzero"`
	Permit     PluginSet `json:"permit,omitzero"`
	PreBind    PluginSet `json:"preBind,omitzero"`
	Bind       PluginSet `json:"bind,omitzero"`
	PostBind   PluginSet `json:"postBind,omitzero"`
	MultiPoint PluginSet `json:"multiPoint,omitzero"`
}

// PluginSet adds to an extension point and takes away from it; "*" takes all away.
type PluginSet struct {
	Enabled  []Plugin `json:"enabled,omitempty"`
	Disabled []Plugin `json:"disabled,omitempty"`
}

// Plugin is a plugin's name, and how much its scores count.
type Plugin struct {
	Name   string `json:"name"`
	Weight *int32 `json:"weight,omitempty"`
}

// PluginConfig is a plugin's arguments: the JSON of NameArgs.
type PluginConfig struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

// ExtensionPoint is one set of plugins, with the name of its field and that of the interface.
type ExtensionPoint struct {
	Field     string
	Interface string
	Set       *PluginSet
}

// ExtensionPoints lists the sets but for MultiPoint.
func (p *Plugins) ExtensionPoints() []ExtensionPoint {
	return []ExtensionPoint{
		{"preFilter", "PreFilterPlugin", &p.PreFilter},
		{"filter", "FilterPlugin", &p.Filter},
		{"postFilter", "PostFilterPlugin", &p.PostFilter},
		{"reserve", "ReservePlugin", &p.Reserve},
		{"preScore", "PreScorePlugin", &p.PreScore},
		{"score", "ScorePlugin", &p.Score},
		{"preBind", "PreBindPlugin", &p.PreBind},
		{"bind", "BindPlugin", &p.Bind},
		{"postBind", "PostBindPlugin", &p.PostBind},
		{"permit", "PermitPlugin", &p.Permit},
		{"preEnqueue", "PreEnqueuePlugin", &p.PreEnqueue},
		{"queueSort", "QueueSortPlugin", &p.QueueSort},
	}
}
