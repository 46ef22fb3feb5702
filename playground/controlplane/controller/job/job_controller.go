package job

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/controller/consistency"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component, the user agent of its requests, and the
// source of its events.
const Name = "job-controller"

const (
	// ConcurrentJobSyncs is how many workers there are by default.
	// Upstream: --concurrent-job-syncs.
	ConcurrentJobSyncs = 5

	// syncJobBatchPeriod gathers what happens to a Job's Pods: a sync that a Pod
	// caused waits that long for more. Upstream: job_controller.go, syncJobBatchPeriod.
	syncJobBatchPeriod = time.Second
	// A Pod that failed is replaced after 10 s, the next after 20 s, and so on.
	// Upstream: DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff.
	defaultJobPodFailureBackOff = 10 * time.Second
	maxJobPodFailureBackOff     = 10 * time.Minute
	// A sync that failed is tried again after 1 s, 2 s … 60 s.
	// Upstream: DefaultJobApiBackOff, MaxJobApiBackOff.
	defaultJobAPIBackOff = time.Second
	maxJobAPIBackOff     = time.Minute
	// maxUncountedPods bounds status.uncountedTerminatedPods, 500 UIDs are 20 kB.
	maxUncountedPods = 500
	// maxPodCreateDeletePerSync keeps one big Job from starving the others.
	maxPodCreateDeletePerSync = 500
)

var (
	controllerKind = api.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}
	jobs           = api.GroupResource{Group: "batch", Resource: "jobs"}
	pods           = api.GroupResource{Resource: "pods"}
)

// Controller syncs Jobs with the Pods that exist. Upstream: job_controller.go, Controller.
type Controller struct {
	kernel     *sim.Kernel
	component  *sim.Component
	kubeClient *client.Clientset
	podControl controller.PodControlInterface

	// expectations are the Pods that were asked for, or deleted, and not seen yet.
	expectations *controller.ControllerExpectations
	// finalizerExpectations are the finalizers that were removed and are still in the cache.
	finalizerExpectations *uidTrackingExpectations
	// consistencyStore knows the newest versions that were written.
	consistencyStore *consistency.Store

	jobLister  listers.JobLister
	jobSynced  cache.InformerSynced
	podLister  listers.PodLister
	podIndexer cache.Indexer
	podSynced  cache.InformerSynced

	// queue holds the keys of Jobs that have to be synced.
	queue workqueue.TypedRateLimitingInterface[string]
	// orphanQueue holds Pods whose finalizer nobody else would remove.
	orphanQueue workqueue.TypedRateLimitingInterface[orphanPodKey]

	// podBackoffStore remembers each Job's latest failures. It starts empty
	// after a restart, and the back-off with it.
	podBackoffStore *backoffStore

	broadcaster *record.EventBroadcaster
	recorder    record.EventRecorder
}

// syncJobCtx is what one sync knows. Upstream: job_controller.go, syncJobCtx.
type syncJobCtx struct {
	job        *batchv1.Job // a copy; its status is what will be written
	pods       []*corev1.Pod
	activePods []*corev1.Pod
	// finishedCondition says that the Job is decided, nil that it is not.
	finishedCondition *batchv1.JobCondition

	succeeded, failed, ready, terminating int32

	prevSucceededIndexes, succeededIndexes orderedIntervals
	failedIndexes                          *orderedIntervals // nil without a back-off limit per index

	newBackoffRecord     backoffRecord
	expectedRmFinalizers uidSet
	uncounted            uncountedTerminatedPods
	// podsWithDelayedDeletionPerIndex are the failed Pods that are not counted
	// before their index has a new one, which takes on their count of failures.
	podsWithDelayedDeletionPerIndex map[int]*corev1.Pod
}

// NewController makes a controller of a component and registers its handlers.
// The informers are not started here.
func NewController(c *sim.Component, podInformer informers.PodInformer, jobInformer informers.JobInformer, kubeClient *client.Clientset) *Controller {
	k := c.Kernel()
	broadcaster := record.NewBroadcaster(c)
	recorder := broadcaster.NewRecorder(corev1.EventSource{Component: Name})
	jm := &Controller{
		kernel:                k,
		component:             c,
		kubeClient:            kubeClient,
		expectations:          controller.NewControllerExpectations(c),
		finalizerExpectations: newUIDTrackingExpectations(),
		consistencyStore: consistency.NewConsistencyStore(c, map[api.GroupResource]consistency.LastSyncRVGetter{
			jobs: jobInformer.Informer(),
			pods: podInformer.Informer(),
		}),
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c,
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](defaultJobAPIBackOff, maxJobAPIBackOff),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "job"}),
		orphanQueue: workqueue.NewTypedRateLimitingQueueWithConfig(c,
			workqueue.NewTypedItemExponentialFailureRateLimiter[orphanPodKey](defaultJobAPIBackOff, maxJobAPIBackOff),
			workqueue.TypedRateLimitingQueueConfig[orphanPodKey]{Name: "job_orphan_pod"}),
		podBackoffStore: newBackoffStore(),
		broadcaster:     broadcaster,
		recorder:        recorder,
	}
	jm.podControl = controller.RealPodControl{
		KubeClient: kubeClient,
		Recorder:   recorder,
		OnWrite: func(pod *corev1.Pod, ref *metav1.OwnerReference) {
			owner := types.NamespacedName{Namespace: pod.Namespace, Name: ref.Name}
			jm.consistencyStore.WroteAt(owner, ref.UID, pods, pod.ResourceVersion)
		},
	}
	jm.watch(jobInformer, podInformer)
	return jm
}

