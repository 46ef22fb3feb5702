// Package snapshotter is the sidecar that has snapshots taken: for a VolumeSnapshotContent of its driver it calls CreateSnapshot, and goes on
// calling it, with the same name, until the driver says that the snapshot is ready. What the driver says it writes into the content's status;
// snapshot-controller takes it from there. For a content that is deleted it calls DeleteSnapshot, if the policy says so.
//
// Simplified: one replica without leader election, and for a snapshot that was there before its content, ListSnapshots is not called: it is
// ready. Absent: groups of snapshots, secrets, parameters.
//
// Upstream: kubernetes-csi/external-snapshotter v8, pkg/sidecar-controller: snapshot_controller_base.go, snapshot_controller.go, csi_handler.go.
package snapshotter

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/record"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/node/csi"
	"kubewalk/playground/operator/csi/program"
	snapshots "kubewalk/playground/operator/csi/snapshotv1"
	"kubewalk/playground/sim"
)

// Name is the program's.
const Name = "csi-snapshotter"

type snapshotter struct {
	driver            *program.Driver
	objects           snapshots.Client
	recorder          record.EventRecorder
	contents, classes *snapshots.Cache
}

// Start brings it up.
func Start(k *sim.Kernel, t client.Transport, sockets *csi.Sockets, c program.Container) *program.Program {
	return program.Start(k, Name, t, sockets, c, func(p *sim.Proc, g *program.Program) {
		driver := g.Connect(p, true)
		broadcaster := record.NewBroadcaster(g.Component())
		broadcaster.StartRecordingToSink(g.Client)
		s := &snapshotter{driver: driver, objects: snapshots.Client{Transport: t},
			recorder: broadcaster.NewRecorder(corev1.EventSource{Component: "csi-snapshotter " + driver.Name}),
			contents: snapshots.NewCache(t, snapshots.Contents), classes: snapshots.NewCache(t, snapshots.Classes)}
		queue := g.Queue("csi-snapshotter-content")
		enqueue(s.contents.Informer, queue)
		g.Component().Go("informer/"+snapshots.Contents.Resource, s.contents.Informer.Run)
		g.Component().Go("informer/"+snapshots.Classes.Resource, s.classes.Informer.Run)
		cache.WaitForCacheSync(p, s.contents.Informer.HasSynced, s.classes.Informer.HasSynced)
		p.Logger().Info("Starting CSI snapshotter")
		g.Work(queue, "contents", 2, s.syncByKey)
		p.Park()
	})
}

// enqueue puts contents into the queue that others have changed: what this program writes is no reason to ask the driver sooner.
// Upstream: ShouldEnqueueContentChange.
func enqueue(informer cache.SharedIndexInformer, queue workqueue.TypedRateLimitingInterface[string]) {
	add := func(obj any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			queue.Add(key)
		}
	}
	foreign := func(obj *api.Unstructured) map[string]string {
		out := maps.Clone(obj.Annotations)
		delete(out, snapshots.AnnBeingCreated)
		return out
	}
	ready := func(obj *api.Unstructured) bool {
		status, _ := obj.Fields["status"].(map[string]any)
		is, _ := status["readyToUse"].(bool)
		return is
	}
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: add, DeleteFunc: add, UpdateFunc: func(old, now any) {
		a, b := old.(*api.Unstructured), now.(*api.Unstructured)
		if a.ResourceVersion == b.ResourceVersion || !ready(a) && ready(b) || a.Generation != b.Generation ||
			(a.DeletionTimestamp == nil) != (b.DeletionTimestamp == nil) || !maps.Equal(foreign(a), foreign(b)) {
			add(now)
		}
	}})
}

func (s *snapshotter) syncByKey(p *sim.Proc, key string) error {
	content := &snapshots.VolumeSnapshotContent{}
	if !s.contents.Listed(key, content) {
		s.contents.Forget(key)
		return nil
	}
	if content.Spec.Driver != s.driver.Name || !s.contents.Store(content) {
		return nil
	}
	return s.sync(p, content)
}

