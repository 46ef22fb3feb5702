package cloud

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
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
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

const (
	// LoadBalancerCleanupFinalizer keeps a Service until its load balancer is gone.
	// Upstream: k8s.io/cloud-provider/service/helpers/helper.go.
	LoadBalancerCleanupFinalizer = "service.kubernetes.io/load-balancer-cleanup"
	// toBeDeletedTaint is what Cluster Autoscaler puts on nodes that it is about to remove.
	toBeDeletedTaint = "ToBeDeletedByClusterAutoscaler"

	minRetryDelay = 5 * time.Second
	maxRetryDelay = 300 * time.Second
)

// Controller gives Services of type LoadBalancer a load balancer. Upstream: controllers/service/controller.go, Controller.
type Controller struct {
	component       *sim.Component
	kubeClient      *client.Clientset
	balancer        Provider
	serviceInformer informers.ServiceInformer
	nodeInformer    informers.NodeInformer
	eventRecorder   record.EventRecorder
	serviceQueue    workqueue.TypedRateLimitingInterface[string]
	nodeQueue       workqueue.TypedRateLimitingInterface[string]
	// lastSyncedNodes are the nodes that were last to be behind each Service's load balancer, by its key.
	lastSyncedNodes map[string][]*corev1.Node
}

func startServiceController(ctx *controllerContext) (func(p *sim.Proc), bool) {
	core := ctx.informers.Core().V1()
	queue := func(name string) workqueue.TypedRateLimitingInterface[string] {
		return workqueue.NewTypedRateLimitingQueueWithConfig(ctx.component, workqueue.NewTypedItemExponentialFailureRateLimiter[string](minRetryDelay, maxRetryDelay),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: name})
	}
	c := &Controller{
		component: ctx.component, kubeClient: ctx.client, balancer: ctx.cloud, serviceInformer: core.Services(), nodeInformer: core.Nodes(),
		eventRecorder: ctx.events.NewRecorder(corev1.EventSource{Component: "service-controller"}),
		serviceQueue:  queue("service"), nodeQueue: queue("node"), lastSyncedNodes: map[string][]*corev1.Node{},
	}
	c.serviceInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(cur any) {
			if svc := cur.(*corev1.Service); wantsLoadBalancer(svc) || needsCleanup(svc) {
				enqueue(c.serviceQueue, cur)
			}
		},
		UpdateFunc: func(old, cur any) {
			if svc := cur.(*corev1.Service); needsUpdate(old.(*corev1.Service), svc) || needsCleanup(svc) {
				enqueue(c.serviceQueue, cur)
			}
		},
		// Deletion is seen as an update: the finalizer keeps the Service.
	})
	c.nodeInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(cur any) { enqueue(c.nodeQueue, cur) },
		UpdateFunc: func(old, cur any) {
			if shouldSyncUpdatedNode(old.(*corev1.Node), cur.(*corev1.Node)) {
				enqueue(c.nodeQueue, cur)
			}
		},
		DeleteFunc: func(old any) { enqueue(c.nodeQueue, old) },
	})
	return c.Run, true
}

func enqueue(queue workqueue.TypedRateLimitingInterface[string], obj any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		queue.Add(key)
	}
}

// Run works until the program ends.
func (c *Controller) Run(p *sim.Proc) {
	p.Logger().Info("Starting service controller")
	cache.WaitForCacheSync(p, c.serviceInformer.Informer().HasSynced, c.nodeInformer.Informer().HasSynced)
	c.component.Go("service-lb-controller/worker", func(p *sim.Proc) {
		for c.processNextServiceItem(p) {
		}
	})
	for c.processNextNodeItem(p) {
	}
}