// Run starts the workers once the caches hold the cluster.
func (jm *Controller) Run(p *sim.Proc, workers int) {
	jm.broadcaster.StartRecordingToSink(jm.kubeClient)
	p.Logger().Info("Starting job controller")
	if !cache.WaitForCacheSync(p, jm.podSynced, jm.jobSynced) {
		return
	}
	for i := range workers {
		jm.component.Go(fmt.Sprintf("worker-%d", i+1), func(p *sim.Proc) {
			for jm.processNextWorkItem(p) {
			}
		})
	}
	jm.component.Go("orphan-worker", func(p *sim.Proc) {
		for jm.processNextOrphanPod(p) {
		}
	})
}

func (jm *Controller) processNextWorkItem(p *sim.Proc) bool {
	key, quit := jm.queue.Get(p)
	if quit {
		return false
	}
	if err := jm.syncJob(p, key); err == nil {
		jm.queue.Forget(key)
	} else {
		controller.HandleError(p.Logger(), err, "Error syncing job", "key", key)
		jm.queue.AddRateLimited(key)
	}
	jm.queue.Done(key)
	return true
}

// syncJob brings one Job nearer to its end. Pods are created and deleted only
// when everything it did before has been seen; they are counted in any case. It is
// never called for the same key twice at a time. Upstream: job_controller.go, syncJob.
func (jm *Controller) syncJob(p *sim.Proc, key string) error {
	log := p.Logger()
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	owner := types.NamespacedName{Namespace: namespace, Name: name}
	if err := jm.consistencyStore.EnsureReady(owner); err != nil {
		return err
	}
	shared, err := jm.jobLister.Jobs(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		log.V(4).Info("Job has been deleted", "key", key)
		jm.consistencyStore.Clear(owner, "")
		jm.expectations.DeleteExpectations(log, key)
		jm.finalizerExpectations.deleteExpectations(key)
		jm.podBackoffStore.removeBackoffRecord(key)
		return nil
	}
	if err != nil {
		return err
	}
	if manager := managedByExternalController(shared); manager != "" {
		log.V(2).Info("Skip syncing the job as it is managed by an external controller", "key", key, "uid", shared.UID, "controllerName", manager)
		return nil
	}
	job := shared.DeepCopy()
	if controller.IsJobFinished(job) {
		jm.podBackoffStore.removeBackoffRecord(key)
		return nil
	}
	if mode := getCompletionMode(job); mode != batchv1.NonIndexedCompletion && mode != batchv1.IndexedCompletion {
		jm.recorder.Event(job, corev1.EventTypeWarning, "UnknownCompletionMode", "Skipped Job sync because completion mode is unknown")
		return nil
	}
	if job.Status.UncountedTerminatedPods == nil {
		job.Status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
	}

	// Asked before the Pods are counted: a Pod that arrives in between must not
	// make the count look complete.
	satisfied := jm.expectations.SatisfiedExpectations(log, key)
	jobPods, err := jm.getPodsForJob(p, job)
	if err != nil {
		return err
	}
	jobCtx := jm.newSyncJobCtx(p, key, job, jobPods)
	if job.Status.StartTime == nil && !jobSuspended(job) {
		job.Status.StartTime = nowTime(p)
	}
	log.V(2).Info("Counted the Pods of a Job", "job", controller.KObj(job), "parallelism", deref(job.Spec.Parallelism, 1), "completions", job.Spec.Completions,
		"active", len(jobCtx.activePods), "ready", jobCtx.ready, "terminating", jobCtx.terminating,
		"succeeded", jobCtx.succeeded, "failed", jobCtx.failed, "backoffLimit", *job.Spec.BackoffLimit, "satisfiedExpectations", satisfied)

	jm.decide(p, key, jobCtx)
	active := int32(len(jobCtx.activePods))
	suspendChanged := false
	var manageErr error
	if jobCtx.finishedCondition != nil {
		var deleted int32
		deleted, manageErr = jm.deleteActivePods(p, jobCtx)
		if deleted != active || !satisfied {
			// Some Pods still run, or may run unseen: not the end yet.
			log.V(2).Info("Not the end of the Job yet", "job", controller.KObj(job), "condition", jobCtx.finishedCondition.Type,
				"active", active, "deleted", deleted, "satisfiedExpectations", satisfied)
			jobCtx.finishedCondition = nil
		}
		active -= deleted
	} else {
		managed := satisfied && job.DeletionTimestamp == nil
		if managed {
			active, manageErr = jm.manageJob(p, jobCtx)
		}
		switch {
		case isComplete(jobCtx, active):
			jobCtx.finishedCondition = newCondition(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue, batchv1.JobReasonCompletionsReached,
				"Reached expected number of succeeded pods", p.Time())
		case managed:
			suspendChanged = jm.recordSuspension(p, job)
		}
	}

	needsStatusUpdate := suspendChanged || active != job.Status.Active || !equal(job.Status.Ready, jobCtx.ready) ||
		!equal(job.Status.Terminating, jobCtx.terminating)
	ready, terminating := jobCtx.ready, jobCtx.terminating
	job.Status.Active, job.Status.Ready, job.Status.Terminating = active, &ready, &terminating
	if err := jm.trackJobStatusAndRemoveFinalizers(p, key, jobCtx, needsStatusUpdate); err != nil {
		return fmt.Errorf("tracking status: %w", err)
	}
	return manageErr
}

