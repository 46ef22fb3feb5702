package proxy

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/node/network"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

const (
	// minSyncPeriod is between two syncs, at least. Upstream: kube-proxy's configuration, iptables.minSyncPeriod.
	minSyncPeriod = time.Second
	// fullSyncPeriod is between two syncs, at most. Upstream syncs every 30 s (iptables.syncPeriod) to mend rules that
	// somebody broke by hand, and writes all of them once an hour; nobody breaks rules here.
	fullSyncPeriod = time.Hour
)

var nodes = api.GroupVersionResource{Version: "v1", Resource: "nodes"}

// ComponentName is what a node's kube-proxy is called.
func ComponentName(node string) string { return "kube-proxy/" + node }

// Options of a proxy.
type Options struct {
	Node string
	// ClusterCIDR is the range of all Pods' addresses. Upstream: clusterCIDR, with detectLocalMode ClusterCIDR.
	ClusterCIDR string
	// Filter is the node's packet filter.
	Filter *network.Node
}

// Proxier keeps a node's rules. Upstream: pkg/proxy/iptables/proxier.go, Proxier.
type Proxier struct {
	component *sim.Component
	options   Options
	nodes     informers.NodeInformer

	serviceChanges   ServiceChangeTracker
	endpointsChanges EndpointsChangeTracker
	svcPortMap       ServicePortMap
	endpointsMap     EndpointsMap

	initialized bool
	pending     bool     // a change was noted since the last sync
	due         trace.ID // what noted it last
	syncing     *sim.Proc
	lastSync    time.Duration
}

// clientLimit is how fast it may send requests.
// Upstream: KubeProxyConfiguration clientConnection; client-go's defaults, rest.DefaultQPS and DefaultBurst.
var clientLimit = client.Limit{QPS: 5, Burst: 10}

// Start brings a node's kube-proxy up.
func Start(k *sim.Kernel, t client.Transport, o Options) *Proxier {
	p := &Proxier{component: k.Start(ComponentName(o.Node)), options: o, svcPortMap: ServicePortMap{}, endpointsMap: EndpointsMap{}}
	p.endpointsChanges.node = o.Node
	p.component.Run(func() {
		factory := informers.NewSharedInformerFactory(client.New(client.Throttled(t, k, clientLimit)), 0)
		services, slices := factory.Core().V1().Services(), factory.Discovery().V1().EndpointSlices()
		factory.InformerFor(nodes, func(cs *client.Clientset, resync time.Duration) cache.SharedIndexInformer {
			return informers.NewFilteredInformer(cs, nodes, "", resync, func(list *metav1.ListOptions) { list.FieldSelector = "metadata.name=" + o.Node })
		})
		p.nodes = factory.Core().V1().Nodes()
		services.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { p.OnServiceUpdate(nil, obj.(*corev1.Service)) },
			UpdateFunc: func(old, cur any) { p.OnServiceUpdate(old.(*corev1.Service), cur.(*corev1.Service)) },
			DeleteFunc: func(obj any) {
				if svc, ok := last(obj).(*corev1.Service); ok {
					p.OnServiceUpdate(svc, nil)
				}
			},
		})
		slices.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(obj any) { p.OnEndpointSliceUpdate(obj.(*discoveryv1.EndpointSlice), false) },
			UpdateFunc: func(old, cur any) {
				was, is := old.(*discoveryv1.EndpointSlice), cur.(*discoveryv1.EndpointSlice)
				if was.Labels[discoveryv1.LabelServiceName] != is.Labels[discoveryv1.LabelServiceName] {
					p.OnEndpointSliceUpdate(was, true)
				}
				p.OnEndpointSliceUpdate(is, false)
			},
			DeleteFunc: func(obj any) {
				if slice, ok := last(obj).(*discoveryv1.EndpointSlice); ok {
					p.OnEndpointSliceUpdate(slice, true)
				}
			},
		})
		p.nodes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(old, cur any) {
			was, is := old.(*corev1.Node), cur.(*corev1.Node)
			if is.Name == o.Node && was.Labels[corev1.LabelTopologyZone] != is.Labels[corev1.LabelTopologyZone] {
				p.sync()
			}
		}})
		p.component.Go("main", func(q *sim.Proc) {
			q.Logger().Info("Using iptables Proxier", "node", o.Node)
			factory.Start(q)
			// Rules that know half of the Services would cut off the other half.
			if !cache.WaitForCacheSync(q, services.Informer().HasSynced, slices.Informer().HasSynced, p.nodes.Informer().HasSynced) {
				return
			}
			p.initialized, p.pending = true, true
			p.loop(q)
		})
	})
	return p
}

// Component is the proxy's program. The rules stay when it stops.
func (p *Proxier) Component() *sim.Component { return p.component }

func last(obj any) any {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return gone.Obj
	}
	return obj
}

// OnServiceUpdate notes a change; nil stands for what is not there.
func (p *Proxier) OnServiceUpdate(old, cur *corev1.Service) {
	if p.serviceChanges.Update(old, cur) {
		p.sync()
	}
}

// OnEndpointSliceUpdate notes a change.
func (p *Proxier) OnEndpointSliceUpdate(slice *discoveryv1.EndpointSlice, remove bool) {
	if p.endpointsChanges.EndpointSliceUpdate(slice, remove) {
		p.sync()
	}
}

// sync asks for a sync. Upstream: pkg/proxy/runner/bounded_frequency_runner.go, BoundedFrequencyRunner.Run.
func (p *Proxier) sync() {
	p.pending, p.due = true, p.component.Kernel().Cause()
	if p.syncing != nil && p.initialized {
		p.syncing.Wake()
	}
}

// loop syncs when something changed, not more often than once in minSyncPeriod.
func (p *Proxier) loop(q *sim.Proc) {
	p.syncing = q
	for {
		for !p.pending {
			if !q.ParkFor(fullSyncPeriod) {
				p.pending = true
			}
		}
		if wait := p.lastSync + minSyncPeriod - q.Now(); p.lastSync > 0 && wait > 0 {
			q.Sleep(wait)
		}
		q.Due(p.due)
		p.pending, p.lastSync = false, q.Now()
		p.syncProxyRules(q)
	}
}

// syncProxyRules folds the changes in and writes all rules.
func (p *Proxier) syncProxyRules(q *sim.Proc) {
	if !p.options.Filter.Running() {
		return
	}
	services, endpoints := p.serviceChanges.Apply(p.svcPortMap), p.endpointsChanges.Apply(p.endpointsMap)
	log := q.Logger()
	log.V(2).Info("Syncing iptables rules", "changedServices", services, "changedEndpoints", endpoints)
	zone := ""
	if node, err := p.nodes.Lister().Get(p.options.Node); err == nil {
		zone = node.Labels[corev1.LabelTopologyZone]
	}
	rules, forwards := BuildRules(p.svcPortMap, p.endpointsMap, p.options.Node, zone, p.options.ClusterCIDR)
	// iptables-restore takes longer with more rules.
	q.Sleep(5*time.Millisecond + time.Duration(rules.Size())*20*time.Microsecond)
	p.options.Filter.Restore(rules, forwards)
	log.V(2).Info("SyncProxyRules complete", "numServices", len(p.svcPortMap), "numRules", rules.Size(), "elapsed", q.Now()-p.lastSync)
}
