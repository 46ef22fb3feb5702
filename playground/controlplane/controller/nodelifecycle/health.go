package nodelifecycle

import (
	"time"

	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
)

// namespaceNodeLease is where kubelets keep their leases.
// Upstream: k8s.io/api/core/v1 NamespaceNodeLease.
const namespaceNodeLease = "kube-node-lease"

var getOptions = metav1.GetOptions{}

// nodeHealthData is what was last seen of a node.
type nodeHealthData struct {
	probeTimestamp           time.Time // when there was last a sign of life
	readyTransitionTimestamp time.Time // when Ready was last seen to change
	status                   *corev1.NodeStatus
	lease                    *coordinationv1.Lease
}

// silentConditions are those that nobody knows any more when the kubelet is
// silent. NetworkUnavailable is not the kubelet's.
var silentConditions = []corev1.NodeConditionType{corev1.NodeReady, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure}

// getNodeCondition finds a condition; nil when there is none.
func getNodeCondition(status *corev1.NodeStatus, t corev1.NodeConditionType) *corev1.NodeCondition {
	if status == nil {
		return nil
	}
	for i := range status.Conditions {
		if status.Conditions[i].Type == t {
			return &status.Conditions[i]
		}
	}
	return nil
}

// tryUpdateNodeHealth notes what is new of a node. When nothing was for longer
// than its grace period, it writes that its condition is Unknown, in a copy of the
// node. It returns the Ready condition as it was found, and as it is now (nil when
// there never was one), and the node as it is now.
//
// A sign of life is a new heartbeat in the status, or a renewed lease.
// Upstream: node_lifecycle_controller.go, tryUpdateNodeHealth.
func (nc *Controller) tryUpdateNodeHealth(p *sim.Proc, node *corev1.Node) (observed corev1.NodeCondition, current *corev1.NodeCondition, _ *corev1.Node,
	err error) {
	log, now := p.Logger(), p.Time()
	health := nc.nodeHealth[node.Name]
	if health != nil {
		c := *health
		health = &c
	}
	defer func() { nc.nodeHealth[node.Name] = health }()

	grace := nc.NodeMonitorGracePeriod
	current = getNodeCondition(&node.Status, corev1.NodeReady)
	if current != nil {
		observed = *current
	} else {
		// The kubelet has not spoken yet. Count from when the Node was made.
		observed = corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionUnknown,
			LastHeartbeatTime: node.CreationTimestamp, LastTransitionTime: node.CreationTimestamp}
		grace = nc.NodeStartupGracePeriod
		if health != nil {
			health.status = &node.Status
		} else {
			health = &nodeHealthData{status: &node.Status,
				probeTimestamp: node.CreationTimestamp.Time, readyTransitionTimestamp: node.CreationTimestamp.Time}
		}
	}

	var saved *corev1.NodeCondition
	var savedLease *coordinationv1.Lease
	if health != nil {
		saved, savedLease = getNodeCondition(health.status, corev1.NodeReady), health.lease
	}
	fresh := &nodeHealthData{status: &node.Status, probeTimestamp: now, readyTransitionTimestamp: now}
	switch {
	case health == nil:
		log.Info("Missing timestamp for Node. Assuming now as a timestamp", "node", node.Name)
		health = fresh
	case saved == nil && current != nil:
		log.V(1).Info("Creating timestamp entry for newly observed Node", "node", node.Name)
		health = fresh
	case saved != nil && current == nil:
		log.Error(nil, "ReadyCondition was removed from Status of Node", "node", node.Name)
		health = fresh
	case saved != nil && current != nil && !saved.LastHeartbeatTime.Equal(&current.LastHeartbeatTime):
		if saved.LastTransitionTime.Equal(&current.LastTransitionTime) {
			fresh.readyTransitionTimestamp = health.readyTransitionTimestamp
		} else {
			log.V(3).Info("ReadyCondition for Node transitioned from savedCondition to currentReadyCondition", "node", node.Name,
				"savedCondition", string(saved.Status), "currentReadyCondition", string(current.Status))
		}
		health = fresh
	}
	lease, leaseErr := nc.leaseLister.Leases(namespaceNodeLease).Get(node.Name)
	if leaseErr != nil {
		lease = nil
	}
	if lease != nil && (savedLease == nil || savedLease.Spec.RenewTime.Before(lease.Spec.RenewTime)) {
		health.lease = lease
		health.probeTimestamp = now
	}

	silence := now.Sub(health.probeTimestamp)
	if silence <= grace {
		return observed, current, node, nil
	}
	copied := node.DeepCopy()
	if health.status == &node.Status {
		health.status = &copied.Status
	}
	node = copied
	for _, t := range silentConditions {
		c := getNodeCondition(&node.Status, t)
		if c == nil {
			log.V(2).Info("Condition of node was never updated by kubelet", "nodeConditionType", string(t), "node", node.Name)
			node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
				Type: t, Status: corev1.ConditionUnknown,
				Reason: "NodeStatusNeverUpdated", Message: "Kubelet never posted node status.",
				LastHeartbeatTime: node.CreationTimestamp, LastTransitionTime: metav1.NewTime(now),
			})
			continue
		}
		log.V(2).Info("Node hasn't been updated", "node", node.Name, "duration", silence, "nodeConditionType", string(t), "currentCondition", string(c.Status))
		if c.Status != corev1.ConditionUnknown {
			c.Status = corev1.ConditionUnknown
			c.Reason = "NodeStatusUnknown"
			c.Message = "Kubelet stopped posting node status."
			c.LastTransitionTime = metav1.NewTime(now)
		}
	}
	current = getNodeCondition(&node.Status, corev1.NodeReady)
	if current.Status == observed.Status && current.Reason == observed.Reason && current.LastTransitionTime.Equal(&observed.LastTransitionTime) {
		return observed, current, node, nil
	}
	if _, err := nc.kubeClient.CoreV1().Nodes().UpdateStatus(p, node, metav1.UpdateOptions{}); err != nil {
		log.Error(err, "Error updating node", "node", node.Name)
		return observed, current, node, err
	}
	health = &nodeHealthData{status: &node.Status, probeTimestamp: health.probeTimestamp, readyTransitionTimestamp: now, lease: lease}
	return observed, current, node, nil
}