func (jm *Controller) newSyncJobCtx(p *sim.Proc, key string, job *batchv1.Job, jobPods []*corev1.Pod) *syncJobCtx {
	c := &syncJobCtx{
		job:                  job,
		pods:                 jobPods,
		activePods:           controller.FilterActivePods(p.Logger(), jobPods),
		terminating:          int32(len(controller.FilterTerminatingPods(jobPods))),
		uncounted:            newUncountedTerminatedPods(job.Status.UncountedTerminatedPods),
		expectedRmFinalizers: jm.finalizerExpectations.getExpectedUIDs(key),
	}
	for _, pod := range c.activePods {
		if controller.IsPodReady(pod) {
			c.ready++
		}
	}
	newSucceeded, newFailed := getNewFinishedPods(c)
	c.succeeded = job.Status.Succeeded + int32(len(newSucceeded)+len(c.uncounted.succeeded))
	c.failed = job.Status.Failed + int32(nonIgnoredFailedPodsCount(job, newFailed)+len(c.uncounted.failed))
	c.newBackoffRecord = jm.podBackoffStore.newBackoffRecord(key, newSucceeded, newFailed)
	return c
}

// isComplete tells whether enough Pods have succeeded. Without a number of
// completions one is enough, when all others have ended.
func isComplete(c *syncJobCtx, active int32) bool {
	if c.job.Spec.Completions == nil {
		return c.succeeded > 0 && active == 0
	}
	return c.succeeded >= *c.job.Spec.Completions && active == 0
}

// recordSuspension writes into the conditions whether the Job is suspended. A
// Job that goes on gets its whole time again.
func (jm *Controller) recordSuspension(p *sim.Proc, job *batchv1.Job) (changed bool) {
	if jobSuspended(job) {
		if ensureJobConditionStatus(&job.Status, batchv1.JobSuspended, corev1.ConditionTrue, "JobSuspended", "Job suspended", p.Time()) {
			jm.recorder.Event(job, corev1.EventTypeNormal, "Suspended", "Job suspended")
			return true
		}
		return false
	}
	if ensureJobConditionStatus(&job.Status, batchv1.JobSuspended, corev1.ConditionFalse, "JobResumed", "Job resumed", p.Time()) {
		jm.recorder.Event(job, corev1.EventTypeNormal, "Resumed", "Job resumed")
		job.Status.StartTime = nowTime(p)
		return true
	}
	return false
}

// getPodsForJob returns the Pods that belong to a Job, after adopting those that
// it selects and releasing those that it no longer does.
func (jm *Controller) getPodsForJob(p *sim.Proc, j *batchv1.Job) ([]*corev1.Pod, error) {
	selector, err := labels.LabelSelectorAsSelector(j.Spec.Selector)
	if err != nil {
		return nil, fmt.Errorf("couldn't convert Job selector: %w", err)
	}
	all, err := controller.FilterPodsByOwner(jm.podIndexer, j, controllerKind.Kind, true)
	if err != nil {
		return nil, err
	}
	canAdopt := controller.RecheckDeletionTimestamp(func(p *sim.Proc) (api.Object, error) {
		fresh, err := jm.kubeClient.BatchV1().Jobs(j.Namespace).Get(p, j.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		if fresh.UID != j.UID {
			return nil, fmt.Errorf("original Job %v/%v is gone: got uid %v, wanted %v", j.Namespace, j.Name, fresh.UID, j.UID)
		}
		return fresh, nil
	})
	cm := controller.NewPodControllerRefManager(jm.podControl, j, selector, controllerKind, canAdopt, batchv1.JobTrackingFinalizer)
	claimed, err := cm.ClaimPods(p, all)
	if err != nil {
		return nil, err
	}
	// Adoption added the finalizer; the cache does not show it yet.
	out := make([]*corev1.Pod, len(claimed))
	for i, pod := range claimed {
		if !metav1.IsControlledBy(pod, j) && !hasJobTrackingFinalizer(pod) {
			pod = pod.DeepCopy()
			pod.Finalizers = append(pod.Finalizers, batchv1.JobTrackingFinalizer)
		}
		out[i] = pod
	}
	return out, nil
}