// sync deletes what is to go, and otherwise asks the driver until the snapshot is ready. Upstream: syncContent.
func (s *snapshotter) sync(p *sim.Proc, content *snapshots.VolumeSnapshotContent) error {
	if shouldDelete(content) {
		return s.delete(p, content)
	}
	if content.Ready() {
		_, err := s.markCreating(p, content, false)
		return err
	}
	reason, what := "SnapshotContentCheckandUpdateFailed", "check and update snapshot content"
	if content.Spec.Source.VolumeHandle != nil && content.Status == nil {
		reason, what = "SnapshotCreationFailed", "create snapshot"
	}
	content, err := s.create(p, content)
	if err != nil {
		s.fail(p, content, reason, fmt.Sprintf("Failed to %s: %v", what, err))
		return err
	}
	if !content.Ready() {
		return program.ErrAgain // later each time
	}
	return nil
}

// shouldDelete tells whether a content may go. One whose snapshot is perhaps being made may not: nobody would know of it.
func shouldDelete(content *snapshots.VolumeSnapshotContent) bool {
	_, creating := content.Annotations[snapshots.AnnBeingCreated]
	_, deleting := content.Annotations[snapshots.AnnBeingDeleted]
	unbound := content.Spec.Source.SnapshotHandle != nil && content.Spec.VolumeSnapshotRef.UID == ""
	return content.DeletionTimestamp != nil && (unbound || deleting && !creating)
}

// create has the driver take a snapshot, or say how far one is. Upstream: createSnapshotWrapper, updateSnapshotContentStatus.
func (s *snapshotter) create(p *sim.Proc, content *snapshots.VolumeSnapshotContent) (*snapshots.VolumeSnapshotContent, error) {
	source := content.Spec.Source
	if source.SnapshotHandle != nil {
		return s.update(p, content, &csi.Response{SnapshotID: *source.SnapshotHandle, CreationTime: p.Time(), ReadyToUse: true})
	}
	p.Logger().Info("createSnapshotWrapper: Creating snapshot for content through the plugin ...", "content", content.Name)
	if name := content.Spec.VolumeSnapshotClassName; name == nil || !s.classes.Listed(*name, &snapshots.VolumeSnapshotClass{}) {
		return content, fmt.Errorf("failed to get input parameters to create snapshot for content %s: no snapshot class", content.Name)
	}
	content, err := s.markCreating(p, content, true)
	if err != nil {
		return content, fmt.Errorf("failed to add VolumeSnapshotBeingCreated annotation on the content %s: %q", content.Name, err)
	}
	out, err := s.driver.Call(p, csi.CreateSnapshot, &csi.Request{
		Name:           "snapshot-" + string(content.Spec.VolumeSnapshotRef.UID),
		SourceVolumeID: *source.VolumeHandle})
	if err != nil {
		if final(err) {
			next, unmarked := s.markCreating(p, content, false)
			if unmarked != nil {
				return content, unmarked
			}
			content = next
		}
		return content, fmt.Errorf("failed to take snapshot of the volume %s: %q", *source.VolumeHandle, err)
	}
	if content, err = s.update(p, content, out); err != nil {
		return content, fmt.Errorf("error updating status for volume snapshot content %s: %w", content.Name, err)
	}
	return s.markCreating(p, content, false)
}

// final tells whether a driver has failed so that it is not at it any more. Upstream: isCSIFinalError.
func final(err error) bool {
	switch csi.CodeOf(err) {
	case "", csi.Canceled, csi.DeadlineExceeded, csi.Unavailable, csi.ResourceExhausted, csi.Aborted:
		return false
	}
	return true
}

// update writes what the driver has said into the status.
func (s *snapshotter) update(p *sim.Proc, content *snapshots.VolumeSnapshotContent, out *csi.Response) (*snapshots.VolumeSnapshotContent, error) {
	newest := &snapshots.VolumeSnapshotContent{}
	if err := s.objects.Get(p, "", content.Name, newest); err != nil {
		return content, fmt.Errorf("error get snapshot content %s from api server: %w", content.Name, err)
	}
	status, updated := cmp.Or(newest.Status, &snapshots.VolumeSnapshotContentStatus{}), false
	if status.SnapshotHandle == nil {
		status.SnapshotHandle, updated = &out.SnapshotID, true
	}
	if status.ReadyToUse == nil || *status.ReadyToUse != out.ReadyToUse {
		status.ReadyToUse, updated = &out.ReadyToUse, true
		if out.ReadyToUse {
			status.Error = nil
		}
	}
	if status.CreationTime == nil {
		at := out.CreationTime.UnixNano()
		status.CreationTime, updated = &at, true
	}
	if status.RestoreSize == nil && out.SizeBytes > 0 {
		status.RestoreSize, updated = &out.SizeBytes, true
	}
	if !updated {
		return newest, nil
	}
	return s.patch(p, newest, "status", snapshots.Operation{Op: "add", Path: "/status", Value: status})
}

