package podlogger

import (
	"fmt"

	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Controller prints what happens to Pods.
// Upstream: k8s.io/client-go/examples/workqueue/main.go, Controller.
type Controller struct {
	indexer  cache.Indexer                                // the Pods, by key
	queue    workqueue.TypedRateLimitingInterface[string] // keys that wait
	informer cache.SharedIndexInformer                    // fills both
	stdout   *Stdout
}

// NewController makes one of its parts. Nothing runs yet.
func NewController(queue workqueue.TypedRateLimitingInterface[string], indexer cache.Indexer, informer cache.SharedIndexInformer, stdout *Stdout) *Controller {
	return &Controller{indexer: indexer, queue: queue, informer: informer, stdout: stdout}
}

// processNextItem handles one key, and waits for one if there is none.
func (c *Controller) processNextItem(p *sim.Proc) bool {
	key, quit := c.queue.Get(p)
	if quit {
		return false
	}
	// Until then, no other worker is given this key.
	defer c.queue.Done(key)

	err := c.syncToStdout(p, key)
	c.handleErr(p, err, key)
	return true
}

// syncToStdout is the business logic: it prints what is known of a Pod now. If
// that fails it says so, and leaves it to others to try again.
func (c *Controller) syncToStdout(p *sim.Proc, key string) error {
	_, exists, err := c.indexer.GetByKey(key)
	if err != nil {
		return fmt.Errorf("fetching object with key %s from store failed: %w", key, err)
	}
	if !exists {
		return c.stdout.Print(p, "Pod does not exist anymore", key)
	}
	return c.stdout.Print(p, "Sync/Add/Update for Pod", key)
}

// handleErr decides what becomes of a key: it did well, it is tried again
// later, or it is given up.
func (c *Controller) handleErr(p *sim.Proc, err error, key string) {
	if err == nil {
		c.queue.Forget(key) // the next failure counts as the first
		return
	}
	if c.queue.NumRequeues(key) < 5 {
		p.Logger().Info("Error syncing pod", "pod", key, "err", err)
		c.queue.AddRateLimited(key)
		return
	}
	c.queue.Forget(key)
	p.Logger().Error(err, "Dropping pod out of the queue", "pod", key)
}

// Run starts the informer and, once its cache is full, the workers.
func (c *Controller) Run(p *sim.Proc, workers int) {
	p.Logger().Info("Starting Pod controller")
	component := p.Component()
	component.Go("informer/pods", c.informer.Run)
	cache.WaitForCacheSync(p, c.informer.HasSynced)
	for i := range workers {
		component.Go(fmt.Sprintf("worker-%d", i+1), c.runWorker)
	}
}

func (c *Controller) runWorker(p *sim.Proc) {
	for c.processNextItem(p) {
	}
}
