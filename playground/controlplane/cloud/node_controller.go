package cloud

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/client/retry"
	"kubewalk/playground/controlplane/client/wait"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Taints of Nodes. Upstream: k8s.io/cloud-provider/api/well_known_taints.go.
const (
	// TaintExternalCloudProvider keeps Pods off a Node that this program has not completed yet.
	TaintExternalCloudProvider = "node.cloudprovider.kubernetes.io/uninitialized"
	// TaintNodeShutdown says that the instance is shut down.
	TaintNodeShutdown = "node.cloudprovider.kubernetes.io/shutdown"
)

// nodeStatusUpdateFrequency is how often addresses are compared with the cloud's. Upstream: --node-status-update-frequency.
const nodeStatusUpdateFrequency = 5 * time.Minute

// updateNodeSpecBackoff is upstream's UpdateNodeSpecBackoff.
var updateNodeSpecBackoff = wait.Backoff{Steps: 20, Duration: 50 * time.Millisecond, Jitter: 100}

// CloudNodeController completes Nodes that have the taint. Upstream: controllers/node/node_controller.go, CloudNodeController.
type CloudNodeController struct {
	component    *sim.Component
	nodeInformer informers.NodeInformer
	kubeClient   *client.Clientset
	cloud        Provider
	recorder     record.EventRecorder
	workqueue    workqueue.TypedRateLimitingInterface[string]
}

func startCloudNodeController(ctx *controllerContext) (func(p *sim.Proc), bool) {
	cnc := &CloudNodeController{
		component: ctx.component, nodeInformer: ctx.informers.Core().V1().Nodes(), kubeClient: ctx.client, cloud: ctx.cloud,
		recorder: ctx.events.NewRecorder(corev1.EventSource{Component: "cloud-node-controller"}),
		workqueue: workqueue.NewTypedRateLimitingQueueWithConfig(ctx.component, workqueue.DefaultTypedControllerRateLimiter[string](ctx.component),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "Nodes"}),
	}
	enqueueNode := func(obj any) {
		if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
			cnc.workqueue.Add(key)
		}
	}
	cnc.nodeInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: enqueueNode, UpdateFunc: func(_, cur any) { enqueueNode(cur) }})
	return cnc.Run, true
}

// Run works until the program ends. Upstream: RunWithContext.
func (cnc *CloudNodeController) Run(p *sim.Proc) {
	p.Logger().Info("Waiting for informer caches to sync")
	cache.WaitForCacheSync(p, cnc.nodeInformer.Informer().HasSynced)
	cnc.component.Go("cloud-node-controller/worker", func(p *sim.Proc) {
		for cnc.processNextWorkItem(p) {
		}
	})
	for {
		cnc.UpdateNodeStatus(p)
		p.Sleep(nodeStatusUpdateFrequency)
	}
}

func (cnc *CloudNodeController) processNextWorkItem(p *sim.Proc) bool {
	key, shutdown := cnc.workqueue.Get(p)
	if shutdown {
		return false
	}
	defer cnc.workqueue.Done(key)
	if err := cnc.syncNode(p, key); err != nil {
		cnc.workqueue.AddRateLimited(key)
		p.Logger().Error(err, "error syncing, requeuing", "node", key)
		return true
	}
	cnc.workqueue.Forget(key)
	return true
}

// UpdateNodeStatus compares the addresses of all Nodes with the cloud's.
func (cnc *CloudNodeController) UpdateNodeStatus(p *sim.Proc) {
	nodes, err := cnc.nodeInformer.Lister().List(labels.Everything())
	if err != nil {
		p.Logger().Error(err, "Error monitoring node status")
		return
	}
	for _, node := range nodes {
		if hasTaint(node, TaintExternalCloudProvider) {
			p.Logger().V(5).Info("This node is still tainted. Will not process.", "node", node.Name)
			continue
		}
		metadata, err := cnc.cloud.InstanceMetadata(p, node)
		if err != nil {
			p.Logger().Error(err, "Error getting instance metadata for node addresses", "node", node.Name)
			continue
		}
		cnc.updateNodeAddress(p, node, metadata)
	}
}

