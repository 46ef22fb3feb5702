package snapshotcontroller

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/controlplane/client/retry"
	snapshots "kubewalk/playground/operator/csi/snapshotv1"
	"kubewalk/playground/sim"
)

func has(obj api.Object, finalizer string) bool {
	return slices.Contains(obj.GetFinalizers(), finalizer)
}

// deletionCandidate is IsSnapshotDeletionCandidate upstream.
func deletionCandidate(s *snapshots.VolumeSnapshot) bool {
	return s.DeletionTimestamp != nil && (has(s, snapshots.AsSourceFinalizer) || has(s, snapshots.BoundFinalizer))
}

// updateError is upstream's newControllerUpdateError.
func updateError(name string, err error) error {
	return fmt.Errorf("snapshot controller failed to update %s on API server: %w", name, err)
}

// syncSnapshot decides what to do with a snapshot.
func (c *controller) syncSnapshot(p *sim.Proc, s *snapshots.VolumeSnapshot) error {
	if err := c.releaseClaim(p, s, false); err != nil {
		snapshots.Event(c.recorder, s, corev1.EventTypeWarning, "ErrorPVCFinalizer", "Error check and remove PVC Finalizer for VolumeSnapshot")
	}
	if s.DeletionTimestamp != nil {
		return c.syncDeleted(p, s)
	}
	source := s.Spec.Source
	if (source.PersistentVolumeClaimName == nil) == (source.VolumeSnapshotContentName == nil) {
		err := fmt.Errorf("Exactly one of PersistentVolumeClaimName and VolumeSnapshotContentName should be specified")
		c.fail(p, s, true, "SnapshotValidationError", err.Error())
		return err
	}
	content, err := c.contentFor(p, s)
	if err == nil {
		err = c.addFinalizers(p, s, content)
	}
	if err != nil {
		snapshots.Event(c.recorder, s, corev1.EventTypeWarning, "SnapshotFinalizerError", "Failed to check and update snapshot: "+err.Error())
		return err
	}
	if !s.Ready() || s.Bound() == "" {
		return c.syncUnready(p, s, content)
	}
	bound := c.content(s.Bound())
	switch {
	case bound == nil:
		return c.fail(p, s, true, "SnapshotContentMissing", "VolumeSnapshotContent is missing")
	case !bound.Refers(s):
		return c.fail(p, s, true, "SnapshotMisbound", "VolumeSnapshotContent is not bound to the VolumeSnapshot correctly")
	}
	return nil
}

func (c *controller) content(name string) *snapshots.VolumeSnapshotContent {
	content, _ := c.contents.Stored(name).(*snapshots.VolumeSnapshotContent)
	return content
}

// contentFor finds the content that a snapshot names, or the one that was made for it, if there is one.
// Upstream: getPreprovisionedContentFromStore, getDynamicallyProvisionedContentFromStore.
func (c *controller) contentFor(p *sim.Proc, s *snapshots.VolumeSnapshot) (*snapshots.VolumeSnapshotContent, error) {
	name, given := snapshots.ContentName(s), s.Spec.Source.VolumeSnapshotContentName
	if given != nil {
		name = *given
	}
	content := c.content(name)
	if content == nil {
		return nil, nil
	}
	if given != nil && content.Spec.Source.SnapshotHandle == nil {
		c.fail(p, s, true, "SnapshotContentMismatch", "VolumeSnapshotContent is dynamically provisioned while expecting a pre-provisioned one")
		return nil, fmt.Errorf("snapshot %s expects a pre-provisioned VolumeSnapshotContent %s but gets a dynamically provisioned one", snapshots.Key(s), name)
	}
	if ref := content.Spec.VolumeSnapshotRef; !content.Refers(s) && !(given != nil && ref.UID == "" && ref.Name == s.Name && ref.Namespace == s.Namespace) {
		err := fmt.Errorf("VolumeSnapshotContent [%s] is bound to a different snapshot", name)
		c.fail(p, s, true, "SnapshotContentMisbound", err.Error())
		return nil, err
	}
	return content, nil
}

