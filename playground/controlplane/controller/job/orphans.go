package job

import (
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// orphanPodKey is one Pod by name, or all Pods that a selector matches: those of
// a Job that is gone. Upstream: job_controller.go, orphanPodKey.
type orphanPodKey struct {
	bySelector       bool
	namespace, value string
}

// String is how the queue shows the key.
func (k orphanPodKey) String() string { return k.namespace + "/" + k.value }

func (jm *Controller) enqueueOrphanPod(pod *corev1.Pod) {
	jm.orphanQueue.Add(orphanPodKey{namespace: pod.Namespace, value: pod.Name})
}

func (jm *Controller) enqueueLabelSelector(job *batchv1.Job) {
	selector, err := labels.LabelSelectorAsSelector(job.Spec.Selector)
	if err != nil {
		controller.HandleError(jm.kernel.Logger(), err, "parsing deleted job selector", "job", controller.KObj(job))
		return
	}
	jm.orphanQueue.Add(orphanPodKey{bySelector: true, namespace: job.Namespace, value: selector.String()})
}

func (jm *Controller) processNextOrphanPod(p *sim.Proc) bool {
	key, quit := jm.orphanQueue.Get(p)
	if quit {
		return false
	}
	if err := jm.syncOrphanPod(p, key); err != nil {
		controller.HandleError(p.Logger(), err, "Error syncing orphan pod", "key", key.String())
		jm.orphanQueue.AddRateLimited(key)
	} else {
		jm.orphanQueue.Forget(key)
	}
	jm.orphanQueue.Done(key)
	return true
}

// syncOrphanPod removes the tracking finalizer from Pods that no Job will count:
// with it they could never be deleted. Upstream: job_controller.go, syncOrphanPod.
func (jm *Controller) syncOrphanPod(p *sim.Proc, key orphanPodKey) error {
	if !key.bySelector {
		pod, err := jm.podLister.Pods(key.namespace).Get(key.value)
		if apierrors.IsNotFound(err) {
			p.Logger().V(4).Info("Orphan pod has been deleted", "pod", key.String())
			return nil
		}
		if err != nil {
			return err
		}
		return jm.handleSingleOrphanPod(p, pod)
	}
	selector, err := labels.Parse(key.value)
	if err != nil {
		return err
	}
	list, err := jm.podLister.Pods(key.namespace).List(selector)
	if err != nil {
		return err
	}
	var first error
	for _, pod := range list {
		if err := jm.handleSingleOrphanPod(p, pod); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (jm *Controller) handleSingleOrphanPod(p *sim.Proc, pod *corev1.Pod) error {
	if ref := metav1.GetControllerOfNoCopy(pod); ref != nil {
		if ref.Kind != controllerKind.Kind || ref.APIVersion != controllerKind.GroupVersion().String() {
			return nil // whatever owns it is no Job: the finalizer is not ours
		}
		if job := jm.resolveControllerRef(pod.Namespace, ref); job != nil {
			if manager := managedByExternalController(job); manager != "" {
				p.Logger().V(2).Info("Skip cleanup of the job finalizer for a pod owned by a job that is managed by an external controller",
					"pod", controller.KObj(pod), "job", controller.KObj(job), "controllerName", manager)
				return nil
			}
			if !controller.IsJobFinished(job) {
				return nil // it was adopted
			}
		}
	}
	if patch := removeTrackingFinalizerPatch(pod); patch != nil {
		p.Logger().V(2).Info("Removing the finalizer of an orphan pod", "pod", controller.KObj(pod))
		if err := jm.podControl.PatchPod(p, pod.Namespace, pod.Name, patch); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}
