package defaults

import (
	"maps"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
)

func setDeployment(d *appsv1.Deployment) {
	orElse(&d.Spec.Replicas, 1)
	if d.Spec.Strategy.Type == "" {
		d.Spec.Strategy.Type = appsv1.RollingUpdateDeploymentStrategyType
	}
	if d.Spec.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType {
		orElse(&d.Spec.Strategy.RollingUpdate, appsv1.RollingUpdateDeployment{})
		orElse(&d.Spec.Strategy.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
		orElse(&d.Spec.Strategy.RollingUpdate.MaxSurge, intstr.FromString("25%"))
	}
	orElse(&d.Spec.RevisionHistoryLimit, 10)
	orElse(&d.Spec.ProgressDeadlineSeconds, 600)
	setPodSpec(&d.Spec.Template.Spec)
}

// setDaemonSet: one node after another. Upstream: SetDefaults_DaemonSet.
func setDaemonSet(ds *appsv1.DaemonSet) {
	s := &ds.Spec.UpdateStrategy
	if s.Type == "" {
		s.Type = appsv1.RollingUpdateDaemonSetStrategyType
	}
	if s.Type == appsv1.RollingUpdateDaemonSetStrategyType {
		orElse(&s.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
		orElse(&s.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
		orElse(&s.RollingUpdate.MaxSurge, intstr.FromInt32(0))
	}
	orElse(&ds.Spec.RevisionHistoryLimit, 10)
	setPodSpec(&ds.Spec.Template.Spec)
}

// setStatefulSet: in order, and claims outlive Pods. Upstream:
// SetDefaults_StatefulSet, with the gate MaxUnavailableStatefulSet off.
func setStatefulSet(set *appsv1.StatefulSet) {
	spec := &set.Spec
	if spec.PodManagementPolicy == "" {
		spec.PodManagementPolicy = appsv1.OrderedReadyPodManagement
	}
	s := &spec.UpdateStrategy
	if s.Type == "" {
		s.Type = appsv1.RollingUpdateStatefulSetStrategyType
	}
	if s.Type == appsv1.RollingUpdateStatefulSetStrategyType {
		orElse(&s.RollingUpdate, appsv1.RollingUpdateStatefulSetStrategy{})
		orElse(&s.RollingUpdate.Partition, 0)
	}
	orElse(&spec.PersistentVolumeClaimRetentionPolicy, appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{})
	for _, when := range []*appsv1.PersistentVolumeClaimRetentionPolicyType{
		&spec.PersistentVolumeClaimRetentionPolicy.WhenDeleted, &spec.PersistentVolumeClaimRetentionPolicy.WhenScaled} {
		if *when == "" {
			*when = appsv1.RetainPersistentVolumeClaimRetentionPolicyType
		}
	}
	orElse(&spec.Replicas, 1)
	orElse(&spec.RevisionHistoryLimit, 10)
	setPodSpec(&spec.Template.Spec)
	for i := range spec.VolumeClaimTemplates {
		claim := &spec.VolumeClaimTemplates[i]
		claim.APIVersion, claim.Kind = "v1", "PersistentVolumeClaim"
		if claim.Status.Phase == "" {
			claim.Status.Phase = corev1.ClaimPending
		}
		orElse(&claim.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	}
}

// setReplicationController takes labels and selector from the template. Upstream: SetDefaults_ReplicationController.
func setReplicationController(rc *corev1.ReplicationController) {
	orElse(&rc.Spec.Replicas, 1)
	if t := rc.Spec.Template; t != nil {
		if len(t.Labels) > 0 {
			if len(rc.Spec.Selector) == 0 {
				rc.Spec.Selector = maps.Clone(t.Labels)
			}
			if len(rc.Labels) == 0 {
				rc.Labels = maps.Clone(t.Labels)
			}
		}
		setPodSpec(&t.Spec)
	}
}
