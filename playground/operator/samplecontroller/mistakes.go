package samplecontroller

import (
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Mistakes are what the program's author may have got wrong. Whoever runs the
// program may switch them while it runs, as if another build had taken its place.
type Mistakes struct {
	// SwallowErrors: a sync that fails logs its error, and returns none.
	SwallowErrors bool
	// NoRequeue: a key that failed is not put back.
	NoRequeue bool
	// NoOwner: Deployments are written without an owner reference.
	NoOwner bool
	// OwnKindOnly: what happens to Deployments is not listened to.
	OwnKindOnly bool
}

// carelessQueue drops what failed, if the author forgot to put it back.
type carelessQueue struct {
	workqueue.TypedRateLimitingInterface[string]
	mistakes *Mistakes
}

func (q carelessQueue) AddRateLimited(key string) {
	if q.mistakes.NoRequeue {
		return
	}
	q.TypedRateLimitingInterface.AddRateLimited(key)
}

// carelessSync is a sync whose errors its author may have kept to himself.
func carelessSync(mistakes *Mistakes, sync func(p *sim.Proc, key string) error) func(p *sim.Proc, key string) error {
	return func(p *sim.Proc, key string) error {
		err := sync(p, key)
		if err != nil && mistakes.SwallowErrors {
			p.Logger().Error(err, "Sync failed", "objectReference", key)
			return nil
		}
		return err
	}
}

// carelessDeployment is newDeployment, by an author who forgot whose it is.
func carelessDeployment(mistakes *Mistakes) func(foo *Foo) *appsv1.Deployment {
	return func(foo *Foo) *appsv1.Deployment {
		deployment := newDeployment(foo)
		if mistakes.NoOwner {
			deployment.OwnerReferences = nil
		}
		return deployment
	}
}

// carelessHandler is a handler that the author may have forgotten to add.
func carelessHandler(mistakes *Mistakes, handler cache.ResourceEventHandler) cache.ResourceEventHandler {
	return cache.FilteringResourceEventHandler{
		FilterFunc: func(any) bool { return !mistakes.OwnKindOnly },
		Handler:    handler,
	}
}
