// Package nodevolumelimits is the scheduler's plugin NodeVolumeLimits: a Pod is kept from nodes that take no more volumes of a CSI driver.
// How many a node takes its driver has told the kubelet, which wrote it into the node's CSINode.
//
// Volumes of Pods that are on the node, or are assumed to be, count, and those of VolumeAttachments, which are there longer than their Pods.
// A claim without a volume yet counts as one: the driver is that of its class.
//
// It is in the larger build alone, and a cluster has it that has CSI drivers; there it is asked behind the other filters, where upstream has it before
// VolumeBinding. Absent: migration from in-tree plugins, and PreventPodSchedulingIfMissing.
//
// Upstream: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go.
package nodevolumelimits

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/api/volume"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// Name is the plugin's.
const Name = "NodeVolumeLimits"

// ErrReasonMaxVolumeCountExceeded is the reason of a node that is full.
const ErrReasonMaxVolumeCountExceeded = "node(s) exceed max volume count"

// Args are none.
type Args struct{}

// SetDefaults implements config.Args.
func (*Args) SetDefaults() {}

// Validate implements config.Args.
func (*Args) Validate(*field.Path) []error { return nil }

// NewArgs makes them.
func NewArgs() config.Args { return &Args{} }

// CSILimits is the plugin.
type CSILimits struct {
	claims      listers.PersistentVolumeClaimLister
	volumes     listers.PersistentVolumeLister
	classes     listers.StorageClassLister
	nodes       listers.CSINodeLister
	attachments listers.VolumeAttachmentLister
}

// New makes it.
func New(_ config.Args, h framework.Handle) (framework.Plugin, error) {
	core, storage := h.SharedInformerFactory().Core().V1(), h.SharedInformerFactory().Storage().V1()
	return &CSILimits{claims: core.PersistentVolumeClaims().Lister(), volumes: core.PersistentVolumes().Lister(), classes: storage.StorageClasses().Lister(),
		nodes: storage.CSINodes().Lister(), attachments: storage.VolumeAttachments().Lister()}, nil
}

// Name implements framework.Plugin.
func (*CSILimits) Name() string { return Name }

// EventsToRegister implements framework.EnqueueExtensions.
func (pl *CSILimits) EventsToRegister() []framework.ClusterEventWithHint {
	event := func(r framework.EventResource, a framework.ActionType) framework.ClusterEvent {
		return framework.ClusterEvent{Resource: r, ActionType: a}
	}
	return []framework.ClusterEventWithHint{
		{Event: event(framework.CSINode, framework.Add)},
		{Event: event(framework.CSINode, framework.Update), QueueingHintFn: limitIncreased},
		{Event: event(framework.Pod, framework.Delete), QueueingHintFn: func(_ *corev1.Pod, oldObj, _ api.Object) framework.QueueingHint {
			deleted, _ := oldObj.(*corev1.Pod)
			return queueIf(deleted != nil && deleted.Spec.NodeName != "" && usesClaims(deleted))
		}},
		{Event: event(framework.PersistentVolumeClaim, framework.Add), QueueingHintFn: func(pod *corev1.Pod, _, newObj api.Object) framework.QueueingHint {
			claim := newObj.(*corev1.PersistentVolumeClaim)
			for i := range pod.Spec.Volumes {
				if name, _ := volume.ClaimName(pod, &pod.Spec.Volumes[i]); name == claim.Name && pod.Namespace == claim.Namespace {
					return framework.Queue
				}
			}
			return framework.QueueSkip
		}},
		{Event: event(framework.VolumeAttachment, framework.Delete), QueueingHintFn: func(pod *corev1.Pod, _, _ api.Object) framework.QueueingHint {
			return queueIf(usesClaims(pod))
		}},
	}
}

func queueIf(b bool) framework.QueueingHint {
	if b {
		return framework.Queue
	}
	return framework.QueueSkip
}

