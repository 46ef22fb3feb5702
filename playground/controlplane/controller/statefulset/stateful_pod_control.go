package statefulset

import (
	"errors"
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/client/retry"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// StatefulPodControl creates, updates and deletes a set's Pods and claims, and
// tells of it in events. Upstream: stateful_pod_control.go.
type StatefulPodControl struct {
	client      *client.Clientset
	podLister   listers.PodLister
	claimLister listers.PersistentVolumeClaimLister
	recorder    record.EventRecorder
	wrote       wroteFunc
}

func (spc *StatefulPodControl) note(set *appsv1.StatefulSet, resource api.GroupResource, version string) {
	spc.wrote(types.NamespacedName{Namespace: set.Namespace, Name: set.Name}, set.UID, resource, version)
}

// CreateStatefulPod creates a Pod's claims, as far as they don't exist, and then the Pod.
func (spc *StatefulPodControl) CreateStatefulPod(p *sim.Proc, set *appsv1.StatefulSet, pod *corev1.Pod) error {
	if err := spc.createPersistentVolumeClaims(p, set, pod); err != nil {
		spc.recordPodEvent("create", set, pod, err)
		return err
	}
	created, err := spc.client.CoreV1().Pods(set.Namespace).Create(p, pod, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return err // the old one is not gone yet; nothing to tell
	}
	if err == nil {
		spc.note(set, pods, created.ResourceVersion)
		if err := spc.UpdatePodClaimForRetentionPolicy(p, set, created); err != nil {
			spc.recordPodEvent("update", set, pod, err)
			return err
		}
	}
	spc.recordPodEvent("create", set, pod, err)
	return err
}

// UpdateStatefulPod gives a Pod back its identity and its claims, as far as
// they were changed. pod is the caller's own copy.
func (spc *StatefulPodControl) UpdateStatefulPod(p *sim.Proc, set *appsv1.StatefulSet, pod *corev1.Pod) error {
	attempted := false
	err := retry.RetryOnConflict(p, retry.DefaultBackoff, func() error {
		consistent := true
		if !identityMatches(set, pod) {
			updateIdentity(set, pod)
			consistent = false
		}
		if !storageMatches(set, pod) {
			updateStorage(set, pod)
			consistent = false
			if err := spc.createPersistentVolumeClaims(p, set, pod); err != nil {
				spc.recordPodEvent("update", set, pod, err)
				return err
			}
		}
		match, err := spc.ClaimsMatchRetentionPolicy(p, set, pod)
		if err != nil {
			spc.recordPodEvent("update", set, pod, err)
			return err
		}
		if !match {
			if err := spc.UpdatePodClaimForRetentionPolicy(p, set, pod); err != nil {
				spc.recordPodEvent("update", set, pod, err)
				return err
			}
		}
		if consistent {
			return nil
		}
		attempted = true
		updated, err := spc.client.CoreV1().Pods(set.Namespace).Update(p, pod, metav1.UpdateOptions{})
		if err == nil {
			spc.note(set, pods, updated.ResourceVersion)
			return nil
		}
		if fresh, getErr := spc.podLister.Pods(set.Namespace).Get(pod.Name); getErr == nil {
			pod = fresh.DeepCopy()
		}
		return err
	})
	if attempted {
		spc.recordPodEvent("update", set, pod, err)
	}
	return err
}

// DeleteStatefulPod deletes a Pod.
func (spc *StatefulPodControl) DeleteStatefulPod(p *sim.Proc, set *appsv1.StatefulSet, pod *corev1.Pod) error {
	err := spc.client.CoreV1().Pods(set.Namespace).Delete(p, pod.Name, metav1.DeleteOptions{})
	spc.recordPodEvent("delete", set, pod, err)
	return err
}

// capital are the verbs as reasons have them.
var capital = map[string]string{"create": "Create", "update": "Update", "delete": "Delete"}

func (spc *StatefulPodControl) recordPodEvent(verb string, set *appsv1.StatefulSet, pod *corev1.Pod, err error) {
	if err == nil {
		spc.recorder.Eventf(set, corev1.EventTypeNormal, "Successful"+capital[verb], "%s Pod %s in StatefulSet %s successful", verb, pod.Name, set.Name)
		return
	}
	spc.recorder.Eventf(set, corev1.EventTypeWarning, "Failed"+capital[verb], "%s Pod %s in StatefulSet %s failed error: %s", verb, pod.Name, set.Name, err)
}

func (spc *StatefulPodControl) recordClaimEvent(verb string, set *appsv1.StatefulSet, pod *corev1.Pod, claim *corev1.PersistentVolumeClaim, err error) {
	if err == nil {
		spc.recorder.Eventf(set, corev1.EventTypeNormal, "Successful"+capital[verb], "%s Claim %s Pod %s in StatefulSet %s success", verb, claim.Name, pod.Name,
			set.Name)
		return
	}
	spc.recorder.Eventf(set, corev1.EventTypeWarning, "Failed"+capital[verb], "%s Claim %s for Pod %s in StatefulSet %s failed error: %s", verb, claim.Name,
		pod.Name, set.Name, err)
}

// createMissingPersistentVolumeClaims is for a Pod that exists, and waits.
func (spc *StatefulPodControl) createMissingPersistentVolumeClaims(p *sim.Proc, set *appsv1.StatefulSet, pod *corev1.Pod) error {
	if err := spc.createPersistentVolumeClaims(p, set, pod); err != nil {
		return err
	}
	return spc.UpdatePodClaimForRetentionPolicy(p, set, pod)
}

// createPersistentVolumeClaims creates those of a Pod's claims that don't exist.
// One that is being deleted can't be used, nor replaced before it is gone.
func (spc *StatefulPodControl) createPersistentVolumeClaims(p *sim.Proc, set *appsv1.StatefulSet, pod *corev1.Pod) error {
	var errs []error
	for _, claim := range getPersistentVolumeClaims(set, pod) {
		existing, err := spc.claimLister.PersistentVolumeClaims(claim.Namespace).Get(claim.Name)
		switch {
		case apierrors.IsNotFound(err):
			created, err := spc.client.CoreV1().PersistentVolumeClaims(claim.Namespace).Create(p, claim, metav1.CreateOptions{})
			if err == nil {
				spc.note(set, persistentVolumeClaims, created.ResourceVersion)
			} else {
				errs = append(errs, fmt.Errorf("failed to create PVC %s: %s", claim.Name, err))
			}
			if err == nil || !apierrors.IsAlreadyExists(err) {
				spc.recordClaimEvent("create", set, pod, claim, err)
			}
		case err != nil:
			errs = append(errs, fmt.Errorf("failed to retrieve PVC %s: %s", claim.Name, err))
			spc.recordClaimEvent("create", set, pod, claim, err)
		case existing.DeletionTimestamp != nil:
			errs = append(errs, fmt.Errorf("pvc %s is being deleted", claim.Name))
		}
	}
	return errors.Join(errs...)
}

// ClaimsMatchRetentionPolicy tells whether the owners of a Pod's claims are as
// the retention policy wants them. A claim that is not there does not count.
func (spc *StatefulPodControl) ClaimsMatchRetentionPolicy(p *sim.Proc, set *appsv1.StatefulSet, pod *corev1.Pod) (bool, error) {
	for _, template := range getPersistentVolumeClaims(set, pod) {
		claim, err := spc.claimLister.PersistentVolumeClaims(set.Namespace).Get(template.Name)
		switch {
		case apierrors.IsNotFound(err):
			p.Logger().V(4).Info("Expected claim missing, continuing to pick up in next iteration", "claim", template.Name)
		case err != nil:
			return false, fmt.Errorf("could not retrieve claim %s for %s when checking PVC deletion policy", template.Name, pod.Name)
		case !isClaimOwnerUpToDate(claim, set, pod):
			return false, nil
		}
	}
	return true, nil
}

// UpdatePodClaimForRetentionPolicy makes them so.
func (spc *StatefulPodControl) UpdatePodClaimForRetentionPolicy(p *sim.Proc, set *appsv1.StatefulSet, pod *corev1.Pod) error {
	for _, template := range getPersistentVolumeClaims(set, pod) {
		claim, err := spc.claimLister.PersistentVolumeClaims(set.Namespace).Get(template.Name)
		switch {
		case apierrors.IsNotFound(err):
			p.Logger().V(4).Info("Expected claim missing, continuing to pick up in next iteration", "claim", template.Name)
		case err != nil:
			return fmt.Errorf("could not retrieve claim %s not found for %s when checking PVC deletion policy: %w", template.Name, pod.Name, err)
		case hasUnexpectedController(claim, set, pod):
			p.Logger().V(4).Info("PersistentVolumeClaim has a conflicting OwnerReference that acts as a managing controller, the retention policy is ignored for this claim", "claim", controller.KObj(claim))
		case !isClaimOwnerUpToDate(claim, set, pod):
			claim = claim.DeepCopy()
			updateClaimOwnerRefForSetAndPod(claim, set, pod)
			p.Logger().V(4).Info("Updating the owners of claim", "claim", controller.KObj(claim), "owners", len(claim.OwnerReferences))
			updated, err := spc.client.CoreV1().PersistentVolumeClaims(claim.Namespace).Update(p, claim, metav1.UpdateOptions{})
			if err != nil {
				return fmt.Errorf("could not update claim %s for delete policy ownerRefs: %w", template.Name, err)
			}
			spc.note(set, persistentVolumeClaims, updated.ResourceVersion)
		}
	}
	return nil
}

// PodClaimIsStale tells whether a claim still belongs to a Pod of that name
// which is gone, and so is about to be deleted with it.
func (spc *StatefulPodControl) PodClaimIsStale(set *appsv1.StatefulSet, pod *corev1.Pod) (bool, error) {
	if getPersistentVolumeClaimRetentionPolicy(set).WhenScaled == appsv1.RetainPersistentVolumeClaimRetentionPolicyType {
		return false, nil
	}
	for _, template := range getPersistentVolumeClaims(set, pod) {
		claim, err := spc.claimLister.PersistentVolumeClaims(set.Namespace).Get(template.Name)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return false, err
		}
		if hasStaleOwnerRef(claim, pod, podKind) {
			return true, nil
		}
	}
	return false, nil
}
