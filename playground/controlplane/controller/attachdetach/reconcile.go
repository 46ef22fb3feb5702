package attachdetach

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// reconcile detaches what nobody wants, then attaches what somebody does, and says when to look again.
// Upstream: reconciler.reconcile.
func (adc *Controller) reconcile(p *sim.Proc) (next time.Duration) {
	next = p.Now() + syncPeriod
	later := func(at time.Duration) { next = min(next, at) }
	order, wishes := adc.desired()
	for _, at := range adc.places() {
		if wishes[at] == nil {
			adc.detachUnwanted(p, at, adc.actual[at], later)
		}
	}
	for _, at := range order {
		adc.attachWanted(p, at, wishes[at], wishes, later)
	}
	for _, node := range slices.Sorted(maps.Keys(adc.unwritten)) { // upstream: nodeStatusUpdater.UpdateNodeStatuses
		delete(adc.unwritten, node)
		if err := adc.updateNodeStatus(p, node); err != nil {
			adc.unwritten[node] = true
			p.Logger().Info("UpdateNodeStatuses failed", "err", err)
			later(p.Now() + initialDurationBeforeRetry)
		}
	}
	return next
}

// ready tells whether a volume can be attached or detached now: nothing is under way, and the last failure is some time ago.
func (adc *Controller) ready(p *sim.Proc, name corev1.UniqueVolumeName, later func(time.Duration)) bool {
	op := adc.operations[name]
	switch {
	case op == nil:
		return true
	case op.running:
		return false
	case p.Now() < op.retry:
		later(op.retry)
		return false
	}
	return true
}

func (adc *Controller) nodeOf(name string) (isHealthy, outOfService bool) {
	node, ok := adc.nodes.Find(name)
	if !ok {
		return false, false
	}
	for _, c := range node.Status.Conditions {
		isHealthy = isHealthy || c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	}
	for _, t := range node.Spec.Taints {
		outOfService = outOfService || t.Key == corev1.TaintNodeOutOfService
	}
	return isHealthy, outOfService
}

// region force
func (adc *Controller) detachUnwanted(p *sim.Proc, at place, a *attachment, later func(time.Duration)) {
	if !adc.ready(p, at.volume, later) {
		return
	}
	if a.detachRequestedAt == 0 {
		a.detachRequestedAt = p.Now()
	}
	timeout := p.Now() > a.detachRequestedAt+MaxWaitForUnmountDuration
	isHealthy, outOfService := adc.nodeOf(at.node)
	forceDetach := !isHealthy && timeout
	log := p.Logger().WithValues("node", at.node, "volumeName", string(at.volume))
	if a.mountedByNode && !forceDetach && !outOfService {
		log.V(5).Info("Cannot detach volume because it is still mounted")
		if !timeout {
			later(a.detachRequestedAt + MaxWaitForUnmountDuration + time.Millisecond)
		}
		return
	}
	// endregion
	wasReported := a.reported
	a.reported = false
	if err := adc.updateNodeStatus(p, at.node); err != nil {
		log.Error(err, "UpdateNodeStatusForNode failed while attempting to report volume as attached")
		a.reported = wasReported
		later(p.Now() + initialDurationBeforeRetry)
		return
	}
	switch {
	case timeout && !isHealthy:
		log.Info("attacherDetacher.DetachVolume started: this volume is not safe to detach, but maxWaitForUnmountDuration expired, force detaching",
			"duration", MaxWaitForUnmountDuration)
	case outOfService:
		log.Info("attacherDetacher.DetachVolume started: node has out-of-service taint, force detaching")
	default:
		log.Info("attacherDetacher.DetachVolume started")
	}
	adc.start(at.volume, "detach", func(p *sim.Proc) (err error) {
		if !timeout && !outOfService {
			err = adc.verifySafeToDetach(p, at)
		}
		if err == nil {
			err = adc.detach(p, at, a)
		}
		if err != nil {
			a.attached = false // uncertain: the attacher may still be at it. Who wants the volume has it attached anew
			p.Logger().Error(err, "DetachVolume.Detach failed", "node", at.node, "volumeName", string(at.volume))
			return err
		}
		if adc.actual[at] == a {
			delete(adc.actual, at)
		}
		p.Logger().Info("DetachVolume.Detach succeeded for volume "+a.pv.Name, "node", at.node, "volumeName", string(at.volume))
		return nil
	})
}

