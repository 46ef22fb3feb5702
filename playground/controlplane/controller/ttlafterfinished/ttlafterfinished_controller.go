// Package ttlafterfinished deletes Jobs some time after they have ended, if they
// say when: spec.ttlSecondsAfterFinished.
//
// Before it deletes, it reads the Job from the API server: somebody may have given
// it more time. The Job goes in the foreground, its Pods first.
//
// Absent: metrics.
//
// Upstream: pkg/controller/ttlafterfinished.
package ttlafterfinished

import (
	"fmt"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component and the user agent of its requests.
const Name = "ttl-after-finished-controller"

// ConcurrentTTLSyncs is how many workers there are by default.
// Upstream: --concurrent-ttl-after-finished-syncs.
const ConcurrentTTLSyncs = 5

// Controller deletes Jobs. Upstream: ttlafterfinished_controller.go, Controller.
type Controller struct {
	kernel    *sim.Kernel
	component *sim.Component
	client    *client.Clientset
	jLister   listers.JobLister
	jSynced   cache.InformerSynced
	// queue holds the keys of Jobs that have ended; they wait in it for their time.
	queue workqueue.TypedRateLimitingInterface[string]
}

// New makes a controller of a component. The informer is not started here.
func New(c *sim.Component, jobInformer informers.JobInformer, cs *client.Clientset) *Controller {
	tc := &Controller{
		kernel: c.Kernel(), component: c, client: cs,
		jLister: jobInformer.Lister(), jSynced: jobInformer.Informer().HasSynced,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "ttl_jobs_to_delete"}),
	}
	jobInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { tc.enqueue(obj.(*batchv1.Job)) },
		UpdateFunc: func(_, obj any) { tc.enqueue(obj.(*batchv1.Job)) },
	})
	return tc
}

// Run starts the workers once the cache holds the Jobs.
func (tc *Controller) Run(p *sim.Proc, workers int) {
	p.Logger().Info("Starting TTL after finished controller")
	if !cache.WaitForCacheSync(p, tc.jSynced) {
		return
	}
	for i := range workers {
		tc.component.Go(fmt.Sprintf("worker-%d", i+1), func(p *sim.Proc) {
			for tc.processNextWorkItem(p) {
			}
		})
	}
}

func (tc *Controller) enqueue(job *batchv1.Job) {
	if job.DeletionTimestamp != nil || !needsCleanup(job) {
		return
	}
	tc.kernel.Logger().V(4).Info("Add job to cleanup", "job", controller.KObj(job))
	tc.queue.Add(controller.KeyFunc(job))
}

func (tc *Controller) processNextWorkItem(p *sim.Proc) bool {
	key, quit := tc.queue.Get(p)
	if quit {
		return false
	}
	if err := tc.processJob(p, key); err != nil {
		controller.HandleError(p.Logger(), err, "error cleaning up Job, will retry", "key", key)
		tc.queue.AddRateLimited(key)
	} else {
		tc.queue.Forget(key)
	}
	tc.queue.Done(key)
	return true
}

// processJob deletes a Job whose time has come, and comes back later for one whose
// time has not. Upstream: ttlafterfinished_controller.go, processJob.
func (tc *Controller) processJob(p *sim.Proc, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	p.Logger().V(4).Info("Checking if Job is ready for cleanup", "job", key)
	job, err := tc.jLister.Jobs(namespace).Get(name)
	if err == nil {
		var expired bool
		if expired, err = tc.processTTL(p, job); err != nil || !expired {
			return err
		}
		job, err = tc.client.BatchV1().Jobs(namespace).Get(p, name, metav1.GetOptions{})
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if expired, err := tc.processTTL(p, job); err != nil || !expired {
		return err
	}
	policy := metav1.DeletePropagationForeground
	uid := job.UID
	p.Logger().V(4).Info("Cleaning up Job", "job", key)
	err = tc.client.BatchV1().Jobs(namespace).Delete(p, name, metav1.DeleteOptions{PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &uid}})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// processTTL tells whether a Job's time has come, and has it looked at again if not.
func (tc *Controller) processTTL(p *sim.Proc, job *batchv1.Job) (expired bool, err error) {
	if job.DeletionTimestamp != nil || !needsCleanup(job) {
		return false, nil
	}
	finished, err := jobFinishTime(job)
	if err != nil {
		return false, err
	}
	expires := finished.Add(time.Duration(*job.Spec.TTLSecondsAfterFinished) * time.Second)
	left := expires.Sub(p.Time())
	p.Logger().V(4).Info("Found Job finished, time to live", "job", controller.KObj(job), "finishTime", finished, "remainingTTL", left)
	if left <= 0 {
		return true, nil
	}
	tc.queue.AddAfter(controller.KeyFunc(job), left)
	return false, nil
}

func needsCleanup(job *batchv1.Job) bool {
	return job.Spec.TTLSecondsAfterFinished != nil && controller.IsJobFinished(job)
}

// jobFinishTime is when the Job became complete or failed.
func jobFinishTime(job *batchv1.Job) (time.Time, error) {
	for i := range job.Status.Conditions {
		c := &job.Status.Conditions[i]
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			if c.LastTransitionTime.IsZero() {
				return time.Time{}, fmt.Errorf("unable to find the time when the Job %s/%s finished", job.Namespace, job.Name)
			}
			return c.LastTransitionTime.Time, nil
		}
	}
	return time.Time{}, fmt.Errorf("unable to find the status of the finished Job %s/%s", job.Namespace, job.Name)
}
