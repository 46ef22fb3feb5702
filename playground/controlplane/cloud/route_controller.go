//go:build !js || cel

package cloud

import (
	"encoding/json"
	"net/netip"
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
	"kubewalk/playground/controlplane/client/wait"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

const (
	// clusterName is what the cloud knows the cluster by. Upstream: --cluster-name.
	clusterName = "kubernetes"
	// routeReconciliationPeriod is from one look at the routes to the next. Upstream: --route-reconciliation-period.
	routeReconciliationPeriod = 10 * time.Second
	// maxConcurrentRouteOperations is how many calls about routes are under way at most.
	maxConcurrentRouteOperations = 200
)

// updateNetworkConditionBackoff is upstream's updateNetworkConditionBackoff.
var updateNetworkConditionBackoff = wait.Backoff{Steps: 5, Duration: 100 * time.Millisecond, Jitter: 100}

// RouteController has the cloud lead packets for a node's Pods to the node. It looks at all Nodes and all routes every ten
// seconds and is not told of Nodes in between (KEP-5237 is to change that): so Pods may start on a Node that has no route yet.
// Upstream: controllers/route/route_controller.go, RouteController.
type RouteController struct {
	component    *sim.Component
	routes       Routes
	kubeClient   *client.Clientset
	clusterCIDR  netip.Prefix
	nodeInformer informers.NodeInformer
	recorder     record.EventRecorder
	rateLimiter  rateLimiter
}

// startRouteController starts it where the provider has routes. Upstream: app/core.go, startRouteController.
func startRouteController(ctx *controllerContext) (func(p *sim.Proc), bool) {
	routes, ok := ctx.cloud.Routes()
	if !ok {
		ctx.skipRoutes()
		return nil, false
	}
	rc := &RouteController{
		component: ctx.component, routes: routes, kubeClient: ctx.client, clusterCIDR: netip.MustParsePrefix(ctx.clusterCIDR),
		nodeInformer: ctx.informers.Core().V1().Nodes(), recorder: ctx.events.NewRecorder(corev1.EventSource{Component: "route_controller"}),
		rateLimiter: rateLimiter{free: maxConcurrentRouteOperations},
	}
	rc.nodeInformer.Informer()
	return rc.Run, true
}

// Run works until the program ends. A look that takes longer than the period is followed by the next at once, as by wait.NonSlidingUntil.
func (rc *RouteController) Run(p *sim.Proc) {
	p.Logger().Info("Starting route controller")
	cache.WaitForCacheSync(p, rc.nodeInformer.Informer().HasSynced)
	start := p.Kernel().Cause()
	for {
		next := p.Now() + routeReconciliationPeriod
		p.Kernel().Because(start, func() { rc.reconcileNodeRoutes(p) })
		p.Sleep(max(0, next-p.Now()))
	}
}

func (rc *RouteController) reconcileNodeRoutes(p *sim.Proc) {
	routes, err := rc.routes.ListRoutes(p, clusterName)
	if err != nil {
		p.Logger().Error(err, "Couldn't reconcile node routes: error listing routes")
		return
	}
	nodes, err := rc.nodeInformer.Lister().List(labels.Everything())
	if err != nil {
		p.Logger().Error(err, "Couldn't reconcile node routes: error listing nodes")
		return
	}
	rc.reconcile(p, nodes, routes)
}

// reconcile makes the routes that are missing and takes away those that nobody needs, all at once; then it writes into each Node
// whether it has its routes.
func (rc *RouteController) reconcile(p *sim.Proc, nodes []*corev1.Node, routes []*Route) {
	// there tells of each CIDR of a node whether a route leads to it. A node that has routes and no CIDR is in it, too.
	there := map[string]map[string]bool{}
	for _, route := range routes {
		if route.TargetNode != "" {
			there[route.TargetNode] = map[string]bool{}
		}
	}
	for _, node := range nodes {
		for _, cidr := range node.Spec.PodCIDRs {
			if there[node.Name] == nil {
				there[node.Name] = map[string]bool{}
			}
			action := "add"
			if slices.ContainsFunc(routes, func(r *Route) bool { return r.TargetNode == node.Name && r.DestinationCIDR == cidr }) {
				action = "keep"
			}
			there[node.Name][cidr] = action == "keep"
			p.Logger().Info("action for Node", "node", node.Name, "cidr", cidr, "action", action)
		}
	}
	var calls []func(p *sim.Proc)
	answered := map[string]trace.ID{} // what a node's condition is due to
	for _, route := range routes {
		if _, needed := there[route.TargetNode][route.DestinationCIDR]; rc.isResponsibleForRoute(p, route) && (route.Blackhole || !needed) {
			calls = append(calls, func(p *sim.Proc) { rc.deleteRoute(p, route) })
		}
	}
	for _, node := range nodes {
		for _, cidr := range node.Spec.PodCIDRs {
			if !there[node.Name][cidr] {
				calls = append(calls, func(p *sim.Proc) {
					if rc.createRoute(p, node, cidr) == nil {
						there[node.Name][cidr] = true
					}
					answered[node.Name] = p.Kernel().Cause()
				})
			}
		}
	}
	p.Fork("node-route-controller/call", len(calls), func(p *sim.Proc, i int) { calls[i](p) })

	nodes = slices.DeleteFunc(slices.Clone(nodes), func(n *corev1.Node) bool { return there[n.Name] == nil })
	p.Fork("node-route-controller/condition", len(nodes), func(p *sim.Proc, i int) {
		if cause := answered[nodes[i].Name]; cause != 0 {
			p.Due(cause)
		}
		made := len(there[nodes[i].Name]) > 0
		for _, is := range there[nodes[i].Name] { // order: all have to be true
			made = made && is
		}
		rc.updateNetworkingCondition(p, nodes[i], made)
	})
}

func (rc *RouteController) deleteRoute(p *sim.Proc, route *Route) {
	start := p.Now()
	rc.rateLimiter.acquire(p)
	defer rc.rateLimiter.release()
	log := p.Logger()
	log.Info("Deleting route", "route", route.Name, "cidr", route.DestinationCIDR)
	if err := rc.routes.DeleteRoute(p, clusterName, route); err != nil {
		log.Error(err, "Could not delete route", "route", route.Name, "cidr", route.DestinationCIDR, "after", p.Now()-start)
		return
	}
	log.Info("Deleted route", "route", route.Name, "cidr", route.DestinationCIDR, "after", p.Now()-start)
}

// createRoute asks for a route, and again only when somebody else was quicker.
func (rc *RouteController) createRoute(p *sim.Proc, node *corev1.Node, cidr string) error {
	log := p.Logger()
	err := retry.RetryOnConflict(p, updateNetworkConditionBackoff, func() error {
		start := p.Now()
		rc.rateLimiter.acquire(p)
		log.Info("Creating route for node", "node", node.Name, "cidr", cidr, "hint", node.UID, "throttled", p.Now()-start)
		err := rc.routes.CreateRoute(p, clusterName, string(node.UID), &Route{TargetNode: node.Name, DestinationCIDR: cidr})
		rc.rateLimiter.release()
		if err != nil {
			rc.recorder.Eventf(record.Ref(&corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: types.UID(node.UID)}),
				corev1.EventTypeWarning, "FailedToCreateRoute", "Could not create route %s %s for node %s after %v: %v", node.UID, cidr, node.Name, p.Now()-start, err)
			return err
		}
		log.Info("Created route for node", "node", node.Name, "cidr", cidr, "hint", node.UID, "after", p.Now()-start)
		return nil
	})
	if err != nil {
		log.Error(err, "Could not create route for node", "node", node.Name, "cidr", cidr, "hint", node.UID)
	}
	return err
}

