// Package provisioner is the sidecar that makes volumes: for a claim that asks for its driver it calls CreateVolume, and writes what comes
// of it as a PersistentVolume.
//
// A volume's name is made of the claim's UID. Whatever happens in between, the next call has the same name, and a driver answers it with
// the volume that it has made already: so nothing is made twice.
//
// Simplified: one replica without leader election, no topology, and what a failed call leaves behind in the driver is not cleaned up when
// the claim is deleted meanwhile. Absent: clones as a source, capacity tracking, quotas of the queue.
//
// Upstream: kubernetes-csi/external-provisioner v6, pkg/controller/controller.go, on sigs.k8s.io/sig-storage-lib-external-provisioner
// v11, controller/controller.go.
package provisioner

import (
	"errors"
	"fmt"
	"slices"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/api/volume"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/node/csi"
	"kubewalk/playground/operator/csi/program"
	snapshots "kubewalk/playground/operator/csi/snapshotv1"
	"kubewalk/playground/sim"
)

const (
	// Name is the program's.
	Name = "csi-provisioner"
	// finalizer keeps a volume's object until the disk behind it is gone.
	finalizer = "external-provisioner.volume.kubernetes.io/finalizer"
)

type provisioner struct {
	driver   *program.Driver
	client   *client.Clientset
	objects  snapshots.Client
	recorder record.EventRecorder

	claims      listers.PersistentVolumeClaimLister
	volumes     listers.PersistentVolumeLister
	classes     listers.StorageClassLister
	attachments listers.VolumeAttachmentLister

	claimQueue, volumeQueue workqueue.TypedRateLimitingInterface[string]

	// unsaved are volumes whose disk is made and which the API server did not take, by name; saveQueue has their names.
	unsaved   map[string]*corev1.PersistentVolume
	saveQueue workqueue.TypedRateLimitingInterface[string]
}

// Start brings it up.
func Start(k *sim.Kernel, t client.Transport, sockets *csi.Sockets, c program.Container) *program.Program {
	return program.Start(k, Name, t, sockets, c, func(p *sim.Proc, g *program.Program) {
		driver := g.Connect(p, true)
		f := g.Informers()
		core, storage := f.Core().V1(), f.Storage().V1()
		broadcaster := record.NewBroadcaster(g.Component())
		broadcaster.StartRecordingToSink(g.Client)
		pc := &provisioner{driver: driver, client: g.Client, objects: snapshots.Client{Transport: t},
			recorder: broadcaster.NewRecorder(corev1.EventSource{Component: driver.Name + "_" + Name}),
			claims:   core.PersistentVolumeClaims().Lister(), volumes: core.PersistentVolumes().Lister(), classes: storage.StorageClasses().Lister(),
			attachments: storage.VolumeAttachments().Lister(), claimQueue: g.Queue("claims"), volumeQueue: g.Queue("volumes"),
			unsaved: map[string]*corev1.PersistentVolume{}, saveQueue: g.Queue("unsavedpvs")}
		program.Enqueue(core.PersistentVolumeClaims().Informer(), pc.claimQueue)
		program.Enqueue(core.PersistentVolumes().Informer(), pc.volumeQueue)
		program.EnqueueDetached(storage.VolumeAttachments().Informer(), pc.volumeQueue)
		f.Start(p)
		f.WaitForCacheSync(p)
		p.Logger().Info("Started provisioner controller", "component", driver.Name)
		g.Work(pc.claimQueue, "claims", 2, pc.syncClaim)
		g.Work(pc.volumeQueue, "volumes", 2, pc.syncVolume)
		g.Work(pc.saveQueue, "unsavedpvs", 1, pc.saveVolume)
		p.Park()
	})
}

// shouldProvision tells whether a claim waits for this driver.
// Upstream: ProvisionController.shouldProvision.
func (pc *provisioner) shouldProvision(claim *corev1.PersistentVolumeClaim) (*storagev1.StorageClass, error) {
	if claim.Spec.VolumeName != "" || claim.DeletionTimestamp != nil || claim.Annotations[volume.AnnStorageProvisioner] != pc.driver.Name {
		return nil, nil
	}
	class, err := pc.classes.Get(volume.GetPersistentVolumeClaimClass(claim))
	if err != nil {
		return nil, err
	}
	if delayed, err := volume.IsDelayBindingMode(class); err != nil || delayed && claim.Annotations[volume.AnnSelectedNode] == "" {
		return nil, err // the scheduler has not chosen yet, or is to choose again
	}
	return class, nil
}

func (pc *provisioner) syncClaim(p *sim.Proc, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil
	}
	claim, err := pc.claims.PersistentVolumeClaims(namespace).Get(name)
	if err != nil {
		return ignoreNotFound(err)
	}
	class, err := pc.shouldProvision(claim)
	if class == nil {
		return err
	}
	pvName := "pvc-" + string(claim.UID)
	if _, exists := pc.volumes.Find(pvName); exists {
		p.Logger().V(4).Info("PersistentVolume already exists, skipping", "PV", pvName)
		return nil
	}
	return pc.provision(p, key, pvName, claim, class)
}

