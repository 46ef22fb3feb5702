package scheduler

import (
	"maps"
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// inOrder puts the extenders last that can be ignored. Upstream: pkg/scheduler/scheduler.go, buildExtenders.
func inOrder(extenders []framework.Extender) (out []framework.Extender) {
	for _, ignorable := range [...]bool{false, true} {
		for _, e := range extenders {
			if e.IsIgnorable() == ignorable {
				out = append(out, e)
			}
		}
	}
	return out
}

// findNodesThatPassExtenders asks the extenders, one after the other, about the nodes that the plugins left.
// Upstream: schedule_one.go, same name.
func (s *Scheduler) findNodesThatPassExtenders(p *sim.Proc, pod *corev1.Pod, feasible []*framework.NodeInfo,
	diagnosis *framework.Diagnosis) ([]*framework.NodeInfo, error) {
	before := len(feasible)
	for _, e := range s.extenders {
		if len(feasible) == 0 {
			break
		}
		if !e.IsInterested(pod) {
			continue
		}
		left, failed, unresolvable, err := e.Filter(p, pod, feasible)
		if err != nil {
			if e.IsIgnorable() {
				p.Logger().Info("Skipping extender as it returned error and has ignorable flag set", "extender", e.Name(), "err", err)
				continue
			}
			return nil, err
		}
		for _, set := range [...]struct {
			nodes map[string]string
			code  framework.Code
		}{{unresolvable, framework.UnschedulableAndUnresolvable}, {failed, framework.Unschedulable}} {
			for _, node := range slices.Sorted(maps.Keys(set.nodes)) {
				if _, taken := unresolvable[node]; taken && set.code == framework.Unschedulable {
					continue
				}
				status := framework.NewStatus(set.code, set.nodes[node]).WithPlugin(e.Name())
				s.filtered(p, pod, node, status)
				diagnosis.NodeToStatus.Set(node, status)
			}
		}
		feasible = left
	}
	if len(feasible) != before {
		diagnosis.UnschedulablePlugins = diagnosis.UnschedulablePlugins.Insert(framework.ExtenderName)
	}
	return feasible, nil
}

// addExtenderScores adds what extenders give each node. One that fails gives nothing. Upstream: schedule_one.go, prioritizeNodes.
func (s *Scheduler) addExtenderScores(p *sim.Proc, pod *corev1.Pod, nodes []*framework.NodeInfo, scores []framework.NodePluginScores) {
	for _, e := range s.extenders {
		if !e.IsInterested(pod) {
			continue
		}
		list, weight, err := e.Prioritize(p, pod, nodes)
		if err != nil {
			p.Logger().V(5).Info("Failed to run extender's priority function. No score given by this extender.", "error", err, "pod", framework.Key(pod),
				"extender", e.Name())
			continue
		}
		told := p.Kernel().Trace().Keeps(trace.NodeScore)
		for _, h := range list {
			i := slices.IndexFunc(scores, func(n framework.NodePluginScores) bool { return n.Name == h.Host })
			if i < 0 {
				continue
			}
			scaled := framework.MaxNodeScore / framework.MaxExtenderPriority
			scores[i].TotalScore += h.Score * weight * scaled
			if told && weight > 0 {
				scores[i].Scores = append(slices.Clip(scores[i].Scores), framework.PluginScore{Name: e.Name(), Score: h.Score * weight * scaled, Weight: weight,
					Raw: h.Score * scaled})
			}
		}
	}
}

// extendersBinding has the first binder bind that the Pod interests; done is false when there is none.
// Upstream: schedule_one.go, same name.
func (s *Scheduler) extendersBinding(p *sim.Proc, pod *corev1.Pod, node string) (done bool, err error) {
	for _, e := range s.extenders {
		if !e.IsBinder() || !e.IsInterested(pod) {
			continue
		}
		err := e.Bind(p, pod, node)
		if err != nil && e.IsIgnorable() {
			p.Logger().Info("Skipping extender in bind as it returned error and has ignorable flag set", "extender", e.Name(), "err", err)
			continue
		}
		return true, err
	}
	return false, nil
}
