package config

import (
	"encoding/json"
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
)

// Args are one plugin's arguments, with defaults filled in.
type Args interface {
	SetDefaults()
	Validate(path *field.Path) []error
}

// DefaultPreemptionArgs says how many nodes preemption looks at.
type DefaultPreemptionArgs struct {
	MinCandidateNodesPercentage *int32 `json:"minCandidateNodesPercentage,omitempty"`
	MinCandidateNodesAbsolute   *int32 `json:"minCandidateNodesAbsolute,omitempty"`
}

// InterPodAffinityArgs says what counts besides the Pod's own preferences.
type InterPodAffinityArgs struct {
	// HardPodAffinityWeight is what it counts that a Pod which is there requires
	// to be near the new one.
	HardPodAffinityWeight              *int32 `json:"hardPodAffinityWeight,omitempty"`
	IgnorePreferredTermsOfExistingPods bool   `json:"ignorePreferredTermsOfExistingPods,omitempty"`
}

// NodeAffinityArgs adds an affinity to that of every Pod.
type NodeAffinityArgs struct {
	AddedAffinity *corev1.NodeAffinity `json:"addedAffinity,omitempty"`
}

// ResourceSpec is a resource and how much it counts.
type ResourceSpec struct {
	Name   string `json:"name"`
	Weight int64  `json:"weight,omitempty"`
}

// NodeResourcesFitArgs says how nodes are ranked by what they have left.
type NodeResourcesFitArgs struct {
	IgnoredResources      []string         `json:"ignoredResources,omitempty"`
	IgnoredResourceGroups []string         `json:"ignoredResourceGroups,omitempty"`
	ScoringStrategy       *ScoringStrategy `json:"scoringStrategy,omitempty"`
}

// ScoringStrategyType is a way to rank nodes.
type ScoringStrategyType string

// The strategies: much left, little left, or a function of the use.
const (
	LeastAllocated           ScoringStrategyType = "LeastAllocated"
	MostAllocated            ScoringStrategyType = "MostAllocated"
	RequestedToCapacityRatio ScoringStrategyType = "RequestedToCapacityRatio"
)

// ScoringStrategy is a strategy and the resources that it looks at.
type ScoringStrategy struct {
	Type                     ScoringStrategyType            `json:"type,omitempty"`
	Resources                []ResourceSpec                 `json:"resources,omitempty"`
	RequestedToCapacityRatio *RequestedToCapacityRatioParam `json:"requestedToCapacityRatio,omitempty"`
}

// RequestedToCapacityRatioParam is a function in points, linear between them.
type RequestedToCapacityRatioParam struct {
	Shape []UtilizationShapePoint `json:"shape,omitempty"`
}

// UtilizationShapePoint is a point: a percentage, and a score from 0 to 10.
type UtilizationShapePoint struct {
	Utilization int32 `json:"utilization"`
	Score       int32 `json:"score"`
}

// NodeResourcesBalancedAllocationArgs says between which resources to keep the balance.
type NodeResourcesBalancedAllocationArgs struct {
	Resources []ResourceSpec `json:"resources,omitempty"`
}

// PodTopologySpreadConstraintsDefaulting says where the constraints come from of Pods that have none.
type PodTopologySpreadConstraintsDefaulting string

// From the list in the arguments, or built in.
const (
	ListDefaulting   PodTopologySpreadConstraintsDefaulting = "List"
	SystemDefaulting PodTopologySpreadConstraintsDefaulting = "System"
)

// PodTopologySpreadArgs are the constraints of Pods that have none.
type PodTopologySpreadArgs struct {
	DefaultConstraints []corev1.TopologySpreadConstraint      `json:"defaultConstraints,omitempty"`
	DefaultingType     PodTopologySpreadConstraintsDefaulting `json:"defaultingType,omitempty"`
}

// VolumeBindingArgs says how long to wait for volumes.
type VolumeBindingArgs struct {
	BindTimeoutSeconds *int64 `json:"bindTimeoutSeconds,omitempty"`
}

// newArgs is nil for plugins without arguments.
func newArgs(plugin string) Args {
	switch plugin {
	case DefaultPreemption:
		return &DefaultPreemptionArgs{}
	case InterPodAffinity:
		return &InterPodAffinityArgs{}
	case NodeAffinity:
		return &NodeAffinityArgs{}
	case NodeResourcesFit:
		return &NodeResourcesFitArgs{}
	case NodeResourcesBalancedAllocation:
		return &NodeResourcesBalancedAllocationArgs{}
	case PodTopologySpread:
		return &PodTopologySpreadArgs{}
	case VolumeBinding:
		return &VolumeBindingArgs{}
	}
	return nil
}

// DefaultArgs are a plugin's arguments when the profile gives none; nil when it takes none.
func DefaultArgs(plugin string) Args {
	a := newArgs(plugin)
	if a != nil {
		a.SetDefaults()
	}
	return a
}

// decodeArgs reads a plugin's arguments strictly and fills in defaults.
func decodeArgs(plugin string, raw json.RawMessage, outOfTree map[string]func() Args) (Args, error) {
	a := newArgs(plugin)
	if newArgs := outOfTree[plugin]; newArgs != nil {
		a = newArgs()
	}
	if a == nil {
		if len(raw) > 0 && string(raw) != "{}" && string(raw) != "null" {
			return nil, fmt.Errorf("decoding args for plugin %s: no kind \"%sArgs\" is registered for version \"kubescheduler.config.k8s.io/v1\"", plugin,
				plugin)
		}
		return nil, nil
	}
	if len(raw) > 0 {
		strict, err := api.DecodeInto(raw, a)
		if err == nil && strict != nil {
			err = strict
		}
		if err != nil {
			return nil, fmt.Errorf("decoding args for plugin %s: %w", plugin, err)
		}
	}
	a.SetDefaults()
	return a, nil
}

func orElse[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

func (a *DefaultPreemptionArgs) SetDefaults() {
	orElse(&a.MinCandidateNodesPercentage, 10)
	orElse(&a.MinCandidateNodesAbsolute, 100)
}

func (a *InterPodAffinityArgs) SetDefaults() { orElse(&a.HardPodAffinityWeight, 1) }

func (a *NodeAffinityArgs) SetDefaults() {}

func (a *NodeResourcesFitArgs) SetDefaults() {
	if a.ScoringStrategy == nil {
		a.ScoringStrategy = &ScoringStrategy{Type: LeastAllocated}
	}
	a.ScoringStrategy.Resources = weighted(a.ScoringStrategy.Resources)
}

func (a *NodeResourcesBalancedAllocationArgs) SetDefaults() { a.Resources = weighted(a.Resources) }

// weighted fills in CPU and memory, and the weight 1.
func weighted(list []ResourceSpec) []ResourceSpec {
	if len(list) == 0 {
		return []ResourceSpec{{"cpu", 1}, {"memory", 1}}
	}
	for i := range list {
		if list[i].Weight == 0 {
			list[i].Weight = 1
		}
	}
	return list
}

func (a *PodTopologySpreadArgs) SetDefaults() {
	if a.DefaultingType == "" {
		a.DefaultingType = SystemDefaulting
	}
}

func (a *VolumeBindingArgs) SetDefaults() { orElse(&a.BindTimeoutSeconds, 600) }
