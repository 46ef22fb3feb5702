// Package persistentvolume is the persistent-volume-binder: it brings claims and
// volumes together, keeps them together, and decides what becomes of a volume
// whose claim is gone.
//
// A binding is a pointer in both directions: the volume names the claim
// (spec.claimRef), the claim names the volume (spec.volumeName). Four requests
// write it, each of which may fail; whatever part of it is there when an object
// is synced, the rest is added or the part is taken back. That a claim is bound
// is only said when both pointers are there.
//
// Guarantees: a volume is bound to one claim; a claim that was bound and lost
// its volume is never bound to another (its data would seem to be gone).
//
// Simplified: each object is synced by one worker for its kind, as upstream; what
// upstream runs beside them (provisioning, deleting) runs within the sync, since
// it is a request or two here. Claims that wait for a Pod are bound by the
// scheduler. Absent: plugins of the controller itself but for host paths below
// /tmp, recycling, growing volumes, migration to CSI. Volumes are made by
// package provisioner.
//
// Upstream: pkg/controller/volume/persistentvolume.
package persistentvolume

// Name is the controller's component, the user agent of its requests, and the
// source of its events. Upstream: cmd/kube-controller-manager/app/core.go, newPersistentVolumeBinderController.
const Name = "persistent-volume-binder"

const (
	volumeQueueName = "volumes"
	claimQueueName  = "claims"
)
