package plugins

import (
	"strconv"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// taintToleration keeps Pods off nodes with taints (NoSchedule, NoExecute) that
// they do not tolerate, and prefers nodes with fewer PreferNoSchedule taints.
// Upstream: plugins/tainttoleration/taint_toleration.go.
type taintToleration struct{}

// ErrReasonTaint is the reason of a tainted node. Which taint it was is in the
// log, not in the message: a cluster has too many of them to list.
const ErrReasonTaint = "node(s) had untolerated taint(s)"

const taintStateKey = "PreScore" + TaintToleration

func newTaintToleration(config.Args, framework.Handle) (framework.Plugin, error) {
	return taintToleration{}, nil
}

func (taintToleration) Name() string { return TaintToleration }

func (taintToleration) Filter(p *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo) *framework.Status {
	taint, found := untoleratedTaint(node.Node(), pod.Spec.Tolerations)
	if !found {
		return nil
	}
	if p != nil {
		p.Logger().V(4).Info("node had untolerated taints", "node", node.Name(), "pod", framework.Key(pod),
			"untoleratedTaint", taint.Key+"="+taint.Value+":"+string(taint.Effect))
	}
	return framework.NewStatus(framework.UnschedulableAndUnresolvable, ErrReasonTaint)
}

func (taintToleration) PreScore(_ *sim.Proc, state *framework.CycleState, pod *corev1.Pod, _ []*framework.NodeInfo) *framework.Status {
	var prefer []corev1.Toleration
	for _, t := range pod.Spec.Tolerations {
		// An empty effect is every effect.
		if t.Effect == "" || t.Effect == corev1.TaintEffectPreferNoSchedule {
			prefer = append(prefer, t)
		}
	}
	state.Write(taintStateKey, prefer)
	return nil
}

// Score counts the taints that the Pod would rather avoid.
func (taintToleration) Score(_ *sim.Proc, state *framework.CycleState, _ *corev1.Pod, node *framework.NodeInfo) (int64, *framework.Status) {
	tolerations, _ := framework.ReadState[[]corev1.Toleration](state, taintStateKey)
	var n int64
	for _, taint := range node.Node().Spec.Taints {
		if taint.Effect == corev1.TaintEffectPreferNoSchedule && !tolerates(tolerations, taint) {
			n++
		}
	}
	return n, nil
}

// ScoreExtensions normalises.
func (pl taintToleration) ScoreExtensions() framework.ScoreExtensions { return pl }

// NormalizeScore turns it round: the node with the fewest taints gets the most.
func (taintToleration) NormalizeScore(_ *sim.Proc, _ *framework.CycleState, _ *corev1.Pod, scores []framework.NodeScore) *framework.Status {
	defaultNormalizeScore(true, scores)
	return nil
}

func (taintToleration) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{
		{
			Event: framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add | framework.UpdateNodeTaint},
			QueueingHintFn: func(pod *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
				wasUntolerated := true
				if oldObj != nil {
					_, wasUntolerated = untoleratedTaint(oldObj.(*corev1.Node), pod.Spec.Tolerations)
				}
				_, isUntolerated := untoleratedTaint(newObj.(*corev1.Node), pod.Spec.Tolerations)
				return queueIf(wasUntolerated && !isUntolerated)
			},
		},
		{
			Event: framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.UpdatePodToleration},
			QueueingHintFn: func(pod *corev1.Pod, _, newObj api.Object) framework.QueueingHint {
				return queueIf(newObj.GetObjectMeta().UID == pod.UID)
			},
		},
	}
}

func untoleratedTaint(node *corev1.Node, tolerations []corev1.Toleration) (corev1.Taint, bool) {
	for _, t := range node.Spec.Taints {
		if (t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute) && !tolerates(tolerations, t) {
			return t, true
		}
	}
	return corev1.Taint{}, false
}

func tolerates(tolerations []corev1.Toleration, taint corev1.Taint) bool {
	for _, t := range tolerations {
		if toleratesTaint(t, taint) {
			return true
		}
	}
	return false
}

// toleratesTaint: an empty effect, key or operator matches widely. Lt and Gt
// compare whole numbers. Upstream: api/core/v1/toleration.go, ToleratesTaint.
func toleratesTaint(t corev1.Toleration, taint corev1.Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	switch t.Operator {
	case "", corev1.TolerationOpEqual:
		return t.Value == taint.Value
	case corev1.TolerationOpExists:
		return true
	case corev1.TolerationOpLt, corev1.TolerationOpGt:
		limit, err1 := strconv.ParseInt(t.Value, 10, 64)
		value, err2 := strconv.ParseInt(taint.Value, 10, 64)
		if err1 != nil || err2 != nil {
			return false
		}
		if t.Operator == corev1.TolerationOpLt {
			return value < limit
		}
		return value > limit
	}
	return false
}
