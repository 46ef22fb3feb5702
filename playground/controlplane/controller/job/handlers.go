package job

import (
	"errors"
	"maps"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/controller"
)

var errTombstone = errors.New("couldn't get object from tombstone")

// watch registers what is to happen when Jobs and Pods change.
func (jm *Controller) watch(jobInformer informers.JobInformer, podInformer informers.PodInformer) {
	jobInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { jm.enqueueSyncJobImmediately(obj.(*batchv1.Job)) },
		UpdateFunc: jm.updateJob,
		DeleteFunc: jm.deleteJob,
	})
	jm.jobLister, jm.jobSynced = jobInformer.Lister(), jobInformer.Informer().HasSynced

	podInformer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    jm.addPod,
		UpdateFunc: jm.updatePod,
		DeleteFunc: func(obj any) { jm.deletePod(obj, true) },
	})
	controller.AddPodControllerIndexer(podInformer.Informer())
	jm.podIndexer = podInformer.Informer().GetIndexer()
	jm.podLister, jm.podSynced = podInformer.Lister(), podInformer.Informer().HasSynced
}

// enqueueSyncJobImmediately is for what a person changed.
func (jm *Controller) enqueueSyncJobImmediately(job *batchv1.Job) { jm.enqueueSyncJob(job, 0) }

// enqueueSyncJobBatched is for what happened to a Pod: more of it may follow.
func (jm *Controller) enqueueSyncJobBatched(job *batchv1.Job) {
	jm.enqueueSyncJob(job, syncJobBatchPeriod)
}

// enqueueSyncJobWithDelay is for the end of a back-off.
func (jm *Controller) enqueueSyncJobWithDelay(job *batchv1.Job, delay time.Duration) {
	jm.enqueueSyncJob(job, max(delay, syncJobBatchPeriod))
}

func (jm *Controller) enqueueSyncJob(job *batchv1.Job, delay time.Duration) {
	key := controller.KeyFunc(job)
	jm.kernel.Logger().V(4).Info("enqueueing job", "key", key, "delay", delay)
	jm.queue.AddAfter(key, delay)
}

// getPodJobs returns the Jobs whose selectors match an orphan.
func (jm *Controller) getPodJobs(pod *corev1.Pod) []*batchv1.Job {
	all, err := jm.jobLister.Jobs(pod.Namespace).List(labels.Everything())
	if err != nil {
		return nil
	}
	var out []*batchv1.Job
	for _, job := range all {
		selector, err := labels.LabelSelectorAsSelector(job.Spec.Selector)
		if err != nil || selector.Empty() || !selector.Matches(labels.Set(pod.Labels)) {
			continue
		}
		out = append(out, job)
	}
	if len(out) > 1 {
		jm.kernel.Logger().Error(nil, "user error! more than one job is selecting pods with the same labels",
			"pod", controller.KObj(pod), "labels", labels.FormatLabels(pod.Labels))
	}
	return out
}

// resolveControllerRef returns the Job that a reference means, or nil when it
// means something else, or one that is gone.
func (jm *Controller) resolveControllerRef(namespace string, ref *metav1.OwnerReference) *batchv1.Job {
	if ref.Kind != controllerKind.Kind {
		return nil
	}
	job, err := jm.jobLister.Jobs(namespace).Get(ref.Name)
	if err != nil || job.UID != ref.UID {
		return nil
	}
	return job
}

func (jm *Controller) updateJob(old, cur any) {
	oldJob, curJob := old.(*batchv1.Job), cur.(*batchv1.Job)
	if curJob.Generation == oldJob.Generation {
		jm.enqueueSyncJobBatched(curJob)
	} else {
		jm.enqueueSyncJobImmediately(curJob)
	}
	// No Pod should have the finalizer when its Job has ended; this is for those
	// that still do.
	if controller.IsJobFinished(curJob) {
		jm.enqueueLabelSelector(curJob)
	}
	if deadline := curJob.Spec.ActiveDeadlineSeconds; curJob.Status.StartTime != nil && deadline != nil {
		if before := oldJob.Spec.ActiveDeadlineSeconds; before == nil || *before != *deadline {
			passed := jm.kernel.Time().Sub(curJob.Status.StartTime.Time)
			total := time.Duration(*deadline) * time.Second
			jm.queue.AddAfter(controller.KeyFunc(curJob), total-passed)
			jm.kernel.Logger().V(4).Info("job's ActiveDeadlineSeconds updated, will rsync", "key", controller.KeyFunc(curJob), "interval", total-passed)
		}
	}
}

