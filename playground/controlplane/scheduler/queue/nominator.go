package queue

import (
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// nominator knows which Pods have been promised a place on which node, because
// others were evicted there for them or because they are about to be bound.
// Upstream: backend/queue/nominator.go, nominator.
type nominator struct {
	kernel *sim.Kernel
	live   func(namespace, name string) *corev1.Pod
	// byNode is in the order in which they were nominated.
	byNode map[string][]*framework.PodInfo
	nodeOf map[types.UID]string
}

func newNominator(k *sim.Kernel, live func(namespace, name string) *corev1.Pod) *nominator {
	return &nominator{k, live, map[string][]*framework.PodInfo{}, map[types.UID]string{}}
}

// AddNominatedPod implements framework.PodNominator. A Pod that is gone or bound is not nominated.
func (n *nominator) AddNominatedPod(pi *framework.PodInfo, info *framework.NominatingInfo) {
	n.DeleteNominatedPodIfExists(pi.Pod)
	node := pi.Pod.Status.NominatedNodeName
	if info.Mode() == framework.ModeOverride {
		node = info.NominatedNodeName
	}
	if node == "" {
		return
	}
	if n.live != nil {
		switch pod := n.live(pi.Pod.Namespace, pi.Pod.Name); {
		case pod == nil:
			n.kernel.Logger().V(4).Info("Pod doesn't exist in podLister, aborted adding it to the nominator", "pod", framework.Key(pi.Pod))
			return
		case pod.Spec.NodeName != "":
			n.kernel.Logger().V(4).Info("Pod is already scheduled to a node, aborted adding it to the nominator", "pod", framework.Key(pi.Pod), "node",
				pod.Spec.NodeName)
			return
		}
	}
	n.nodeOf[pi.Pod.UID] = node
	n.byNode[node] = append(n.byNode[node], pi)
}

// DeleteNominatedPodIfExists implements framework.PodNominator.
func (n *nominator) DeleteNominatedPodIfExists(pod *corev1.Pod) {
	node, ok := n.nodeOf[pod.UID]
	if !ok {
		return
	}
	delete(n.nodeOf, pod.UID)
	n.byNode[node] = slices.DeleteFunc(n.byNode[node], func(pi *framework.PodInfo) bool { return pi.Pod.UID == pod.UID })
	if len(n.byNode[node]) == 0 {
		delete(n.byNode, node)
	}
}

// UpdateNominatedPod implements framework.PodNominator. While the Pod itself does
// not tell of its nomination yet, the one that is known stays.
func (n *nominator) UpdateNominatedPod(oldPod *corev1.Pod, newPodInfo *framework.PodInfo) {
	var info *framework.NominatingInfo
	if node, ok := n.nodeOf[oldPod.UID]; ok && oldPod.Status.NominatedNodeName == "" && newPodInfo.Pod.Status.NominatedNodeName == "" {
		info = &framework.NominatingInfo{NominatedNodeName: node, NominatingMode: framework.ModeOverride}
	}
	n.DeleteNominatedPodIfExists(oldPod)
	n.AddNominatedPod(newPodInfo, info)
}

// NominatedPodsForNode implements framework.PodNominator.
func (n *nominator) NominatedPodsForNode(node string) []*framework.PodInfo {
	if len(n.byNode) == 0 { // as nearly always, and each node is asked for
		return nil
	}
	return slices.Clone(n.byNode[node])
}
