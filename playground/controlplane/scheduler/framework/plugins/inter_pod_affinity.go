package plugins

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// interPodAffinity keeps Pods near others, or away from them, "near" being the
// same value of a node label. Required terms filter (inter_pod_affinity_filter.go),
// preferred ones rank (inter_pod_affinity_score.go). Both work in both directions:
// what a Pod that is there already says of the new one counts too.
// Upstream: plugins/interpodaffinity.
type interPodAffinity struct {
	handle                framework.Handle
	namespaces            listers.NamespaceLister
	hardPodAffinityWeight int32
	ignorePreferred       bool // those of Pods that are there
}

func newInterPodAffinity(args config.Args, h framework.Handle) (framework.Plugin, error) {
	a := args.(*config.InterPodAffinityArgs)
	return &interPodAffinity{
		handle:                h,
		namespaces:            h.SharedInformerFactory().Core().V1().Namespaces().Lister(),
		hardPodAffinityWeight: *a.HardPodAffinityWeight,
		ignorePreferred:       a.IgnorePreferredTermsOfExistingPods,
	}, nil
}

func (*interPodAffinity) Name() string { return InterPodAffinity }

// namespacesMatching lists the names of the namespaces with such labels.
func (pl *interPodAffinity) namespacesMatching(selector labels.Selector) ([]string, error) {
	list, err := pl.namespaces.List(selector)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(list))
	for i, ns := range list {
		names[i] = ns.Name
	}
	return names, nil
}

// namespaceLabels are those of the Pod's own namespace.
func (pl *interPodAffinity) namespaceLabels(p *sim.Proc, namespace string) labels.Set {
	ns, err := pl.namespaces.Get(namespace)
	if err == nil {
		return ns.Labels
	}
	if p != nil {
		p.Logger().V(3).Info("getting namespace, assuming empty set of namespace labels", "namespace", namespace, "err", err)
	}
	return nil
}

// podMatchesAllAffinityTerms: one Pod has to satisfy all terms of an affinity.
// The terms' namespace selectors have been merged into their namespaces.
func podMatchesAllAffinityTerms(terms []framework.AffinityTerm, pod *corev1.Pod) bool {
	for i := range terms {
		if !terms[i].Matches(pod, nil) {
			return false
		}
	}
	return len(terms) > 0
}

func (pl *interPodAffinity) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{
		{
			Event:          framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Add | framework.UpdatePodLabel | framework.Delete},
			QueueingHintFn: pl.isSchedulableAfterPodChange,
		},
		{
			Event:          framework.ClusterEvent{Resource: framework.Node, ActionType: framework.Add | framework.UpdateNodeLabel},
			QueueingHintFn: pl.isSchedulableAfterNodeChange,
		},
	}
}

func (pl *interPodAffinity) isSchedulableAfterPodChange(pod *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
	before, _ := oldObj.(*corev1.Pod)
	after, _ := newObj.(*corev1.Pod)
	if before != nil && after != nil && after.UID == pod.UID {
		return framework.Queue // its own labels, which somebody may have been averse to
	}
	nowhere := func(p *corev1.Pod) bool { return p != nil && p.Spec.NodeName == "" && p.Status.NominatedNodeName == "" }
	if nowhere(before) || nowhere(after) {
		return framework.QueueSkip
	}
	terms, err1 := framework.GetAffinityTerms(pod, framework.GetPodAffinityTerms(pod.Spec.Affinity))
	antiTerms, err2 := framework.GetAffinityTerms(pod, framework.GetPodAntiAffinityTerms(pod.Spec.Affinity))
	if err1 != nil || err2 != nil {
		return framework.Queue
	}
	switch {
	case before != nil && after != nil:
		return queueIf(!podMatchesAllAffinityTerms(terms, before) && podMatchesAllAffinityTerms(terms, after) ||
			podMatchesAllAffinityTerms(antiTerms, before) && !podMatchesAllAffinityTerms(antiTerms, after))
	case after != nil:
		return queueIf(podMatchesAllAffinityTerms(terms, after))
	case podMatchesAllAffinityTerms(antiTerms, before):
		return framework.Queue
	}
	its, err := framework.GetAffinityTerms(before, framework.GetPodAntiAffinityTerms(before.Spec.Affinity))
	return queueIf(err != nil || podMatchesAllAffinityTerms(its, pod))
}

func (pl *interPodAffinity) isSchedulableAfterNodeChange(pod *corev1.Pod, oldObj, newObj api.Object) framework.QueueingHint {
	before, _ := oldObj.(*corev1.Node)
	after := newObj.(*corev1.Node)
	for _, term := range framework.GetPodAffinityTerms(pod.Spec.Affinity) {
		is, has := after.Labels[term.TopologyKey]
		if !has {
			continue
		}
		if before == nil {
			return framework.Queue
		}
		if was, had := before.Labels[term.TopologyKey]; !had || was != is {
			return framework.Queue
		}
	}
	for _, term := range framework.GetPodAntiAffinityTerms(pod.Spec.Affinity) {
		if before == nil {
			return framework.Queue // a node without the label takes everybody
		}
		was, had := before.Labels[term.TopologyKey]
		if is, has := after.Labels[term.TopologyKey]; had && (!has || was != is) {
			return framework.Queue
		}
	}
	return framework.QueueSkip
}
