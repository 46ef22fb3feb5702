package persistentvolume

import (
	"fmt"
	"path"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/volume"
	"kubewalk/playground/sim"
)

// volumeStatus is upstream's getVolumeStatusForLogging.
func volumeStatus(v *corev1.PersistentVolume) string {
	_, byController := v.Annotations[volume.AnnBoundByController]
	claim := ""
	if ref := v.Spec.ClaimRef; ref != nil {
		claim = fmt.Sprintf("%s (uid: %s)", claimRefKey(ref), ref.UID)
	}
	return fmt.Sprintf("phase: %s, bound to: %q, boundByController: %v", v.Status.Phase, claim, byController)
}

// syncVolume is one round for a volume: is its claim still there, and does it
// name the volume too?
func (ctrl *PersistentVolumeController) syncVolume(p *sim.Proc, v *corev1.PersistentVolume) error {
	p.Logger().V(4).Info("Synchronizing PersistentVolume", "volumeName", v.Name, "volumeStatus", volumeStatus(v))
	ref := v.Spec.ClaimRef
	if ref == nil || ref.UID == "" {
		// Unused, or kept by somebody for a claim that the claim's own sync binds.
		_, err := ctrl.updateVolumePhase(p, v, corev1.VolumeAvailable, "")
		return err
	}
	claim, err := ctrl.claimOf(p, v)
	if err != nil {
		return err
	}
	switch {
	case claim == nil:
		p.Logger().V(4).Info("Synchronizing PersistentVolume, claim not found", "PVC", claimRefKey(ref), "volumeName", v.Name)
		return ctrl.release(p, v, "Volume is released and reclaim policy will be executed")
	case claim.Spec.VolumeName == "":
		if volume.CheckVolumeModeMismatches(&claim.Spec, &v.Spec) {
			ctrl.recorder.Eventf(v, corev1.EventTypeWarning, volumeMismatch,
				"Cannot bind PersistentVolume to requested PersistentVolumeClaim %q due to incompatible volumeMode.", claim.Name)
			ctrl.recorder.Eventf(claim, corev1.EventTypeWarning, volumeMismatch,
				"Cannot bind PersistentVolume %q to requested PersistentVolumeClaim due to incompatible volumeMode.", v.Name)
			return nil
		}
		p.Logger().V(4).Info("Synchronizing PersistentVolume, volume not bound yet, waiting for syncClaim to fix it", "volumeName", v.Name)
		// In case the claim's own sync is far away.
		ctrl.claimQueue.Add(claimRefKey(ref))
		return nil
	case claim.Spec.VolumeName == v.Name:
		p.Logger().V(4).Info("Synchronizing PersistentVolume, all is bound", "volumeName", v.Name)
		_, err := ctrl.updateVolumePhase(p, v, corev1.VolumeBound, "")
		return err
	}
	// The claim has another volume.
	if _, made := v.Annotations[volume.AnnDynamicallyProvisioned]; made && v.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimDelete {
		return ctrl.release(p, v, "Dynamically provisioned volume is released and it will be deleted")
	}
	p.Logger().V(4).Info("Synchronizing PersistentVolume, volume is bound by controller to a claim that is bound to another volume, unbinding", "volumeName",
		v.Name)
	return ctrl.unbindVolume(p, v)
}

// claimOf is the claim that the volume names, nil when that one is gone. The
// caches may be behind, so before a volume is released the API server is asked.
func (ctrl *PersistentVolumeController) claimOf(p *sim.Proc, v *corev1.PersistentVolume) (*corev1.PersistentVolumeClaim, error) {
	ref := v.Spec.ClaimRef
	obj, found, err := ctrl.claims.GetByKey(claimRefKey(ref))
	if err != nil {
		return nil, err
	}
	var claim *corev1.PersistentVolumeClaim
	if found {
		claim = obj.(*corev1.PersistentVolumeClaim)
	}
	released := v.Status.Phase == corev1.VolumeReleased || v.Status.Phase == corev1.VolumeFailed
	if claim != nil && claim.UID == ref.UID || claim == nil && released {
		return claim, nil
	}
	live, err := ctrl.kubeClient.CoreV1().PersistentVolumeClaims(ref.Namespace).Get(p, ref.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	case live.UID != ref.UID:
		p.Logger().V(4).Info("Synchronizing PersistentVolume, claim has a newer UID than pv.ClaimRef, the old one must have been deleted", "PVC", claimRefKey(ref),
			"volumeName", v.Name)
		return nil, nil
	}
	return live, nil
}

