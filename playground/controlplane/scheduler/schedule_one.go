package scheduler

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/framework/runtime"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// ErrNoNodesAvailable is the error of a cluster without nodes.
var ErrNoNodesAvailable = errors.New("no nodes available to schedule pods")

// Below this many nodes all are looked at.
// Upstream: pkg/scheduler/schedule_one.go.
const (
	minFeasibleNodesToFind           = 100
	minFeasibleNodesPercentageToFind = 5
)

// ScheduleResult is where a Pod goes, and among how many nodes it was chosen.
type ScheduleResult struct {
	SuggestedHost  string
	EvaluatedNodes int
	FeasibleNodes  int
	// nominatingInfo is what becomes of the Pod's nomination when it failed.
	nominatingInfo *framework.NominatingInfo
}

// ScheduleOne waits for a Pod, runs its scheduling cycle, and starts its binding
// cycle in a process of its own.
// Upstream: pkg/scheduler/schedule_one.go, ScheduleOne and scheduleOnePod.
func (s *Scheduler) ScheduleOne(p *sim.Proc) {
	podInfo := s.SchedulingQueue.Pop(p)
	pod := podInfo.Pod
	f := s.frameworkForPod(pod) // others are not in the queue
	p.Logger().V(4).Info("About to try and schedule pod", "pod", framework.Key(pod))
	if s.skipPodSchedule(p, f, pod) {
		// Nobody else takes it out of flight.
		s.SchedulingQueue.Done(pod)
		return
	}
	p.Logger().V(3).Info("Attempting to schedule pod", "pod", framework.Key(pod))
	state := framework.NewCycleState()
	result, assumed, status := s.schedulingCycle(p, f, state, podInfo)
	if !status.IsSuccess() {
		s.handleSchedulingFailure(p, f, podInfo, status, result.nominatingInfo)
		return
	}
	s.component.Go("binding/"+framework.Key(pod), func(p *sim.Proc) {
		if status := s.bindingCycle(p, f, state, result, assumed); !status.IsSuccess() {
			s.handleBindingCycleError(p, f, state, podInfo, assumed, status)
		}
	})
}

// skipPodSchedule: Pods that are being deleted, and Pods that were updated
// after they were assumed.
func (s *Scheduler) skipPodSchedule(p *sim.Proc, f *runtime.Framework, pod *corev1.Pod) bool {
	if pod.DeletionTimestamp != nil {
		f.EventRecorder().Eventf(pod, nil, corev1.EventTypeWarning, "FailedScheduling", "Scheduling", "skip schedule deleting pod: %v/%v", pod.Namespace,
			pod.Name)
		p.Logger().V(3).Info("Skip schedule deleting pod", "pod", framework.Key(pod))
		return true
	}
	return s.Cache.IsAssumedPod(pod)
}

// schedulingCycle finds a node and assumes the Pod on it.
func (s *Scheduler) schedulingCycle(p *sim.Proc, f *runtime.Framework, state *framework.CycleState, podInfo *framework.QueuedPodInfo) (ScheduleResult,
	*corev1.Pod, *framework.Status) {
	pod := podInfo.Pod
	failed := ScheduleResult{nominatingInfo: clearNominatedNode}
	result, err := s.schedulePod(p, f, state, pod)
	if err != nil {
		info, status := s.postFilter(p, f, state, pod, err)
		return ScheduleResult{nominatingInfo: info}, nil, status
	}
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = result.SuggestedHost
	event, err := s.Cache.AssumePod(assumed)
	if err != nil {
		// It is bound already, and the watch said so while the cycle ran.
		p.Logger().Error(err, "Scheduler cache AssumePod failed")
		return failed, nil, framework.AsStatus(err)
	}
	// It holds its place by itself now.
	s.SchedulingQueue.DeleteNominatedPodIfExists(assumed)
	p.Due(event)
	if status := f.RunReservePluginsReserve(p, state, assumed, result.SuggestedHost); !status.IsSuccess() {
		s.unreserveAndForget(p, f, state, assumed, status)
		return failed, nil, rejectedOn(pod, result.SuggestedHost, status)
	}
	if status := f.RunPermitPlugins(p, state, assumed, result.SuggestedHost); !status.IsSuccess() && !status.IsWait() {
		s.unreserveAndForget(p, f, state, assumed, status)
		return failed, nil, rejectedOn(pod, result.SuggestedHost, status)
	}
	return result, assumed, nil
}

