package cloud

import (
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/leaderelection"
	"kubewalk/playground/controlplane/client/leaderelection/resourcelock"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/sim"
)

// Name is the program's component, and the Lease that its instances elect their leader with.
const Name = "cloud-controller-manager"

// controllerStartInterval is between two controllers' starts. Upstream: --controller-start-interval, which is 0.
const controllerStartInterval = 20 * time.Millisecond

// Options of a cloud-controller-manager.
type Options struct {
	Provider Provider
	// ClusterCIDR is the range of all Pods' addresses, for a provider that has routes. Upstream: --cluster-cidr.
	ClusterCIDR string
	// LeaderElect has it work only while it leads. Upstream: --leader-elect, which is true.
	LeaderElect bool
}

// manager is the running program.
type manager struct {
	component *sim.Component
	transport client.Transport
	options   Options
}

// controllerContext is what controllers are made of. Upstream: app/controllermanager.go, ControllerInitContext and genericcontrollermanager.ControllerContext.
type controllerContext struct {
	component   *sim.Component
	client      *client.Clientset
	informers   informers.SharedInformerFactory
	cloud       Provider
	clusterCIDR string
	events      *record.EventBroadcaster
}

// initFuncs start the controllers, in this order. Upstream: app/controllermanager.go, DefaultInitFuncConstructors.
var initFuncs = []struct {
	name  string
	start func(ctx *controllerContext) (run func(p *sim.Proc), started bool)
}{
	{"cloud-node-controller", startCloudNodeController},
	{"cloud-node-lifecycle-controller", startCloudNodeLifecycleController},
	{"service-lb-controller", startServiceController},
	{"node-route-controller", startRouteController},
}

// Start brings the program up. Upstream: app/controllermanager.go, Run.
func Start(k *sim.Kernel, t client.Transport, o Options) *sim.Component {
	m := &manager{component: k.Start(Name), transport: t, options: o}
	m.component.Run(func() {
		if o.LeaderElect {
			m.leaderElectAndRun()
		} else {
			m.component.Go("main", m.startControllers)
		}
	})
	return m.component
}

// leaderElectAndRun has the controllers run while this process leads, and ends it when it no longer does.
// Upstream: app/controllermanager.go, leaderElectAndRun.
func (m *manager) leaderElectAndRun() {
	c := m.component
	clientset, events := client.New(m.transport), record.NewBroadcaster(c)
	elector, err := leaderelection.NewLeaderElector(c, leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			Namespace: "kube-system", Name: Name, Client: client.New(client.WithTimeout(m.transport, leaderelection.DefaultRenewDeadline/2)),
			Holder:        Name + "_" + c.Kernel().Rand(Name+"/identity").UUID(),
			EventRecorder: events.NewRecorder(corev1.EventSource{Component: Name}),
		},
		LeaseDuration: leaderelection.DefaultLeaseDuration,
		RenewDeadline: leaderelection.DefaultRenewDeadline,
		RetryPeriod:   leaderelection.DefaultRetryPeriod,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: m.startControllers,
			OnStoppedLeading: func(p *sim.Proc) {
				p.Logger().Error(nil, "leaderelection lost")
				c.Stop("leaderelection lost")
			},
		},
	})
	if err != nil {
		panic(err) // the times are our own
	}
	c.Go("leader-election", func(p *sim.Proc) {
		events.StartRecordingToSink(clientset)
		elector.Run(p)
	})
}

// startControllers starts one controller after another, then the informers that they have asked for.
// Upstream: app/controllermanager.go, startControllers.
func (m *manager) startControllers(p *sim.Proc) {
	clientset := client.New(m.transport)
	ctx := &controllerContext{component: m.component, client: clientset, informers: informers.NewSharedInformerFactory(clientset, 0),
		cloud: m.options.Provider, clusterCIDR: m.options.ClusterCIDR, events: record.NewBroadcaster(m.component)}
	ctx.events.StartRecordingToSink(clientset)
	for _, c := range initFuncs {
		p.Logger().V(1).Info("Starting", "controller", c.name)
		run, started := c.start(ctx)
		if !started {
			p.Logger().Info("Skipping", "controller", c.name)
			continue
		}
		m.component.Go(c.name, run)
		p.Logger().Info("Started", "controller", c.name)
		p.Sleep(controllerStartInterval)
	}
	ctx.informers.Start(p)
}

// skipRoutes says why the route controller is not started: the provider has no routes.
func (ctx *controllerContext) skipRoutes() {
	ctx.component.Kernel().Logger().Info("--configure-cloud-routes is set, but cloud provider does not support routes. Will not configure cloud provider routes.")
}
