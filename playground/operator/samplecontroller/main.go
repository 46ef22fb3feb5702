package samplecontroller

import (
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the program's component, its user agent and the manager of the fields that it writes.
// Upstream: controller.go, controllerAgentName and FieldManager.
const Name = "sample-controller"

// Resync is how often the informers tell their handlers of everything again.
// Upstream: main.go, time.Second*30.
const Resync = 30 * time.Second

// Start brings the program up. mistakes are read whenever they matter.
// Upstream: main.go, main.
func Start(k *sim.Kernel, t client.Transport, mistakes *Mistakes) *sim.Component {
	component := k.Start(Name)
	component.Run(func() { start(component, t, mistakes, Resync) })
	return component
}

func start(component *sim.Component, t client.Transport, mistakes *Mistakes, resync time.Duration) {
	clientset := client.New(t)
	// region main
	factory := informers.NewSharedInformerFactory(clientset, resync)
	foos := NewFooInformer(t, resync)
	controller := NewController(component, clientset, FooClient{t}, factory.Apps().V1().Deployments(), foos, newRecorder(component, clientset), mistakes)

	component.Go("main", func(p *sim.Proc) {
		factory.Start(p)
		component.Go("informer/foos", foos.Run)
		controller.Run(p, 2)
	})
	// endregion
}

func newRecorder(component *sim.Component, clientset *client.Clientset) record.EventRecorder {
	component.Kernel().Logger().V(4).Info("Creating event broadcaster")
	broadcaster := record.NewBroadcaster(component)
	broadcaster.StartRecordingToSink(clientset)
	return broadcaster.NewRecorder(corev1.EventSource{Component: Name})
}

// newQueue makes the queue. A key that fails waits longer each time, and all of them together are not retried too often.
func newQueue(component *sim.Component) workqueue.TypedRateLimitingInterface[string] {
	// region queue
	ratelimiter := workqueue.NewTypedMaxOfRateLimiter(
		workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, 1000*time.Second),
		workqueue.NewTypedBucketRateLimiter[string](component, 50, 300),
	)
	// endregion
	return workqueue.NewTypedRateLimitingQueueWithConfig(component, ratelimiter, workqueue.TypedRateLimitingQueueConfig[string]{Name: Name})
}