// postFilter makes a status of why there is no node, after asking what could be
// done about it, and says what becomes of the Pod's nomination.
func (s *Scheduler) postFilter(p *sim.Proc, f *runtime.Framework, state *framework.CycleState, pod *corev1.Pod, err error) (*framework.NominatingInfo,
	*framework.Status) {
	if err == ErrNoNodesAvailable {
		return clearNominatedNode, framework.NewStatus(framework.UnschedulableAndUnresolvable).WithError(err)
	}
	var fit *framework.FitError
	if !errors.As(err, &fit) {
		p.Logger().Error(err, "Error selecting node for pod", "pod", framework.Key(pod))
		return clearNominatedNode, framework.AsStatus(err)
	}
	if !f.HasPostFilterPlugins() {
		p.Logger().V(3).Info("No PostFilter plugins are registered, so no preemption will be performed")
		return clearNominatedNode, framework.NewStatus(framework.Unschedulable).WithError(fit)
	}
	result, status := f.RunPostFilterPlugins(p, state, pod, fit.Diagnosis.NodeToStatus)
	if status.Code() == framework.Error {
		p.Logger().Error(nil, "Status after running PostFilter plugins for pod", "pod", framework.Key(pod), "status", status)
	} else {
		p.Logger().V(5).Info("Status after running PostFilter plugins for pod", "pod", framework.Key(pod), "status", status)
	}
	fit.Diagnosis.PostFilterMsg = status.Message()
	var info *framework.NominatingInfo
	if result != nil {
		info = result.NominatingInfo
	}
	return info, framework.NewStatus(framework.Unschedulable).WithError(fit)
}

// rejectedOn turns a plugin's no, after the node was chosen, into a FitError.
func rejectedOn(pod *corev1.Pod, node string, status *framework.Status) *framework.Status {
	if !status.IsRejected() {
		return status
	}
	fit := &framework.FitError{NumAllNodes: 1, Pod: pod, Diagnosis: framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}}
	fit.Diagnosis.NodeToStatus.Set(node, status)
	fit.Diagnosis.AddPluginStatus(status)
	return framework.NewStatus(status.Code()).WithError(fit)
}

// schedulePod chooses a node. The error is a *FitError when there is none.
func (s *Scheduler) schedulePod(p *sim.Proc, f *runtime.Framework, state *framework.CycleState, pod *corev1.Pod) (ScheduleResult, error) {
	s.Cache.UpdateSnapshot(s.snapshot)
	if s.snapshot.NumNodes() == 0 {
		return ScheduleResult{}, ErrNoNodesAvailable
	}
	feasible, diagnosis, err := s.findNodesThatFitPod(p, f, state, pod)
	// Filtering is where the time goes. Scoring is free here.
	p.Sleep(p.Kernel().Rand(s.component.Name()).Between(minCycle, maxCycle))
	if err != nil {
		return ScheduleResult{}, err
	}
	if len(feasible) == 0 {
		return ScheduleResult{}, &framework.FitError{Pod: pod, NumAllNodes: s.snapshot.NumNodes(), Diagnosis: *diagnosis}
	}
	result := ScheduleResult{
		SuggestedHost:  feasible[0].Name(),
		EvaluatedNodes: len(feasible) + diagnosis.NodeToStatus.Len(),
		FeasibleNodes:  len(feasible),
	}
	if len(feasible) == 1 {
		return result, nil // nothing to compare
	}
	scores, err := s.prioritizeNodes(p, f, state, pod, feasible)
	if err != nil {
		return ScheduleResult{}, err
	}
	result.SuggestedHost = s.selectHost(scores)
	return result, nil
}

