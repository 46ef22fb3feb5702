package persistentvolume

import (
	"errors"
	"fmt"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/api/volume"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// Reasons of events. Upstream: pkg/controller/volume/events/event.go.
const (
	failedBinding        = "FailedBinding"
	volumeMismatch       = "VolumeMismatch"
	volumeFailedRecycle  = "VolumeFailedRecycle"
	volumeFailedDelete   = "VolumeFailedDelete"
	externalProvisioning = "ExternalProvisioning"
	provisioningFailed   = "ProvisioningFailed"
	waitForFirstConsumer = "WaitForFirstConsumer"
	waitForPodScheduled  = "WaitForPodScheduled"
)

// syncClaim is one round for a claim. Whether it has been bound before decides
// what a missing volume means.
func (ctrl *PersistentVolumeController) syncClaim(p *sim.Proc, claim *corev1.PersistentVolumeClaim) error {
	p.Logger().V(4).Info("Synchronizing PersistentVolumeClaim", "PVC", controller.KObj(claim), "claimStatus", claimStatus(claim))
	if _, completed := claim.Annotations[volume.AnnBindCompleted]; completed {
		return ctrl.syncBoundClaim(p, claim)
	}
	return ctrl.syncUnboundClaim(p, claim)
}

// claimStatus is upstream's getClaimStatusForLogging.
func claimStatus(c *corev1.PersistentVolumeClaim) string {
	_, completed := c.Annotations[volume.AnnBindCompleted]
	_, byController := c.Annotations[volume.AnnBoundByController]
	return fmt.Sprintf("phase: %s, bound to: %q, bindCompleted: %v, boundByController: %v", c.Status.Phase, c.Spec.VolumeName, completed, byController)
}

func (ctrl *PersistentVolumeController) syncUnboundClaim(p *sim.Proc, claim *corev1.PersistentVolumeClaim) error {
	if claim.Spec.VolumeName != "" {
		return ctrl.syncClaimWithVolumeName(p, claim)
	}
	class, err := ctrl.class(volume.GetPersistentVolumeClaimClass(claim))
	if err != nil {
		return err
	}
	delayBinding, err := volume.IsDelayBindingMode(class)
	if err != nil {
		return err
	}
	v, err := ctrl.findBestMatchForClaim(claim, delayBinding)
	if err != nil {
		p.Logger().V(2).Info("Synchronizing unbound PersistentVolumeClaim, Error finding PV for claim", "PVC", controller.KObj(claim), "err", err)
		return fmt.Errorf("error finding PV for claim %q: %w", controller.KObj(claim), err)
	}
	if v != nil {
		p.Logger().V(4).Info("Synchronizing unbound PersistentVolumeClaim, volume found", "PVC", controller.KObj(claim), "volumeName", v.Name, "volumeStatus",
			volumeStatus(v))
		return ctrl.bind(p, v, claim)
	}
	p.Logger().V(4).Info("Synchronizing unbound PersistentVolumeClaim, no volume found", "PVC", controller.KObj(claim))
	if assigned, err := ctrl.assignDefaultStorageClass(p, claim); assigned || err != nil {
		return err
	}
	switch {
	case delayBinding && !volume.IsDelayBindingProvisioning(claim):
		ctrl.emitEventForUnboundDelayBindingClaim(claim)
	case volume.GetPersistentVolumeClaimClass(claim) != "":
		return ctrl.provisionClaim(p, claim, class)
	default:
		ctrl.recorder.Event(claim, corev1.EventTypeNormal, failedBinding, "no persistent volumes available for this claim and no storage class is set")
	}
	_, err = ctrl.updateClaimStatus(p, claim, corev1.ClaimPending, nil)
	return err
}

// syncClaimWithVolumeName: somebody said which volume it is to be.
func (ctrl *PersistentVolumeController) syncClaimWithVolumeName(p *sim.Proc, claim *corev1.PersistentVolumeClaim) error {
	p.Logger().V(4).Info("Synchronizing unbound PersistentVolumeClaim, volume requested", "PVC", controller.KObj(claim), "volumeName", claim.Spec.VolumeName)
	pending := func() error {
		_, err := ctrl.updateClaimStatus(p, claim, corev1.ClaimPending, nil)
		return err
	}
	obj, found, err := ctrl.volumes.GetByKey(claim.Spec.VolumeName)
	if err != nil {
		return err
	}
	if !found {
		return pending() // it may come
	}
	v := obj.(*corev1.PersistentVolume)
	switch {
	case v.Spec.ClaimRef == nil:
		if err := checkVolumeSatisfyClaim(v, claim); err != nil {
			p.Logger().V(4).Info("Can't bind the claim to volume", "volumeName", v.Name, "err", err)
			ctrl.recorder.Eventf(claim, corev1.EventTypeWarning, volumeMismatch, "Cannot bind to requested volume %q: %s", v.Name, err)
			return pending()
		}
		return ctrl.bind(p, v, claim)
	case volume.IsVolumeBoundToClaim(v, claim):
		return ctrl.bind(p, v, claim)
	}
	ctrl.recorder.Eventf(claim, corev1.EventTypeWarning, failedBinding, "volume %q already bound to a different claim.", v.Name)
	if _, byController := claim.Annotations[volume.AnnBoundByController]; byController {
		return fmt.Errorf("invalid binding of claim %q to volume %q: volume already claimed by %q", controller.KObj(claim), v.Name, claimRefKey(v.Spec.ClaimRef))
	}
	return pending()
}

// checkVolumeSatisfyClaim says why the volume that was asked for does not do.
func checkVolumeSatisfyClaim(v *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim) error {
	requested, capacity := claim.Spec.Resources.Requests[corev1.ResourceStorage], v.Spec.Capacity[corev1.ResourceStorage]
	switch {
	case v.DeletionTimestamp != nil:
		return fmt.Errorf("the volume is marked for deletion %q", v.Name)
	case capacity.Value() < requested.Value():
		return errors.New("requested PV is too small")
	case volume.GetPersistentVolumeClass(v) != volume.GetPersistentVolumeClaimClass(claim):
		return errors.New("storageClassName does not match")
	case volume.CheckVolumeModeMismatches(&claim.Spec, &v.Spec):
		return errors.New("incompatible volumeMode")
	case !volume.CheckAccessModes(claim, v):
		return errors.New("incompatible accessMode")
	}
	return nil
}

func (ctrl *PersistentVolumeController) emitEventForUnboundDelayBindingClaim(claim *corev1.PersistentVolumeClaim) {
	var names []string
	for _, pod := range PodsUsing(ctrl.podIndexer, controller.KObj(claim)) {
		ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if pod.Spec.NodeName == "" && !ended {
			names = append(names, pod.Name)
		}
	}
	reason, message := waitForFirstConsumer, "waiting for first consumer to be created before binding"
	switch {
	case len(names) == 1:
		reason, message = waitForPodScheduled, "waiting for pod "+names[0]+" to be scheduled"
	case len(names) > 1:
		reason, message = waitForPodScheduled, "waiting for pods "+strings.Join(names, ",")+" to be scheduled"
	}
	ctrl.recorder.Event(claim, corev1.EventTypeNormal, reason, message)
}

// class is nil when there is none by that name.
func (ctrl *PersistentVolumeController) class(name string) (*storagev1.StorageClass, error) {
	if name == "" {
		return nil, nil
	}
	class, err := ctrl.classLister.Get(name)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return class, err
}

// assignDefaultStorageClass gives a claim a class that there was none of when it
// was made. Upstream: pkg/volume/util/storageclass.go, GetDefaultClass.
func (ctrl *PersistentVolumeController) assignDefaultStorageClass(p *sim.Proc, claim *corev1.PersistentVolumeClaim) (bool, error) {
	if _, annotated := claim.Annotations[corev1.BetaStorageClassAnnotation]; annotated || claim.Spec.StorageClassName != nil {
		return false, nil
	}
	classes, err := ctrl.classLister.List(nil)
	if err != nil {
		return false, err
	}
	var newest *storagev1.StorageClass
	for _, class := range classes {
		isDefault := class.Annotations["storageclass.kubernetes.io/is-default-class"] == "true" ||
			class.Annotations["storageclass.beta.kubernetes.io/is-default-class"] == "true"
		if isDefault && (newest == nil || class.CreationTimestamp.After(newest.CreationTimestamp.Time)) {
			newest = class
		}
	}
	if newest == nil {
		return false, nil
	}
	p.Logger().V(4).Info("Assigning StorageClass to PersistentVolumeClaim", "PVC", controller.KObj(claim), "storageClassName", newest.Name)
	claim = claim.DeepCopy()
	claim.Spec.StorageClassName = &newest.Name
	_, err = ctrl.kubeClient.CoreV1().PersistentVolumeClaims(claim.Namespace).Update(p, claim, metav1.UpdateOptions{})
	return err == nil, err
}

// provisionClaim tells whoever makes volumes of the class that it is wanted.
// Upstream: pv_controller.go, provisionClaim and provisionClaimOperationExternal.
func (ctrl *PersistentVolumeController) provisionClaim(p *sim.Proc, claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass) error {
	p.Logger().V(4).Info("provisionClaim: started", "PVC", controller.KObj(claim))
	var problem error
	switch {
	case class == nil:
		_, problem = ctrl.classLister.Get(volume.GetPersistentVolumeClaimClass(claim))
	case strings.HasPrefix(class.Provisioner, "kubernetes.io/"):
		problem = errors.New("no volume plugin matched name: " + class.Provisioner)
	}
	if problem != nil {
		ctrl.recorder.Event(claim, corev1.EventTypeWarning, provisioningFailed, problem.Error())
		p.Logger().Error(problem, "Error finding provisioning plugin for claim", "PVC", controller.KObj(claim))
		return nil
	}
	if claim.Annotations[volume.AnnStorageProvisioner] != class.Provisioner {
		updated := claim.DeepCopy()
		volume.SetAnnotation(&updated.Annotations, volume.AnnBetaStorageProvisioner, class.Provisioner)
		volume.SetAnnotation(&updated.Annotations, volume.AnnStorageProvisioner, class.Provisioner)
		answer, err := ctrl.kubeClient.CoreV1().PersistentVolumeClaims(claim.Namespace).Update(p, updated, metav1.UpdateOptions{})
		if err != nil {
			ctrl.recorder.Eventf(claim, corev1.EventTypeWarning, provisioningFailed, "Error saving claim: %v", err)
			return err
		}
		ctrl.store(ctrl.claims, answer)
		claim = answer
	}
	ctrl.recorder.Eventf(claim, corev1.EventTypeNormal, externalProvisioning,
		"Waiting for a volume to be created either by the external provisioner '%s' or manually by the system administrator. "+
			"If volume creation is delayed, please verify that the provisioner is running and correctly registered.", class.Provisioner)
	return nil
}

// syncBoundClaim: the claim has had a volume. If that is gone, so is what was on it.
func (ctrl *PersistentVolumeController) syncBoundClaim(p *sim.Proc, claim *corev1.PersistentVolumeClaim) error {
	if claim.Spec.VolumeName == "" {
		return ctrl.updateClaimStatusWithEvent(p, claim, corev1.ClaimLost, "ClaimLost",
			"Bound claim has lost reference to PersistentVolume. Data on the volume is lost!")
	}
	obj, found, err := ctrl.volumes.GetByKey(claim.Spec.VolumeName)
	if err != nil {
		return err
	}
	if !found {
		return ctrl.updateClaimStatusWithEvent(p, claim, corev1.ClaimLost, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!")
	}
	v := obj.(*corev1.PersistentVolume)
	p.Logger().V(4).Info("Synchronizing bound PersistentVolumeClaim, volume found", "PVC", controller.KObj(claim), "volumeName", v.Name, "volumeStatus",
		volumeStatus(v))
	if v.Spec.ClaimRef == nil || v.Spec.ClaimRef.UID == claim.UID {
		return ctrl.bind(p, v, claim) // whatever of it is missing
	}
	return ctrl.updateClaimStatusWithEvent(p, claim, corev1.ClaimLost, "ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly")
}
