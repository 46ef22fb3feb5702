package persistentvolume

import (
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/volume"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// bind writes both pointers and both phases, as far as they are not there: the
// volume first, so that nobody else takes it. What fails is done by a later sync.
// Upstream: pv_controller.go, same name.
func (ctrl *PersistentVolumeController) bind(p *sim.Proc, v *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim) error {
	p.Logger().V(4).Info("Binding volume to claim", "PVC", controller.KObj(claim), "volumeName", v.Name)
	failed := func(what string, err error) error {
		p.Logger().V(3).Info("Error binding volume to claim: failed saving the "+what, "PVC", controller.KObj(claim), "volumeName", v.Name, "err", err)
		return err
	}
	bound, err := ctrl.bindVolumeToClaim(p, v, claim)
	if err != nil {
		return failed("volume", err)
	}
	if bound, err = ctrl.updateVolumePhase(p, bound, corev1.VolumeBound, ""); err != nil {
		return failed("volume status", err)
	}
	pointing, err := ctrl.bindClaimToVolume(p, claim, bound)
	if err != nil {
		return failed("claim", err)
	}
	if _, err = ctrl.updateClaimStatus(p, pointing, corev1.ClaimBound, bound); err != nil {
		return failed("claim status", err)
	}
	p.Logger().V(4).Info("Volume bound to claim", "PVC", controller.KObj(claim), "volumeName", v.Name)
	return nil
}

func (ctrl *PersistentVolumeController) bindVolumeToClaim(p *sim.Proc, v *corev1.PersistentVolume,
	claim *corev1.PersistentVolumeClaim) (*corev1.PersistentVolume, error) {
	bound, dirty := volume.GetBindVolumeToClaim(v, claim)
	if !dirty {
		p.Logger().V(4).Info("Updating PersistentVolume: already bound to claim", "PVC", controller.KObj(claim), "volumeName", v.Name)
		return v, nil
	}
	p.Logger().V(2).Info("Claim bound to volume", "PVC", controller.KObj(claim), "volumeName", v.Name)
	answer, err := ctrl.kubeClient.CoreV1().PersistentVolumes().Update(p, bound, metav1.UpdateOptions{})
	if err != nil {
		return nil, err
	}
	ctrl.store(ctrl.volumes, answer)
	return answer, nil
}

func (ctrl *PersistentVolumeController) bindClaimToVolume(p *sim.Proc, claim *corev1.PersistentVolumeClaim,
	v *corev1.PersistentVolume) (*corev1.PersistentVolumeClaim, error) {
	_, completed := claim.Annotations[volume.AnnBindCompleted]
	if claim.Spec.VolumeName == v.Name && completed {
		p.Logger().V(4).Info("Updating PersistentVolumeClaim: already bound to volume", "PVC", controller.KObj(claim), "volumeName", v.Name)
		return claim, nil
	}
	bound := claim.DeepCopy()
	if bound.Spec.VolumeName != v.Name {
		bound.Spec.VolumeName = v.Name
		volume.SetAnnotation(&bound.Annotations, volume.AnnBoundByController, "yes")
	}
	volume.SetAnnotation(&bound.Annotations, volume.AnnBindCompleted, "yes")
	p.Logger().V(2).Info("Volume bound to claim", "PVC", controller.KObj(claim), "volumeName", v.Name)
	answer, err := ctrl.kubeClient.CoreV1().PersistentVolumeClaims(claim.Namespace).Update(p, bound, metav1.UpdateOptions{})
	if err != nil {
		return nil, err
	}
	ctrl.store(ctrl.claims, answer)
	return answer, nil
}

// unbindVolume takes a pointer back to which there is no answer. One that a
// person wrote stays, without the UID that we added.
func (ctrl *PersistentVolumeController) unbindVolume(p *sim.Proc, v *corev1.PersistentVolume) error {
	free := v.DeepCopy()
	if _, ours := free.Annotations[volume.AnnBoundByController]; ours {
		free.Spec.ClaimRef = nil
		delete(free.Annotations, volume.AnnBoundByController)
	} else {
		free.Spec.ClaimRef.UID = ""
	}
	answer, err := ctrl.kubeClient.CoreV1().PersistentVolumes().Update(p, free, metav1.UpdateOptions{})
	if err != nil {
		p.Logger().V(4).Info("Updating PersistentVolume: rollback failed", "volumeName", v.Name, "err", err)
		return err
	}
	ctrl.store(ctrl.volumes, answer)
	p.Logger().V(4).Info("Updating PersistentVolume: rolled back", "volumeName", v.Name)
	_, err = ctrl.updateVolumePhase(p, answer, corev1.VolumeAvailable, "")
	return err
}

// updateClaimStatus writes the phase, and what the volume offers, if that is new.
func (ctrl *PersistentVolumeController) updateClaimStatus(p *sim.Proc, claim *corev1.PersistentVolumeClaim, phase corev1.PersistentVolumeClaimPhase,
	v *corev1.PersistentVolume) (*corev1.PersistentVolumeClaim, error) {
	next := claim.DeepCopy()
	next.Status.Phase = phase
	if v == nil {
		next.Status.AccessModes, next.Status.Capacity, next.Status.CurrentVolumeAttributesClassName = nil, nil, nil
	} else {
		next.Status.AccessModes = v.Spec.AccessModes
		if claim.Status.Phase != phase {
			if _, ok := v.Spec.Capacity[corev1.ResourceStorage]; !ok {
				return nil, fmt.Errorf("PersistentVolume %q is without a storage capacity", v.Name)
			}
			next.Status.Capacity = v.Spec.Capacity
			next.Status.CurrentVolumeAttributesClassName = v.Spec.VolumeAttributesClassName
		}
	}
	if api.SemanticDeepEqual(next.Status, claim.Status) {
		p.Logger().V(4).Info("Updating PersistentVolumeClaim status, phase already set", "PVC", controller.KObj(claim), "phase", phase)
		return claim, nil
	}
	answer, err := ctrl.kubeClient.CoreV1().PersistentVolumeClaims(claim.Namespace).UpdateStatus(p, next, metav1.UpdateOptions{})
	if err != nil {
		p.Logger().V(4).Info("Updating PersistentVolumeClaim status, set phase failed", "PVC", controller.KObj(claim), "phase", phase, "err", err)
		return nil, err
	}
	ctrl.store(ctrl.claims, answer)
	p.Logger().V(2).Info("Claim entered phase", "PVC", controller.KObj(claim), "phase", phase)
	return answer, nil
}

// updateClaimStatusWithEvent says it once: not when the phase is there already.
func (ctrl *PersistentVolumeController) updateClaimStatusWithEvent(p *sim.Proc, claim *corev1.PersistentVolumeClaim, phase corev1.PersistentVolumeClaimPhase,
	reason, message string) error {
	if claim.Status.Phase == phase {
		p.Logger().V(4).Info("Updating updateClaimStatusWithEvent, phase already set", "PVC", controller.KObj(claim), "phase", phase)
		return nil
	}
	answer, err := ctrl.updateClaimStatus(p, claim, phase, nil)
	if err != nil {
		return err
	}
	p.Logger().V(3).Info("Claim changed status", "PVC", controller.KObj(claim), "phase", phase, "message", message)
	ctrl.recorder.Event(answer, corev1.EventTypeWarning, reason, message)
	return nil
}

func (ctrl *PersistentVolumeController) updateVolumePhase(p *sim.Proc, v *corev1.PersistentVolume, phase corev1.PersistentVolumePhase,
	message string) (*corev1.PersistentVolume, error) {
	if v.Status.Phase == phase {
		p.Logger().V(4).Info("Updating PersistentVolume: phase already set", "volumeName", v.Name, "phase", phase)
		return v, nil
	}
	next := v.DeepCopy()
	next.Status.Phase, next.Status.Message = phase, message
	answer, err := ctrl.kubeClient.CoreV1().PersistentVolumes().UpdateStatus(p, next, metav1.UpdateOptions{})
	if err != nil {
		p.Logger().V(4).Info("Updating PersistentVolume: set phase failed", "volumeName", v.Name, "phase", phase, "err", err)
		return nil, err
	}
	ctrl.store(ctrl.volumes, answer)
	p.Logger().V(2).Info("Volume entered phase", "volumeName", v.Name, "phase", phase)
	return answer, nil
}

// updateVolumePhaseWithEvent gives a volume up, and says so once.
func (ctrl *PersistentVolumeController) updateVolumePhaseWithEvent(p *sim.Proc, v *corev1.PersistentVolume, reason, message string) error {
	if v.Status.Phase == corev1.VolumeFailed {
		return nil
	}
	answer, err := ctrl.updateVolumePhase(p, v, corev1.VolumeFailed, message)
	if err != nil {
		return err
	}
	p.Logger().V(3).Info("Volume changed status", "volumeName", v.Name, "changedPhase", corev1.VolumeFailed, "message", message)
	ctrl.recorder.Event(answer, corev1.EventTypeWarning, reason, message)
	return nil
}
