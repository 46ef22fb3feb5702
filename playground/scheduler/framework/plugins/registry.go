// Package plugins holds the scheduler's opinions: one plugin in each file, one
// line for each in the registry below.
//
// Names, messages, weights, order and the events that a plugin waits for are
// those of upstream's default profile (pkg/scheduler/framework/plugins and
// pkg/scheduler/apis/config/v1/default_plugins.go).
//
// Arithmetic is in whole numbers. Where upstream uses floating point
// (NodeResourcesBalancedAllocation, PodTopologySpread, ImageLocality), the file
// says how the number is made here and by how much it may differ.
//
// Absent: VolumeRestrictions, NodeVolumeLimits, VolumeBinding, VolumeZone (there
// are no volumes to place), InterPodAffinity, DeferredPodScheduling,
// GangScheduling, NodeDeclaredFeatures. DynamicResources and DefaultPreemption
// are there with what they say, not with what they do: see their files.
package plugins

import (
	"kubewalk/playground/scheduler/framework"
	"kubewalk/playground/scheduler/framework/runtime"
)

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
	PodTopologySpread               = "PodTopologySpread"
	DynamicResources                = "DynamicResources"
	DefaultPreemption               = "DefaultPreemption"
	NodeResourcesBalancedAllocation = "NodeResourcesBalancedAllocation"
	ImageLocality                   = "ImageLocality"
	DefaultBinder                   = "DefaultBinder"
)

// Default is the default profile's plugins, in the order in which they are asked.
func Default() []runtime.Registration {
	return []runtime.Registration{
		{Name: SchedulingGates, New: newSchedulingGates},
		{Name: PrioritySort, New: newPrioritySort},
		{Name: NodeUnschedulable, New: newNodeUnschedulable},
		{Name: NodeName, New: newNodeName},
		{Name: TaintToleration, Weight: 3, New: newTaintToleration},
		{Name: NodeAffinity, Weight: 2, New: newNodeAffinity},
		{Name: NodePorts, New: newNodePorts},
		{Name: NodeResourcesFit, Weight: 1, New: newNodeResourcesFit},
		{Name: PodTopologySpread, Weight: 2, New: newPodTopologySpread},
		{Name: DynamicResources, New: newDynamicResources},
		{Name: DefaultPreemption, New: newDefaultPreemption},
		{Name: NodeResourcesBalancedAllocation, Weight: 1, New: newBalancedAllocation},
		{Name: ImageLocality, Weight: 1, New: newImageLocality},
		{Name: DefaultBinder, New: newDefaultBinder},
	}
}

// defaultNormalizeScore stretches scores so that the largest becomes the
// maximum, and turns them round if less is better.
// Upstream: plugins/helper/normalize_score.go, DefaultNormalizeScore.
func defaultNormalizeScore(reverse bool, scores []framework.NodeScore) {
	var largest int64
	for _, s := range scores {
		largest = max(largest, s.Score)
	}
	for i := range scores {
		switch {
		case largest == 0 && reverse:
			scores[i].Score = framework.MaxNodeScore
		case largest == 0:
		default:
			scores[i].Score = framework.MaxNodeScore * scores[i].Score / largest
			if reverse {
				scores[i].Score = framework.MaxNodeScore - scores[i].Score
			}
		}
	}
}
