package plugins

import (
	"maps"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
)

// owners knows a Pod's siblings: by the selectors of the Services that select it
// and of the workload that controls it. Upstream: plugins/helper/spread.go.
type owners struct {
	services     listers.ServiceLister
	controllers  listers.ReplicationControllerLister
	replicaSets  listers.ReplicaSetLister
	statefulSets listers.StatefulSetLister
}

func newOwners(f informers.SharedInformerFactory) owners {
	return owners{
		services:     f.Core().V1().Services().Lister(),
		controllers:  f.Core().V1().ReplicationControllers().Lister(),
		replicaSets:  f.Apps().V1().ReplicaSets().Lister(),
		statefulSets: f.Apps().V1().StatefulSets().Lister(),
	}
}

// DefaultSelector is empty when the Pod belongs to nothing. All selectors match
// the Pod, so they do not contradict each other.
func (o owners) DefaultSelector(pod *corev1.Pod) labels.Selector {
	set := labels.Set{}
	services, err := o.services.Services(pod.Namespace).List(labels.Everything())
	if err != nil {
		services = nil
	}
	for _, s := range services {
		// A Service without selector selects nothing, not everything.
		if s.Spec.Selector != nil && labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(pod.Labels)) {
			maps.Copy(set, s.Spec.Selector)
		}
	}
	selector := labels.SelectorFromSet(set)
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return selector
	}
	var of *metav1.LabelSelector
	switch {
	case owner.APIVersion == "v1" && owner.Kind == "ReplicationController":
		if rc, err := o.controllers.ReplicationControllers(pod.Namespace).Get(owner.Name); err == nil {
			maps.Copy(set, rc.Spec.Selector)
			return labels.SelectorFromSet(set)
		}
	case owner.APIVersion == "apps/v1" && owner.Kind == "ReplicaSet":
		if rs, err := o.replicaSets.ReplicaSets(pod.Namespace).Get(owner.Name); err == nil {
			of = rs.Spec.Selector
		}
	case owner.APIVersion == "apps/v1" && owner.Kind == "StatefulSet":
		if ss, err := o.statefulSets.StatefulSets(pod.Namespace).Get(owner.Name); err == nil {
			of = ss.Spec.Selector
		}
	}
	if of == nil {
		return selector
	}
	if other, err := labels.LabelSelectorAsSelector(of); err == nil {
		if requirements, selectable := other.Requirements(); selectable {
			return selector.Add(requirements...)
		}
	}
	return selector
}
