package cluster

import (
	"errors"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/apiserver/cel"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/leaderelection"
	"kubewalk/playground/controlplane/client/leaderelection/resourcelock"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/controlplane/controller/nodelifecycle"
	"kubewalk/playground/controlplane/controller/persistentvolume/protection"
	"kubewalk/playground/controlplane/controller/rootca"
	"kubewalk/playground/controlplane/controller/serviceaccount"
	"kubewalk/playground/controlplane/scheduler"
	"kubewalk/playground/sim"
)

// restartAfter is when a program is started again that ended by itself: one that
// lost an election, or an API server that found no etcd. In a real control plane it is a static Pod, and the kubelet
// of its node does this, with its back-off.
const restartAfter = 10 * time.Second

// supervised is a part whose component is started again after it has ended by itself.
func (c *Cluster) supervised(name string, start func() *sim.Component) *part {
	var now *sim.Component
	killed := false
	p := &part{name: name, running: func() bool { return now != nil && now.Running() }}
	p.stop = func(reason string) {
		killed = true
		now.Stop(reason)
	}
	p.start = func() error {
		killed = false
		now = start()
		now.OnStop(func() {
			p.end()
			if killed || c.config.Kubeadm {
				return
			}
			c.kernel.After(restartAfter, func() {
				if !killed && !p.running() {
					must(p.start())
				}
			})
		})
		return nil
	}
	return p
}

// controllers has the managers bring up the controllers one by one, and makes
// each controller a part that can be stopped and started.
func (c *Cluster) controllers() {
	var managers []*manager.Manager // those that were started last, by number
	options := manager.DefaultOptions()
	options.LeaderElect = c.config.LeaderElect
	options.ControllerStartInterval = controllerInterval
	options.UseServiceAccountCredentials = c.config.Authorization == RBAC
	options.Metrics = c.metricsAPI()
	options.X509 = c.config.kubeadmSigner()
	if c.config.CEL {
		evaluator := cel.Installed()
		options.TypeErrors = func(object, params *api.Kind, policy *admissionregistrationv1.ValidatingAdmissionPolicy, expression string) (string, bool) {
			return evaluator.TypeErrors(&cel.Types{Object: object, HasParams: policy.Spec.ParamKind != nil, Params: params, Variables: policy.Spec.Variables}, expression)
		}
	}
	options.ClientLimit = c.config.clientLimit().Or(options.ClientLimit)
	if names := c.config.managers(); names == nil {
		c.kernel.After(controllersAt, func() {
			options.Controllers = c.config.enabled()
			m, err := manager.Start(c.kernel, c.Transport(), options)
			must(err)
			managers = append(managers, m)
		})
	} else {
		managers = make([]*manager.Manager, len(names))
		for i, name := range names {
			c.boot(c.supervised(name, func() *sim.Component {
				own := options
				own.Name, own.Controllers = name, c.config.enabled()
				m, err := manager.Start(c.kernel, c.Transport(), own)
				must(err)
				managers[i] = m
				return m.Component()
			}), controllersAt)
		}
	}
	c.managers = func() []*manager.Manager { return managers }
	for _, name := range c.config.controllers() {
		c.controller(name)
	}
}

// leader is the manager that leads; nil for none.
func (c *Cluster) leader() *manager.Manager {
	for _, m := range c.managers() {
		if m != nil && m.Leads() {
			return m
		}
	}
	return nil
}

// leading is the component of the manager that leads; "" for none, or where there is none by itself.
func (c *Cluster) leading() string {
	if m := c.leader(); m != nil && m.Component() != nil {
		return m.Component().Name()
	}
	return ""
}

// controller makes a controller a part.
func (c *Cluster) controller(name string) {
	c.byName[name] = &part{
		name: name,
		start: func() error {
			if m := c.leader(); m != nil {
				return m.StartController(name)
			}
			return errors.New("no controller manager leads: the next one to lead will start it")
		},
		stop:    func(reason string) { must(c.leader().StopController(name, reason)) },
		running: func() bool { m := c.leader(); return m != nil && m.Running(name) },
	}
}

// scheduler is one of the schedulers. With leader election it fills its caches
// at once, so that it can begin when it leads, and schedules nothing before.
// Upstream: cmd/kube-scheduler/app/server.go, Run.
func (c *Cluster) scheduler(name string) {
	c.boot(c.supervised(name, func() *sim.Component {
		component := c.kernel.Start(name)
		component.Run(func() {
			limited := func() *client.Clientset {
				return client.New(client.Throttled(c.Transport(), c.kernel, c.config.clientLimit().Or(scheduler.ClientLimit)))
			}
			clientset := limited()
			options := c.schedulerOptions(component)
			options.EventClient = limited()
			s := scheduler.New(component, clientset, options)
			if !c.config.LeaderElect {
				component.Go("main", s.Run)
				return
			}
			events := record.NewBroadcaster(component)
			elector, err := leaderelection.NewLeaderElector(component, leaderelection.LeaderElectionConfig{
				Lock: &resourcelock.LeaseLock{
					Namespace: "kube-system", Name: Scheduler, Client: client.New(client.WithTimeout(c.Transport(), leaderelection.DefaultRenewDeadline/2)),
					Holder:        name + "_" + c.kernel.Rand(Scheduler+"/identity").UUID(),
					EventRecorder: events.NewRecorder(corev1.EventSource{Component: Scheduler}),
				},
				LeaseDuration: leaderelection.DefaultLeaseDuration,
				RenewDeadline: leaderelection.DefaultRenewDeadline,
				RetryPeriod:   leaderelection.DefaultRetryPeriod,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: s.Schedule,
					OnStoppedLeading: func(p *sim.Proc) {
						p.Logger().Error(nil, "Leaderelection lost")
						component.Stop("Leaderelection lost")
					},
				},
				ReleaseOnCancel: true,
			})
			must(err)
			component.Go("leader-election", func(p *sim.Proc) {
				events.StartRecordingToSink(clientset)
				s.Sync(p)
				elector.Run(p)
			})
		})
		return component
	}), schedulerAt)
}

// awaited says which controllers an admission plugin relies on, by their
// components: without them what it adds would be waited for in vain.
var awaited = []struct {
	plugin      string
	controllers []string
}{
	{"ServiceAccount", []string{serviceaccount.Name, rootca.Name}},
	{"TaintNodesByCondition", []string{nodelifecycle.Name}},
	{"StorageObjectInUseProtection", []string{protection.PVName, protection.PVCName}},
}

// disabledAdmission are the plugins whose controllers do not run in this cluster.
func (c Config) disabledAdmission() []string {
	var out []string
	running := c.controllers()
	for _, a := range awaited {
		for _, name := range a.controllers {
			if !slices.Contains(running, name) {
				out = append(out, a.plugin)
				break
			}
		}
	}
	return out
}
