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
// its assumptions, the framework with all extension points, profiles, preemption,
// volumes, and the default plugins (package plugins lists what is absent). Absent
// besides: extenders that preempt, asynchronous API calls, Pod groups, parallel filtering:
// nodes are looked at one after the other.
//
// Upstream: pkg/scheduler.
package scheduler

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	clientcache "kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/events"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/scheduler/cache"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/framework/plugins"
	"kubewalk/playground/controlplane/scheduler/framework/runtime"
	"kubewalk/playground/controlplane/scheduler/queue"
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

// KubeSchedulerProfile is a profile as it is configured.
type KubeSchedulerProfile = config.KubeSchedulerProfile

// Options changes a scheduler. The zero value is the default profile.
type Options struct {
	// Profiles are what Validate finds good; none is the default one.
	Profiles []KubeSchedulerProfile
	// Plugins are from out of tree: what the program is built with beside Kubernetes' own.
	Plugins []Plugin
	// Extenders are asked in this order, but those last that can be ignored. IgnoredResources are what they manage and NodeResourcesFit
	// leaves to them.
	Extenders        []framework.Extender
	IgnoredResources []string
	// EventClient sends Events; nil is the scheduler's own client.
	// Upstream: cmd/kube-scheduler/app/options/options.go, createClients.
	EventClient *client.Clientset
	// Host is the machine in the reporting instance of its Events; "" is the component's name.
	Host string
}

// Plugin is a plugin from out of tree. Upstream: cmd/kube-scheduler/app/server.go, WithPlugin.
type Plugin struct {
	Name    string
	NewArgs func() config.Args // without defaults
	New     runtime.PluginFactory
}

// registry is all plugins, and how arguments of those from out of tree are made.
// Upstream: framework/runtime/registry.go, Registry.Merge.
func registry(outOfTree []Plugin) (runtime.Registry, map[string]func() config.Args) {
	all, args := plugins.NewInTreeRegistry(), map[string]func() config.Args{}
	for _, pl := range outOfTree {
		all[pl.Name], args[pl.Name] = pl.New, pl.NewArgs
	}
	return all, args
}

// ClientLimit is how fast a scheduler sends requests, and how fast Events, each for itself.
// Upstream: KubeSchedulerConfiguration clientConnection.
var ClientLimit = client.Limit{QPS: 50, Burst: 100}

// Scheduler gives Pods nodes. Upstream: pkg/scheduler/scheduler.go, Scheduler.
type Scheduler struct {
	Cache           *cache.Cache
	SchedulingQueue *queue.PriorityQueue

	component *sim.Component
	client    *client.Clientset
	// eventClient is for Events.
	eventClient *client.Clientset
	factory     informers.SharedInformerFactory
	// dynInformerFactory has the informers of kinds that definitions add. Nothing waits for them: there may be no definition yet.
	dynInformerFactory informers.SharedInformerFactory
	extenders          []framework.Extender
	podLister          listers.PodLister
	profiles           []*runtime.Framework // in the order of the configuration
	snapshot           *cache.Snapshot
	broadcast          *events.EventBroadcaster
	handlers           []clientcache.ResourceEventHandlerRegistration

	// nextStartNodeIndex is where the next cycle begins to look, so that all
	// nodes get their turn when not all are looked at.
	nextStartNodeIndex int
	// verdicts are the cells that the last cycle set; the next one clears them.
	verdicts []trace.Cell
}

// Validate says what is wrong with profiles, as kube-scheduler does when it
// starts: first what the configuration says, then whether it makes a framework.
func Validate(profiles []KubeSchedulerProfile, outOfTree []Plugin) error {
	all, args := registry(outOfTree)
	complete, err := config.Complete(profiles, args)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client.New(nil), 0)
	for _, p := range complete {
		if _, err := runtime.NewFramework(all, p,
			runtime.Options{Snapshot: cache.NewSnapshot(), InformerFactory: factory, DynInformerFactory: factory}); err != nil {
			return fmt.Errorf("initializing profiles: creating profile for scheduler name %s: %w", p.SchedulerName, err)
		}
	}
	return nil
}

