package nodelifecycle

import (
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/client/wait"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component, the user agent of its requests, and the
// source of its events.
const Name = "node-controller"

const (
	nodeUpdateWorkerSize = 8
	podUpdateWorkerSize  = 4
	// retrySleepTime and nodeHealthUpdateRetry: how often a status is written
	// again that was refused, within one look.
	retrySleepTime        = 20 * time.Millisecond
	nodeHealthUpdateRetry = 5
	// nodeEvictionPeriod is how often the queues of nodes to taint are looked at.
	nodeEvictionPeriod = 100 * time.Millisecond
	// evictionRateLimiterBurst is how many nodes of a zone may be tainted at once.
	evictionRateLimiterBurst = 1
	// A pass over the nodes takes a few milliseconds, and the next begins a
	// period after its end. If it took none, a note of ten passes ago would be
	// exactly as old as the grace period, never older, and silence would be seen
	// one period late.
	passTakesMin, passTakesMax = 500 * time.Microsecond, 3 * time.Millisecond
)

// Config are the controller's flags. Rates are the time between two nodes.
type Config struct {
	NodeMonitorPeriod      time.Duration // --node-monitor-period
	NodeStartupGracePeriod time.Duration // --node-startup-grace-period
	NodeMonitorGracePeriod time.Duration // --node-monitor-grace-period
	EvictionInterval       time.Duration // 1/--node-eviction-rate
	SecondaryInterval      time.Duration // 1/--secondary-node-eviction-rate, in a disrupted zone of a large cluster
	LargeClusterThreshold  int           // --large-cluster-size-threshold: nodes up to which eviction stops in a disrupted zone
	UnhealthyZonePercent   int           // --unhealthy-zone-threshold: from which share on a zone is disrupted
}

// DefaultConfig is what kube-controller-manager 1.36 runs with.
// Upstream: pkg/controller/nodelifecycle/config/v1alpha1/defaults.go and cmd/kube-controller-manager/app/options.
func DefaultConfig() Config {
	return Config{
		NodeMonitorPeriod:      5 * time.Second,
		NodeStartupGracePeriod: 60 * time.Second,
		NodeMonitorGracePeriod: 50 * time.Second,
		EvictionInterval:       10 * time.Second,
		SecondaryInterval:      100 * time.Second,
		LargeClusterThreshold:  50,
		UnhealthyZonePercent:   55,
	}
}

type podUpdateItem struct{ namespace, name string }

func (i podUpdateItem) String() string { return i.namespace + "/" + i.name }

// Controller is the node lifecycle controller.
// Upstream: node_lifecycle_controller.go, Controller.
type Controller struct {
	Config
	kernel      *sim.Kernel
	component   *sim.Component
	kubeClient  *client.Clientset
	broadcaster *record.EventBroadcaster
	recorder    record.EventRecorder

	podLister   listers.PodLister
	podIndexer  cache.Indexer
	nodeLister  listers.NodeLister
	leaseLister listers.LeaseLister
	synced      []cache.InformerSynced

	knownNodeSet map[string]*corev1.Node
	// nodeHealth is what was last seen of each node, and when by this
	// controller's clock: the clocks of nodes are not trusted.
	nodeHealth map[string]*nodeHealthData
	// nodesToRetry are nodes whose Pods could not all be marked not ready.
	nodesToRetry map[string]bool

	// zoneNoExecuteTainter holds, for each zone, the nodes that wait for their
	// NoExecute taint.
	zoneNoExecuteTainter map[string]*RateLimitedTimedQueue
	zoneStates           map[string]ZoneState
	tainter              *sim.Proc
	tainterIdle          bool
	rand                 *sim.Rand

	nodeUpdateQueue workqueue.TypedInterface[string]
	podUpdateQueue  workqueue.TypedRateLimitingInterface[podUpdateItem]
}

// NewNodeLifecycleController makes a controller of a component and registers
// its handlers. The informers are not started here.
func NewNodeLifecycleController(c *sim.Component, leaseInformer informers.LeaseInformer, podInformer informers.PodInformer,
	nodeInformer informers.NodeInformer, kubeClient *client.Clientset, config Config) *Controller {
	broadcaster := record.NewBroadcaster(c)
	nc := &Controller{
		Config:               config,
		kernel:               c.Kernel(),
		component:            c,
		kubeClient:           kubeClient,
		broadcaster:          broadcaster,
		recorder:             broadcaster.NewRecorder(corev1.EventSource{Component: Name}),
		podLister:            podInformer.Lister(),
		podIndexer:           podInformer.Informer().GetIndexer(),
		nodeLister:           nodeInformer.Lister(),
		leaseLister:          leaseInformer.Lister(),
		synced:               []cache.InformerSynced{leaseInformer.Informer().HasSynced, nodeInformer.Informer().HasSynced, podInformer.Informer().HasSynced},
		knownNodeSet:         map[string]*corev1.Node{},
		nodeHealth:           map[string]*nodeHealthData{},
		nodesToRetry:         map[string]bool{},
		zoneNoExecuteTainter: map[string]*RateLimitedTimedQueue{},
		zoneStates:           map[string]ZoneState{},
		rand:                 c.Kernel().Rand(c.Name() + "/pass"),
		nodeUpdateQueue:      workqueue.NewTypedWithConfig[string](c, workqueue.TypedQueueConfig{Name: "node_lifecycle_controller"}),
		podUpdateQueue: workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[podUpdateItem](c),
			workqueue.TypedRateLimitingQueueConfig[podUpdateItem]{Name: "node_lifecycle_controller_pods"}),
	}
	controller.AddPodNodeNameIndexer(podInformer.Informer())
	podInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { nc.podUpdated(nil, obj.(*corev1.Pod)) },
		UpdateFunc: func(old, cur any) { nc.podUpdated(old.(*corev1.Pod), cur.(*corev1.Pod)) },
	})
	nodeInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { nc.nodeUpdateQueue.Add(obj.(*corev1.Node).Name) },
		UpdateFunc: func(_, cur any) { nc.nodeUpdateQueue.Add(cur.(*corev1.Node).Name) },
		DeleteFunc: func(obj any) {
			if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = tombstone.Obj
			}
			if node, ok := obj.(*corev1.Node); ok {
				delete(nc.nodesToRetry, node.Name)
			}
		},
	})
	return nc
}

