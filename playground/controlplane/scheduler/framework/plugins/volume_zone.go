package plugins

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/api/volume"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// volumeZone keeps a Pod in the zone that the labels of its volumes name. Newer
// volumes say it by their node affinity, which is VolumeBinding's.
// Upstream: plugins/volumezone/volume_zone.go.
type volumeZone struct {
	claims  listers.PersistentVolumeClaimLister
	volumes listers.PersistentVolumeLister
	classes listers.StorageClassLister
}

// ErrReasonZoneConflict is the reason of a node elsewhere.
const ErrReasonZoneConflict = "node(s) had no available volume zone"

const zoneStateKey = "PreFilter" + VolumeZone

// topologyLabels name a place, the old names first.
var topologyLabels = [...]string{"failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
	corev1.LabelTopologyZone, corev1.LabelTopologyRegion}

// volumePlace is a label that a node has to have with one of some values.
type volumePlace struct {
	key    string
	values []string
}

func newVolumeZone(_ config.Args, h framework.Handle) (framework.Plugin, error) {
	f := h.SharedInformerFactory()
	return &volumeZone{f.Core().V1().PersistentVolumeClaims().Lister(), f.Core().V1().PersistentVolumes().Lister(),
		f.Storage().V1().StorageClasses().Lister()}, nil
}

func (*volumeZone) Name() string { return VolumeZone }

func (pl *volumeZone) PreFilter(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, _ []*framework.NodeInfo) (*framework.PreFilterResult,
	*framework.Status) {
	var places []volumePlace
	for i := range pod.Spec.Volumes {
		if pod.Spec.Volumes[i].PersistentVolumeClaim == nil {
			continue
		}
		v, s := pl.volumeOf(pod, pod.Spec.Volumes[i].PersistentVolumeClaim.ClaimName)
		if !s.IsSuccess() {
			return nil, s
		}
		if v == nil {
			continue // it waits for the Pod
		}
		for _, key := range topologyLabels {
			if value, ok := v.Labels[key]; ok {
				places = append(places, volumePlace{key, strings.Split(value, "__")})
			}
		}
	}
	if len(places) == 0 {
		return nil, framework.NewStatus(framework.Skip)
	}
	state.Write(zoneStateKey, places)
	return nil, nil
}

// volumeOf is nil when the volume is chosen with the node.
func (pl *volumeZone) volumeOf(pod *corev1.Pod, name string) (*corev1.PersistentVolume, *framework.Status) {
	claim, err := pl.claims.PersistentVolumeClaims(pod.Namespace).Get(name)
	if err != nil {
		return nil, unresolvableIfNotFound(err)
	}
	if claim.Spec.VolumeName != "" {
		v, err := pl.volumes.Get(claim.Spec.VolumeName)
		if err != nil {
			return nil, unresolvableIfNotFound(err)
		}
		return v, nil
	}
	className := volume.GetPersistentVolumeClaimClass(claim)
	if className == "" {
		return nil, framework.NewStatus(framework.UnschedulableAndUnresolvable, "PersistentVolumeClaim had no pv name and storageClass name")
	}
	class, err := pl.classes.Get(className)
	switch {
	case err != nil:
		return nil, unresolvableIfNotFound(err)
	case class.VolumeBindingMode == nil:
		return nil, framework.NewStatus(framework.UnschedulableAndUnresolvable, fmt.Sprintf("VolumeBindingMode not set for StorageClass %q", className))
	case *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer:
		return nil, nil
	}
	return nil, framework.NewStatus(framework.UnschedulableAndUnresolvable, "PersistentVolume had no name")
}

func unresolvableIfNotFound(err error) *framework.Status {
	if apierrors.IsNotFound(err) {
		return framework.NewStatus(framework.UnschedulableAndUnresolvable, err.Error())
	}
	return framework.AsStatus(err)
}

// PreFilterExtensions: volumes do not depend on other Pods.
func (*volumeZone) PreFilterExtensions() framework.PreFilterExtensions { return nil }

func (*volumeZone) Filter(_ *sim.Proc, state *framework.CycleState, _ *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	places, _ := framework.ReadState[[]volumePlace](state, zoneStateKey)
	labels := node.Node().Labels
	somewhere := false
	for _, key := range topologyLabels {
		_, has := labels[key]
		somewhere = somewhere || has
	}
	if !somewhere {
		return nil // a node that says nothing of zones may be in any
	}
	for _, place := range places {
		value, has := labels[place.key]
		if !has {
			value, has = labels[strings.Replace(place.key, "failure-domain.beta.kubernetes.io/", "topology.kubernetes.io/", 1)]
		}
		if !has || !slices.Contains(place.values, value) {
			return framework.NewStatus(framework.UnschedulableAndUnresolvable, ErrReasonZoneConflict)
		}
	}
	return nil
}

func (pl *volumeZone) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{
		{
			Event: framework.ClusterEvent{Resource: framework.StorageClass, ActionType: framework.Add},
			QueueingHintFn: func(_ *corev1.Pod, _, newObj api.Object) framework.QueueingHint {
				mode := newObj.(*storagev1.StorageClass).VolumeBindingMode
				return queueIf(mode != nil && *mode == storagev1.VolumeBindingWaitForFirstConsumer)
			},
		},
		{Event: framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add | framework.UpdateNodeLabel}},
		{
			Event: framework.ClusterEvent{Resource: framework.PersistentVolumeClaim, ActionType: framework.Add | framework.Update},
			QueueingHintFn: func(pod *corev1.Pod, _, newObj api.Object) framework.QueueingHint {
				return queueIf(podUsesClaim(pod, newObj.(*corev1.PersistentVolumeClaim)))
			},
		},
		{
			Event: framework.ClusterEvent{Resource: framework.PersistentVolume, ActionType: framework.Add | framework.Update},
			QueueingHintFn: func(_ *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
				before, _ := oldObj.(*corev1.PersistentVolume)
				return queueIf(before == nil || !api.SemanticDeepEqual(before.Labels, newObj.GetLabels()))
			},
		},
	}
}