func usesClaims(pod *corev1.Pod) bool {
	for i := range pod.Spec.Volumes {
		if name, _ := volume.ClaimName(pod, &pod.Spec.Volumes[i]); name != "" {
			return true
		}
	}
	return false
}

func limits(n *storagev1.CSINode) map[string]int32 {
	out := map[string]int32{}
	for _, d := range n.Spec.Drivers {
		if d.Allocatable != nil && d.Allocatable.Count != nil {
			out[d.Name] = *d.Allocatable.Count
		}
	}
	return out
}

func limitIncreased(_ *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
	before := limits(oldObj.(*storagev1.CSINode))
	for driver, most := range limits(newObj.(*storagev1.CSINode)) { // order: whether there is one
		if most > before[driver] {
			return framework.Queue
		}
	}
	return framework.QueueSkip
}

// PreFilter implements framework.PreFilterPlugin: a Pod without claims is not asked about.
func (pl *CSILimits) PreFilter(_ *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, _ []*framework.NodeInfo) (*framework.PreFilterResult, *framework.Status) {
	if !usesClaims(pod) {
		return nil, framework.NewStatus(framework.Skip)
	}
	return nil, nil
}

// PreFilterExtensions: other Pods count by node.
func (*CSILimits) PreFilterExtensions() framework.PreFilterExtensions { return nil }

// region filter

// Filter implements framework.FilterPlugin.
func (pl *CSILimits) Filter(_ *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	csiNode, ok := pl.nodes.Find(node.Node().Name)
	if !ok {
		return nil
	}
	most := limits(csiNode)
	if len(most) == 0 {
		return nil
	}
	wanted, there := map[string]string{}, map[string]string{} // volumes' drivers
	pl.add(pod, wanted)
	for _, existing := range node.Pods {
		pl.add(existing.Pod, there)
	}
	pl.addAttached(node.Node().Name, there)
	count := map[string]int32{}
	for _, driver := range there { // order: a sum
		count[driver]++
	}
	for name, driver := range wanted { // order: a sum
		if _, already := there[name]; !already {
			count[driver]++
		}
	}
	for _, driver := range wanted { // order: whether there is one
		if limit, has := most[driver]; has && count[driver] > limit {
			return framework.NewStatus(framework.Unschedulable, ErrReasonMaxVolumeCountExceeded)
		}
	}
	return nil
}

// endregion

// add adds a Pod's volumes, and whose they are. Upstream: filterAttachableVolumes, getCSIDriverInfo.
func (pl *CSILimits) add(pod *corev1.Pod, to map[string]string) {
	for i := range pod.Spec.Volumes {
		name, _ := volume.ClaimName(pod, &pod.Spec.Volumes[i])
		if name == "" {
			continue
		}
		claim, ok := pl.claims.PersistentVolumeClaims(pod.Namespace).Find(name)
		if !ok {
			continue // VolumeBinding says so
		}
		if pv, ok := pl.volumes.Find(claim.Spec.VolumeName); ok {
			if pv.Spec.CSI != nil {
				to[pv.Spec.CSI.Driver+"/"+pv.Spec.CSI.VolumeHandle] = pv.Spec.CSI.Driver
			}
			continue
		}
		if class, ok := pl.classes.Find(volume.GetPersistentVolumeClaimClass(claim)); ok {
			to[class.Provisioner+"-"+pod.Namespace+"/"+name] = class.Provisioner
		}
	}
}

// addAttached adds what is attached to a node. Upstream: getNodeVolumeAttachmentInfo.
func (pl *CSILimits) addAttached(node string, to map[string]string) {
	all, _ := pl.attachments.List(nil) // a cache does not fail
	for _, a := range all {
		if a.Spec.NodeName != node || a.Spec.Source.PersistentVolumeName == nil {
			continue
		}
		if pv, ok := pl.volumes.Find(*a.Spec.Source.PersistentVolumeName); ok && pv.Spec.CSI != nil {
			to[pv.Spec.CSI.Driver+"/"+pv.Spec.CSI.VolumeHandle] = pv.Spec.CSI.Driver
		}
	}
}
