package framework

import (
	"maps"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
)

// ActionType is what happened to an object, as a bit, so that a plugin can name several.
// Upstream: kube-scheduler/framework/types.go, ActionType.
type ActionType int64

// The actions.
const (
	Add ActionType = 1 << iota
	Delete
	UpdateNodeAllocatable
	UpdateNodeLabel
	UpdateNodeTaint
	UpdateNodeCondition
	UpdateNodeAnnotation
	UpdatePodLabel
	UpdatePodScaleDown
	UpdatePodToleration
	UpdatePodSchedulingGatesEliminated
	UpdatePodGeneratedResourceClaim
	updatePodOther

	All    = updatePodOther<<1 - 1
	Update = All &^ (Add | Delete)
)

var actionNames = map[ActionType]string{
	Add: "Add", Delete: "Delete", Update: "Update", All: "All",
	UpdateNodeAllocatable: "UpdateNodeAllocatable", UpdateNodeLabel: "UpdateNodeLabel",
	UpdateNodeTaint: "UpdateNodeTaint", UpdateNodeCondition: "UpdateNodeCondition",
	UpdateNodeAnnotation: "UpdateNodeAnnotation", UpdatePodLabel: "UpdatePodLabel",
	UpdatePodScaleDown: "UpdatePodScaleDown", UpdatePodToleration: "UpdatePodToleration",
	UpdatePodSchedulingGatesEliminated: "UpdatePodSchedulingGatesEliminated",
	UpdatePodGeneratedResourceClaim:    "UpdatePodGeneratedResourceClaim", updatePodOther: "Update",
}

// EventResource is what kind of object it happened to.
type EventResource string

// The objects. Pod covers both kinds of Pods.
const (
	Pod              EventResource = "Pod"
	assignedPod      EventResource = "AssignedPod"
	unschedulablePod EventResource = "UnscheduledPod"
	Node             EventResource = "Node"

	PersistentVolume      EventResource = "PersistentVolume"
	PersistentVolumeClaim EventResource = "PersistentVolumeClaim"
	StorageClass          EventResource = "StorageClass"
	CSINode               EventResource = "CSINode"
	VolumeAttachment      EventResource = "VolumeAttachment"
	ResourceClaim         EventResource = "ResourceClaim"
	ResourceSlice         EventResource = "ResourceSlice"
	DeviceClass           EventResource = "DeviceClass"
	WildCard              EventResource = "*"
)

// ClusterEvent is something that may make Pods schedulable, or a plugin's
// interest in such things.
type ClusterEvent struct {
	Resource   EventResource
	ActionType ActionType
	label      string
}

// Label is the event's name in logs and in the trace: "NodeAdd", "AssignedPodDelete".
func (e ClusterEvent) Label() string {
	if e.label != "" {
		return e.label
	}
	return string(e.Resource) + actionNames[e.ActionType]
}

// Labels of what is no event of an object.
const (
	ScheduleAttemptFailure = "ScheduleAttemptFailure"
	BackoffComplete        = "BackoffComplete"
	ForceActivate          = "ForceActivate"
)

// The events that the scheduler itself makes. Upstream: pkg/scheduler/framework/events.go.
var (
	EventAssignedPodAdd       = ClusterEvent{Resource: assignedPod, ActionType: Add}
	EventAssignedPodDelete    = ClusterEvent{Resource: assignedPod, ActionType: Delete}
	EventUnscheduledPodAdd    = ClusterEvent{Resource: unschedulablePod, ActionType: Add}
	EventUnscheduledPodUpdate = ClusterEvent{Resource: unschedulablePod, ActionType: Update}
	EventUnscheduledPodDelete = ClusterEvent{Resource: unschedulablePod, ActionType: Delete}
	// EventForceActivate is a plugin's wish to see a Pod tried again;
	// EventUnschedulableTimeout moves what was left in unschedulablePods too long.
	EventForceActivate        = ClusterEvent{Resource: WildCard, ActionType: All, label: ForceActivate}
	EventUnschedulableTimeout = ClusterEvent{Resource: WildCard, ActionType: All, label: "UnschedulableTimeout"}
)

// IsWildCard tells that the event concerns every Pod, whatever turned it down.
func (e ClusterEvent) IsWildCard() bool { return e.Resource == WildCard && e.ActionType == All }

// Matches tells whether a plugin with interest e wants to hear of event.
// Upstream: pkg/scheduler/framework/types.go, MatchClusterEvents.
func (e ClusterEvent) Matches(event ClusterEvent) bool {
	if e.IsWildCard() {
		return true
	}
	sameResource := e.Resource == event.Resource ||
		e.Resource == Pod && (event.Resource == assignedPod || event.Resource == unschedulablePod)
	return sameResource && e.ActionType&event.ActionType != 0
}

// QueueingHint is a plugin's opinion on whether an event helps a Pod.
type QueueingHint int

