// Package preemption makes room: it looks for the node on which evicting Pods of
// lower priority does the least harm, and evicts them.
//
// The Evaluator thinks: on each node it takes all Pods of lower priority away,
// asks the filters, and puts as many back as still leave room; of the nodes it
// picks the one with the fewest violated disruption budgets, then the least
// important victims. The Executor acts, in a process of its own, while the
// scheduler goes on: the Pod waits outside the queue until the last victim is on
// its way out.
//
// Guarantees: nothing is evicted that the filters would let stay, taken one by
// one from the most important down; nodes come in the order of the snapshot, from
// a place that chance picks.
//
// Absent: extenders, Pod groups, deciding while the API server is not asked
// (metrics, parallel filtering).
//
// Upstream: pkg/scheduler/framework/preemption.
package preemption

import (
	"errors"
	"fmt"
	"math"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// Interface is what one kind of preemption decides. Upstream: preemption.go, Interface.
type Interface interface {
	// GetOffsetAndNumCandidates says where to begin, and after how many to stop.
	GetOffsetAndNumCandidates(nodes int) (offset, candidates int)
	// PodEligibleToPreemptOthers says why not, if not.
	PodEligibleToPreemptOthers(p *sim.Proc, pod *corev1.Pod, nominatedNodeStatus *framework.Status) (bool, string)
	// SelectVictimsOnNode finds whom to evict. state and node are its own to change.
	SelectVictimsOnNode(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, node *framework.NodeInfo,
		pdbs []*policyv1.PodDisruptionBudget) (victims []*corev1.Pod, numPDBViolations int, status *framework.Status)
}

// Candidate is a node and whom to evict there, the most important first.
type Candidate struct {
	Name             string
	Victims          []*corev1.Pod
	NumPDBViolations int
}

// Evaluator finds the node. Upstream: preemption.go, Evaluator.
type Evaluator struct {
	PluginName string
	Handler    framework.Handle
	Interface
	Executor *Executor

	pods listers.PodLister
	pdbs listers.PodDisruptionBudgetLister
}

// NewEvaluator asks the factory for Pods and disruption budgets.
func NewEvaluator(pluginName string, h framework.Handle, i Interface, executor *Executor) *Evaluator {
	f := h.SharedInformerFactory()
	return &Evaluator{
		PluginName: pluginName, Handler: h, Interface: i, Executor: executor,
		pods: f.Core().V1().Pods().Lister(),
		pdbs: f.Policy().V1().PodDisruptionBudgets().Lister(),
	}
}

// Preempt makes room, or says why it cannot. The result, if any, is what becomes
// of the Pod's nomination.
func (ev *Evaluator) Preempt(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, m *framework.NodeToStatus) (*framework.PostFilterResult,
	*framework.Status) {
	namespace, name := pod.Namespace, pod.Name
	pod, err := ev.pods.Pods(namespace).Get(name)
	if err != nil {
		p.Logger().Error(err, "Could not get the updated preemptor pod object", "pod", namespace+"/"+name)
		return nil, framework.AsStatus(err)
	}
	if ok, msg := ev.PodEligibleToPreemptOthers(p, pod, m.Get(pod.Status.NominatedNodeName)); !ok {
		p.Logger().V(5).Info("Pod is not eligible for preemption", "pod", framework.Key(pod), "reason", msg)
		return nil, framework.NewStatus(framework.Unschedulable, msg)
	}
	all := ev.Handler.SnapshotSharedLister().List()
	candidates, statuses, err := ev.findCandidates(p, state, all, pod, m)
	if err != nil && len(candidates) == 0 {
		return nil, framework.AsStatus(err)
	}
	if len(candidates) == 0 {
		p.Logger().V(2).Info("No preemption candidate is found; preemption is not helpful for scheduling", "pod", framework.Key(pod))
		statuses.SetAbsentNodesStatus(framework.NewStatus(framework.UnschedulableAndUnresolvable, "Preemption is not helpful for scheduling"))
		fit := &framework.FitError{Pod: pod, NumAllNodes: len(all), Diagnosis: framework.Diagnosis{NodeToStatus: statuses}}
		return framework.NewPostFilterResultWithNominatedNode(""), framework.NewStatus(framework.Unschedulable, fit.Error())
	}
	best := ev.SelectCandidate(p, candidates)
	p.Logger().V(2).Info("the target node for the preemption is determined", "node", best.Name, "pod", framework.Key(pod))
	ev.Executor.prepareCandidateAsync(p, best, pod, ev.PluginName)
	return framework.NewPostFilterResultWithNominatedNode(best.Name), nil
}

// findCandidates looks at the nodes where evicting may help.
func (ev *Evaluator) findCandidates(p *sim.Proc, state *framework.CycleState, all []*framework.NodeInfo, pod *corev1.Pod,
	m *framework.NodeToStatus) ([]*Candidate, *framework.NodeToStatus, error) {
	if len(all) == 0 {
		return nil, nil, errors.New("no nodes available")
	}
	var potential []*framework.NodeInfo
	for _, n := range all {
		if m.Get(n.Name()).Code() == framework.Unschedulable {
			potential = append(potential, n)
		}
	}
	if len(potential) == 0 {
		p.Logger().V(3).Info("Preemption will not help schedule pod on any node", "pod", framework.Key(pod))
		return nil, framework.NewDefaultNodeToStatus(), nil
	}
	pdbs, err := ev.pdbs.List(labels.Everything())
	if err != nil {
		return nil, nil, err
	}
	offset, n := ev.GetOffsetAndNumCandidates(len(potential))
	return ev.DryRunPreemption(p, state, pod, potential, pdbs, offset, n)
}

// DryRunPreemption thinks the evictions through, node by node, until there are
// enough candidates, one of which violates no budget.
func (ev *Evaluator) DryRunPreemption(p *sim.Proc, state *framework.CycleState, pod *corev1.Pod, potential []*framework.NodeInfo,
	pdbs []*policyv1.PodDisruptionBudget, offset, want int) ([]*Candidate, *framework.NodeToStatus, error) {
	var nonViolating, violating []*Candidate
	statuses := framework.NewDefaultNodeToStatus()
	var errs []error
	for i := range potential {
		node := potential[(offset+i)%len(potential)].Snapshot()
		victims, violations, s := ev.SelectVictimsOnNode(p, state.Clone(), pod, node, pdbs)
		switch {
		case s.IsSuccess() && len(victims) > 0:
			c := &Candidate{Name: node.Name(), Victims: victims, NumPDBViolations: violations}
			if violations == 0 {
				nonViolating = append(nonViolating, c)
			} else {
				violating = append(violating, c)
			}
			p.Logger().V(4).Info("Node is a candidate for preemption", "pod", framework.Key(pod), "node", c.Name,
				"victims", keys(victims), "numPDBViolations", violations)
			if len(nonViolating) > 0 && len(nonViolating)+len(violating) >= want {
				return append(nonViolating, violating...), statuses, nil
			}
			continue
		case s.IsSuccess():
			s = framework.AsStatus(fmt.Errorf("expected at least one victim pod on node %q", node.Name()))
		}
		if s.Code() == framework.Error {
			errs = append(errs, s.AsError())
		}
		statuses.Set(node.Name(), s)
	}
	return append(nonViolating, violating...), statuses, errors.Join(errs...)
}

func keys(pods []*corev1.Pod) string {
	out := ""
	for i, pod := range pods {
		if i > 0 {
			out += ","
		}
		out += framework.Key(pod)
	}
	return out
}

// SelectCandidate picks the node where the least is lost.
func (ev *Evaluator) SelectCandidate(p *sim.Proc, candidates []*Candidate) *Candidate {
	for _, criterion := range criteria {
		if len(candidates) == 1 {
			break
		}
		best := int64(math.MinInt64)
		var left []*Candidate
		for _, c := range candidates {
			score := criterion.score(c)
			if score > best {
				best, left = score, nil
			}
			if score == best {
				left = append(left, c)
			}
		}
		if len(left) < len(candidates) {
			p.Logger().V(5).Info("Candidates for preemption were compared", "by", criterion.name, "of", len(candidates), "left", len(left))
		}
		candidates = left
	}
	return candidates[0]
}

// criteria are asked one after the other, while there is a tie. More is better.
// Upstream: preemption.go, pickOneNodeForPreemption.
var criteria = [...]struct {
	name  string
	score func(*Candidate) int64
}{
	{"fewest violated disruption budgets", func(c *Candidate) int64 { return -int64(c.NumPDBViolations) }},
	{"lowest priority of the most important victim", func(c *Candidate) int64 { return -int64(framework.PodPriority(c.Victims[0])) }},
	{"lowest sum of priorities", func(c *Candidate) int64 {
		var sum int64
		for _, v := range c.Victims {
			// Each counts for something, also one of negative priority.
			sum += int64(framework.PodPriority(v)) + math.MaxInt32 + 1
		}
		return -sum
	}},
	{"fewest victims", func(c *Candidate) int64 { return -int64(len(c.Victims)) }},
	{"latest start of the most important victims", func(c *Candidate) int64 { return earliestStart(c.Victims) }},
}

// earliestStart is when the first of the most important Pods started.
// Upstream: pkg/scheduler/util/utils.go, GetEarliestPodStartTime.
func earliestStart(pods []*corev1.Pod) int64 {
	highest, earliest := framework.PodPriority(pods[0]), StartTime(pods[0])
	for _, pod := range pods[1:] {
		switch priority := framework.PodPriority(pod); {
		case priority > highest:
			highest, earliest = priority, StartTime(pod)
		case priority == highest:
			earliest = min(earliest, StartTime(pod))
		}
	}
	return earliest
}

// StartTime is a Pod's status.startTime in seconds; one that was not started yet
// counts as the latest. Upstream: util/utils.go, GetPodStartTime, which takes the present moment.
func StartTime(pod *corev1.Pod) int64 {
	if pod.Status.StartTime != nil {
		return pod.Status.StartTime.Unix()
	}
	return math.MaxInt64
}

// MoreImportantPod: of higher priority, or of the same and longer there.
func MoreImportantPod(a, b *corev1.Pod) int {
	pa, pb := framework.PodPriority(a), framework.PodPriority(b)
	sa, sb := StartTime(a), StartTime(b)
	switch {
	case pa > pb || pa == pb && sa < sb:
		return -1
	case pa == pb && sa == sb:
		return 0
	}
	return 1
}