// Run starts the controller's processes once the caches hold the cluster.
func (nc *Controller) Run(p *sim.Proc) {
	nc.broadcaster.StartRecordingToSink(nc.kubeClient)
	p.Logger().Info("Starting node controller")
	cache.WaitForCacheSync(p, nc.synced...)
	for i := range nodeUpdateWorkerSize {
		nc.component.Go(fmt.Sprintf("node-worker-%d", i+1), nc.doNodeProcessingPassWorker)
	}
	for i := range podUpdateWorkerSize {
		nc.component.Go(fmt.Sprintf("pod-worker-%d", i+1), nc.doPodProcessingWorker)
	}
	nc.tainter = nc.component.Go("no-execute-tainter", nc.runNoExecuteTainter)
	wait.Until(p, func(p *sim.Proc) {
		if err := nc.monitorNodeHealth(p); err != nil {
			p.Logger().Error(err, "Error monitoring node health")
		}
	}, nc.NodeMonitorPeriod)
}

// monitorNodeHealth looks at every node once. It marks nodes that fell silent,
// queues those that have to be tainted and takes recovered ones back in.
func (nc *Controller) monitorNodeHealth(p *sim.Proc) error {
	p.Sleep(nc.rand.Between(passTakesMin, passTakesMax))
	nodes, err := nc.nodeLister.List(labels.Everything())
	if err != nil {
		return err
	}
	added, deleted, newZoneRepresentatives := nc.classifyNodes(nodes)
	for _, node := range newZoneRepresentatives {
		nc.addPodEvictorForNewZone(p, node)
	}
	for _, node := range added {
		p.Logger().V(1).Info("Controller observed a new Node", "node", node.Name)
		nc.recordNodeEvent(p, node, "RegisteredNode", "Registered Node "+node.Name+" in Controller")
		nc.knownNodeSet[node.Name] = node
		nc.addPodEvictorForNewZone(p, node)
		nc.markNodeAsReachable(p, node)
	}
	for _, node := range deleted {
		p.Logger().V(1).Info("Controller observed a Node deletion", "node", node.Name)
		nc.recordNodeEvent(p, node, "RemovingNode", "Removing Node "+node.Name+" from Controller")
		delete(nc.knownNodeSet, node.Name)
	}

	// Up to eight nodes at a time: the Pods of a node are marked one after another.
	zones := map[string][]*corev1.NodeCondition{}
	next := 0
	p.Fork("health", min(nodeUpdateWorkerSize, len(nodes)), func(p *sim.Proc, _ int) {
		for next < len(nodes) {
			node := nodes[next]
			next++
			nc.monitorNode(p, node, zones)
		}
	})
	nc.handleDisruption(p, zones, nodes)
	return nil
}

