// Package attacher is the sidecar that has volumes attached to nodes: for a VolumeAttachment that names its driver it calls
// ControllerPublishVolume, and says in the object's status what came of it. For one that is deleted it calls ControllerUnpublishVolume;
// a finalizer keeps the object until that has been done.
//
// Simplified: one replica without leader election. Absent: ListVolumes, by which upstream compares objects and cloud from time to time,
// inline volumes, and migration from in-tree plugins.
//
// Upstream: kubernetes-csi/external-attacher v4.13, pkg/controller: controller.go, csi_handler.go, util.go.
package attacher

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/node/csi"
	"kubewalk/playground/operator/csi/program"
	"kubewalk/playground/sim"
)

const (
	// Name is the program's.
	Name = "csi-attacher"
	// nodeID is the annotation that keeps what the driver calls the node, for when the node's driver is gone.
	nodeID = "csi.alpha.kubernetes.io/node-id"
)

type attacher struct {
	driver      *program.Driver
	client      *client.Clientset
	finalizer   string
	volumes     listers.PersistentVolumeLister
	csiNodes    listers.CSINodeLister
	attachments listers.VolumeAttachmentLister

	vaQueue, pvQueue workqueue.TypedRateLimitingInterface[string]
}

// Start brings it up.
func Start(k *sim.Kernel, t client.Transport, sockets *csi.Sockets, c program.Container) *program.Program {
	return program.Start(k, Name, t, sockets, c, func(p *sim.Proc, g *program.Program) {
		driver := g.Connect(p, true)
		f := g.Informers()
		core, storage := f.Core().V1(), f.Storage().V1()
		a := &attacher{driver: driver, client: g.Client, finalizer: finalizerOf(driver.Name), volumes: core.PersistentVolumes().Lister(),
			csiNodes: storage.CSINodes().Lister(), attachments: storage.VolumeAttachments().Lister(), vaQueue: g.Queue("va"), pvQueue: g.Queue("pv")}
		program.Enqueue(storage.VolumeAttachments().Informer(), a.vaQueue)
		program.Enqueue(core.PersistentVolumes().Informer(), a.pvQueue)
		program.EnqueueDetached(storage.VolumeAttachments().Informer(), a.pvQueue)
		f.Start(p)
		f.WaitForCacheSync(p)
		p.Logger().Info("Starting CSI attacher")
		g.Work(a.vaQueue, "va", 2, a.syncVA)
		g.Work(a.pvQueue, "pv", 1, a.syncPV)
		p.Park()
	})
}

// finalizerOf is GetFinalizerName upstream.
func finalizerOf(driver string) string {
	return "external-attacher/" + strings.ReplaceAll(driver, ".", "-")
}

func (a *attacher) syncVA(p *sim.Proc, name string) error {
	va, err := a.attachments.Get(name)
	if err != nil || va.Spec.Attacher != a.driver.Name || va.Spec.Source.PersistentVolumeName == nil {
		return nil // gone, or another driver's
	}
	log := p.Logger().V(2).WithValues("VolumeAttachment", name)
	if va.DeletionTimestamp != nil {
		if !slices.Contains(va.Finalizers, a.finalizer) {
			return nil
		}
		log.Info("Detaching")
		if err := a.detach(p, va); err != nil {
			a.saveError(p, name, err, func(s *storagev1.VolumeAttachmentStatus, e *storagev1.VolumeError) { s.DetachError = e })
			return fmt.Errorf("failed to detach: %w", err)
		}
		return nil
	}
	if va.Status.Attached {
		return nil
	}
	log.Info("Attaching")
	va, metadata, err := a.attach(p, va)
	if err != nil {
		a.saveError(p, name, err, func(s *storagev1.VolumeAttachmentStatus, e *storagev1.VolumeError) { s.AttachError = e })
		return fmt.Errorf("failed to attach: %w", err)
	}
	log.Info("Attached")
	next := va.DeepCopy()
	next.Status.Attached, next.Status.AttachmentMetadata, next.Status.AttachError = true, metadata, nil
	if _, err := a.patch(p, va, next, "status"); err != nil {
		return fmt.Errorf("failed to mark as attached: %w", err)
	}
	return nil
}

// attach has the driver attach a volume. The finalizers are there before. Upstream: csiHandler.csiAttach.
func (a *attacher) attach(p *sim.Proc, va *storagev1.VolumeAttachment) (*storagev1.VolumeAttachment, map[string]string, error) {
	pv, err := a.volumes.Get(*va.Spec.Source.PersistentVolumeName)
	if err != nil {
		return va, nil, err
	}
	if pv.DeletionTimestamp != nil {
		return va, nil, fmt.Errorf("PersistentVolume %q is marked for deletion", pv.Name)
	}
	if !slices.Contains(pv.Finalizers, a.finalizer) {
		next := pv.DeepCopy()
		next.Finalizers = append(next.Finalizers, a.finalizer)
		if err := a.patchPV(p, pv, next); err != nil {
			return va, nil, fmt.Errorf("could not add PersistentVolume finalizer: %w", err)
		}
	}
	node, err := a.nodeID(va, false)
	if err != nil {
		return va, nil, err
	}
	if next := va.DeepCopy(); !slices.Contains(va.Finalizers, a.finalizer) || va.Annotations[nodeID] != node {
		if !slices.Contains(next.Finalizers, a.finalizer) {
			next.Finalizers = append(next.Finalizers, a.finalizer)
		}
		if next.Annotations == nil {
			next.Annotations = map[string]string{}
		}
		next.Annotations[nodeID] = node
		if va, err = a.patch(p, va, next); err != nil {
			return va, nil, fmt.Errorf("could not save VolumeAttachment: %w", err)
		}
	}
	out, err := a.driver.Call(p, csi.ControllerPublishVolume, &csi.Request{VolumeID: pv.Spec.CSI.VolumeHandle, NodeID: node})
	if err != nil {
		return va, nil, err
	}
	return va, out.PublishContext, nil
}

