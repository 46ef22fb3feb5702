package client

import (
	"kubewalk/playground/api/storagev1"
)

// StorageV1Client are the resources of group storage.k8s.io.
// Upstream: k8s.io/client-go/kubernetes/typed/storage/v1
type StorageV1Client struct{ transport Transport }

// What the accessors return, under upstream's names.
type (
	CSIDriverInterface             = ResourceClient[*storagev1.CSIDriver, *storagev1.CSIDriverList]
	CSINodeInterface               = ResourceClient[*storagev1.CSINode, *storagev1.CSINodeList]
	CSIStorageCapacityInterface    = ResourceClient[*storagev1.CSIStorageCapacity, *storagev1.CSIStorageCapacityList]
	StorageClassInterface          = ResourceClient[*storagev1.StorageClass, *storagev1.StorageClassList]
	VolumeAttachmentInterface      = ResourceClient[*storagev1.VolumeAttachment, *storagev1.VolumeAttachmentList]
	VolumeAttributesClassInterface = ResourceClient[*storagev1.VolumeAttributesClass, *storagev1.VolumeAttributesClassList]
)

// CSIDrivers are the cluster's CSIDrivers.
func (c StorageV1Client) CSIDrivers() CSIDriverInterface {
	return newResource[*storagev1.CSIDriver, *storagev1.CSIDriverList](c.transport, storage, "csidrivers", "")
}

// CSINodes are the cluster's CSINodes.
func (c StorageV1Client) CSINodes() CSINodeInterface {
	return newResource[*storagev1.CSINode, *storagev1.CSINodeList](c.transport, storage, "csinodes", "")
}

// CSIStorageCapacities are the CSIStorageCapacities of a namespace.
func (c StorageV1Client) CSIStorageCapacities(namespace string) CSIStorageCapacityInterface {
	return newResource[*storagev1.CSIStorageCapacity, *storagev1.CSIStorageCapacityList](c.transport, storage, "csistoragecapacities", namespace)
}

// StorageClasses are the cluster's StorageClasses.
func (c StorageV1Client) StorageClasses() StorageClassInterface {
	return newResource[*storagev1.StorageClass, *storagev1.StorageClassList](c.transport, storage, "storageclasses", "")
}

// VolumeAttachments are the cluster's VolumeAttachments.
func (c StorageV1Client) VolumeAttachments() VolumeAttachmentInterface {
	return newResource[*storagev1.VolumeAttachment, *storagev1.VolumeAttachmentList](c.transport, storage, "volumeattachments", "")
}

// VolumeAttributesClasses are the cluster's VolumeAttributesClasses.
func (c StorageV1Client) VolumeAttributesClasses() VolumeAttributesClassInterface {
	return newResource[*storagev1.VolumeAttributesClass, *storagev1.VolumeAttributesClassList](c.transport, storage, "volumeattributesclasses", "")
}