func (c *Controller) processNextServiceItem(p *sim.Proc) bool {
	key, quit := c.serviceQueue.Get(p)
	if quit {
		return false
	}
	defer c.serviceQueue.Done(key)
	if err := c.syncService(p, key); err != nil {
		p.Logger().Error(err, "error processing service (retrying with exponential backoff)", "service", key)
		c.serviceQueue.AddRateLimited(key)
		return true
	}
	c.serviceQueue.Forget(key)
	return true
}

func (c *Controller) processNextNodeItem(p *sim.Proc) bool {
	key, quit := c.nodeQueue.Get(p)
	if quit {
		return false
	}
	defer c.nodeQueue.Done(key)
	c.syncNodes(p)
	c.nodeQueue.Forget(key)
	return true
}

func (c *Controller) syncService(p *sim.Proc, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	service, err := c.serviceInformer.Lister().Services(namespace).Get(name)
	switch {
	case apierrors.IsNotFound(err):
		delete(c.lastSyncedNodes, key)
		return nil
	case err != nil:
		return err
	}
	if err := c.syncLoadBalancerIfNeeded(p, service, key); err != nil {
		c.eventRecorder.Eventf(service, corev1.EventTypeWarning, "SyncLoadBalancerFailed", "Error syncing load balancer: %v", err)
		return err
	}
	return nil
}

// syncLoadBalancerIfNeeded makes the load balancer that a Service wants, or takes away the one that it no longer does.
func (c *Controller) syncLoadBalancerIfNeeded(p *sim.Proc, service *corev1.Service, key string) error {
	newStatus := &corev1.LoadBalancerStatus{}
	if !wantsLoadBalancer(service) || needsCleanup(service) {
		_, exists, err := c.balancer.GetLoadBalancer(p, service)
		if err != nil {
			return fmt.Errorf("failed to check if load balancer exists before cleanup: %v", err)
		}
		if exists {
			p.Logger().V(2).Info("Deleting existing load balancer for service", "service", key)
			c.eventRecorder.Event(service, corev1.EventTypeNormal, "DeletingLoadBalancer", "Deleting load balancer")
			if err := c.balancer.EnsureLoadBalancerDeleted(p, service); err != nil {
				return fmt.Errorf("failed to delete load balancer: %v", err)
			}
		}
		if err := c.removeFinalizer(p, service); err != nil {
			return fmt.Errorf("failed to remove load balancer cleanup finalizer: %v", err)
		}
		c.eventRecorder.Event(service, corev1.EventTypeNormal, "DeletedLoadBalancer", "Deleted load balancer")
		delete(c.lastSyncedNodes, key)
	} else {
		p.Logger().V(2).Info("Ensuring load balancer for service", "service", key)
		c.eventRecorder.Event(service, corev1.EventTypeNormal, "EnsuringLoadBalancer", "Ensuring load balancer")
		// Before there is a load balancer, so that the Service can't be deleted without it.
		if err := c.addFinalizer(p, service); err != nil {
			return fmt.Errorf("failed to add load balancer cleanup finalizer: %v", err)
		}
		status, err := c.ensureLoadBalancer(p, service, key)
		if err != nil {
			return fmt.Errorf("failed to ensure load balancer: %v", err)
		}
		newStatus = status
		c.eventRecorder.Event(service, corev1.EventTypeNormal, "EnsuredLoadBalancer", "Ensured load balancer")
	}
	if err := c.patchStatus(p, service, newStatus); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("failed to update load balancer status: %v", err)
	}
	return nil
}

func (c *Controller) ensureLoadBalancer(p *sim.Proc, service *corev1.Service, key string) (*corev1.LoadBalancerStatus, error) {
	nodes, err := c.backends()
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		c.noNodes(service)
	}
	c.lastSyncedNodes[key] = nodes
	return c.balancer.EnsureLoadBalancer(p, service, nodes)
}

