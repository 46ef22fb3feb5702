package plugins

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// volumeRestrictions lets one Pod at a time use a claim with access mode
// ReadWriteOncePod. Upstream: plugins/volumerestrictions, which also knows disks
// of clouds that a Pod names without a claim.
type volumeRestrictions struct {
	handle framework.Handle
	claims listers.PersistentVolumeClaimLister
}

// ErrReasonReadWriteOncePodConflict is the reason of all nodes while another Pod uses the claim.
const ErrReasonReadWriteOncePodConflict = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"

const restrictionsStateKey = "PreFilter" + VolumeRestrictions

// restrictionsState counts the uses of the Pod's ReadWriteOncePod claims by others.
type restrictionsState struct {
	claims    framework.PluginSet // a sorted set of names
	conflicts int
}

// Clone implements framework.StateData.
func (s *restrictionsState) Clone() framework.StateData {
	out := *s
	return &out
}

func (s *restrictionsState) usesBy(pod *corev1.Pod) (n int) {
	for i := range pod.Spec.Volumes {
		if c := pod.Spec.Volumes[i].PersistentVolumeClaim; c != nil && s.claims.Has(c.ClaimName) {
			n++
		}
	}
	return n
}

func newVolumeRestrictions(_ config.Args, h framework.Handle) (framework.Plugin, error) {
	return &volumeRestrictions{h, h.SharedInformerFactory().Core().V1().PersistentVolumeClaims().Lister()}, nil
}

func (*volumeRestrictions) Name() string { return VolumeRestrictions }

func (pl *volumeRestrictions) PreFilter(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, nodes []*framework.NodeInfo) (*framework.PreFilterResult,
	*framework.Status) {
	s := &restrictionsState{}
	for i := range pod.Spec.Volumes {
		c := pod.Spec.Volumes[i].PersistentVolumeClaim
		if c == nil {
			continue
		}
		claim, err := pl.claims.PersistentVolumeClaims(pod.Namespace).Get(c.ClaimName)
		if apierrors.IsNotFound(err) {
			return nil, framework.NewStatus(framework.UnschedulableAndUnresolvable, err.Error())
		}
		if err != nil {
			return nil, framework.AsStatus(err)
		}
		for _, mode := range claim.Spec.AccessModes {
			if mode == corev1.ReadWriteOncePod {
				s.claims = s.claims.Insert(claim.Name)
			}
		}
	}
	if len(s.claims) > 0 {
		for _, n := range nodes {
			for _, pi := range n.Pods {
				if pi.Pod.Namespace == pod.Namespace {
					s.conflicts += s.usesBy(pi.Pod)
				}
			}
		}
	}
	if s.conflicts == 0 {
		return nil, framework.NewStatus(framework.Skip)
	}
	state.Write(restrictionsStateKey, s)
	return nil, nil
}

// PreFilterExtensions keeps the count right.
func (pl *volumeRestrictions) PreFilterExtensions() framework.PreFilterExtensions { return pl }

// AddPod counts a Pod in.
func (pl *volumeRestrictions) AddPod(_ *sim.Proc, state *framework.CycleState, podToSchedule *corev1.Pod, podInfoToAdd *framework.PodInfo,
	_ *framework.NodeInfo) *framework.Status {
	return pl.update(state, podToSchedule, podInfoToAdd.Pod, 1)
}

// RemovePod counts a Pod out.
func (pl *volumeRestrictions) RemovePod(_ *sim.Proc, state *framework.CycleState, podToSchedule *corev1.Pod, podInfoToRemove *framework.PodInfo,
	_ *framework.NodeInfo) *framework.Status {
	return pl.update(state, podToSchedule, podInfoToRemove.Pod, -1)
}

func (pl *volumeRestrictions) update(state *framework.CycleState, podToSchedule, pod *corev1.Pod, delta int) *framework.Status {
	s, ok := framework.ReadState[*restrictionsState](state, restrictionsStateKey)
	if !ok {
		return framework.NewStatus(framework.Error, `cannot read "PreFilterVolumeRestrictions" from cycleState`)
	}
	if pod.Namespace == podToSchedule.Namespace {
		s.conflicts += delta * s.usesBy(pod)
	}
	return nil
}

func (pl *volumeRestrictions) Filter(_ *sim.Proc, state *framework.CycleState, _ *corev1.Pod, _ *framework.NodeInfo) *framework.Status {
	s, ok := framework.ReadState[*restrictionsState](state, restrictionsStateKey)
	switch {
	case !ok:
		return framework.NewStatus(framework.Error, `cannot read "PreFilterVolumeRestrictions" from cycleState`)
	case s.conflicts > 0:
		return framework.NewStatus(framework.Unschedulable, ErrReasonReadWriteOncePodConflict)
	}
	return nil
}

func (pl *volumeRestrictions) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{
		{
			Event: framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Delete},
			QueueingHintFn: func(pod *corev1.Pod, oldObj, _ api.Object) framework.QueueingHint {
				deleted := oldObj.(*corev1.Pod)
				if deleted.Namespace != pod.Namespace {
					return framework.QueueSkip
				}
				s := &restrictionsState{}
				for i := range pod.Spec.Volumes {
					if c := pod.Spec.Volumes[i].PersistentVolumeClaim; c != nil {
						s.claims = s.claims.Insert(c.ClaimName)
					}
				}
				return queueIf(s.usesBy(deleted) > 0)
			},
		},
		{Event: framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add}},
		{
			Event: framework.ClusterEvent{Resource: framework.PersistentVolumeClaim, ActionType: framework.Add},
			QueueingHintFn: func(pod *corev1.Pod, _, newObj api.Object) framework.QueueingHint {
				return queueIf(podUsesClaim(pod, newObj.(*corev1.PersistentVolumeClaim)))
			},
		},
	}
}
