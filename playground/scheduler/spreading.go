package scheduler

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/client/listers"
)

// spreading knows a Pod's siblings by the selector of the ReplicaSet that
// controls it. Upstream also looks at Services, StatefulSets and
// ReplicationControllers, which are not served here.
// Upstream: plugins/helper/spread.go, DefaultSelector.
type spreading struct{ replicaSets listers.ReplicaSetLister }

func (s spreading) DefaultSelector(pod *corev1.Pod) (func(map[string]string) bool, bool) {
	owner := metav1.GetControllerOf(pod)
	if owner == nil || owner.Kind != "ReplicaSet" || owner.APIVersion != "apps/v1" {
		return nil, false
	}
	rs, err := s.replicaSets.ReplicaSets(pod.Namespace).Get(owner.Name)
	if err != nil {
		return nil, false
	}
	selector, err := labels.LabelSelectorAsSelector(rs.Spec.Selector)
	if err != nil || selector.Empty() {
		return nil, false
	}
	return func(l map[string]string) bool { return selector.Matches(labels.Set(l)) }, true
}