func (ctrl *PersistentVolumeController) release(p *sim.Proc, v *corev1.PersistentVolume, message string) error {
	if v.Status.Phase != corev1.VolumeReleased && v.Status.Phase != corev1.VolumeFailed {
		p.Logger().V(2).Info(message, "volumeName", v.Name, "reclaimPolicy", v.Spec.PersistentVolumeReclaimPolicy)
		var err error
		if v, err = ctrl.updateVolumePhase(p, v, corev1.VolumeReleased, ""); err != nil {
			return err
		}
	}
	return ctrl.reclaimVolume(p, v)
}

// reclaimVolume does what the volume's policy says.
func (ctrl *PersistentVolumeController) reclaimVolume(p *sim.Proc, v *corev1.PersistentVolume) error {
	switch policy := v.Spec.PersistentVolumeReclaimPolicy; policy {
	case corev1.PersistentVolumeReclaimRetain:
		p.Logger().V(4).Info("ReclaimVolume: policy is Retain, nothing to do", "volumeName", v.Name)
		return nil
	case corev1.PersistentVolumeReclaimRecycle:
		p.Logger().V(4).Info("ReclaimVolume: policy is Recycle", "volumeName", v.Name)
		return ctrl.updateVolumePhaseWithEvent(p, v, volumeFailedRecycle, "No recycler plugin found for the volume!")
	case corev1.PersistentVolumeReclaimDelete:
		p.Logger().V(4).Info("ReclaimVolume: policy is Delete", "volumeName", v.Name)
		return ctrl.deleteVolumeOperation(p, v)
	}
	return ctrl.updateVolumePhaseWithEvent(p, v, "VolumeUnknownReclaimPolicy", "Volume has unrecognized PersistentVolumeReclaimPolicy")
}

// deleteVolumeOperation deletes what the controller itself could have made; what
// somebody else made, that one deletes.
func (ctrl *PersistentVolumeController) deleteVolumeOperation(p *sim.Proc, v *corev1.PersistentVolume) error {
	if v.DeletionTimestamp != nil {
		p.Logger().V(3).Info("Volume is already being deleted", "volumeName", v.Name)
		return nil
	}
	if maker, made := v.Annotations[volume.AnnDynamicallyProvisioned]; made && !strings.HasPrefix(maker, "kubernetes.io/") {
		p.Logger().V(3).Info("External deleter for volume requested, ignoring", "volumeName", v.Name)
		return nil
	}
	if v.Spec.CSI != nil {
		return nil // its driver's, too
	}
	problem := ""
	switch {
	case v.Spec.HostPath == nil:
		problem = fmt.Sprintf("error getting deleter volume plugin for volume %q: no deletable volume plugin matched", v.Name)
	case !strings.HasPrefix(path.Clean(v.Spec.HostPath.Path), "/tmp/"):
		problem = "host_path deleter only supports /tmp/.+ but received provided " + v.Spec.HostPath.Path
	}
	if problem != "" {
		p.Logger().V(3).Info("Deletion of volume failed", "volumeName", v.Name, "err", problem)
		return ctrl.updateVolumePhaseWithEvent(p, v, volumeFailedDelete, problem)
	}
	p.Logger().V(4).Info("deleteVolumeOperation: success", "volumeName", v.Name)
	err := ctrl.kubeClient.CoreV1().PersistentVolumes().Delete(p, v.Name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		// The next sync tries again.
		p.Logger().V(3).Info("Failed to delete volume from database", "volumeName", v.Name, "err", err)
	}
	return nil
}