// syncNodes tells load balancers whose nodes have changed. Upstream: syncNodes, updateLoadBalancerHosts.
func (c *Controller) syncNodes(p *sim.Proc) {
	services, err := c.serviceInformer.Lister().List(labels.Everything())
	if err != nil {
		return
	}
	p.Logger().V(2).Info("Syncing backends for all LB services.")
	for _, service := range services {
		// Those that a sync has come to; the others get their nodes then.
		key := service.Namespace + "/" + service.Name
		if _, synced := c.lastSyncedNodes[key]; synced && c.nodeSyncService(p, service, key) {
			c.serviceQueue.Add(key)
		}
	}
}

// nodeSyncService tells one load balancer which nodes are behind it, if they have changed. It tells whether that has to be tried again.
func (c *Controller) nodeSyncService(p *sim.Proc, service *corev1.Service, key string) bool {
	if !wantsLoadBalancer(service) {
		return false
	}
	nodes, err := c.backends()
	if err != nil {
		return true
	}
	last := c.lastSyncedNodes[key]
	// Also when it fails: then the Service's own retry is about these nodes.
	c.lastSyncedNodes[key] = nodes
	if nodesSufficientlyEqual(last, nodes) {
		return false
	}
	if err := c.updateLoadBalancerHosts(p, service, nodes); err != nil {
		p.Logger().Error(err, "failed to update load balancer hosts for service", "service", key)
		return true
	}
	return false
}

// updateLoadBalancerHosts is upstream's lockedUpdateLoadBalancerHosts.
func (c *Controller) updateLoadBalancerHosts(p *sim.Proc, service *corev1.Service, hosts []*corev1.Node) error {
	p.Logger().V(2).Info("Updating backends for load balancer", "service", service.Namespace+"/"+service.Name, "nodes", strings.Join(names(hosts), " "))
	err := c.balancer.UpdateLoadBalancer(p, service, hosts)
	if err == nil {
		if len(hosts) == 0 {
			c.noNodes(service)
		} else {
			c.eventRecorder.Event(service, corev1.EventTypeNormal, "UpdatedLoadBalancer", "Updated load balancer with new hosts")
		}
		return nil
	}
	if _, exists, err := c.balancer.GetLoadBalancer(p, service); err != nil {
		p.Logger().Error(err, "failed to check if load balancer exists for service", "service", service.Namespace+"/"+service.Name)
	} else if !exists {
		return nil
	}
	c.eventRecorder.Eventf(service, corev1.EventTypeWarning, "UpdateLoadBalancerFailed",
		"Error updating load balancer with new hosts %v [node names limited, total number of nodes: %d], error: %v", names(hosts), len(hosts), err)
	return err
}

func (c *Controller) noNodes(service *corev1.Service) {
	c.eventRecorder.Event(service, corev1.EventTypeWarning, "UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer")
}

// nodesSufficientlyEqual compares the nodes behind a load balancer, in any order, by what makes it sync them.
func nodesSufficientlyEqual(a, b []*corev1.Node) bool {
	distilled := func(nodes []*corev1.Node) map[string]string {
		out := map[string]string{}
		for _, n := range nodes {
			out[n.Name] = n.Spec.ProviderID
		}
		return out
	}
	return len(a) == len(b) && maps.Equal(distilled(a), distilled(b))
}

// backends are the nodes that load balancers send packets to. Upstream: getNodePredicatesForService.
func (c *Controller) backends() (out []*corev1.Node, err error) {
	nodes, err := c.nodeInformer.Lister().List(labels.Everything())
	for _, n := range nodes {
		if included(n) && n.DeletionTimestamp == nil && !hasTaint(n, toBeDeletedTaint) {
			out = append(out, n)
		}
	}
	return out, err
}

// included tells whether a node is not labelled to be left out. Upstream: nodeIncludedPredicate.
func included(n *corev1.Node) bool {
	value, labelled := n.Labels[corev1.LabelNodeExcludeBalancers]
	if !labelled {
		return true
	}
	excluded, err := strconv.ParseBool(value)
	return err == nil && !excluded
}