// findNodesThatFitPod filters. Upstream: schedule_one.go, same name.
func (s *Scheduler) findNodesThatFitPod(p *sim.Proc, f *runtime.Framework, state *framework.CycleState, pod *corev1.Pod) ([]*framework.NodeInfo,
	*framework.Diagnosis, error) {
	diagnosis := &framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}
	nodes := s.snapshot.List()
	narrowed, status, by := f.RunPreFilterPlugins(p, state, pod)
	if !status.IsSuccess() {
		if !status.IsRejected() {
			return nil, nil, status.AsError()
		}
		// All nodes have this status.
		diagnosis.NodeToStatus.SetAbsentNodesStatus(status)
		diagnosis.PreFilterMsg = status.Message()
		p.Logger().V(5).Info("Status after running PreFilter plugins for pod", "pod", framework.Key(pod), "status", status)
		diagnosis.AddPluginStatus(status)
		for _, name := range by {
			diagnosis.UnschedulablePlugins = diagnosis.UnschedulablePlugins.Insert(name)
		}
		return nil, diagnosis, nil
	}
	// Room was made there for this Pod, so that is where to look first.
	if nominated := s.snapshot.Get(pod.Status.NominatedNodeName); nominated != nil {
		feasible, err := s.findNodesThatPassFilters(p, f, state, pod, diagnosis, []*framework.NodeInfo{nominated})
		if err != nil {
			p.Logger().Error(err, "Evaluation failed on nominated node", "pod", framework.Key(pod), "node", nominated.Name())
		}
		if err == nil {
			if feasible, err = s.findNodesThatPassExtenders(p, pod, feasible, diagnosis); err != nil {
				p.Logger().Error(err, "Evaluation failed on nominated node", "pod", framework.Key(pod), "node", nominated.Name())
			}
		}
		if len(feasible) > 0 {
			return feasible, diagnosis, nil
		}
	}
	if narrowed != nil {
		nodes = nil
		for _, name := range narrowed.NodeNames {
			if n := s.snapshot.Get(name); n != nil {
				nodes = append(nodes, n)
			}
		}
		diagnosis.NodeToStatus.SetAbsentNodesStatus(framework.NewStatus(framework.UnschedulableAndUnresolvable,
			fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", []string(by))))
		for _, name := range by {
			diagnosis.UnschedulablePlugins = diagnosis.UnschedulablePlugins.Insert(name)
		}
	}
	feasible, err := s.findNodesThatPassFilters(p, f, state, pod, diagnosis, nodes)
	// The next Pod begins where this one ended.
	s.nextStartNodeIndex = (s.nextStartNodeIndex + len(feasible) + diagnosis.NodeToStatus.Len()) % s.snapshot.NumNodes()
	if err != nil {
		return nil, diagnosis, err
	}
	feasible, err = s.findNodesThatPassExtenders(p, pod, feasible, diagnosis)
	return feasible, diagnosis, err
}

func (s *Scheduler) findNodesThatPassFilters(p *sim.Proc, f *runtime.Framework, state *framework.CycleState, pod *corev1.Pod, diagnosis *framework.Diagnosis,
	nodes []*framework.NodeInfo) ([]*framework.NodeInfo, error) {
	want := numFeasibleNodesToFind(f, len(nodes), slices.ContainsFunc(s.extenders, framework.Extender.IsFilter),
		slices.ContainsFunc(s.extenders, framework.Extender.IsPrioritizer))
	feasible := make([]*framework.NodeInfo, 0, want)
	for i := range nodes {
		node := nodes[(s.nextStartNodeIndex+i)%len(nodes)]
		status := f.RunFilterPluginsWithNominatedPods(p, state, pod, node)
		if status.Code() == framework.Error {
			return nil, status.AsError()
		}
		s.filtered(p, pod, node.Name(), status)
		if status.IsSuccess() {
			if feasible = append(feasible, node); len(feasible) == want {
				break
			}
			continue
		}
		diagnosis.NodeToStatus.Set(node.Name(), status)
		diagnosis.AddPluginStatus(status)
	}
	return feasible, nil
}

// numFeasibleNodesToFind: in large clusters, enough is enough. Half of the nodes
// for a hundred, falling to a twentieth for thousands, never below a hundred nodes.
func numFeasibleNodesToFind(f *runtime.Framework, all int, filters, prioritizes bool) int {
	if !f.HasScorePlugins() && !filters && !prioritizes {
		return 1
	}
	if all < minFeasibleNodesToFind {
		return all
	}
	percentage := int(f.PercentageOfNodesToScore)
	if percentage == 0 {
		percentage = max(50-all/125, minFeasibleNodesPercentageToFind)
	}
	return max(all*percentage/100, minFeasibleNodesToFind)
}

// prioritizeNodes scores. Upstream: schedule_one.go, same name.
func (s *Scheduler) prioritizeNodes(p *sim.Proc, f *runtime.Framework, state *framework.CycleState, pod *corev1.Pod,
	nodes []*framework.NodeInfo) ([]framework.NodePluginScores, error) {
	if !f.HasScorePlugins() && len(s.extenders) == 0 {
		out := make([]framework.NodePluginScores, len(nodes))
		for i, n := range nodes {
			out[i] = framework.NodePluginScores{Name: n.Name(), TotalScore: 1}
		}
		return out, nil
	}
	if status := f.RunPreScorePlugins(p, state, pod, nodes); !status.IsSuccess() {
		return nil, status.AsError()
	}
	scores, status := f.RunScorePlugins(p, state, pod, nodes)
	if !status.IsSuccess() {
		return nil, status.AsError()
	}
	s.addExtenderScores(p, pod, nodes, scores)
	for i := range scores {
		s.scored(p, pod, &scores[i])
	}
	return scores, nil
}

// selectHost takes the highest score; among equals, chance decides. Upstream
// gives every node a random number to break ties by (nodeScoreHeap.Less).
func (s *Scheduler) selectHost(scores []framework.NodePluginScores) string {
	chance := s.component.Kernel().Rand(s.component.Name())
	best, bestDraw := 0, chance.Uint64()
	for i := 1; i < len(scores); i++ {
		draw := chance.Uint64()
		if scores[i].TotalScore > scores[best].TotalScore || scores[i].TotalScore == scores[best].TotalScore && draw > bestDraw {
			best, bestDraw = i, draw
		}
	}
	return scores[best].Name
}

// What a cycle thinks of each node is drawn until the next cycle begins.

func (s *Scheduler) verdict(pod *corev1.Pod, node, text string) trace.Delta {
	c := trace.Cell{Kind: trace.CellVerdict, Owner: framework.Key(pod), Key: node}
	s.verdicts = append(s.verdicts, c)
	return trace.Set(c, text)
}

func (s *Scheduler) clearVerdicts() []trace.Delta {
	out := make([]trace.Delta, 0, len(s.verdicts))
	for _, c := range s.verdicts {
		out = append(out, trace.Unset(c))
	}
	s.verdicts = nil
	return out
}

func (s *Scheduler) filtered(p *sim.Proc, pod *corev1.Pod, node string, status *framework.Status) {
	if !p.Kernel().Trace().Keeps(trace.NodeFilter) {
		return
	}
	attrs, text := []trace.Attr{{Key: "node", Value: node}, {Key: "fits", Value: true}}, "fits"
	if !status.IsSuccess() {
		text = status.Message()
		attrs = trace.Attrs("node", node, "fits", false, "plugin", status.Plugin(), "reason", text)
	}
	p.Emit(trace.NodeFilter, framework.Ref(pod), attrs, s.verdict(pod, node, text))
}

func (s *Scheduler) scored(p *sim.Proc, pod *corev1.Pod, n *framework.NodePluginScores) {
	if !p.Kernel().Trace().Keeps(trace.NodeScore) {
		return
	}
	var some [16]trace.Attr
	attrs := append(some[:0], trace.Attr{Key: "node", Value: n.Name}, trace.Attr{Key: "score", Value: n.TotalScore})
	for _, ps := range n.Scores {
		// "300 = 3 × 100": what it counts, its weight, and what it said; "300 = 3 × 100 (0)" when that is normalised from 0.
		normalised := ps.Score / ps.Weight
		value := strconv.FormatInt(ps.Score, 10) + " = " + strconv.FormatInt(ps.Weight, 10) + " × " + strconv.FormatInt(normalised, 10)
		if ps.Raw != normalised {
			value += " (" + strconv.FormatInt(ps.Raw, 10) + ")"
		}
		attrs = append(attrs, trace.Attr{Key: ps.Name, Value: value})
	}
	p.Emit(trace.NodeScore, framework.Ref(pod), attrs, s.verdict(pod, n.Name, fmt.Sprintf("score %d", n.TotalScore)))
}

func (s *Scheduler) log() sim.Logger { return s.component.Kernel().Logger() }

// handle logs an error, if there is one.
func (s *Scheduler) handle(err error, message string) {
	if err != nil {
		s.log().Error(err, message)
	}
}