func (adc *Controller) attachWanted(p *sim.Proc, at place, w *wish, wishes map[place]*wish, later func(time.Duration)) {
	if a := adc.actual[at]; a != nil && a.attached {
		a.detachRequestedAt = 0
		return
	}
	if !isMultiAttachAllowed(w.pv) {
		var others []string
		for _, o := range adc.places() {
			if o.volume == at.volume && o.node != at.node {
				others = append(others, o.node)
			}
		}
		if len(others) > 0 {
			adc.reportMultiAttachError(p, at, w, others, wishes)
			return
		}
	}
	if !adc.ready(p, at.volume, later) {
		return
	}
	var pods []string
	for _, pod := range w.pods {
		pods = append(pods, controller.KObj(pod))
	}
	p.Logger().Info("attacherDetacher.AttachVolume started", "volumeName", string(at.volume), "nodeName", at.node, "scheduledPods", strings.Join(pods, " "))
	adc.start(at.volume, "attach", func(p *sim.Proc) error {
		if err := adc.attach(p, at.node, w.pv); err != nil {
			if adc.actual[at] == nil { // uncertain
				adc.actual[at] = &attachment{pv: w.pv, mountedByNode: false}
			}
			err = fmt.Errorf("AttachVolume.Attach failed for volume %q : %w", w.pv.Name, err)
			for _, pod := range w.pods {
				adc.recorder.Event(pod, corev1.EventTypeWarning, "FailedAttachVolume", err.Error())
			}
			return err
		}
		delete(adc.told, at)
		adc.actual[at] = &attachment{pv: w.pv, attached: true, mountedByNode: true, reported: true}
		for _, pod := range w.pods {
			adc.recorder.Eventf(pod, corev1.EventTypeNormal, "SuccessfulAttachVolume", "AttachVolume.Attach succeeded for volume %q ", w.pv.Name)
		}
		p.Logger().Info("AttachVolume.Attach succeeded for volume "+w.pv.Name, "volumeName", string(at.volume), "node", at.node)
		adc.unwritten[at.node] = true // by the loop: of two that write at once, the one that knows less may come last
		return nil
	})
}

// reportMultiAttachError says once who has the volume. Upstream: reconciler.reportMultiAttachError.
func (adc *Controller) reportMultiAttachError(p *sim.Proc, at place, w *wish, others []string, wishes map[place]*wish) {
	if adc.told[at] {
		return
	}
	adc.told[at] = true
	var pods []string
	for _, node := range others {
		if o := wishes[place{at.volume, node}]; o != nil {
			for _, pod := range o.pods {
				pods = append(pods, pod.Name)
			}
		}
	}
	detail := "Volume is already exclusively attached to one node and can't be attached to another"
	if len(pods) > 0 {
		detail = "Volume is already used by pod(s) " + strings.Join(pods, ", ")
	}
	for _, pod := range w.pods {
		adc.recorder.Eventf(pod, corev1.EventTypeWarning, "FailedAttachVolume", "Multi-Attach error for volume %q %s", w.pv.Name, detail)
	}
	p.Logger().Info("Multi-Attach error: volume is already exclusively attached and can't be attached to another node",
		"attachedTo", strings.Join(others, " "), "volume", string(at.volume))
}

// start makes an attempt in a process of its own.
func (adc *Controller) start(name corev1.UniqueVolumeName, what string, do func(p *sim.Proc) error) {
	op := adc.operations[name]
	if op == nil {
		op = &operation{}
		adc.operations[name] = op
	}
	op.running = true
	adc.component.Go(what+" "+string(name), func(p *sim.Proc) {
		err := do(p)
		op.running = false
		if err == nil {
			delete(adc.operations, name)
		} else {
			op.wait = min(max(2*op.wait, initialDurationBeforeRetry), maxDurationBeforeRetry)
			op.retry = p.Now() + op.wait
			p.Logger().Error(err, "Operation failed. No retries permitted before its time", "volumeName", string(name), "durationBeforeRetry", op.wait)
		}
		adc.wake()
	})
}

// attachmentName is that of the VolumeAttachment of a volume on a node. Upstream: csi_attacher.go, getAttachmentName.
func attachmentName(pv *corev1.PersistentVolume, node string) string {
	return fmt.Sprintf("csi-%x", sha256.Sum256([]byte(pv.Spec.CSI.VolumeHandle+pv.Spec.CSI.Driver+node)))
}