// addFinalizers keeps a snapshot until nothing is made of it, and, once it is bound, until its content is gone.
// Upstream: checkandAddSnapshotFinalizers, addSnapshotFinalizer.
func (c *controller) addFinalizers(p *sim.Proc, s *snapshots.VolumeSnapshot, content *snapshots.VolumeSnapshotContent) error {
	finalizers := slices.Clone(s.Finalizers)
	if !has(s, snapshots.AsSourceFinalizer) {
		finalizers = append(finalizers, snapshots.AsSourceFinalizer)
	}
	if content != nil && content.Spec.DeletionPolicy == snapshots.DeletionDelete && s.Bound() != "" && !has(s, snapshots.BoundFinalizer) {
		finalizers = append(finalizers, snapshots.BoundFinalizer)
	}
	if len(finalizers) == len(s.Finalizers) {
		return nil
	}
	next := s.DeepCopyObject().(*snapshots.VolumeSnapshot)
	next.Finalizers = finalizers
	if err := c.objects.Update(p, next, ""); err != nil {
		return updateError(snapshots.Key(s), err)
	}
	c.snapshots.Store(next)
	return nil
}

// syncUnready has a snapshot get a content, and writes what that says. Upstream: syncUnreadySnapshot.
func (c *controller) syncUnready(p *sim.Proc, s *snapshots.VolumeSnapshot, content *snapshots.VolumeSnapshotContent) (err error) {
	if name := s.Spec.Source.VolumeSnapshotContentName; name != nil {
		if content == nil {
			c.fail(p, s, true, "SnapshotContentMissing", "VolumeSnapshotContent is missing")
			return fmt.Errorf("snapshot %s requests an non-existing content %s", snapshots.Key(s), *name)
		}
		if content, err = c.bind(p, s, content); err != nil {
			c.fail(p, s, true, "SnapshotBindFailed", fmt.Sprintf("Snapshot failed to bind VolumeSnapshotContent, %v", err))
			return err
		}
	} else if content == nil {
		if content, err = c.createContent(p, s); err != nil {
			c.fail(p, s, true, "SnapshotContentCreationFailed", fmt.Sprintf("Failed to create snapshot content with error %v", err))
			return err
		}
	}
	if err := c.updateStatus(p, s, content); err != nil {
		c.fail(p, s, false, "SnapshotStatusUpdateFailed", fmt.Sprintf("Snapshot status update failed, %v", err))
		return err
	}
	return nil
}

// bind writes a snapshot's UID into a content that was made for its name. Upstream: checkandBindSnapshotContent.
func (c *controller) bind(p *sim.Proc, s *snapshots.VolumeSnapshot, content *snapshots.VolumeSnapshotContent) (*snapshots.VolumeSnapshotContent, error) {
	if content.Spec.VolumeSnapshotRef.UID != "" && content.Spec.VolumeSnapshotClassName != nil {
		return content, nil
	}
	operations := []snapshots.Operation{{Op: "add", Path: "/spec/volumeSnapshotRef/uid", Value: string(s.UID)}}
	if class := s.Spec.VolumeSnapshotClassName; class != nil {
		operations = append(operations, snapshots.Operation{Op: "add", Path: "/spec/volumeSnapshotClassName", Value: *class})
	}
	return c.patchContent(p, content, operations...)
}

func (c *controller) patchContent(p *sim.Proc, content *snapshots.VolumeSnapshotContent, operations ...snapshots.Operation) (
	*snapshots.VolumeSnapshotContent, error) {
	next := &snapshots.VolumeSnapshotContent{}
	if err := c.objects.Patch(p, content, next, "", operations...); err != nil {
		return content, updateError(content.Name, err)
	}
	c.contents.Store(next)
	return next, nil
}

func (c *controller) addContentFinalizer(p *sim.Proc, content *snapshots.VolumeSnapshotContent) error {
	_, err := c.patchContent(p, content, snapshots.Operation{Op: "add", Path: "/metadata/finalizers",
		Value: append(slices.Clone(content.Finalizers), snapshots.ContentFinalizer)})
	return err
}