func names(nodes []*corev1.Node) (out []string) {
	for _, n := range nodes {
		out = append(out, n.Name)
	}
	slices.Sort(out)
	return out
}

func shouldSyncUpdatedNode(old, cur *corev1.Node) bool {
	return included(old) != included(cur) || old.Spec.ProviderID != cur.Spec.ProviderID
}

func wantsLoadBalancer(service *corev1.Service) bool {
	return service.Spec.Type == corev1.ServiceTypeLoadBalancer && service.Spec.LoadBalancerClass == nil
}

func hasFinalizer(service *corev1.Service) bool {
	return slices.Contains(service.Finalizers, LoadBalancerCleanupFinalizer)
}

// needsCleanup tells whether a Service has a load balancer that it no longer wants.
func needsCleanup(service *corev1.Service) bool {
	return hasFinalizer(service) && (service.DeletionTimestamp != nil || service.Spec.Type != corev1.ServiceTypeLoadBalancer)
}

// needsUpdate tells whether the load balancer depends on what has changed.
func needsUpdate(old, cur *corev1.Service) bool {
	if !wantsLoadBalancer(old) && !wantsLoadBalancer(cur) {
		return false
	}
	return wantsLoadBalancer(old) != wantsLoadBalancer(cur) || old.UID != cur.UID || !api.SemanticDeepEqual(balanced(old), balanced(cur)) ||
		!api.SemanticDeepEqual(old.Annotations, cur.Annotations)
}

// balanced is what of a Service's spec its load balancer depends on.
func balanced(service *corev1.Service) corev1.ServiceSpec {
	s := service.Spec
	return corev1.ServiceSpec{
		LoadBalancerSourceRanges: s.LoadBalancerSourceRanges, Ports: s.Ports, SessionAffinity: s.SessionAffinity,
		SessionAffinityConfig: s.SessionAffinityConfig, LoadBalancerIP: s.LoadBalancerIP, ExternalIPs: s.ExternalIPs,
		ExternalTrafficPolicy: s.ExternalTrafficPolicy, HealthCheckNodePort: s.HealthCheckNodePort, IPFamilies: s.IPFamilies,
	}
}

func (c *Controller) addFinalizer(p *sim.Proc, service *corev1.Service) error {
	if hasFinalizer(service) {
		return nil
	}
	p.Logger().V(2).Info("Adding finalizer to service", "service", service.Namespace+"/"+service.Name)
	return c.patch(p, service, map[string]any{"metadata": map[string]any{"finalizers": append(slices.Clone(service.Finalizers), LoadBalancerCleanupFinalizer)}})
}

func (c *Controller) removeFinalizer(p *sim.Proc, service *corev1.Service) error {
	if !hasFinalizer(service) {
		return nil
	}
	p.Logger().V(2).Info("Removing finalizer from service", "service", service.Namespace+"/"+service.Name)
	left := slices.DeleteFunc(slices.Clone(service.Finalizers), func(f string) bool { return f == LoadBalancerCleanupFinalizer })
	return c.patch(p, service, map[string]any{"metadata": map[string]any{"finalizers": left}})
}

func (c *Controller) patchStatus(p *sim.Proc, service *corev1.Service, status *corev1.LoadBalancerStatus) error {
	if api.SemanticDeepEqual(service.Status.LoadBalancer, *status) {
		return nil
	}
	p.Logger().V(2).Info("Patching status for service", "service", service.Namespace+"/"+service.Name)
	return c.patch(p, service, map[string]any{"status": map[string]any{"loadBalancer": map[string]any{"ingress": status.Ingress}}}, "status")
}

func (c *Controller) patch(p *sim.Proc, service *corev1.Service, change map[string]any, subresources ...string) error {
	patch, err := json.Marshal(change)
	if err == nil {
		_, err = c.kubeClient.CoreV1().Services(service.Namespace).Patch(p, service.Name, types.MergePatchType, patch, metav1.PatchOptions{}, subresources...)
	}
	return err
}
