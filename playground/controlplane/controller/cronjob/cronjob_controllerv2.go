package cronjob

import (
	"errors"
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/cron"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component, the user agent of its requests, and the
// source of its events.
const Name = "cronjob-controller"

const (
	// ConcurrentCronJobSyncs is how many workers there are by default.
	// Upstream: --concurrent-cron-job-syncs.
	ConcurrentCronJobSyncs = 5
	// nextScheduleDelta is how long after its time a run is looked at, so that a
	// clock that is a little behind does not find it too early.
	nextScheduleDelta = 100 * time.Millisecond
)

var (
	controllerKind = api.GroupVersionKind{Group: "batch", Version: "v1", Kind: "CronJob"}
	errTombstone   = errors.New("couldn't get object from tombstone")
)

// ControllerV2 creates Jobs. Upstream: cronjob_controllerv2.go, ControllerV2.
type ControllerV2 struct {
	kernel      *sim.Kernel
	component   *sim.Component
	kubeClient  *client.Clientset
	broadcaster *record.EventBroadcaster
	recorder    record.EventRecorder

	jobLister     listers.JobLister
	cronJobLister listers.CronJobLister
	synced        []cache.InformerSynced

	// queue holds the keys of CronJobs; those with nothing to do wait in it.
	queue workqueue.TypedRateLimitingInterface[string]
}

// NewControllerV2 makes a controller of a component. The informers are not started here.
func NewControllerV2(c *sim.Component, jobInformer informers.JobInformer, cronJobs informers.CronJobInformer, kubeClient *client.Clientset) *ControllerV2 {
	broadcaster := record.NewBroadcaster(c)
	jm := &ControllerV2{
		kernel: c.Kernel(), component: c, kubeClient: kubeClient,
		broadcaster:   broadcaster,
		recorder:      broadcaster.NewRecorder(corev1.EventSource{Component: Name}),
		jobLister:     jobInformer.Lister(),
		cronJobLister: cronJobs.Lister(),
		synced:        []cache.InformerSynced{jobInformer.Informer().HasSynced, cronJobs.Informer().HasSynced},
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "cronjob"}),
	}
	jobInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { jm.jobChanged(obj.(*batchv1.Job)) },
		UpdateFunc: jm.updateJob,
		DeleteFunc: jm.deleteJob,
	})
	cronJobs.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { jm.enqueueController(obj.(*batchv1.CronJob)) },
		UpdateFunc: jm.updateCronJob,
		DeleteFunc: func(obj any) {
			if cj, ok := obj.(*batchv1.CronJob); ok {
				jm.enqueueController(cj)
			} else if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				jm.queue.Add(tombstone.Key)
			}
		},
	})
	return jm
}

// Run starts the workers once the caches hold the cluster.
func (jm *ControllerV2) Run(p *sim.Proc, workers int) {
	jm.broadcaster.StartRecordingToSink(jm.kubeClient)
	p.Logger().Info("Starting cronjob controller v2")
	if !cache.WaitForCacheSync(p, jm.synced...) {
		return
	}
	for i := range workers {
		jm.component.Go(fmt.Sprintf("worker-%d", i+1), func(p *sim.Proc) {
			for jm.processNextWorkItem(p) {
			}
		})
	}
}

func (jm *ControllerV2) enqueueController(cj *batchv1.CronJob) {
	jm.queue.Add(controller.KeyFunc(cj))
}

// jobChanged wakes the CronJob that a Job is of.
func (jm *ControllerV2) jobChanged(job *batchv1.Job) {
	if ref := metav1.GetControllerOfNoCopy(job); ref != nil {
		if cj := jm.resolveControllerRef(job.Namespace, ref); cj != nil {
			jm.enqueueController(cj)
		}
	}
}

func (jm *ControllerV2) updateJob(old, cur any) {
	oldJob, curJob := old.(*batchv1.Job), cur.(*batchv1.Job)
	if curJob.ResourceVersion == oldJob.ResourceVersion {
		return
	}
	was, is := metav1.GetControllerOfNoCopy(oldJob), metav1.GetControllerOfNoCopy(curJob)
	if was != nil && (is == nil || is.UID != was.UID) {
		jm.jobChanged(oldJob) // it belonged to another one
	}
	jm.jobChanged(curJob)
}

