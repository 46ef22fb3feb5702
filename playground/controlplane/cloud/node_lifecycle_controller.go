package cloud

import (
	"slices"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/client/retry"
	"kubewalk/playground/sim"
)

// nodeMonitorPeriod is between two looks at the Nodes. Upstream: --node-monitor-period.
const nodeMonitorPeriod = 5 * time.Second

// CloudNodeLifecycleController asks the cloud what has become of Nodes that are not ready.
// Upstream: controllers/nodelifecycle/node_lifecycle_controller.go.
type CloudNodeLifecycleController struct {
	kubeClient   *client.Clientset
	nodeInformer informers.NodeInformer
	recorder     record.EventRecorder
	cloud        Provider
}

func startCloudNodeLifecycleController(ctx *controllerContext) (func(p *sim.Proc), bool) {
	c := &CloudNodeLifecycleController{kubeClient: ctx.client, nodeInformer: ctx.informers.Core().V1().Nodes(), cloud: ctx.cloud,
		recorder: ctx.events.NewRecorder(corev1.EventSource{Component: "cloud-node-lifecycle-controller"})}
	c.nodeInformer.Informer()
	return c.Run, true
}

// Run works until the program ends.
func (c *CloudNodeLifecycleController) Run(p *sim.Proc) {
	p.Logger().Info("Waiting for informer caches to sync")
	cache.WaitForCacheSync(p, c.nodeInformer.Informer().HasSynced)
	start := p.Kernel().Cause()
	for {
		p.Kernel().Because(start, func() { c.MonitorNodes(p) })
		p.Sleep(nodeMonitorPeriod)
	}
}

// MonitorNodes deletes Nodes whose instance is gone, and taints those whose instance is shut down.
func (c *CloudNodeLifecycleController) MonitorNodes(p *sim.Proc) {
	nodes, err := c.nodeInformer.Lister().List(labels.Everything())
	if err != nil {
		p.Logger().Error(err, "error listing nodes from cache")
		return
	}
	for _, node := range nodes {
		if ready(node) {
			if err := c.setShutdownTaint(p, node, false); err != nil {
				p.Logger().Error(err, "error patching node taints", "node", node.Name)
			}
			continue
		}
		exists, err := c.cloud.InstanceExists(p, node)
		if err != nil {
			p.Logger().Error(err, "error checking if node exists", "node", node.Name)
			continue
		}
		if !exists {
			p.Logger().V(2).Info("deleting node since it is no longer present in cloud provider", "node", node.Name)
			ref := record.Ref(&corev1.ObjectReference{Kind: "Node", Name: node.Name, UID: types.UID(node.UID)})
			c.recorder.Eventf(ref, corev1.EventTypeNormal, "DeletingNode", "Deleting node %s because it does not exist in the cloud provider", node.Name)
			if err := c.kubeClient.CoreV1().Nodes().Delete(p, node.Name, metav1.DeleteOptions{}); err != nil {
				p.Logger().Error(err, "unable to delete node", "node", node.Name)
				c.recorder.Eventf(ref, corev1.EventTypeWarning, "DeletingNodeFailed", "Failed deleting node %s: %v", node.Name, err)
			}
			continue
		}
		shutdown, err := c.cloud.InstanceShutdown(p, node)
		if err != nil {
			p.Logger().Error(err, "error checking if node is shutdown", "node", node.Name)
			continue
		}
		if shutdown {
			if err := c.setShutdownTaint(p, node, true); err != nil {
				p.Logger().Error(err, "failed to apply shutdown taint to node, it may have been deleted", "node", node.Name)
			}
		}
	}
}

func ready(node *corev1.Node) bool {
	i := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	return i >= 0 && node.Status.Conditions[i].Status == corev1.ConditionTrue
}

// setShutdownTaint adds or removes the taint, if that changes anything.
// Upstream: k8s.io/cloud-provider/node/helpers/taints.go, AddOrUpdateTaintOnNode and RemoveTaintOffNode.
func (c *CloudNodeLifecycleController) setShutdownTaint(p *sim.Proc, node *corev1.Node, on bool) error {
	if hasTaint(node, TaintNodeShutdown) == on {
		return nil
	}
	return retry.RetryOnConflict(p, retry.DefaultRetry, func() error {
		current, err := c.kubeClient.CoreV1().Nodes().Get(p, node.Name, metav1.GetOptions{})
		if err != nil || hasTaint(current, TaintNodeShutdown) == on {
			return err
		}
		next := current.DeepCopy()
		if on {
			next.Spec.Taints = append(next.Spec.Taints, corev1.Taint{Key: TaintNodeShutdown, Effect: corev1.TaintEffectNoSchedule})
		} else {
			next.Spec.Taints = slices.DeleteFunc(next.Spec.Taints, func(t corev1.Taint) bool { return t.Key == TaintNodeShutdown })
		}
		_, err = c.kubeClient.CoreV1().Nodes().Update(p, next, metav1.UpdateOptions{})
		return err
	})
}