// detach takes a volume away, and then its finalizer: with that the object goes. Upstream: csiHandler.csiDetach, markAsDetached.
func (a *attacher) detach(p *sim.Proc, va *storagev1.VolumeAttachment) error {
	pv, err := a.volumes.Get(*va.Spec.Source.PersistentVolumeName)
	if err != nil {
		return err
	}
	node, err := a.nodeID(va, true)
	if err != nil {
		return err
	}
	if _, err := a.driver.Call(p, csi.ControllerUnpublishVolume, &csi.Request{VolumeID: pv.Spec.CSI.VolumeHandle, NodeID: node}); err != nil {
		return err
	}
	p.Logger().V(2).Info("Detached", "VolumeAttachment", va.Name)
	next := va.DeepCopy()
	next.Finalizers = slices.DeleteFunc(next.Finalizers, func(f string) bool { return f == a.finalizer })
	if va, err = a.patch(p, va, next); err != nil {
		return fmt.Errorf("could not mark as detached: %w", err)
	}
	next = va.DeepCopy()
	next.Status.Attached, next.Status.DetachError, next.Status.AttachmentMetadata = false, nil, nil
	if _, err := a.patch(p, va, next, "status"); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("could not mark as detached: %w", err)
	}
	return nil
}

// nodeID is what the driver calls a node. Whoever detaches may take it from the annotation, when the node has no driver any more.
func (a *attacher) nodeID(va *storagev1.VolumeAttachment, orAnnotation bool) (string, error) {
	node, err := a.csiNodes.Get(va.Spec.NodeName)
	if err == nil {
		for _, d := range node.Spec.Drivers {
			if d.Name == a.driver.Name {
				return d.NodeID, nil
			}
		}
		err = fmt.Errorf("CSINode %s does not contain driver %s", va.Spec.NodeName, a.driver.Name)
	}
	if id := va.Annotations[nodeID]; orAnnotation && id != "" {
		return id, nil
	}
	return "", err
}

// saveError says in the object what went wrong. Upstream: saveAttachError, saveDetachError.
func (a *attacher) saveError(p *sim.Proc, name string, problem error, set func(*storagev1.VolumeAttachmentStatus, *storagev1.VolumeError)) {
	va, err := a.attachments.Get(name)
	if err != nil {
		return
	}
	next := va.DeepCopy()
	e := &storagev1.VolumeError{Time: metav1.NewTime(p.Time()), Message: problem.Error()}
	if number := csi.CodeOf(problem).Number(); number != 0 {
		e.ErrorCode = &number
	}
	set(&next.Status, e)
	if _, err := a.patch(p, va, next, "status"); err != nil {
		p.Logger().V(2).Info("Failed to save attach error to VolumeAttachment", "err", err)
	}
}

func (a *attacher) patch(p *sim.Proc, before, now *storagev1.VolumeAttachment, sub ...string) (*storagev1.VolumeAttachment, error) {
	patch, err := program.MergePatch(before, now)
	if err != nil {
		return before, err
	}
	answer, err := a.client.StorageV1().VolumeAttachments().Patch(p, before.Name, types.MergePatchType, patch, metav1.PatchOptions{}, sub...)
	if err != nil {
		return before, err
	}
	return answer, nil
}

func (a *attacher) patchPV(p *sim.Proc, before, now *corev1.PersistentVolume) error {
	patch, err := program.MergePatch(before, now)
	if err != nil {
		return err
	}
	_, err = a.client.CoreV1().PersistentVolumes().Patch(p, before.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// syncPV lets a volume go that nothing is attached of. Upstream: SyncNewOrUpdatedPersistentVolume.
func (a *attacher) syncPV(p *sim.Proc, name string) error {
	pv, err := a.volumes.Get(name)
	if err != nil || pv.DeletionTimestamp == nil || !slices.Contains(pv.Finalizers, a.finalizer) {
		return nil
	}
	all, err := a.attachments.List(nil)
	if err != nil {
		return err
	}
	for _, va := range all {
		if source := va.Spec.Source.PersistentVolumeName; source != nil && *source == name {
			return nil // its deletion comes by here
		}
	}
	next := pv.DeepCopy()
	next.Finalizers = slices.DeleteFunc(next.Finalizers, func(f string) bool { return f == a.finalizer })
	if err := a.patchPV(p, pv, next); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}
