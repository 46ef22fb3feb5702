package nodelifecycle

import (
	"fmt"
	"sort"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// The taints that have Pods evicted.
var (
	unreachableTaintTemplate = &corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute}
	notReadyTaintTemplate    = &corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute}
)

// conditionTaints says which condition of a Node keeps new Pods away.
// Upstream: nodeConditionToTaintKeyStatusMap.
var conditionTaints = map[corev1.NodeConditionType]map[corev1.ConditionStatus]string{
	corev1.NodeReady: {
		corev1.ConditionFalse:   corev1.TaintNodeNotReady,
		corev1.ConditionUnknown: corev1.TaintNodeUnreachable,
	},
	corev1.NodeMemoryPressure:     {corev1.ConditionTrue: corev1.TaintNodeMemoryPressure},
	corev1.NodeDiskPressure:       {corev1.ConditionTrue: corev1.TaintNodeDiskPressure},
	corev1.NodeNetworkUnavailable: {corev1.ConditionTrue: corev1.TaintNodeNetworkUnavailable},
	corev1.NodePIDPressure:        {corev1.ConditionTrue: corev1.TaintNodePIDPressure},
}

// ownTaintKeys are the keys whose NoSchedule taints are this controller's to remove.
var ownTaintKeys = map[string]bool{
	corev1.TaintNodeUnschedulable: true, corev1.TaintNodeNotReady: true, corev1.TaintNodeUnreachable: true,
	corev1.TaintNodeNetworkUnavailable: true, corev1.TaintNodeMemoryPressure: true, corev1.TaintNodeDiskPressure: true,
	corev1.TaintNodePIDPressure: true,
}

func (nc *Controller) doNodeProcessingPassWorker(p *sim.Proc) {
	for {
		name, shutdown := nc.nodeUpdateQueue.Get(p)
		if shutdown {
			return
		}
		if err := nc.doNoScheduleTaintingPass(p, name); err != nil {
			// The next change of the Node brings it back; upstream does no more either.
			p.Logger().Error(err, "Failed to taint NoSchedule on node, requeue it", "node", name)
		}
		nc.nodeUpdateQueue.Done(name)
	}
}

