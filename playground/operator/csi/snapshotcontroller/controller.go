// Package snapshotcontroller has the controller of snapshots, of which a cluster has one, whatever its drivers. It makes a
// VolumeSnapshotContent for each VolumeSnapshot of a claim, binds both, and writes into the snapshot's status what the content's says. Drivers
// it doesn't know: csi-snapshotter, which is beside each, calls them.
//
// Simplified: one replica without leader election. Absent: groups of snapshots, secrets, snapshots by nodes, metrics.
//
// Upstream: kubernetes-csi/external-snapshotter v8, pkg/common-controller: snapshot_controller_base.go and snapshot_controller.go.
package snapshotcontroller

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
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

// Name is the program's.
const Name = "snapshot-controller"

type controller struct {
	client   *client.Clientset
	objects  snapshots.Client
	recorder record.EventRecorder
	claims   listers.PersistentVolumeClaimLister

	snapshots, contents, classes *snapshots.Cache
	snapshotQueue, contentQueue  workqueue.TypedRateLimitingInterface[string]
}

// Start brings it up.
func Start(k *sim.Kernel, t client.Transport, sockets *csi.Sockets, c program.Container) *program.Program {
	return program.Start(k, Name, t, sockets, c, func(p *sim.Proc, g *program.Program) {
		f := g.Informers()
		broadcaster := record.NewBroadcaster(g.Component())
		broadcaster.StartRecordingToSink(g.Client)
		claims := f.Core().V1().PersistentVolumeClaims()
		ct := &controller{client: g.Client, objects: snapshots.Client{Transport: t},
			recorder:  broadcaster.NewRecorder(corev1.EventSource{Component: Name}),
			claims:    claims.Lister(),
			snapshots: snapshots.NewCache(t, snapshots.Snapshots), contents: snapshots.NewCache(t, snapshots.Contents),
			classes:       snapshots.NewCache(t, snapshots.Classes),
			snapshotQueue: g.Queue("snapshot-controller-snapshot"), contentQueue: g.Queue("snapshot-controller-content")}
		ensureDefined(p, g)
		informer := claims.Informer()
		program.Enqueue(ct.snapshots.Informer, ct.snapshotQueue)
		program.Enqueue(ct.contents.Informer, ct.contentQueue)
		f.Start(p)
		synced := []cache.InformerSynced{informer.HasSynced}
		for _, own := range []*snapshots.Cache{ct.snapshots, ct.contents, ct.classes} {
			synced = append(synced, own.Informer.HasSynced)
			g.Component().Go("informer/"+own.Resource.Resource, own.Informer.Run)
		}
		cache.WaitForCacheSync(p, synced...)
		ct.snapshots.Fill(func() api.Object { return &snapshots.VolumeSnapshot{} })
		ct.contents.Fill(func() api.Object { return &snapshots.VolumeSnapshotContent{} })
		p.Logger().Info("Starting snapshot controller")
		g.Work(ct.snapshotQueue, "snapshots", 2, ct.syncSnapshotByKey)
		g.Work(ct.contentQueue, "contents", 2, ct.syncContentByKey)
		p.Park()
	})
}

// How long the definitions may be missing. Upstream: --retry-crd-interval-max.
const crdPatience = 30 * time.Second

// ensureDefined waits for the definitions of the kinds; after a while the program exits, and starts anew.
// Upstream: cmd/snapshot-controller/main.go, ensureCustomResourceDefinitionsExist.
func ensureDefined(p *sim.Proc, g *program.Program) {
	until := p.Now() + crdPatience
	for wait := 100 * time.Millisecond; ; wait += wait / 2 {
		missing := ""
		for _, resource := range []api.GroupVersionResource{snapshots.Snapshots, snapshots.Classes, snapshots.Contents} {
			_, err := g.Transport.Do(p, &client.Request{Verb: client.List, Resource: resource, List: metav1.ListOptions{Limit: 1}})
			if err != nil {
				p.Logger().Error(err, "Failed to list v1 "+resource.Resource)
				missing = resource.Resource
				break
			}
		}
		if missing == "" {
			return
		}
		if p.Now()+wait > until {
			p.Logger().Error(nil, "Exiting due to failure to ensure CRDs exist during startup", "err", "timed out waiting for the condition")
			g.Exit(p, 1)
		}
		p.Sleep(wait)
	}
}