// syncNode completes a Node that has the taint.
func (cnc *CloudNodeController) syncNode(p *sim.Proc, nodeName string) error {
	node, err := cnc.nodeInformer.Lister().Get(nodeName)
	if apierrors.IsNotFound(err) || err == nil && !hasTaint(node, TaintExternalCloudProvider) {
		return nil
	}
	if err != nil {
		return err
	}
	p.Logger().Info("Initializing node with cloud provider", "node", nodeName)
	metadata, err := cnc.cloud.InstanceMetadata(p, node)
	if err != nil {
		return fmt.Errorf("failed to get instance metadata for node %s: %v", nodeName, err)
	}
	modifiers := getNodeModifiersFromCloudProvider(p, node, metadata)
	modifiers = append(modifiers, func(n *corev1.Node) {
		n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == TaintExternalCloudProvider })
	})
	err = retry.RetryOnConflict(p, updateNodeSpecBackoff, func() error {
		current, err := cnc.nodeInformer.Lister().Get(nodeName)
		if err != nil {
			return err
		}
		newNode := current.DeepCopy()
		for _, modify := range modifiers {
			modify(newNode)
		}
		updated, err := cnc.kubeClient.CoreV1().Nodes().Update(p, newNode, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		// At once, so that nobody waits for addresses.
		cnc.updateNodeAddress(p, updated, metadata)
		p.Logger().Info("Successfully initialized node with cloud provider", "node", nodeName)
		return nil
	})
	if err != nil {
		return err
	}
	cnc.recorder.Event(node, corev1.EventTypeNormal, "Synced", "Node synced successfully")
	return nil
}

// getNodeModifiersFromCloudProvider lists the changes that make of a Node what the cloud knows of it.
func getNodeModifiersFromCloudProvider(p *sim.Proc, node *corev1.Node, metadata *InstanceMetadata) (modifiers []func(*corev1.Node)) {
	if node.Spec.ProviderID == "" && metadata.ProviderID != "" {
		modifiers = append(modifiers, func(n *corev1.Node) {
			if n.Spec.ProviderID == "" {
				n.Spec.ProviderID = metadata.ProviderID
			}
		})
	}
	for _, l := range []struct{ value, beta, stable string }{
		{metadata.InstanceType, corev1.LabelInstanceType, corev1.LabelInstanceTypeStable},
		{metadata.Zone, corev1.LabelFailureDomainBetaZone, corev1.LabelTopologyZone},
		{metadata.Region, corev1.LabelFailureDomainBetaRegion, corev1.LabelTopologyRegion},
	} {
		if l.value == "" {
			continue
		}
		for _, name := range []string{l.beta, l.stable} {
			p.Logger().V(2).Info("Adding node label from cloud provider", "label", name, "value", l.value)
			modifiers = append(modifiers, func(n *corev1.Node) {
				if n.Labels == nil {
					n.Labels = map[string]string{}
				}
				n.Labels[name] = l.value
			})
		}
	}
	return modifiers
}

// updateNodeAddress writes the cloud's addresses into a Node's status, with the hostname that the kubelet has written.
func (cnc *CloudNodeController) updateNodeAddress(p *sim.Proc, node *corev1.Node, metadata *InstanceMetadata) {
	addresses := slices.Clone(metadata.NodeAddresses)
	for _, a := range node.Status.Addresses {
		if a.Type == corev1.NodeHostName {
			addresses = append(addresses, a)
		}
	}
	if api.SemanticDeepEqual(addresses, node.Status.Addresses) {
		return
	}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"addresses": addresses}})
	if err == nil {
		_, err = cnc.kubeClient.CoreV1().Nodes().Patch(p, node.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	}
	if err != nil {
		p.Logger().Error(err, "Error patching node with cloud ip addresses", "node", node.Name)
	}
}

func hasTaint(node *corev1.Node, key string) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key })
}
