package secretdistributor

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the program's component, its user agent and the mark on what it writes.
const Name = "secret-distributor"

// Start brings the program up. mistakes are read whenever they matter.
func Start(k *sim.Kernel, t client.Transport, mistakes *Mistakes) *sim.Component {
	component := k.Start(Name)
	component.Run(func() {
		clientset := client.New(t)
		factory := informers.NewSharedInformerFactory(clientset, 0)
		broadcaster := record.NewBroadcaster(component)
		broadcaster.StartRecordingToSink(clientset)
		c := NewController(component, clientset, factory.Core().V1().Secrets(), factory.Core().V1().Namespaces(),
			broadcaster.NewRecorder(corev1.EventSource{Component: Name}), mistakes)
		component.Go("main", func(p *sim.Proc) {
			factory.Start(p)
			c.Run(p)
		})
	})
	return component
}

func newQueue(component *sim.Component) workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(component, workqueue.DefaultTypedControllerRateLimiter[string](component),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: Name})
}