// syncSnapshotByKey handles a snapshot, once it has a class. Upstream: syncSnapshotByKey, checkAndUpdateSnapshotClass, deleteSnapshot.
func (c *controller) syncSnapshotByKey(p *sim.Proc, key string) error {
	s := &snapshots.VolumeSnapshot{}
	if !c.snapshots.Listed(key, s) {
		if gone, ok := c.snapshots.Stored(key).(*snapshots.VolumeSnapshot); ok {
			c.snapshots.Forget(key)
			p.Logger().V(4).Info("Snapshot deleted", "snapshot", key)
			if bound := gone.Bound(); bound != "" {
				c.contentQueue.Add(bound)
			}
		}
		return nil
	}
	s, err := c.withClass(p, s)
	if err != nil && !(s.DeletionTimestamp != nil && apierrors.IsNotFound(err)) {
		return err
	}
	if !c.snapshots.Store(s) {
		return nil // this program has written a newer one
	}
	if err = c.syncSnapshot(p, s); err != nil {
		p.Logger().V(3).Info("Could not sync snapshot", "snapshot", key, "err", err)
	}
	return err
}

// withClass finds a snapshot's class, and writes the driver's default into one that names none.
// Upstream: checkAndUpdateSnapshotClass, SetDefaultSnapshotClass.
func (c *controller) withClass(p *sim.Proc, s *snapshots.VolumeSnapshot) (*snapshots.VolumeSnapshot, error) {
	if name := s.Spec.VolumeSnapshotClassName; name != nil {
		if _, err := c.class(*name); err != nil {
			c.fail(p, s, false, "GetSnapshotClassFailed", fmt.Sprintf("Failed to get snapshot class with error %v", err))
			return s, err
		}
		return s, nil
	}
	if s.Spec.Source.VolumeSnapshotContentName != nil {
		return s, nil
	}
	name, err := c.defaultClass(p, s)
	if err != nil {
		c.fail(p, s, false, "SetDefaultSnapshotClassFailed", fmt.Sprintf("Failed to set default snapshot class with error %v", err))
		return s, err
	}
	next := &snapshots.VolumeSnapshot{}
	if err := c.objects.Patch(p, s, next, "", snapshots.Operation{Op: "add", Path: "/spec/volumeSnapshotClassName", Value: name}); err != nil {
		return s, err
	}
	c.snapshots.Store(next)
	return next, nil
}