// delete has the driver delete the snapshot, and lets the content go. Upstream: deleteCSISnapshotOperation, removeContentFinalizer.
func (s *snapshotter) delete(p *sim.Proc, content *snapshots.VolumeSnapshotContent) error {
	if content.Spec.DeletionPolicy == snapshots.DeletionDelete && content.Status != nil && content.Status.SnapshotHandle != nil {
		if _, err := s.driver.Call(p, csi.DeleteSnapshot, &csi.Request{SnapshotID: *content.Status.SnapshotHandle}); err != nil {
			snapshots.Event(s.recorder, content, corev1.EventTypeWarning, "SnapshotDeleteError", "Failed to delete snapshot")
			return fmt.Errorf("failed to delete snapshot %q, err: failed to delete snapshot content %s: %w", content.Name, content.Name, err)
		}
		next := &snapshots.VolumeSnapshotContent{}
		err := s.objects.Get(p, "", content.Name, next)
		if err == nil && next.Status != nil {
			next.Status = &snapshots.VolumeSnapshotContentStatus{Error: next.Status.Error}
			err = s.objects.Update(p, next, "status")
		}
		if err != nil {
			snapshots.Event(s.recorder, content, corev1.EventTypeWarning, "SnapshotDeleteError", "Failed to clear content status")
			return err
		}
		content = next
	}
	if !slices.Contains(content.Finalizers, snapshots.ContentFinalizer) {
		return nil
	}
	_, err := s.patch(p, content, "", snapshots.Operation{Op: "replace", Path: "/metadata/finalizers",
		Value: snapshots.Without(content.Finalizers, snapshots.ContentFinalizer)})
	return err
}

// markCreating says in an annotation that the driver may be making a snapshot, or takes it away.
// Upstream: setAnnVolumeSnapshotBeingCreated, removeAnnVolumeSnapshotBeingCreated.
func (s *snapshotter) markCreating(p *sim.Proc, content *snapshots.VolumeSnapshotContent, creating bool) (*snapshots.VolumeSnapshotContent, error) {
	if _, is := content.Annotations[snapshots.AnnBeingCreated]; is == creating {
		return content, nil
	}
	annotations := map[string]string{}
	maps.Copy(annotations, content.Annotations)
	delete(annotations, snapshots.AnnBeingCreated)
	if creating {
		annotations[snapshots.AnnBeingCreated] = "yes"
	}
	return s.patch(p, content, "", snapshots.Operation{Op: "add", Path: "/metadata/annotations", Value: annotations})
}

func (s *snapshotter) patch(p *sim.Proc, content *snapshots.VolumeSnapshotContent, subresource string, operation snapshots.Operation) (
	*snapshots.VolumeSnapshotContent, error) {
	next := &snapshots.VolumeSnapshotContent{}
	if err := s.objects.Patch(p, content, next, subresource, operation); err != nil {
		return content, fmt.Errorf("snapshot controller failed to update %s on API server: %w", content.Name, err)
	}
	s.contents.Store(next)
	return next, nil
}

// fail says in the status what went wrong, unless it says so already. Upstream: updateContentErrorStatusWithEvent.
func (s *snapshotter) fail(p *sim.Proc, content *snapshots.VolumeSnapshotContent, reason, message string) {
	status := cmp.Or(content.Status, &snapshots.VolumeSnapshotContentStatus{})
	if status.Error != nil && *status.Error.Message == message {
		return
	}
	at, ready := metav1.NewTime(p.Time()), false
	status.Error, status.ReadyToUse = &snapshots.VolumeSnapshotError{Time: &at, Message: &message}, &ready
	_, err := s.patch(p, content, "status", snapshots.Operation{Op: "add", Path: "/status", Value: status})
	snapshots.Event(s.recorder, content, corev1.EventTypeWarning, reason, message)
	if err != nil {
		p.Logger().V(4).Info("Updating VolumeSnapshotContent error status failed", "content", content.Name, "err", err)
	}
}
