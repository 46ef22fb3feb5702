// Package snapshotv1 has the kinds of snapshots, snapshot.storage.k8s.io/v1, and a client of them. They are no part of Kubernetes: whoever
// installs snapshots applies their definitions.
//
// Absent: groups of snapshots, and secrets.
//
// Upstream: kubernetes-csi/external-snapshotter v8, client/apis/volumesnapshot/v1, and pkg/utils/util.go.
package snapshotv1

import (
	"encoding/json"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
)

// GroupVersion is that of the kinds.
var GroupVersion = api.GroupVersion{Group: "snapshot.storage.k8s.io", Version: "v1"}

// Finalizers and annotations. Upstream: pkg/utils/util.go.
const (
	ContentFinalizer  = "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection"
	BoundFinalizer    = "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection"
	AsSourceFinalizer = "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection"
	PVCFinalizer      = "snapshot.storage.kubernetes.io/pvc-as-source-protection"

	// AnnDefaultClass is "true" on the class of a driver's snapshots that name none.
	AnnDefaultClass = "snapshot.storage.kubernetes.io/is-default-class"
	// AnnBeingDeleted is on a content whose snapshot goes.
	AnnBeingDeleted = "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted"
	// AnnBeingCreated is on a content while the driver may be making its snapshot.
	AnnBeingCreated = "snapshot.storage.kubernetes.io/volumesnapshot-being-created"
)

// DeletionPolicy says what becomes of the snapshot in the storage system.
type DeletionPolicy string

// DeletionDelete has the snapshot go with its objects. The other policy, Retain, keeps it, and its content.
const DeletionDelete DeletionPolicy = "Delete"

// VolumeSnapshotClass says which driver makes snapshots.
type VolumeSnapshotClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Driver         string            `json:"driver"`
	Parameters     map[string]string `json:"parameters,omitempty"`
	DeletionPolicy DeletionPolicy    `json:"deletionPolicy"`
}

// VolumeSnapshot asks for a snapshot of a claim's volume, or for one that a content has already.
type VolumeSnapshot struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   VolumeSnapshotSpec    `json:"spec"`
	Status *VolumeSnapshotStatus `json:"status,omitempty"`
}

// VolumeSnapshotSpec is what is asked for.
type VolumeSnapshotSpec struct {
	Source                  VolumeSnapshotSource `json:"source"`
	VolumeSnapshotClassName *string              `json:"volumeSnapshotClassName,omitempty"`
}

// VolumeSnapshotSource is one of both.
type VolumeSnapshotSource struct {
	PersistentVolumeClaimName *string `json:"persistentVolumeClaimName,omitempty"`
	VolumeSnapshotContentName *string `json:"volumeSnapshotContentName,omitempty"`
}

// VolumeSnapshotStatus is what the content says, once there is one.
type VolumeSnapshotStatus struct {
	BoundVolumeSnapshotContentName *string              `json:"boundVolumeSnapshotContentName,omitempty"`
	CreationTime                   *metav1.Time         `json:"creationTime,omitempty"`
	ReadyToUse                     *bool                `json:"readyToUse,omitempty"`
	RestoreSize                    *resource.Quantity   `json:"restoreSize,omitempty"`
	Error                          *VolumeSnapshotError `json:"error,omitempty"`
}

// VolumeSnapshotError is what went wrong last.
type VolumeSnapshotError struct {
	Time    *metav1.Time `json:"time,omitempty"`
	Message *string      `json:"message,omitempty"`
}

// VolumeSnapshotContent is a snapshot in a storage system, as a PersistentVolume is a disk.
type VolumeSnapshotContent struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   VolumeSnapshotContentSpec    `json:"spec"`
	Status *VolumeSnapshotContentStatus `json:"status,omitempty"`
}

// VolumeSnapshotContentSpec says whose it is, and of what.
type VolumeSnapshotContentSpec struct {
	VolumeSnapshotRef       corev1.ObjectReference       `json:"volumeSnapshotRef"`
	DeletionPolicy          DeletionPolicy               `json:"deletionPolicy"`
	Driver                  string                       `json:"driver"`
	VolumeSnapshotClassName *string                      `json:"volumeSnapshotClassName,omitempty"`
	Source                  VolumeSnapshotContentSource  `json:"source"`
	SourceVolumeMode        *corev1.PersistentVolumeMode `json:"sourceVolumeMode,omitempty"`
}

// VolumeSnapshotContentSource is a volume of which one is to be made, or a snapshot that is there.
type VolumeSnapshotContentSource struct {
	VolumeHandle   *string `json:"volumeHandle,omitempty"`
	SnapshotHandle *string `json:"snapshotHandle,omitempty"`
}

// VolumeSnapshotContentStatus is what the driver has said. CreationTime is in nanoseconds.
type VolumeSnapshotContentStatus struct {
	SnapshotHandle *string              `json:"snapshotHandle,omitempty"`
	CreationTime   *int64               `json:"creationTime,omitempty"`
	RestoreSize    *int64               `json:"restoreSize,omitempty"`
	ReadyToUse     *bool                `json:"readyToUse,omitempty"`
	Error          *VolumeSnapshotError `json:"error,omitempty"`
}

// copyOf copies an object by way of its JSON.
func copyOf(from, to api.Object) api.Object {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		panic(err) // it came as JSON
	}
	return to
}

// DeepCopyObject implements api.Object.
func (c *VolumeSnapshotClass) DeepCopyObject() api.Object { return copyOf(c, &VolumeSnapshotClass{}) }

// DeepCopyObject implements api.Object.
func (s *VolumeSnapshot) DeepCopyObject() api.Object { return copyOf(s, &VolumeSnapshot{}) }

// DeepCopyObject implements api.Object.
func (c *VolumeSnapshotContent) DeepCopyObject() api.Object {
	return copyOf(c, &VolumeSnapshotContent{})
}

// Ready tells whether volumes can be made from a snapshot. Upstream: IsSnapshotReady.
func (s *VolumeSnapshot) Ready() bool {
	return s.Status != nil && s.Status.ReadyToUse != nil && *s.Status.ReadyToUse
}

// Bound is the name of its content; "" for none yet.
func (s *VolumeSnapshot) Bound() string {
	if s.Status == nil || s.Status.BoundVolumeSnapshotContentName == nil {
		return ""
	}
	return *s.Status.BoundVolumeSnapshotContentName
}

// Created tells whether it has been taken. Upstream: IsSnapshotCreated.
func (s *VolumeSnapshot) Created() bool { return s.Status != nil && s.Status.CreationTime != nil }

// Refers tells whether a content is this snapshot's. Upstream: IsVolumeSnapshotRefSet.
func (c *VolumeSnapshotContent) Refers(s *VolumeSnapshot) bool {
	ref := c.Spec.VolumeSnapshotRef
	return ref.Name == s.Name && ref.Namespace == s.Namespace && ref.UID == s.UID
}

// Ready tells whether the driver has said so. Upstream: contentIsReady.
func (c *VolumeSnapshotContent) Ready() bool {
	return c.Status != nil && c.Status.ReadyToUse != nil && *c.Status.ReadyToUse
}

// ContentName is that of a snapshot's content. Upstream: GetDynamicSnapshotContentNameForSnapshot.
func ContentName(s *VolumeSnapshot) string { return "snapcontent-" + string(s.UID) }

// Without is a list of finalizers that lacks one.
func Without(finalizers []string, f string) []string {
	return slices.DeleteFunc(slices.Clone(finalizers), func(o string) bool { return o == f })
}