// updateNetworkingCondition writes the condition NetworkUnavailable, unless it is so already. The node lifecycle controller makes a taint of it.
func (rc *RouteController) updateNetworkingCondition(p *sim.Proc, node *corev1.Node, routesCreated bool) {
	condition := corev1.NodeCondition{Type: corev1.NodeNetworkUnavailable, Status: corev1.ConditionTrue,
		Reason: "NoRouteCreated", Message: "RouteController failed to create a route"}
	if routesCreated {
		condition.Status, condition.Reason, condition.Message = corev1.ConditionFalse, "RouteCreated", "RouteController created a route"
	}
	if slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == condition.Type && c.Status == condition.Status && c.Reason == condition.Reason
	}) {
		return
	}
	p.Logger().Info("Patching node status", "node", node.Name, "routesCreated", routesCreated)
	err := retry.RetryOnConflict(p, updateNetworkConditionBackoff, func() error {
		condition.LastTransitionTime = metav1.NewTime(p.Time())
		condition.LastHeartbeatTime = condition.LastTransitionTime
		patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []corev1.NodeCondition{condition}}})
		if err == nil {
			_, err = rc.kubeClient.CoreV1().Nodes().Patch(p, node.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		}
		return err
	})
	if err != nil {
		p.Logger().Error(err, "failed to update networking condition", "node", node.Name)
	}
}

// isResponsibleForRoute tells whether a route's first or last address is one of this cluster's Pods.
func (rc *RouteController) isResponsibleForRoute(p *sim.Proc, route *Route) bool {
	cidr, err := netip.ParsePrefix(route.DestinationCIDR)
	if err != nil {
		p.Logger().Error(err, "Ignoring route, unparsable CIDR", "route", route.Name)
		return false
	}
	first := cidr.Masked().Addr()
	bytes := first.AsSlice()
	for i := cidr.Bits(); i < first.BitLen(); i++ {
		bytes[i/8] |= 0x80 >> (i % 8)
	}
	last, _ := netip.AddrFromSlice(bytes)
	return rc.clusterCIDR.Contains(first) || rc.clusterCIDR.Contains(last)
}

// rateLimiter lets so many go on at once, and the others wait. Upstream: a channel with a buffer.
type rateLimiter struct {
	free    int
	waiting []*sim.Proc
}

func (l *rateLimiter) acquire(p *sim.Proc) {
	for l.free == 0 {
		l.waiting = append(l.waiting, p)
		p.Park()
	}
	l.free--
}

func (l *rateLimiter) release() {
	l.free++
	if len(l.waiting) > 0 {
		l.waiting[0].Wake()
		l.waiting = l.waiting[1:]
	}
}
