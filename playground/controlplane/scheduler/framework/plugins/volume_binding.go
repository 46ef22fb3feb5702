package plugins

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/api/volume"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/framework/volumebinding"
	"kubewalk/playground/sim"
)

// volumeBinding keeps a Pod from nodes from which its volumes cannot be reached,
// and finds volumes for claims that wait for a Pod: it chooses them together with
// the node, binds them before the Pod is bound, and waits until the volume
// controller says that it is done. A Pod whose other claims are not bound yet has to wait.
// Upstream: plugins/volumebinding/volume_binding.go. Absent: capacity of CSI
// drivers, translation of in-tree volumes.
type volumeBinding struct {
	handle framework.Handle
	binder *volumebinding.Binder
}

const volumesStateKey = VolumeBinding

// volumesState is what Filter found, for Reserve and PreBind. It is shared by
// copies of the cycle's state: who evicts Pods does not change volumes.
type volumesState struct {
	allBound bool
	claims   *volumebinding.PodVolumeClaims
	byNode   map[string]*volumebinding.PodVolumes
}

func newVolumeBinding(args config.Args, h framework.Handle) (framework.Plugin, error) {
	timeout := time.Duration(*args.(*config.VolumeBindingArgs).BindTimeoutSeconds) * time.Second
	return &volumeBinding{handle: h, binder: volumebinding.NewBinder(h, timeout)}, nil
}

func (*volumeBinding) Name() string { return VolumeBinding }

func (pl *volumeBinding) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{
		{
			Event: framework.ClusterEvent{Resource: framework.StorageClass, ActionType: framework.Add | framework.Update},
			QueueingHintFn: func(_ *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
				before, _ := oldObj.(*storagev1.StorageClass)
				after := newObj.(*storagev1.StorageClass)
				return queueIf(before == nil || !api.SemanticDeepEqual(before.AllowedTopologies, after.AllowedTopologies))
			},
		},
		{
			Event: framework.ClusterEvent{Resource: framework.PersistentVolumeClaim, ActionType: framework.Add | framework.Update},
			QueueingHintFn: func(pod *corev1.Pod, _, newObj api.Object) framework.QueueingHint {
				return queueIf(podUsesClaim(pod, newObj.(*corev1.PersistentVolumeClaim)))
			},
		},
		{Event: framework.ClusterEvent{Resource: framework.PersistentVolume, ActionType: framework.Add | framework.Update}},
		{Event: framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add | framework.UpdateNodeLabel}},
	}
}

func podUsesClaim(pod *corev1.Pod, claim *corev1.PersistentVolumeClaim) bool {
	if pod.Namespace != claim.Namespace {
		return false
	}
	for i := range pod.Spec.Volumes {
		if name, _ := volume.ClaimName(pod, &pod.Spec.Volumes[i]); name == claim.Name {
			return true
		}
	}
	return false
}

// podHasPVCs is an error when a claim is not there or of no use.
func (pl *volumeBinding) podHasPVCs(pod *corev1.Pod) (has bool, err error) {
	for i := range pod.Spec.Volumes {
		name, ephemeral := volume.ClaimName(pod, &pod.Spec.Volumes[i])
		if name == "" {
			continue
		}
		has = true
		claim, err := pl.binder.Claim(pod.Namespace, name)
		switch {
		case ephemeral && apierrors.IsNotFound(err):
			return has, fmt.Errorf("waiting for ephemeral volume controller to create the persistentvolumeclaim %q", name)
		case err != nil:
			return has, err
		case claim.Status.Phase == corev1.ClaimLost:
			return has, fmt.Errorf("persistentvolumeclaim %q bound to non-existent persistentvolume %q", claim.Name, claim.Spec.VolumeName)
		case claim.DeletionTimestamp != nil:
			return has, fmt.Errorf("persistentvolumeclaim %q is being deleted", claim.Name)
		case ephemeral:
			if err := volume.EphemeralClaimIsForPod(pod, claim); err != nil {
				return has, err
			}
		}
	}
	return has, nil
}