// New makes a scheduler in a component. Run starts it. Profiles that Validate
// does not accept are a programming error and panic.
func New(c *sim.Component, cs *client.Clientset, o Options) *Scheduler {
	if o.Host == "" {
		o.Host = c.Name()
	}
	all, args := registry(o.Plugins)
	profiles, err := config.Complete(o.Profiles, args)
	if err != nil {
		panic(fmt.Sprintf("scheduler: %v", err))
	}
	if o.EventClient == nil {
		o.EventClient = cs
	}
	s := &Scheduler{
		Cache:       cache.New(c.Kernel()),
		component:   c,
		client:      cs,
		eventClient: o.EventClient,
		factory:     informers.NewSharedInformerFactory(cs, 0),
		snapshot:    cache.NewSnapshot(),
		extenders:   inOrder(o.Extenders),
		broadcast:   events.NewBroadcaster(c),
	}
	s.dynInformerFactory = informers.NewSharedInformerFactory(cs, 0)
	s.factory.InformerFor(podsResource, newPodInformer)
	s.podLister = s.factory.Core().V1().Pods().Lister()
	options := queue.Options{Profiles: map[string]queue.Profile{}, OnPop: s.clearVerdicts, LivePod: s.livePod}
	// The queue is made of what the plugins say, and the plugins reach the queue.
	nominator := &lateNominator{}
	for _, profile := range profiles {
		if args, ok := profile.Args[config.NodeResourcesFit].(*config.NodeResourcesFitArgs); ok && len(o.IgnoredResources) > 0 {
			args.IgnoredResources = o.IgnoredResources
		} else if len(o.IgnoredResources) > 0 {
			args = config.DefaultArgs(config.NodeResourcesFit).(*config.NodeResourcesFitArgs)
			args.IgnoredResources = o.IgnoredResources
			profile.Args[config.NodeResourcesFit] = args
		}
		f, err := runtime.NewFramework(all, profile, runtime.Options{
			Component:          c,
			Snapshot:           s.snapshot,
			ClientSet:          cs,
			InformerFactory:    s.factory,
			DynInformerFactory: s.dynInformerFactory,
			Extenders:          len(o.Extenders) > 0,
			EventRecorder:      s.broadcast.NewRecorder(profile.SchedulerName, o.Host),
			Nominator:          nominator,
			Activate:           func(pods ...*corev1.Pod) { s.SchedulingQueue.Activate(pods...) },
		})
		if err != nil {
			panic(fmt.Sprintf("scheduler: creating profile for scheduler name %s: %v", profile.SchedulerName, err))
		}
		s.profiles = append(s.profiles, f)
		options.Less = f.QueueSortFunc()
		options.Profiles[f.ProfileName] = queue.Profile{PreEnqueue: f.PreEnqueuePlugins(), Hints: buildQueueingHintMap(f.EnqueueExtensions())}
	}
	s.SchedulingQueue = queue.NewPriorityQueue(c, options)
	nominator.PodNominator = s.SchedulingQueue
	s.addAllEventHandlers(options.Profiles)
	return s
}

type lateNominator struct{ framework.PodNominator }

func (s *Scheduler) livePod(namespace, name string) *corev1.Pod {
	pod, err := s.podLister.Pods(namespace).Get(name)
	if err != nil {
		return nil
	}
	return pod
}

// frameworkForPod is nil for Pods of other schedulers.
func (s *Scheduler) frameworkForPod(pod *corev1.Pod) *runtime.Framework {
	for _, f := range s.profiles {
		if f.ProfileName == pod.Spec.SchedulerName {
			return f
		}
	}
	return nil
}

// Run starts the informers, waits for them, and schedules. It does not return.
func (s *Scheduler) Run(p *sim.Proc) {
	s.Sync(p)
	s.Schedule(p)
}

// Sync starts the informers and waits until the cache and the queue know all
// that there is. A scheduler that takes part in an election does this before it
// stands for leader. Upstream: cmd/kube-scheduler/app/server.go, Run (startInformersAndWaitForSync).
func (s *Scheduler) Sync(p *sim.Proc) {
	names := s.profiles[0].ProfileName
	for _, f := range s.profiles[1:] {
		names += "," + f.ProfileName
	}
	p.Logger().Info("Starting Kubernetes Scheduler", "profile", names)
	s.broadcast.StartRecordingToSink(s.eventClient)
	s.factory.Start(p)
	s.dynInformerFactory.Start(p)
	s.factory.WaitForCacheSync(p)
	var synced []clientcache.InformerSynced
	for _, h := range s.handlers {
		synced = append(synced, h.HasSynced)
	}
	clientcache.WaitForCacheSync(p, synced...)
	p.Logger().V(3).Info("Handlers synced")
}

// Schedule takes one Pod after another. It does not return.
// Upstream: pkg/scheduler/scheduler.go, Run.
func (s *Scheduler) Schedule(p *sim.Proc) {
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
func buildQueueingHintMap(list []framework.EnqueueExtensions) queue.QueueingHintMap {
	var out queue.QueueingHintMap
	for _, pl := range list {
		nodeAdded, nodeTaintUpdated := false, false
		for _, e := range pl.EventsToRegister() {
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