func (jm *ControllerV2) deleteJob(obj any) {
	job, ok := obj.(*batchv1.Job)
	if !ok {
		tombstone, _ := obj.(cache.DeletedFinalStateUnknown)
		if job, ok = tombstone.Obj.(*batchv1.Job); !ok {
			jm.kernel.Logger().Error(errTombstone, "Unexpected object in delete handler")
			return
		}
	}
	jm.jobChanged(job)
}

func (jm *ControllerV2) resolveControllerRef(namespace string, ref *metav1.OwnerReference) *batchv1.CronJob {
	if ref.Kind != controllerKind.Kind {
		return nil
	}
	cj, err := jm.cronJobLister.CronJobs(namespace).Get(ref.Name)
	if err != nil || cj.UID != ref.UID {
		return nil
	}
	return cj
}

// updateCronJob has a changed schedule looked at when it says, and any other
// change at once.
func (jm *ControllerV2) updateCronJob(old, cur any) {
	oldCJ, newCJ := old.(*batchv1.CronJob), cur.(*batchv1.CronJob)
	if oldCJ.Spec.Schedule == newCJ.Spec.Schedule && zoneOf(oldCJ) == zoneOf(newCJ) {
		jm.enqueueController(newCJ)
		return
	}
	log := jm.kernel.Logger()
	sched, err := cron.ParseStandard(formatSchedule(newCJ))
	if err != nil {
		log.V(2).Info("Unparseable schedule for cronjob", "cronjob", controller.KObj(newCJ), "schedule", newCJ.Spec.Schedule, "err", err)
		return
	}
	wait := nextScheduleTimeDuration(newCJ, jm.kernel.Time(), sched)
	log.V(4).Info("The schedule changed", "cronjob", controller.KObj(newCJ), "schedule", newCJ.Spec.Schedule, "requeueAfter", wait)
	jm.queue.AddAfter(controller.KeyFunc(newCJ), wait)
}

func (jm *ControllerV2) processNextWorkItem(p *sim.Proc) bool {
	key, quit := jm.queue.Get(p)
	if quit {
		return false
	}
	requeueAfter, err := jm.sync(p, key)
	switch {
	case err != nil:
		controller.HandleError(p.Logger(), err, "Error syncing CronJobController, requeuing", "key", key)
		jm.queue.AddRateLimited(key)
	case requeueAfter != 0:
		jm.queue.Forget(key)
		jm.queue.AddAfter(key, requeueAfter)
	}
	jm.queue.Done(key)
	return true
}

// sync cleans up what has ended, starts what is due, and writes the status once.
// It returns when to look again; 0 is not before something changes.
// Upstream: cronjob_controllerv2.go, sync.
func (jm *ControllerV2) sync(p *sim.Proc, key string) (time.Duration, error) {
	log := p.Logger()
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return 0, err
	}
	shared, err := jm.cronJobLister.CronJobs(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		log.V(4).Info("CronJob not found, may be it is deleted", "cronjob", key)
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	jobs, err := jm.getJobsToBeReconciled(shared)
	if err != nil {
		return 0, err
	}
	cj := shared.DeepCopy()
	changed := jm.cleanupFinishedJobs(p, cj, jobs)
	requeueAfter, updateStatus, syncErr := jm.syncCronJob(p, cj, jobs)
	if syncErr != nil {
		log.V(2).Info("Error reconciling cronjob", "cronjob", key, "err", syncErr)
	}
	if changed || updateStatus {
		if _, err := jm.kubeClient.BatchV1().CronJobs(namespace).UpdateStatus(p, cj, metav1.UpdateOptions{}); err != nil {
			log.V(2).Info("Unable to update status for cronjob", "cronjob", key, "resourceVersion", cj.ResourceVersion, "err", err)
			return 0, err
		}
	}
	if requeueAfter != 0 {
		log.V(4).Info("Re-queuing cronjob", "cronjob", key, "requeueAfter", requeueAfter)
		return requeueAfter, nil
	}
	return 0, syncErr
}

// getJobsToBeReconciled returns the Jobs that a CronJob controls, by name.
func (jm *ControllerV2) getJobsToBeReconciled(cj *batchv1.CronJob) ([]*batchv1.Job, error) {
	all, err := jm.jobLister.Jobs(cj.Namespace).List(labels.Everything())
	if err != nil {
		return nil, err
	}
	var out []*batchv1.Job
	for _, job := range all {
		if ref := metav1.GetControllerOfNoCopy(job); ref != nil && ref.UID == cj.UID {
			out = append(out, job)
		}
	}
	return out, nil
}
