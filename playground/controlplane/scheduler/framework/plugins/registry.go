// Package plugins holds the scheduler's opinions: one plugin in each file, one
// line for each in the registry below.
//
// Names, messages, weights, order and the events that a plugin waits for are
// those of upstream (pkg/scheduler/framework/plugins). Which of them a profile
// asks, and with what arguments, is in package config.
//
// Arithmetic is in whole numbers. Where upstream uses floating point
// (NodeResourcesBalancedAllocation, PodTopologySpread, ImageLocality), the file
// says how the number is made here and by how much it may differ.
//
// NodeVolumeLimits is a package of its own, for clusters with CSI drivers, and so is
// what DynamicResources does, for clusters with devices; what it says without them is here.
// Absent: GangScheduling, NodeDeclaredFeatures.
package plugins

import (
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/framework/runtime"
)

// Names of the plugins, for the plugins themselves.
const (
	PrioritySort                    = config.PrioritySort
	SchedulingGates                 = config.SchedulingGates
	NodeUnschedulable               = config.NodeUnschedulable
	NodeName                        = config.NodeName
	TaintToleration                 = config.TaintToleration
	NodeAffinity                    = config.NodeAffinity
	NodePorts                       = config.NodePorts
	NodeResourcesFit                = config.NodeResourcesFit
	VolumeRestrictions              = config.VolumeRestrictions
	VolumeBinding                   = config.VolumeBinding
	VolumeZone                      = config.VolumeZone
	PodTopologySpread               = config.PodTopologySpread
	InterPodAffinity                = config.InterPodAffinity
	DynamicResources                = config.DynamicResources
	DefaultPreemption               = config.DefaultPreemption
	NodeResourcesBalancedAllocation = config.NodeResourcesBalancedAllocation
	ImageLocality                   = config.ImageLocality
	DefaultBinder                   = config.DefaultBinder
)

// NewInTreeRegistry is what plugins there are. Upstream: framework/plugins/registry.go, same name.
func NewInTreeRegistry() runtime.Registry {
	return runtime.Registry{
		SchedulingGates:                 newSchedulingGates,
		PrioritySort:                    newPrioritySort,
		NodeUnschedulable:               newNodeUnschedulable,
		NodeName:                        newNodeName,
		TaintToleration:                 newTaintToleration,
		NodeAffinity:                    newNodeAffinity,
		NodePorts:                       newNodePorts,
		NodeResourcesFit:                newNodeResourcesFit,
		VolumeRestrictions:              newVolumeRestrictions,
		VolumeBinding:                   newVolumeBinding,
		VolumeZone:                      newVolumeZone,
		PodTopologySpread:               newPodTopologySpread,
		InterPodAffinity:                newInterPodAffinity,
		DynamicResources:                newDynamicResources,
		DefaultPreemption:               newDefaultPreemption,
		NodeResourcesBalancedAllocation: newBalancedAllocation,
		ImageLocality:                   newImageLocality,
		DefaultBinder:                   newDefaultBinder,
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