func (jm *Controller) deleteJob(obj any) {
	job, ok := obj.(*batchv1.Job)
	if !ok {
		tombstone, _ := obj.(cache.DeletedFinalStateUnknown)
		if job, ok = tombstone.Obj.(*batchv1.Job); !ok {
			jm.kernel.Logger().Error(errTombstone, "Unexpected object in delete handler")
			return
		}
	}
	jm.enqueueSyncJobImmediately(job)
	jm.enqueueLabelSelector(job)
}

func (jm *Controller) addPod(obj any) {
	pod := obj.(*corev1.Pod)
	if pod.DeletionTimestamp != nil {
		jm.deletePod(pod, false) // seen for the first time after a restart, on its way out
		return
	}
	if ref := metav1.GetControllerOfNoCopy(pod); ref != nil {
		if job := jm.resolveControllerRef(pod.Namespace, ref); job != nil {
			jm.expectations.CreationObserved(jm.kernel.Logger(), controller.KeyFunc(job))
			jm.enqueueSyncJobBatched(job)
		}
		return
	}
	if hasJobTrackingFinalizer(pod) {
		jm.enqueueOrphanPod(pod)
	}
	for _, job := range jm.getPodJobs(pod) {
		jm.enqueueSyncJobBatched(job)
	}
}

// updatePod wakes the Jobs that a Pod belongs to, belonged to, or may belong to now.
func (jm *Controller) updatePod(old, cur any) {
	oldPod, curPod := old.(*corev1.Pod), cur.(*corev1.Pod)
	if curPod.ResourceVersion == oldPod.ResourceVersion {
		return // a resync: nothing has changed
	}
	if curPod.DeletionTimestamp != nil {
		jm.deletePod(curPod, false) // a graceful deletion shows first as an update
		return
	}
	finalizerRemoved := !hasJobTrackingFinalizer(curPod)
	curRef, oldRef := metav1.GetControllerOfNoCopy(curPod), metav1.GetControllerOfNoCopy(oldPod)
	refChanged := !api.SemanticDeepEqual(curRef, oldRef)
	wake := func(ref *metav1.OwnerReference) {
		job := jm.resolveControllerRef(curPod.Namespace, ref)
		if job == nil {
			return
		}
		if finalizerRemoved {
			jm.finalizerExpectations.finalizerRemovalObserved(controller.KeyFunc(job), curPod.UID)
		}
		jm.enqueueSyncJobBatched(job)
	}
	if refChanged && oldRef != nil {
		wake(oldRef)
	}
	if curRef != nil {
		wake(curRef)
		return
	}
	if !finalizerRemoved {
		jm.enqueueOrphanPod(curPod)
	}
	if refChanged || !maps.Equal(curPod.Labels, oldPod.Labels) {
		for _, job := range jm.getPodJobs(curPod) {
			jm.enqueueSyncJobBatched(job)
		}
	}
}

// deletePod takes a Pod, or a tombstone. final says that it is gone, and its
// finalizers with it; else it only has a deletion timestamp.
func (jm *Controller) deletePod(obj any, final bool) {
	log := jm.kernel.Logger()
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		tombstone, _ := obj.(cache.DeletedFinalStateUnknown)
		if pod, ok = tombstone.Obj.(*corev1.Pod); !ok {
			log.Error(errTombstone, "Unexpected object in delete handler")
			return
		}
	}
	hasFinalizer := hasJobTrackingFinalizer(pod)
	var job *batchv1.Job
	if ref := metav1.GetControllerOfNoCopy(pod); ref != nil {
		if job = jm.resolveControllerRef(pod.Namespace, ref); job != nil && controller.IsJobFinished(job) {
			job = nil
		}
	}
	if job == nil {
		// No sync of a Job will remove the finalizer.
		if hasFinalizer && !final {
			jm.enqueueOrphanPod(pod)
		}
		return
	}
	key := controller.KeyFunc(job)
	jm.expectations.DeletionObserved(log, key)
	if final || !hasFinalizer {
		jm.finalizerExpectations.finalizerRemovalObserved(key, pod.UID)
	}
	jm.enqueueSyncJobBatched(job)
}