const (
	// QueueSkip means that the event does not help.
	QueueSkip QueueingHint = iota
	// Queue means that it may help: try the Pod again.
	Queue
)

func (h QueueingHint) String() string { return [...]string{"QueueSkip", "Queue"}[h] }

// QueueingHintFn looks at an event for a Pod that the plugin turned down. old is
// nil for additions, new for deletions.
type QueueingHintFn func(pod *corev1.Pod, old, new api.Object) QueueingHint

// ClusterEventWithHint is an interest and, optionally, a closer look.
type ClusterEventWithHint struct {
	Event          ClusterEvent
	QueueingHintFn QueueingHintFn
}

// PodSchedulingPropertiesChange names what an update of a Pod changed, as far as scheduling cares.
// Upstream: pkg/scheduler/framework/events.go.
func PodSchedulingPropertiesChange(newPod, oldPod *corev1.Pod) []ClusterEvent {
	r := assignedPod
	if newPod.Spec.NodeName == "" {
		r = unschedulablePod
	}
	var events []ClusterEvent
	add := func(changed bool, action ActionType) {
		if changed {
			events = append(events, ClusterEvent{Resource: r, ActionType: action})
		}
	}
	add(!maps.Equal(newPod.Labels, oldPod.Labels), UpdatePodLabel)
	add(scaledDown(newPod, oldPod), UpdatePodScaleDown)
	add(len(oldPod.Spec.SchedulingGates) != 0 && len(newPod.Spec.SchedulingGates) == 0, UpdatePodSchedulingGatesEliminated)
	// A toleration can only be added, so the number tells.
	add(len(newPod.Spec.Tolerations) != len(oldPod.Spec.Tolerations), UpdatePodToleration)
	add(!slices.EqualFunc(newPod.Status.ResourceClaimStatuses, oldPod.Status.ResourceClaimStatuses, sameClaim) ||
		!sameExtendedClaim(newPod.Status.ExtendedResourceClaimStatus, oldPod.Status.ExtendedResourceClaimStatus), UpdatePodGeneratedResourceClaim)
	if len(events) == 0 {
		events = append(events, ClusterEvent{Resource: r, ActionType: updatePodOther})
	}
	return events
}

func sameClaim(a, b corev1.PodResourceClaimStatus) bool {
	return a.Name == b.Name && (a.ResourceClaimName == nil) == (b.ResourceClaimName == nil) &&
		(a.ResourceClaimName == nil || *a.ResourceClaimName == *b.ResourceClaimName)
}

func sameExtendedClaim(a, b *corev1.PodExtendedResourceClaimStatus) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.ResourceClaimName == b.ResourceClaimName && slices.Equal(a.RequestMappings, b.RequestMappings)
}

func scaledDown(newPod, oldPod *corev1.Pod) bool {
	after := PodRequests(newPod, false)
	for name, before := range PodRequests(oldPod, false) { // any: the order does not matter
		if now, ok := after[name]; !ok || before.Cmp(now) > 0 {
			return true
		}
	}
	return false
}

// NodeSchedulingPropertiesChange names what an update of a Node changed, as far as scheduling cares.
// Upstream: pkg/scheduler/framework/events.go.
func NodeSchedulingPropertiesChange(newNode, oldNode *corev1.Node) []ClusterEvent {
	var events []ClusterEvent
	add := func(changed bool, action ActionType) {
		if changed {
			events = append(events, ClusterEvent{Resource: Node, ActionType: action})
		}
	}
	// Only what makes a node more schedulable counts: cordoning is not here.
	add(newNode.Spec.Unschedulable != oldNode.Spec.Unschedulable && !newNode.Spec.Unschedulable, UpdateNodeTaint)
	add(!maps.EqualFunc(oldNode.Status.Allocatable, newNode.Status.Allocatable, resource.Quantity.Equal), UpdateNodeAllocatable)
	add(!maps.Equal(oldNode.Labels, newNode.Labels), UpdateNodeLabel)
	add(!slices.EqualFunc(oldNode.Spec.Taints, newNode.Spec.Taints, sameTaint), UpdateNodeTaint)
	add(!maps.Equal(conditionStatuses(oldNode), conditionStatuses(newNode)), UpdateNodeCondition)
	add(!maps.Equal(oldNode.Annotations, newNode.Annotations), UpdateNodeAnnotation)
	return events
}

func sameTaint(a, b corev1.Taint) bool {
	return a.Key == b.Key && a.Value == b.Value && a.Effect == b.Effect && a.TimeAdded.Equal(b.TimeAdded)
}

func conditionStatuses(n *corev1.Node) map[corev1.NodeConditionType]corev1.ConditionStatus {
	out := map[corev1.NodeConditionType]corev1.ConditionStatus{}
	for _, c := range n.Status.Conditions {
		out[c.Type] = c.Status
	}
	return out
}
