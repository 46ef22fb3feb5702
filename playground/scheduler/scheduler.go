// Package scheduler is the kube-scheduler: it gives every Pod without a node one.
//
// One process, ScheduleOne, takes a Pod from the queue, looks at a snapshot of
// the cluster, asks the plugins which nodes the Pod could run on (filter) and
// which of them suit it best (score), and assumes that it will run there. A
// second process tells the API server (bind), while the first goes on with the
// next Pod. Everything that it knows comes from informers, so that a restarted
// scheduler knows all that the old one did.
//
// Guarantees: a Pod is bound at most once, whatever the interleaving, because the
// API server accepts only one binding and the scheduler counts what it assumed;
// what is chosen depends on the seed and the inputs only.
//
// Narrow, not simplified: the queue with its hints and backoffs, the cache with
// its assumptions, the framework with all extension points, and the default
// plugins as far as there are objects for them (package plugins lists what is
// absent). Absent besides: extenders, several profiles, preemption (its message
// is there), nominated nodes, asynchronous API calls, Pod groups, parallel
// filtering: nodes are looked at one after the other.
//
// Upstream: pkg/scheduler.
package scheduler

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/client"
	clientcache "kubewalk/playground/client/cache"
	"kubewalk/playground/client/events"
	"kubewalk/playground/client/informers"
	"kubewalk/playground/client/listers"
	"kubewalk/playground/scheduler/cache"
	"kubewalk/playground/scheduler/framework"
	"kubewalk/playground/scheduler/framework/plugins"
	"kubewalk/playground/scheduler/framework/runtime"
	"kubewalk/playground/scheduler/queue"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Component is the scheduler's name in the trace and as user agent.
const Component = "kube-scheduler"

// A scheduling cycle takes this long, at least and at most: what upstream spends
// on a small cluster, so that other things happen meanwhile.
const (
	minCycle = 500 * time.Microsecond
	maxCycle = time.Millisecond
)

// Options changes a scheduler. The zero value is the default profile.
type Options struct {
	// ProfileName is the spec.schedulerName of the Pods that are its own; "" is default-scheduler.
	ProfileName string
	// Plugins are asked in order; nil is plugins.Default().
	Plugins []runtime.Registration
	// Host is the machine in the reporting instance of its Events; "" is the component's name.
	Host string
}

// Scheduler gives Pods nodes. Upstream: pkg/scheduler/scheduler.go, Scheduler.
type Scheduler struct {
	Cache           *cache.Cache
	SchedulingQueue *queue.PriorityQueue

	component *sim.Component
	client    *client.Clientset
	factory   informers.SharedInformerFactory
	podLister listers.PodLister
	framework *runtime.Framework
	snapshot  *cache.Snapshot
	broadcast *events.EventBroadcaster
	recorder  events.EventRecorder
	handlers  []clientcache.ResourceEventHandlerRegistration

	// nextStartNodeIndex is where the next cycle begins to look, so that all
	// nodes get their turn when not all are looked at.
	nextStartNodeIndex int
	// verdicts are the cells that the last cycle set; the next one clears them.
	verdicts []trace.Cell
}

// New makes a scheduler in a component. Run starts it.
func New(c *sim.Component, cs *client.Clientset, o Options) *Scheduler {
	if o.ProfileName == "" {
		o.ProfileName = corev1.DefaultSchedulerName
	}
	if o.Plugins == nil {
		o.Plugins = plugins.Default()
	}
	if o.Host == "" {
		o.Host = c.Name()
	}
	s := &Scheduler{
		Cache:     cache.New(c.Kernel()),
		component: c,
		client:    cs,
		factory:   informers.NewSharedInformerFactory(cs, 0),
		snapshot:  cache.NewSnapshot(),
		broadcast: events.NewBroadcaster(c),
	}
	s.recorder = s.broadcast.NewRecorder(o.ProfileName, o.Host)
	s.factory.InformerFor(podsResource, newPodInformer)
	s.podLister = s.factory.Core().V1().Pods().Lister()
	s.framework = runtime.New(o.ProfileName, o.Plugins, runtime.Options{
		Nodes:     s.snapshot.Nodes,
		Binder:    binder{cs},
		Spreading: spreading{s.factory.Apps().V1().ReplicaSets().Lister()},
	})
	s.SchedulingQueue = queue.NewPriorityQueue(c, queue.Options{
		Less:       s.framework.QueueSortFunc(),
		PreEnqueue: s.framework.PreEnqueuePlugins(),
		Hints:      buildQueueingHintMap(s.framework.Plugins()),
		OnPop:      s.clearVerdicts,
	})
	s.addAllEventHandlers()
	return s
}

