// Package protection keeps claims while Pods use them, and volumes while claims
// are bound to them, by a finalizer that admission gives to each.
//
// A claim that is deleted under a running Pod stays, Terminating, until the Pod
// is gone: its volume must not be pulled away. Pods that have no node yet do not
// count, since no kubelet starts a Pod whose claim is being deleted.
//
// Guarantees: before the finalizer goes, the API server is asked for Pods, since
// the cache may not know the newest.
//
// Upstream: pkg/controller/volume/pvcprotection and pvprotection. Simplified:
// claims are processed one by one; upstream collects those of a namespace to ask
// for its Pods once.
package protection

import (
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Names of the controllers' components.
const (
	PVCName = "pvc-protection-controller"
	PVName  = "pv-protection-controller"
)

// The finalizers. Upstream: pkg/volume/util/finalizer.go.
const (
	pvcProtectionFinalizer = "kubernetes.io/pvc-protection"
	pvProtectionFinalizer  = "kubernetes.io/pv-protection"
)

// isDeletionCandidate: it is to go, and waits for us.
// Upstream: pkg/controller/util/protectionutil, IsDeletionCandidate.
func isDeletionCandidate(o api.Object, finalizer string) bool {
	return o.GetDeletionTimestamp() != nil && slices.Contains(o.GetFinalizers(), finalizer)
}

func needToAddFinalizer(o api.Object, finalizer string) bool {
	return o.GetDeletionTimestamp() == nil && !slices.Contains(o.GetFinalizers(), finalizer)
}

func without(finalizers []string, finalizer string) []string {
	return slices.DeleteFunc(slices.Clone(finalizers), func(f string) bool { return f == finalizer })
}

func newQueue(c *sim.Component, name string) workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[string](c),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: name})
}

// work takes keys until the queue shuts down.
func work(p *sim.Proc, q workqueue.TypedRateLimitingInterface[string], process func(*sim.Proc, string) error) {
	for {
		key, quit := q.Get(p)
		if quit {
			return
		}
		if err := process(p, key); err == nil {
			q.Forget(key)
		} else {
			controller.HandleError(p.Logger(), err, "Processing failed", "key", key)
			q.AddRateLimited(key)
		}
		q.Done(key)
	}
}
