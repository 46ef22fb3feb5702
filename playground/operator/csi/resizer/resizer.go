// Package resizer is the sidecar that has volumes grow: for a claim that asks for more than its volume has it calls
// ControllerExpandVolume, and writes the new size into the PersistentVolume. The file system in it is the kubelet's to enlarge.
//
// Simplified: one replica without leader election; every failure is tried again, and none is given up for a smaller size.
//
// Upstream: kubernetes-csi/external-resizer v2, pkg/controller/controller.go and expand_and_recover.go.
package resizer

import (
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/node/csi"
	"kubewalk/playground/operator/csi/program"
	"kubewalk/playground/sim"
)

// Name is the program's.
const Name = "csi-resizer"

type resizer struct {
	driver   *program.Driver
	client   *client.Clientset
	recorder record.EventRecorder
	claims   listers.PersistentVolumeClaimLister
	volumes  listers.PersistentVolumeLister
}

// Start brings it up.
func Start(k *sim.Kernel, t client.Transport, sockets *csi.Sockets, c program.Container) *program.Program {
	return program.Start(k, Name, t, sockets, c, func(p *sim.Proc, g *program.Program) {
		driver := g.Connect(p, true)
		f := g.Informers()
		core := f.Core().V1()
		broadcaster := record.NewBroadcaster(g.Component())
		broadcaster.StartRecordingToSink(g.Client)
		r := &resizer{driver: driver, client: g.Client, recorder: broadcaster.NewRecorder(corev1.EventSource{Component: "external-resizer " + driver.Name}),
			claims: core.PersistentVolumeClaims().Lister(), volumes: core.PersistentVolumes().Lister()}
		queue := g.Queue("claims")
		program.Enqueue(core.PersistentVolumeClaims().Informer(), queue)
		f.Start(p)
		f.WaitForCacheSync(p)
		p.Logger().Info("Starting external resizer", "controller", driver.Name)
		g.Work(queue, "claims", 2, r.syncClaim)
		p.Park()
	})
}

func (r *resizer) syncClaim(p *sim.Proc, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil
	}
	claim, found := r.claims.PersistentVolumeClaims(namespace).Find(name)
	if !found || claim.Status.Phase != corev1.ClaimBound {
		return nil
	}
	pv, found := r.volumes.Find(claim.Spec.VolumeName)
	asked, has := claim.Spec.Resources.Requests[corev1.ResourceStorage], claim.Status.Capacity[corev1.ResourceStorage]
	if !found || pv.Spec.CSI == nil || pv.Spec.CSI.Driver != r.driver.Name || asked.Cmp(has) <= 0 {
		return nil
	}
	if size := pv.Spec.Capacity[corev1.ResourceStorage]; asked.Cmp(size) <= 0 {
		return nil // the kubelet has yet to do its part
	}
	return r.expand(p, claim, pv, asked)
}

// expand has the volume grow, and leaves the rest to the kubelet. Upstream: expandAndRecover, markControllerResizeInProgress.
func (r *resizer) expand(p *sim.Proc, claim *corev1.PersistentVolumeClaim, pv *corev1.PersistentVolume, asked resource.Quantity) error {
	claim, err := r.mark(p, claim, corev1.PersistentVolumeClaimControllerResizeInProgress,
		corev1.PersistentVolumeClaimCondition{Type: corev1.PersistentVolumeClaimResizing}, asked)
	if err != nil {
		return err
	}
	r.recorder.Event(claim, corev1.EventTypeNormal, "Resizing", "External resizer is resizing volume "+pv.Name)
	out, err := r.driver.Call(p, csi.ControllerExpandVolume, &csi.Request{VolumeID: pv.Spec.CSI.VolumeHandle, RequiredBytes: asked.Value()})
	if err != nil {
		r.recorder.Eventf(claim, corev1.EventTypeWarning, "VolumeResizeFailed", "resize volume %q by resizer %q failed: %v", pv.Name, r.driver.Name, err)
		return err
	}
	next := pv.DeepCopy()
	next.Spec.Capacity[corev1.ResourceStorage] = *resource.NewQuantity(out.CapacityBytes, resource.BinarySI)
	patch, err := program.MergePatch(pv, next)
	if err != nil {
		return err
	}
	if _, err := r.client.CoreV1().PersistentVolumes().Patch(p, pv.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	p.Logger().Info("Resize volume succeeded", "PV", pv.Name, "newSize", asked.String())
	if claim, err = r.mark(p, claim, corev1.PersistentVolumeClaimNodeResizePending, corev1.PersistentVolumeClaimCondition{
		Type:    corev1.PersistentVolumeClaimFileSystemResizePending,
		Message: "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
	}, asked); err != nil {
		return err
	}
	r.recorder.Event(claim, corev1.EventTypeNormal, "FileSystemResizeRequired", "Require file system resize of volume on node")
	return nil
}

// mark says in the claim's status how far it is.
func (r *resizer) mark(p *sim.Proc, claim *corev1.PersistentVolumeClaim, status corev1.ClaimResourceStatus,
	condition corev1.PersistentVolumeClaimCondition, size resource.Quantity) (*corev1.PersistentVolumeClaim, error) {
	next := claim.DeepCopy()
	condition.Status, condition.LastTransitionTime = corev1.ConditionTrue, metav1.NewTime(p.Time())
	next.Status.Conditions = []corev1.PersistentVolumeClaimCondition{condition}
	next.Status.AllocatedResources = corev1.ResourceList{corev1.ResourceStorage: size}
	next.Status.AllocatedResourceStatuses = map[corev1.ResourceName]corev1.ClaimResourceStatus{corev1.ResourceStorage: status}
	patch, err := program.MergePatch(claim, next)
	if err != nil {
		return nil, err
	}
	return r.client.CoreV1().PersistentVolumeClaims(claim.Namespace).Patch(p, claim.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
}
