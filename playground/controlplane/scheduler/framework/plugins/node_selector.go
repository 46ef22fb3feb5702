package plugins

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/nodeaffinity"
)

// matchesNode tells whether a node has what spec.nodeSelector and the required
// node affinity ask for.
// Upstream: component-helpers/scheduling/corev1/nodeaffinity, RequiredNodeAffinity.Match.
func matchesNode(pod *corev1.Pod, node *corev1.Node) bool {
	for k, v := range pod.Spec.NodeSelector { // all: the order does not matter
		if have, ok := node.Labels[k]; !ok || have != v {
			return false
		}
	}
	required := requiredNodeSelector(pod)
	return required == nil || nodeaffinity.Match(required, node)
}