// Run starts the informers, waits until the cache and the queue know all that
// there is, and schedules. It does not return.
// Upstream: cmd/kube-scheduler/app/server.go, Run; pkg/scheduler/scheduler.go, Run.
func (s *Scheduler) Run(p *sim.Proc) {
	p.Logger().Info("Starting Kubernetes Scheduler", "profile", s.framework.ProfileName)
	s.broadcast.StartRecordingToSink(s.client)
	s.factory.Start(p)
	s.factory.WaitForCacheSync(p)
	var synced []clientcache.InformerSynced
	for _, h := range s.handlers {
		synced = append(synced, h.HasSynced)
	}
	clientcache.WaitForCacheSync(p, synced...)
	p.Logger().V(3).Info("Handlers synced")
	for {
		s.ScheduleOne(p)
	}
}

var podsResource = api.GroupVersionResource{Version: "v1", Resource: "pods"}

// newPodInformer leaves out Pods that have ended: they take up nothing.
// Upstream: pkg/scheduler/scheduler.go, newPodInformer.
func newPodInformer(cs *client.Clientset, resync time.Duration) clientcache.SharedIndexInformer {
	selector := fields.AndSelectors(
		fields.OneTermNotEqualSelector("status.phase", string(corev1.PodSucceeded)),
		fields.OneTermNotEqualSelector("status.phase", string(corev1.PodFailed)),
	).String()
	return informers.NewFilteredInformer(cs, podsResource, "", resync, func(o *metav1.ListOptions) {
		o.FieldSelector = selector
	})
}

// buildQueueingHintMap asks the plugins which events they wait for.
// Upstream: pkg/scheduler/scheduler.go, buildQueueingHintMap.
func buildQueueingHintMap(list []framework.Plugin) queue.QueueingHintMap {
	var out queue.QueueingHintMap
	for _, pl := range list {
		ext, ok := pl.(framework.EnqueueExtensions)
		if !ok {
			continue
		}
		nodeAdded, nodeTaintUpdated := false, false
		for _, e := range ext.EventsToRegister() {
			if e.Event.Resource == framework.Node {
				nodeAdded = nodeAdded || e.Event.ActionType&framework.Add != 0
				nodeTaintUpdated = nodeTaintUpdated || e.Event.ActionType&framework.UpdateNodeTaint != 0
			}
			out = append(out, queue.QueueingHintFunction{PluginName: pl.Name(), Event: e.Event, QueueingHintFn: e.QueueingHintFn})
		}
		if nodeAdded && !nodeTaintUpdated {
			// Upstream does this because a node may be of no use when it is added
			// and become so when its taints go. So a Pod that lacks CPU is tried
			// again whenever the taints of any node change, useful or not.
			out = append(out, queue.QueueingHintFunction{PluginName: pl.Name(),
				Event: framework.ClusterEvent{Resource: framework.Node, ActionType: framework.UpdateNodeTaint}})
		}
	}
	return out
}

// binder is what DefaultBinder may do.
type binder struct{ client *client.Clientset }

func (b binder) Bind(p *sim.Proc, binding *corev1.Binding) error {
	return b.client.CoreV1().Pods(binding.Namespace).Bind(p, binding, metav1.CreateOptions{})
}