// defaultClass is the class for the driver of the claim's volume.
func (c *controller) defaultClass(p *sim.Proc, s *snapshots.VolumeSnapshot) (string, error) {
	pv, err := c.volumeOf(p, s)
	if err != nil {
		return "", err
	}
	if pv.Spec.CSI == nil {
		return "", fmt.Errorf("snapshotting non-CSI volumes is not supported, snapshot:%s", snapshots.Key(s))
	}
	var found []string
	for _, key := range c.classes.Keys() {
		class := &snapshots.VolumeSnapshotClass{}
		if c.classes.Listed(key, class) && class.Driver == pv.Spec.CSI.Driver && class.Annotations[snapshots.AnnDefaultClass] == "true" {
			found = append(found, class.Name)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("cannot find default snapshot class")
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%d default snapshot classes were found", len(found))
}

func (c *controller) class(name string) (*snapshots.VolumeSnapshotClass, error) {
	class := &snapshots.VolumeSnapshotClass{}
	if !c.classes.Listed(name, class) {
		return nil, apierrors.NewNotFound(snapshots.Classes.GroupResource(), name)
	}
	return class, nil
}

// claimOf is the claim that a snapshot is of. Upstream: getClaimFromVolumeSnapshot.
func (c *controller) claimOf(s *snapshots.VolumeSnapshot) (*corev1.PersistentVolumeClaim, error) {
	name := s.Spec.Source.PersistentVolumeClaimName
	if name == nil || *name == "" {
		return nil, fmt.Errorf("the PVC name is not specified in snapshot %s", snapshots.Key(s))
	}
	claim, err := c.claims.PersistentVolumeClaims(s.Namespace).Get(*name)
	if err != nil {
		return nil, fmt.Errorf("failed to retrieve PVC %s from the lister: %q", *name, err)
	}
	return claim, nil
}

// volumeOf is the volume that a snapshot's claim is bound to. Upstream: getVolumeFromVolumeSnapshot.
func (c *controller) volumeOf(p *sim.Proc, s *snapshots.VolumeSnapshot) (*corev1.PersistentVolume, error) {
	claim, err := c.claimOf(s)
	if err != nil {
		return nil, err
	}
	if claim.Status.Phase != corev1.ClaimBound {
		return nil, fmt.Errorf("the PVC %s is not yet bound to a PV, will not attempt to take a snapshot", claim.Name)
	}
	pv, err := c.client.CoreV1().PersistentVolumes().Get(p, claim.Spec.VolumeName, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("failed to retrieve PV %s from the API server: %q", claim.Spec.VolumeName, err)
	}
	if ref := pv.Spec.ClaimRef; ref == nil || ref.Name != claim.Name || ref.Namespace != claim.Namespace || ref.UID != "" && ref.UID != claim.UID {
		return nil, fmt.Errorf("claim in dataSource not bound or invalid")
	}
	return pv, nil
}

// syncContentByKey handles a content. Upstream: syncContentByKey, updateContent, deleteContent.
func (c *controller) syncContentByKey(p *sim.Proc, key string) error {
	content := &snapshots.VolumeSnapshotContent{}
	if !c.contents.Listed(key, content) {
		if gone, ok := c.contents.Stored(key).(*snapshots.VolumeSnapshotContent); ok {
			c.contents.Forget(key)
			p.Logger().V(4).Info("Content deleted", "content", key)
			c.snapshotQueue.Add(gone.Spec.VolumeSnapshotRef.Namespace + "/" + gone.Spec.VolumeSnapshotRef.Name)
		}
		return nil
	}
	if !c.contents.Store(content) {
		return nil
	}
	return c.syncContent(p, content)
}

// syncContent gives a content its finalizer, and has its snapshot looked at when the driver has said something new.
func (c *controller) syncContent(p *sim.Proc, content *snapshots.VolumeSnapshotContent) error {
	ref := content.Spec.VolumeSnapshotRef
	if source := content.Spec.Source; (source.VolumeHandle == nil) == (source.SnapshotHandle == nil) {
		err := fmt.Errorf("Exactly one of VolumeHandle and SnapshotHandle should be specified") // upstream's words
		snapshots.Event(c.recorder, content, corev1.EventTypeWarning, "ContentValidationError", err.Error())
		return err
	}
	if ref.UID == "" {
		return nil // its snapshot has yet to be bound to it
	}
	if content.DeletionTimestamp == nil && !has(content, snapshots.ContentFinalizer) {
		return c.addContentFinalizer(p, content)
	}
	key := ref.Namespace + "/" + ref.Name
	s, _ := c.snapshots.Stored(key).(*snapshots.VolumeSnapshot)
	if s == nil || s.UID != ref.UID {
		return nil // deleting what has no snapshot here could delete what somebody else needs
	}
	if outdated(s, content) {
		c.snapshotQueue.Add(key)
	}
	if deletionCandidate(s) {
		_, err := c.markDeleted(p, content)
		return err
	}
	return nil
}

// outdated tells whether a snapshot's status lacks what its content's has. Upstream: needsUpdateSnapshotStatus.
func outdated(s *snapshots.VolumeSnapshot, content *snapshots.VolumeSnapshotContent) bool {
	switch {
	case content.Status == nil:
		return false
	case s.Status == nil || s.Bound() == "":
		return true
	}
	return s.Status.CreationTime == nil && content.Status.CreationTime != nil || s.Ready() != content.Ready() ||
		s.Status.RestoreSize == nil && content.Status.RestoreSize != nil || (s.Status.Error == nil) != (content.Status.Error == nil)
}