// provision has the driver make a volume. Upstream: provisionClaimOperation, and csiProvisioner.Provision.
func (pc *provisioner) provision(p *sim.Proc, key, pvName string, claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass) error {
	pc.recorder.Eventf(claim, corev1.EventTypeNormal, "Provisioning", "External provisioner is provisioning volume for claim %q", key)
	asked := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	snapshot, err := pc.source(p, claim, class)
	var out *csi.Response
	if err == nil {
		// region create
		out, err = pc.driver.Call(p, csi.CreateVolume, &csi.Request{Name: pvName, RequiredBytes: asked.Value(), SnapshotID: snapshot})
		// endregion
	}
	if err != nil {
		err = fmt.Errorf("failed to provision volume with StorageClass %q: %w", class.Name, err)
		pc.recorder.Event(claim, corev1.EventTypeWarning, "ProvisioningFailed", err.Error())
		if csi.CodeOf(err) == csi.ResourceExhausted && claim.Annotations[volume.AnnSelectedNode] != "" {
			return pc.reschedule(p, claim, err)
		}
		return err
	}
	pc.unsaved[pvName] = pc.newVolume(pvName, claim, class, out)
	if err := pc.saveVolume(p, pvName); err != nil {
		p.Logger().Error(err, "Failed to save volume", "volume", pvName)
		pc.saveQueue.AddRateLimited(pvName) // not the claim: nobody may want it any more, and the disk is there
	}
	return nil
}

// saveVolume writes a volume whose disk is made. Upstream: sig-storage-lib-external-provisioner, controller/volume_store.go, queueStore.doSaveVolume.
func (pc *provisioner) saveVolume(p *sim.Proc, name string) error {
	pv := pc.unsaved[name]
	if pv == nil {
		return nil
	}
	if _, err := pc.client.CoreV1().PersistentVolumes().Create(p, pv.DeepCopy(), metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("error saving volume %s: %w", name, err)
	}
	delete(pc.unsaved, name)
	claim, err := pc.claims.PersistentVolumeClaims(pv.Spec.ClaimRef.Namespace).Get(pv.Spec.ClaimRef.Name)
	p.Logger().Info("Volume is provisioned", "PV", name, "PVC", pv.Spec.ClaimRef.Namespace+"/"+pv.Spec.ClaimRef.Name)
	if err == nil && claim.UID == pv.Spec.ClaimRef.UID {
		pc.recorder.Eventf(claim, corev1.EventTypeNormal, "ProvisioningSucceeded", "Successfully provisioned volume %s", name)
	}
	return nil
}

// reschedule takes the scheduler's choice back. Upstream: rescheduleProvisioning.
func (pc *provisioner) reschedule(p *sim.Proc, claim *corev1.PersistentVolumeClaim, problem error) error {
	next := claim.DeepCopy()
	delete(next.Annotations, volume.AnnSelectedNode)
	if _, err := pc.client.CoreV1().PersistentVolumeClaims(claim.Namespace).Update(p, next, metav1.UpdateOptions{}); err != nil {
		return errors.Join(problem, err)
	}
	p.Logger().V(2).Info("Volume rescheduled because", "err", problem)
	return nil
}

func (pc *provisioner) newVolume(name string, claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, out *csi.Response) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{}
	v.Name = name
	v.Annotations = map[string]string{volume.AnnDynamicallyProvisioned: pc.driver.Name,
		"volume.kubernetes.io/provisioner-deletion-secret-name": "", "volume.kubernetes.io/provisioner-deletion-secret-namespace": ""}
	v.Finalizers = []string{finalizer}
	v.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: *resource.NewQuantity(out.CapacityBytes, resource.BinarySI)}
	v.Spec.AccessModes, v.Spec.VolumeMode = claim.Spec.AccessModes, claim.Spec.VolumeMode
	v.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: pc.driver.Name, VolumeHandle: out.VolumeID, FSType: "ext4"}
	v.Spec.ClaimRef = volume.ClaimReference(claim)
	v.Spec.StorageClassName, v.Spec.MountOptions = class.Name, class.MountOptions
	if class.ReclaimPolicy != nil {
		v.Spec.PersistentVolumeReclaimPolicy = *class.ReclaimPolicy
	}
	return v
}

// syncVolume deletes a volume that nobody wants any more: the disk first, then the object.
// Upstream: shouldDelete, deleteVolumeOperation, and csiProvisioner.Delete.
func (pc *provisioner) syncVolume(p *sim.Proc, name string) error {
	v, err := pc.volumes.Get(name)
	if err != nil {
		return ignoreNotFound(err)
	}
	if v.Annotations[volume.AnnDynamicallyProvisioned] != pc.driver.Name || v.Status.Phase != corev1.VolumeReleased ||
		v.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete || !slices.Contains(v.Finalizers, finalizer) {
		return nil
	}
	attachments, err := pc.attachments.List(nil)
	if err != nil {
		return err
	}
	for _, a := range attachments {
		if a.Spec.Source.PersistentVolumeName != nil && *a.Spec.Source.PersistentVolumeName == name {
			return fmt.Errorf("persistentvolume %s is still attached to node %s", name, a.Spec.NodeName)
		}
	}
	if _, err := pc.driver.Call(p, csi.DeleteVolume, &csi.Request{VolumeID: v.Spec.CSI.VolumeHandle}); err != nil {
		pc.recorder.Event(v, corev1.EventTypeWarning, "VolumeFailedDelete", err.Error())
		return err
	}
	p.Logger().Info("Volume deleted", "PV", name)
	if err := pc.client.CoreV1().PersistentVolumes().Delete(p, name, metav1.DeleteOptions{}); err != nil {
		return ignoreNotFound(err)
	}
	newest, err := pc.client.CoreV1().PersistentVolumes().Get(p, name, metav1.GetOptions{})
	if err != nil {
		return ignoreNotFound(err)
	}
	next := newest.DeepCopy()
	next.Finalizers = slices.DeleteFunc(next.Finalizers, func(f string) bool { return f == finalizer })
	patch, err := program.MergePatch(newest, next)
	if err != nil {
		return err
	}
	_, err = pc.client.CoreV1().PersistentVolumes().Patch(p, name, types.MergePatchType, patch, metav1.PatchOptions{})
	return ignoreNotFound(err)
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