// doNoScheduleTaintingPass makes a node's NoSchedule taints say what its
// conditions and spec.unschedulable say. It is not rate limited: it takes
// nothing away from anybody.
func (nc *Controller) doNoScheduleTaintingPass(p *sim.Proc, name string) error {
	node, err := nc.nodeLister.Get(name)
	if err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	var want, have []corev1.Taint
	for _, c := range node.Status.Conditions {
		if key, ok := conditionTaints[c.Type][c.Status]; ok {
			want = append(want, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
		}
	}
	if node.Spec.Unschedulable {
		want = append(want, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	for _, t := range node.Spec.Taints {
		if t.Effect == corev1.TaintEffectNoSchedule && ownTaintKeys[t.Key] {
			have = append(have, t)
		}
	}
	add, remove := controller.TaintSetDiff(want, have)
	if len(add) == 0 && len(remove) == 0 {
		return nil
	}
	if !nc.swapTaints(p, add, remove, node) {
		return fmt.Errorf("failed to swap taints of node %s", name)
	}
	return nil
}

// swapTaints adds and removes taints and tells whether that worked.
// Upstream: pkg/controller/util/node SwapNodeControllerTaint.
func (nc *Controller) swapTaints(p *sim.Proc, add, remove []*corev1.Taint, node *corev1.Node) bool {
	log, now := p.Logger(), metav1.NewTime(p.Time())
	stamped := make([]*corev1.Taint, len(add))
	for i, t := range add {
		c := *t
		c.TimeAdded = &now
		stamped[i] = &c
	}
	if err := controller.AddOrUpdateTaintOnNode(p, nc.kubeClient, node.Name, stamped...); err != nil {
		controller.HandleError(log, err, "Unable to taint", "node", node.Name)
		return false
	}
	log.V(4).Info("Added taint to node", "taints", taintsText(add), "node", node.Name)
	if err := controller.RemoveTaintOffNode(p, nc.kubeClient, node.Name, node, remove...); err != nil {
		controller.HandleError(log, err, "Unable to remove unneeded taint from unresponsive node", "node", node.Name)
		return false
	}
	log.V(4).Info("Made sure that node has no taint", "node", node.Name, "taints", taintsText(remove))
	return true
}

func taintsText(taints []*corev1.Taint) string {
	out := ""
	for i, t := range taints {
		if i > 0 {
			out += ","
		}
		out += t.Key + ":" + string(t.Effect)
	}
	return out
}

// processTaintBaseEviction has a node tainted NoExecute that is not ready, and
// untainted that is ready again. The first taint waits for its turn in the
// zone's queue; to change one for the other does not.
func (nc *Controller) processTaintBaseEviction(p *sim.Proc, node *corev1.Node, observed *corev1.NodeCondition) {
	log := p.Logger()
	switch observed.Status {
	case corev1.ConditionFalse:
		if controller.TaintExists(node.Spec.Taints, unreachableTaintTemplate) {
			if !nc.swapTaints(p, []*corev1.Taint{notReadyTaintTemplate}, []*corev1.Taint{unreachableTaintTemplate}, node) {
				log.Error(nil, "Failed to instantly swap UnreachableTaint to NotReadyTaint. Will try again in the next cycle")
			}
		} else if nc.markNodeForTainting(node, notReadyTaintTemplate) {
			log.V(2).Info("Node is NotReady. Adding it to the Taint queue", "node", node.Name)
		}
	case corev1.ConditionUnknown:
		if controller.TaintExists(node.Spec.Taints, notReadyTaintTemplate) {
			if !nc.swapTaints(p, []*corev1.Taint{unreachableTaintTemplate}, []*corev1.Taint{notReadyTaintTemplate}, node) {
				log.Error(nil, "Failed to instantly swap NotReadyTaint to UnreachableTaint. Will try again in the next cycle")
			}
		} else if nc.markNodeForTainting(node, unreachableTaintTemplate) {
			log.V(2).Info("Node is unresponsive. Adding it to the Taint queue", "node", node.Name)
		}
	case corev1.ConditionTrue:
		removed, err := nc.markNodeAsReachable(p, node)
		if err != nil {
			log.Error(nil, "Failed to remove taints from node. Will retry in next iteration", "node", node.Name)
		}
		if removed {
			log.V(2).Info("Node is healthy again, removing all taints", "node", node.Name)
		}
	}
}

// markNodeForTainting queues a node in its zone, anew when it lost the taint.
// It tells whether the node was not in the queue yet.
func (nc *Controller) markNodeForTainting(node *corev1.Node, taint *corev1.Taint) bool {
	queue := nc.zoneNoExecuteTainter[GetZoneKey(node)]
	if !controller.TaintExists(node.Spec.Taints, taint) {
		queue.Remove(node.Name)
	}
	if !queue.Add(node.Name, nc.kernel.Elapsed()) {
		return false
	}
	if nc.tainterIdle {
		nc.tainterIdle = false
		nc.tainter.Wake()
	}
	return true
}

// markNodeAsReachable removes the NoExecute taints, and the node from the queue;
// it tells whether it was in there.
func (nc *Controller) markNodeAsReachable(p *sim.Proc, node *corev1.Node) (bool, error) {
	for _, t := range []*corev1.Taint{unreachableTaintTemplate, notReadyTaintTemplate} {
		if err := controller.RemoveTaintOffNode(p, nc.kubeClient, node.Name, node, t); err != nil {
			p.Logger().Error(err, "Failed to remove taint from node", "node", node.Name)
			return false, err
		}
	}
	return nc.zoneNoExecuteTainter[GetZoneKey(node)].Remove(node.Name), nil
}

// runNoExecuteTainter taints queued nodes. Where upstream looks every 100 ms,
// this sleeps while no node waits, so that a quiet world stays quiet.
func (nc *Controller) runNoExecuteTainter(p *sim.Proc) {
	for {
		if nc.nodesWait() {
			nc.doNoExecuteTaintingPass(p)
			p.Sleep(nodeEvictionPeriod)
			continue
		}
		nc.tainterIdle = true
		p.Park()
	}
}

func (nc *Controller) nodesWait() bool {
	for _, q := range nc.zoneNoExecuteTainter { // order: any that waits will do
		if q.Len() > 0 {
			return true
		}
	}
	return false
}

// doNoExecuteTaintingPass taints as many of the queued nodes as each zone's
// rate allows. The taints are made mutually exclusive, as the condition is.
func (nc *Controller) doNoExecuteTaintingPass(p *sim.Proc) {
	log := p.Logger()
	for _, zone := range nc.zones() {
		nc.zoneNoExecuteTainter[zone].Try(p.Now, func(name string) (bool, time.Duration) {
			node, err := nc.nodeLister.Get(name)
			if apierrors.IsNotFound(err) {
				log.Info("Node no longer present in nodeLister", "node", name)
				return true, 0
			} else if err != nil {
				log.Info("Failed to get Node from the nodeLister", "node", name, "err", err)
				return false, 50 * time.Millisecond
			}
			ready := getNodeCondition(&node.Status, corev1.NodeReady)
			if ready == nil {
				log.Info("Failed to get NodeCondition from the node status", "node", name)
				return false, 50 * time.Millisecond
			}
			add, opposite := notReadyTaintTemplate, unreachableTaintTemplate
			switch ready.Status {
			case corev1.ConditionFalse:
			case corev1.ConditionUnknown:
				add, opposite = opposite, add
			default:
				log.V(4).Info("Node was in a taint queue, but it's ready now. Ignoring taint request", "node", name)
				return true, 0
			}
			return nc.swapTaints(p, []*corev1.Taint{add}, []*corev1.Taint{opposite}, node), 0
		})
	}
}

// zones lists the zones that have a queue, sorted.
func (nc *Controller) zones() []string {
	out := make([]string, 0, len(nc.zoneNoExecuteTainter))
	for zone := range nc.zoneNoExecuteTainter {
		out = append(out, zone)
	}
	sort.Strings(out)
	return out
}