func (pl *volumeBinding) PreFilter(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, _ []*framework.NodeInfo) (*framework.PreFilterResult,
	*framework.Status) {
	has, err := pl.podHasPVCs(pod)
	if err != nil {
		return nil, framework.NewStatus(framework.UnschedulableAndUnresolvable, err.Error())
	}
	if !has {
		state.Write(volumesStateKey, &volumesState{})
		return nil, framework.NewStatus(framework.Skip)
	}
	claims, err := pl.binder.GetPodVolumeClaims(pod)
	if err != nil {
		return nil, framework.AsStatus(err)
	}
	if len(claims.UnboundImmediate) > 0 {
		return nil, framework.NewStatus(framework.UnschedulableAndUnresolvable, "pod has unbound immediate PersistentVolumeClaims")
	}
	state.Write(volumesStateKey, &volumesState{claims: claims, byNode: map[string]*volumebinding.PodVolumes{}})
	return nil, nil
}

// PreFilterExtensions: volumes do not depend on other Pods.
func (*volumeBinding) PreFilterExtensions() framework.PreFilterExtensions { return nil }

func (pl *volumeBinding) state(state *framework.CycleState) (*volumesState, *framework.Status) {
	if s, ok := framework.ReadState[*volumesState](state, volumesStateKey); ok {
		return s, nil
	}
	return nil, framework.NewStatus(framework.Error, "not found")
}

func (pl *volumeBinding) Filter(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	s, status := pl.state(state)
	if s == nil {
		return status
	}
	volumes, reasons, err := pl.binder.FindPodVolumes(p, pod, s.claims, node.Node())
	if err != nil {
		return framework.AsStatus(err)
	}
	if len(reasons) > 0 {
		return framework.NewStatus(framework.UnschedulableAndUnresolvable, reasons...)
	}
	s.byNode[node.Name()] = volumes
	return nil
}

// Reserve assumes that the volumes are bound as they were chosen.
func (pl *volumeBinding) Reserve(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodeName string) *framework.Status {
	s, status := pl.state(state)
	if s == nil {
		return status
	}
	if volumes := s.byNode[nodeName]; volumes != nil {
		allBound, err := pl.binder.AssumePodVolumes(p, pod, nodeName, volumes)
		if err != nil {
			return framework.AsStatus(err)
		}
		s.allBound = allBound
	} else {
		s.allBound = true // it has none
	}
	return nil
}

// Unreserve takes the assumption back.
func (pl *volumeBinding) Unreserve(_ *sim.Proc, state *framework.CycleState, _ *corev1.Pod, nodeName string) {
	if s, _ := pl.state(state); s != nil {
		if volumes := s.byNode[nodeName]; volumes != nil {
			pl.binder.RevertAssumedPodVolumes(volumes)
		}
	}
}

func (pl *volumeBinding) PreBindPreFlight(_ *sim.Proc, state *framework.CycleState, _ *corev1.Pod, nodeName string) *framework.Status {
	s, status := pl.state(state)
	if s == nil {
		return status
	}
	if s.allBound || s.byNode[nodeName] == nil {
		return framework.NewStatus(framework.Skip)
	}
	return nil
}

// PreBind tells the volume controller, and waits for it.
func (pl *volumeBinding) PreBind(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodeName string) *framework.Status {
	s, status := pl.state(state)
	if s == nil {
		return status
	}
	volumes := s.byNode[nodeName]
	if s.allBound {
		return nil
	}
	if volumes == nil {
		return framework.AsStatus(fmt.Errorf("no pod volumes found for node %q", nodeName))
	}
	p.Logger().V(5).Info("Trying to bind volumes for pod", "pod", framework.Key(pod))
	if err := pl.binder.BindPodVolumes(p, pod, volumes); err != nil {
		p.Logger().V(5).Info("Failed to bind volumes for pod", "pod", framework.Key(pod), "err", err)
		return framework.AsStatus(err)
	}
	p.Logger().V(5).Info("Success binding volumes for pod", "pod", framework.Key(pod))
	return nil
}