// createContent asks for a snapshot of the claim's volume: csi-snapshotter finds the object. Upstream: createSnapshotContent.
func (c *controller) createContent(p *sim.Proc, s *snapshots.VolumeSnapshot) (*snapshots.VolumeSnapshotContent, error) {
	p.Logger().Info("createSnapshotContent: Creating content for snapshot through the plugin ...", "snapshot", snapshots.Key(s))
	if err := c.protectClaim(p, s); err != nil {
		return nil, err
	}
	class, pv, err := c.inputOf(p, s)
	if err != nil {
		return nil, fmt.Errorf("failed to get input parameters to create snapshot %s: %q", s.Name, err)
	}
	if pv.Spec.CSI == nil {
		return nil, fmt.Errorf("cannot find CSI PersistentVolumeSource for volume %s", pv.Name)
	}
	content := &snapshots.VolumeSnapshotContent{}
	content.Name = snapshots.ContentName(s) // the same each time
	content.Spec = snapshots.VolumeSnapshotContentSpec{VolumeSnapshotRef: *snapshots.Reference(s),
		Source:                  snapshots.VolumeSnapshotContentSource{VolumeHandle: &pv.Spec.CSI.VolumeHandle},
		VolumeSnapshotClassName: &class.Name, DeletionPolicy: class.DeletionPolicy, Driver: class.Driver, SourceVolumeMode: pv.Spec.VolumeMode}
	err = c.objects.Create(p, content)
	if err != nil && !apierrors.IsAlreadyExists(err) {
		text := fmt.Sprintf("Error creating volume snapshot content object for snapshot %s: %v.", snapshots.Key(s), err)
		snapshots.Event(c.recorder, s, corev1.EventTypeWarning, "CreateSnapshotContentFailed", text)
		return nil, updateError(snapshots.Key(s), err)
	}
	snapshots.Event(c.recorder, s, corev1.EventTypeNormal, "CreatingSnapshot",
		fmt.Sprintf("Waiting for a snapshot %s to be created by the CSI driver.", snapshots.Key(s)))
	if err == nil {
		c.contents.Store(content)
	}
	return content, nil
}

// inputOf is what a content is made of. Upstream: getCreateSnapshotInput.
func (c *controller) inputOf(p *sim.Proc, s *snapshots.VolumeSnapshot) (*snapshots.VolumeSnapshotClass, *corev1.PersistentVolume, error) {
	if s.Spec.VolumeSnapshotClassName == nil {
		return nil, nil, fmt.Errorf("failed to take snapshot %s without a snapshot class", s.Name)
	}
	class, err := c.class(*s.Spec.VolumeSnapshotClassName)
	if err != nil {
		return nil, nil, err
	}
	pv, err := c.volumeOf(p, s)
	return class, pv, err
}

// protectClaim keeps a claim until its snapshot has been taken. Upstream: ensurePVCFinalizer.
func (c *controller) protectClaim(p *sim.Proc, s *snapshots.VolumeSnapshot) error {
	claim, err := c.claimOf(s)
	if err != nil {
		return updateError(s.Name, errors.New("cannot get claim from snapshot"))
	}
	if has(claim, snapshots.PVCFinalizer) {
		return nil
	}
	if claim.DeletionTimestamp != nil {
		return updateError(claim.Name, errors.New("cannot add finalizer on claim because it is being deleted"))
	}
	next := claim.DeepCopy()
	next.Finalizers = append(next.Finalizers, snapshots.PVCFinalizer)
	if _, err := c.client.CoreV1().PersistentVolumeClaims(next.Namespace).Update(p, next, metav1.UpdateOptions{}); err != nil {
		return updateError(claim.Name, err)
	}
	p.Logger().Info("Added protection finalizer to persistent volume claim", "PVC", claim.Namespace+"/"+claim.Name)
	return nil
}