// attach writes a VolumeAttachment, and waits for what its attacher says. Upstream: csiAttacher.Attach.
func (adc *Controller) attach(p *sim.Proc, node string, pv *corev1.PersistentVolume) error {
	name := attachmentName(pv, node)
	// region attachment
	if _, ok := adc.attachments.Find(name); !ok {
		va := &storagev1.VolumeAttachment{}
		va.Name = name
		va.Spec.NodeName, va.Spec.Attacher = node, pv.Spec.CSI.Driver
		va.Spec.Source.PersistentVolumeName = &pv.Name
		_, err := adc.client.StorageV1().VolumeAttachments().Create(p, va, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("attacher.Attach failed: %w", err)
		}
	}
	return adc.waitFor(p, name, "attach", pv, func(va *storagev1.VolumeAttachment) (bool, error) {
		switch {
		case va == nil:
			return false, nil // not in the cache yet
		case va.DeletionTimestamp != nil:
			return false, errors.New("volume attachment is being deleted")
		case va.Status.Attached:
			return true, nil
		case va.Status.AttachError != nil:
			return false, errors.New(va.Status.AttachError.Message)
		}
		return false, nil
	})
	// endregion
}

// verifySafeToDetach asks the API server whether the node has the volume mounted: the cache may be behind.
// Upstream: operation_generator.go, verifyVolumeIsSafeToDetach.
func (adc *Controller) verifySafeToDetach(p *sim.Proc, at place) error {
	node, err := adc.client.CoreV1().Nodes().Get(p, at.node, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("DetachVolume failed fetching node from API server: %w", err)
	case slices.Contains(node.Status.VolumesInUse, at.volume):
		return errors.New("volume is still in use by node, according to Node status")
	}
	p.Logger().Info("Verified volume is safe to detach", "node", at.node, "volumeName", string(at.volume))
	return nil
}

// detach deletes it, and waits until it is gone. Upstream: csiAttacher.Detach.
func (adc *Controller) detach(p *sim.Proc, at place, a *attachment) error {
	name := attachmentName(a.pv, at.node)
	if err := adc.client.StorageV1().VolumeAttachments().Delete(p, name, metav1.DeleteOptions{}); err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("detacher.Detach failed to delete VolumeAttachment [%s]: %w", name, err)
	}
	return adc.waitFor(p, name, "detach", a.pv, func(va *storagev1.VolumeAttachment) (bool, error) {
		switch {
		case va == nil:
			return true, nil
		case va.Status.DetachError != nil:
			return false, errors.New(va.Status.DetachError.Message)
		}
		return false, nil
	})
}

// waitFor looks at a VolumeAttachment again and again. Upstream: waitForVolumeAttachDetachStatusWithLister.
func (adc *Controller) waitFor(p *sim.Proc, name, what string, pv *corev1.PersistentVolume, verify func(*storagev1.VolumeAttachment) (bool, error)) error {
	deadline := p.Now() + csiTimeout
	for wait := 500 * time.Millisecond; ; wait += wait / 20 {
		va, _ := adc.attachments.Find(name)
		if done, err := verify(va); done || err != nil {
			return err
		}
		if p.Now() >= deadline {
			return fmt.Errorf("timed out waiting for external-attacher of %s CSI driver to %s volume %s", pv.Spec.CSI.Driver, what, pv.Spec.CSI.VolumeHandle)
		}
		p.Sleep(wait)
	}
}

// updateNodeStatus writes what is attached to a node. Upstream: statusupdater, UpdateNodeStatusForNode.
func (adc *Controller) updateNodeStatus(p *sim.Proc, name string) error {
	node, ok := adc.nodes.Find(name)
	if !ok {
		return nil // it is gone
	}
	list := []corev1.AttachedVolume{}
	for _, at := range adc.places() {
		if at.node == name && adc.actual[at].reported {
			list = append(list, corev1.AttachedVolume{Name: at.volume})
		}
	}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"volumesAttached": list}})
	if err != nil {
		return err
	}
	if len(list) == len(node.Status.VolumesAttached) && same(list, node.Status.VolumesAttached) {
		return nil
	}
	_, err = adc.client.CoreV1().Nodes().Patch(p, name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

func same(a, b []corev1.AttachedVolume) bool {
	for i := range a {
		if a[i].Name != b[i].Name {
			return false
		}
	}
	return true
}