// monitorNode looks at one node and adds its Ready condition to its zone's.
func (nc *Controller) monitorNode(p *sim.Proc, node *corev1.Node, zones map[string][]*corev1.NodeCondition) {
	name := node.Name
	observed, current, node, err := nc.updateNodeHealth(p, node)
	if err != nil {
		p.Logger().Error(err, "Update health of Node from Controller error, Skipping - no pods will be evicted", "node", name)
		return
	}
	if _, excluded := node.Labels[labelNodeDisruptionExclusion]; !excluded {
		zone := GetZoneKey(node)
		zones[zone] = append(zones[zone], current)
	}
	if current != nil {
		pods, err := controller.PodsOnNode(nc.podIndexer, name)
		if err != nil {
			controller.HandleError(p.Logger(), err, "Unable to list pods of node", "node", name)
			if current.Status != corev1.ConditionTrue && observed.Status == corev1.ConditionTrue {
				nc.nodesToRetry[name] = true
			}
			return
		}
		nc.processTaintBaseEviction(p, node, &observed)

		turned := current.Status != corev1.ConditionTrue && observed.Status == corev1.ConditionTrue
		if turned {
			p.Logger().V(2).Info("Recording status change event message for node", "status", "NodeNotReady", "node", name)
			nc.recorder.Eventf(node, corev1.EventTypeNormal, "NodeNotReady", "Node %s status is now: %s", name, "NodeNotReady")
		}
		if turned || nc.nodesToRetry[name] && observed.Status != corev1.ConditionTrue {
			if err := nc.markPodsNotReady(p, pods, name); err != nil {
				controller.HandleError(p.Logger(), err, "Unable to mark all pods NotReady on node, queuing for retry", "node", name)
				nc.nodesToRetry[name] = true
				return
			}
		}
	}
	delete(nc.nodesToRetry, name)
}

// updateNodeHealth is tryUpdateNodeHealth, tried again on the newest Node while
// it is refused.
func (nc *Controller) updateNodeHealth(p *sim.Proc, node *corev1.Node) (observed corev1.NodeCondition, current *corev1.NodeCondition, _ *corev1.Node,
	err error) {
	for try := 0; ; try++ {
		observed, current, node, err = nc.tryUpdateNodeHealth(p, node)
		if err == nil || try == nodeHealthUpdateRetry {
			return observed, current, node, err
		}
		fresh, err := nc.kubeClient.CoreV1().Nodes().Get(p, node.Name, getOptions)
		if err != nil {
			p.Logger().Error(nil, "Failed while getting a Node to retry updating node health. Probably Node was deleted", "node", node.Name)
			return observed, current, node, err
		}
		node = fresh
		p.Sleep(retrySleepTime)
	}
}

// classifyNodes tells which nodes are new, which are gone, and which are in a
// zone that has no state yet.
func (nc *Controller) classifyNodes(all []*corev1.Node) (added, deleted, newZoneRepresentatives []*corev1.Node) {
	there := map[string]bool{}
	for _, node := range all {
		there[node.Name] = true
		if nc.knownNodeSet[node.Name] == nil {
			added = append(added, node)
		} else if _, found := nc.zoneStates[GetZoneKey(node)]; !found {
			newZoneRepresentatives = append(newZoneRepresentatives, node)
		}
	}
	for name, node := range nc.knownNodeSet {
		if !there[name] {
			deleted = append(deleted, node)
		}
	}
	slices.SortFunc(deleted, func(a, b *corev1.Node) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return added, deleted, newZoneRepresentatives
}

func (nc *Controller) recordNodeEvent(p *sim.Proc, node *corev1.Node, reason, event string) {
	p.Logger().V(2).Info("Recording event message for node", "event", event, "node", node.Name)
	ref := &corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}
	nc.recorder.Eventf(record.Ref(ref), corev1.EventTypeNormal, reason, "Node %s event: %s", node.Name, event)
}
