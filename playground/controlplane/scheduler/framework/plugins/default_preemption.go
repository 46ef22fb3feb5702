package plugins

import (
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/framework/preemption"
	"kubewalk/playground/sim"
)

// defaultPreemption makes room for a Pod that fits nowhere by evicting Pods of
// lower priority. While it does, the Pod stays out of activeQ.
// Upstream: plugins/defaultpreemption/default_preemption.go.
type defaultPreemption struct {
	handle    framework.Handle
	args      *config.DefaultPreemptionArgs
	evaluator *preemption.Evaluator
}

func newDefaultPreemption(args config.Args, h framework.Handle) (framework.Plugin, error) {
	pl := &defaultPreemption{handle: h, args: args.(*config.DefaultPreemptionArgs)}
	pl.evaluator = preemption.NewEvaluator(DefaultPreemption, h, pl, preemption.NewExecutor(h))
	return pl, nil
}

func (*defaultPreemption) Name() string { return DefaultPreemption }

func (pl *defaultPreemption) PostFilter(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod,
	filtered *framework.NodeToStatus) (*framework.PostFilterResult, *framework.Status) {
	result, status := pl.evaluator.Preempt(p, state, pod, filtered)
	if msg := status.Message(); msg != "" {
		return result, framework.NewStatus(status.Code(), "preemption: "+msg)
	}
	return result, status
}

// PreEnqueue gates a Pod whose victims are still being told.
func (pl *defaultPreemption) PreEnqueue(pod *corev1.Pod) *framework.Status {
	if pl.evaluator.Executor.IsPodRunningPreemption(pod.UID) {
		return framework.NewStatus(framework.UnschedulableAndUnresolvable, "waiting for the preemption for this pod to be finished")
	}
	return nil
}

// EventsToRegister is there so that the end of a Pod can open the gate. Whether it
// helps is for those to say who turned the Pod down before.
func (*defaultPreemption) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{{
		Event: framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Delete},
		QueueingHintFn: func(*corev1.Pod, api.Object, api.Object) framework.QueueingHint {
			return framework.QueueSkip
		},
	}}
}

// GetOffsetAndNumCandidates implements preemption.Interface: a tenth of the
// nodes, at least a hundred, from anywhere.
func (pl *defaultPreemption) GetOffsetAndNumCandidates(nodes int) (offset, candidates int) {
	n := max(nodes*int(*pl.args.MinCandidateNodesPercentage)/100, int(*pl.args.MinCandidateNodesAbsolute))
	return pl.handle.Component().Kernel().Rand(pl.handle.Component().Name() + "/preemption").IntN(nodes), min(n, nodes)
}

// PodEligibleToPreemptOthers implements preemption.Interface: not when the Pod
// does not want it, and not while its last victims are terminating.
func (pl *defaultPreemption) PodEligibleToPreemptOthers(_ *sim.Proc, pod *corev1.Pod, nominatedNodeStatus *framework.Status) (bool, string) {
	if pod.Spec.PreemptionPolicy != nil && *pod.Spec.PreemptionPolicy == corev1.PreemptNever {
		return false, "not eligible due to preemptionPolicy=Never."
	}
	nominated := pod.Status.NominatedNodeName
	if nominated == "" || nominatedNodeStatus.Code() == framework.UnschedulableAndUnresolvable {
		return true, ""
	}
	if n := pl.handle.SnapshotSharedLister().Get(nominated); n != nil {
		for _, pi := range n.Pods {
			if framework.PodPriority(pi.Pod) < framework.PodPriority(pod) && podTerminatingByPreemption(pi.Pod) {
				return false, "not eligible due to a terminating pod on the nominated node."
			}
		}
	}
	return true, ""
}

func podTerminatingByPreemption(pod *corev1.Pod) bool {
	if pod.DeletionTimestamp == nil {
		return false
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.DisruptionTarget {
			return c.Status == corev1.ConditionTrue && c.Reason == corev1.PodReasonPreemptionByScheduler
		}
	}
	return false
}

// SelectVictimsOnNode implements preemption.Interface: everybody of lower
// priority goes, in thought, and comes back if the Pod still fits then; first
// those whose disruption budget would be violated, the most important first.
func (pl *defaultPreemption) SelectVictimsOnNode(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo,
	pdbs []*policyv1.PodDisruptionBudget) ([]*corev1.Pod, int, *framework.Status) {
	var potential []*framework.PodInfo
	for _, pi := range node.Pods {
		if framework.PodPriority(pi.Pod) < framework.PodPriority(pod) {
			potential = append(potential, pi)
		}
	}
	if len(potential) == 0 {
		return nil, 0, framework.NewStatus(framework.UnschedulableAndUnresolvable, "No preemption victims found for incoming pod")
	}
	remove := func(pi *framework.PodInfo) *framework.Status {
		if err := node.RemovePod(pi.Pod.UID); err != nil {
			return framework.AsStatus(err)
		}
		return pl.handle.RunPreFilterExtensionRemovePod(p, state, pod, pi, node)
	}
	for _, pi := range potential {
		if s := remove(pi); !s.IsSuccess() {
			return nil, 0, s
		}
	}
	if s := pl.handle.RunFilterPluginsWithNominatedPods(p, state, pod, node); !s.IsSuccess() {
		return nil, 0, s
	}
	important := func(a, b *framework.PodInfo) int { return preemption.MoreImportantPod(a.Pod, b.Pod) }
	slices.SortStableFunc(potential, important)
	violating, nonViolating := filterPodsWithPDBViolation(potential, pdbs)
	var victims []*framework.PodInfo
	violations := 0
	for i, pi := range append(slices.Clone(violating), nonViolating...) {
		node.AddPodInfo(pi)
		if s := pl.handle.RunPreFilterExtensionAddPod(p, state, pod, pi, node); !s.IsSuccess() {
			return nil, 0, s
		}
		if pl.handle.RunFilterPluginsWithNominatedPods(p, state, pod, node).IsSuccess() {
			continue // it may stay
		}
		if s := remove(pi); !s.IsSuccess() {
			return nil, 0, s
		}
		victims = append(victims, pi)
		if i < len(violating) {
			violations++
		}
	}
	slices.SortStableFunc(victims, important)
	out := make([]*corev1.Pod, len(victims))
	for i, pi := range victims {
		out[i] = pi.Pod
	}
	return out, violations, nil
}

// filterPodsWithPDBViolation parts those whose eviction a disruption budget does
// not allow from the others, both in the order given. Each that a budget covers
// uses one of the disruptions it allows.
func filterPodsWithPDBViolation(pods []*framework.PodInfo, pdbs []*policyv1.PodDisruptionBudget) (violating, nonViolating []*framework.PodInfo) {
	allowed := make([]int32, len(pdbs))
	for i, pdb := range pdbs {
		allowed[i] = pdb.Status.DisruptionsAllowed
	}
	for _, pi := range pods {
		violated := false
		for i, pdb := range pdbs {
			if len(pi.Pod.Labels) == 0 || pdb.Namespace != pi.Pod.Namespace {
				continue
			}
			selector, err := labels.LabelSelectorAsSelector(pdb.Spec.Selector)
			if err != nil || selector.Empty() || !selector.Matches(labels.Set(pi.Pod.Labels)) {
				continue
			}
			if _, counted := pdb.Status.DisruptedPods[pi.Pod.Name]; counted {
				continue // the API server has counted it already
			}
			if allowed[i]--; allowed[i] < 0 {
				violated = true
			}
		}
		if violated {
			violating = append(violating, pi)
		} else {
			nonViolating = append(nonViolating, pi)
		}
	}
	return violating, nonViolating
}