// releaseClaim lets a claim go that no snapshot is being taken of. Upstream: checkandRemovePVCFinalizer, isPVCBeingUsed.
func (c *controller) releaseClaim(p *sim.Proc, s *snapshots.VolumeSnapshot, skipThis bool) error {
	claim, err := c.claimOf(s)
	if err != nil || !has(claim, snapshots.PVCFinalizer) {
		return nil
	}
	for _, key := range c.snapshots.Keys() {
		other := &snapshots.VolumeSnapshot{}
		if !c.snapshots.Listed(key, other) || other.Namespace != s.Namespace || skipThis && other.Name == s.Name {
			continue
		}
		if of := other.Spec.Source.PersistentVolumeClaimName; of != nil && *of == claim.Name && !other.Ready() {
			p.Logger().V(2).Info("Keeping PVC, it is used by snapshot", "PVC", claim.Namespace+"/"+claim.Name, "snapshot", key)
			return nil
		}
	}
	claims := c.client.CoreV1().PersistentVolumeClaims(claim.Namespace)
	err = retry.RetryOnConflict(p, retry.DefaultRetry, func() error {
		newest, err := claims.Get(p, claim.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		next := newest.DeepCopy()
		next.Finalizers = snapshots.Without(next.Finalizers, snapshots.PVCFinalizer)
		_, err = claims.Update(p, next, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return updateError(claim.Name, err)
	}
	return nil
}

// updateStatus writes what a content's status says into its snapshot's. Upstream: bindandUpdateVolumeSnapshot, updateSnapshotStatus.
func (c *controller) updateStatus(p *sim.Proc, s *snapshots.VolumeSnapshot, content *snapshots.VolumeSnapshotContent) error {
	newest := &snapshots.VolumeSnapshot{}
	if err := c.objects.Get(p, s.Namespace, s.Name, newest); err != nil {
		return fmt.Errorf("error get snapshot %s from api server: %w", snapshots.Key(s), err)
	}
	next := newest.DeepCopyObject().(*snapshots.VolumeSnapshot)
	if next.Status == nil {
		next.Status = &snapshots.VolumeSnapshotStatus{}
	}
	said := cmp.Or(content.Status, &snapshots.VolumeSnapshotContentStatus{})
	status, ready, updated := next.Status, content.Ready(), newest.Status == nil
	if next.Bound() == "" {
		status.BoundVolumeSnapshotContentName, updated = &content.Name, true
	}
	if status.CreationTime == nil && said.CreationTime != nil {
		at := metav1.NewTime(time.Unix(0, *said.CreationTime))
		status.CreationTime, updated = &at, true
	}
	if status.ReadyToUse == nil || *status.ReadyToUse != ready {
		status.ReadyToUse, updated = &ready, true
	}
	if status.RestoreSize == nil && said.RestoreSize != nil {
		status.RestoreSize, updated = resource.NewQuantity(*said.RestoreSize, resource.BinarySI), true
	}
	if status.Error != nil || said.Error != nil {
		status.Error, updated = said.Error, true
	}
	if !updated {
		c.snapshots.Store(newest)
		return nil
	}
	if !newest.Created() && next.Created() {
		snapshots.Event(c.recorder, s, corev1.EventTypeNormal, "SnapshotCreated",
			fmt.Sprintf("Snapshot %s was successfully created by the CSI driver.", snapshots.Key(s)))
	}
	if !newest.Ready() && next.Ready() {
		snapshots.Event(c.recorder, s, corev1.EventTypeNormal, "SnapshotReady", fmt.Sprintf("Snapshot %s is ready to use.", snapshots.Key(s)))
	}
	if err := c.objects.Update(p, next, "status"); err != nil {
		return updateError(snapshots.Key(s), err)
	}
	c.snapshots.Store(next)
	return nil
}

// fail says what went wrong in a snapshot's status, and as an Event, unless it says so already.
// Upstream: updateSnapshotErrorStatusWithEvent.
func (c *controller) fail(p *sim.Proc, s *snapshots.VolumeSnapshot, notReady bool, reason, message string) error {
	if s.Status != nil && s.Status.Error != nil && s.Status.Error.Message != nil && *s.Status.Error.Message == message {
		return nil
	}
	next := s.DeepCopyObject().(*snapshots.VolumeSnapshot)
	if next.Status == nil {
		next.Status = &snapshots.VolumeSnapshotStatus{}
	}
	at, ready := metav1.NewTime(p.Time()), false
	next.Status.Error = &snapshots.VolumeSnapshotError{Time: &at, Message: &message}
	if notReady {
		next.Status.ReadyToUse = &ready
	}
	err := c.objects.Update(p, next, "status")
	snapshots.Event(c.recorder, s, corev1.EventTypeWarning, reason, message)
	if err != nil {
		p.Logger().V(4).Info("Updating VolumeSnapshot error status failed", "snapshot", snapshots.Key(s), "err", err)
		return err
	}
	c.snapshots.Store(next)
	return nil
}

// syncDeleted has a snapshot's content go, if the policy says so, and then the snapshot.
// Upstream: processSnapshotWithDeletionTimestamp, checkandRemoveSnapshotFinalizersAndCheckandDeleteContent.
func (c *controller) syncDeleted(p *sim.Proc, s *snapshots.VolumeSnapshot) error {
	if !deletionCandidate(s) {
		return nil
	}
	content := c.content(cmp.Or(s.Bound(), snapshots.ContentName(s)))
	if content != nil && !content.Refers(s) {
		content = nil
	}
	if content != nil && c.isSource(s) {
		snapshots.Event(c.recorder, s, corev1.EventTypeWarning, "SnapshotDeletePending", "Snapshot is being used to restore a PVC")
		return fmt.Errorf("snapshot %s is in use (being used to restore a PVC), will retry deletion", snapshots.Key(s))
	}
	cascades := content != nil && content.Spec.DeletionPolicy == snapshots.DeletionDelete
	if content != nil {
		if _, err := c.markDeleted(p, content); err != nil {
			return err
		}
	}
	if cascades {
		if err := c.objects.Delete(p, content); err != nil && !apierrors.IsNotFound(err) {
			snapshots.Event(c.recorder, s, corev1.EventTypeWarning, "SnapshotContentObjectDeleteError", "Failed to delete snapshot content API object")
			return fmt.Errorf("failed to delete VolumeSnapshotContent %s from API server: %q", content.Name, err)
		}
	}
	return c.removeFinalizers(p, s, !cascades)
}

// isSource tells whether a claim waits for a volume that is made of a snapshot. Upstream: isVolumeBeingCreatedFromSnapshot.
func (c *controller) isSource(s *snapshots.VolumeSnapshot) bool {
	claims, err := c.claims.PersistentVolumeClaims(s.Namespace).List(nil)
	return err == nil && slices.ContainsFunc(claims, func(claim *corev1.PersistentVolumeClaim) bool {
		source := claim.Spec.DataSource
		return source != nil && source.Name == s.Name && source.Kind == "VolumeSnapshot" && source.APIGroup != nil &&
			*source.APIGroup == snapshots.GroupVersion.Group && claim.Status.Phase == corev1.ClaimPending
	})
}

// removeFinalizers lets a snapshot go: with its content, if that goes, too. Upstream: removeSnapshotFinalizer.
func (c *controller) removeFinalizers(p *sim.Proc, s *snapshots.VolumeSnapshot, bound bool) error {
	if err := c.releaseClaim(p, s, true); err != nil {
		snapshots.Event(c.recorder, s, corev1.EventTypeWarning, "ErrorPVCFinalizer", "Error check and remove PVC Finalizer for VolumeSnapshot")
		return updateError(s.Name, err)
	}
	next := s.DeepCopyObject().(*snapshots.VolumeSnapshot)
	next.Finalizers = snapshots.Without(next.Finalizers, snapshots.AsSourceFinalizer)
	if bound {
		next.Finalizers = snapshots.Without(next.Finalizers, snapshots.BoundFinalizer)
	}
	if len(next.Finalizers) == len(s.Finalizers) {
		return nil // it waits for its content
	}
	if err := c.objects.Update(p, next, ""); err != nil {
		return updateError(s.Name, err)
	}
	c.snapshots.Store(next)
	return nil
}

// markDeleted tells csi-snapshotter that a content may be deleted. Upstream: setAnnVolumeSnapshotBeingDeleted.
func (c *controller) markDeleted(p *sim.Proc, content *snapshots.VolumeSnapshotContent) (*snapshots.VolumeSnapshotContent, error) {
	if _, is := content.Annotations[snapshots.AnnBeingDeleted]; is {
		return content, nil
	}
	annotations := map[string]string{snapshots.AnnBeingDeleted: "yes"}
	maps.Copy(annotations, content.Annotations)
	return c.patchContent(p, content, snapshots.Operation{Op: "add", Path: "/metadata/annotations", Value: annotations})
}
