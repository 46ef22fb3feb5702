package provisioner

import (
	"fmt"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/storagev1"
	snapshots "kubewalk/playground/operator/csi/snapshotv1"
	"kubewalk/playground/sim"
)

// source is the driver's name of the snapshot that a claim's volume is to be made of; "" for none.
// Upstream: prepareProvision, getVolumeContentSource.
func (pc *provisioner) source(p *sim.Proc, claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass) (string, error) {
	from := claim.Spec.DataSource
	switch {
	case from == nil:
		return "", nil
	case from.Kind != "VolumeSnapshot":
		return "", fmt.Errorf("data source (%s) is not handled by the provisioner", from.Kind)
	case from.APIGroup == nil || *from.APIGroup != snapshots.GroupVersion.Group:
		group := ""
		if from.APIGroup != nil {
			group = *from.APIGroup
		}
		return "", fmt.Errorf("the PVC source does not belong to the right APIGroup. Expected %s, Got %s", snapshots.GroupVersion.Group, group)
	}
	handle, err := pc.snapshotSource(p, claim, class, from.Name)
	if err != nil {
		return "", fmt.Errorf("error getting handle for DataSource Type %s by Name %s: %w", from.Kind, from.Name, err)
	}
	return handle, nil
}

// snapshotSource is a snapshot's handle, once it is ready, if the claim asks for enough. Upstream: getSnapshotSource.
func (pc *provisioner) snapshotSource(p *sim.Proc, claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, name string) (string, error) {
	s, content := &snapshots.VolumeSnapshot{}, &snapshots.VolumeSnapshotContent{}
	if err := pc.objects.Get(p, claim.Namespace, name, s); err != nil {
		return "", fmt.Errorf("error getting snapshot %s from api server: %w", name, err)
	}
	bound := s.Bound()
	switch {
	case s.DeletionTimestamp != nil:
		return "", fmt.Errorf("snapshot %s is being deleted", name)
	case bound == "":
		return "", fmt.Errorf("snapshot %s not bound", name)
	}
	if err := pc.objects.Get(p, "", bound, content); err != nil {
		return "", fmt.Errorf("error getting snapshotcontent %s for snapshot %s", bound, name)
	}
	asked := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	switch size := s.Status.RestoreSize; {
	case !content.Refers(s):
		return "", fmt.Errorf("snapshotcontent %s for snapshot %s is bound to a different snapshot", bound, name)
	case content.Spec.Driver != class.Provisioner:
		return "", fmt.Errorf("snapshotcontent %s for snapshot %s is not handled by CSI driver of StorageClass %s", bound, name, class.Name)
	case !s.Ready():
		return "", fmt.Errorf("snapshot %s is not Ready", name)
	case content.Status == nil || content.Status.SnapshotHandle == nil:
		return "", fmt.Errorf("snapshot handle %s is not available", name)
	case size != nil && asked.Cmp(*size) < 0:
		return "", fmt.Errorf("requested volume size %d is less than the size %d for the source snapshot %s", asked.Value(), size.Value(), name)
	}
	return *content.Status.SnapshotHandle, nil
}
