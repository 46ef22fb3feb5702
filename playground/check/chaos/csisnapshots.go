package chaos

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/cluster"
	"kubewalk/playground/operator/csi/snapshotv1"
	"kubewalk/playground/trace"
)

// The kinds of snapshots, and how long a snapshot takes at least until disks can be made of it.
var (
	volumeSnapshots  = snapshotv1.Snapshots.Resource + "." + snapshotv1.GroupVersion.Group
	snapshotContents = snapshotv1.Contents.Resource + "." + snapshotv1.GroupVersion.Group
)

const leastUpload = 4 * time.Second

// keptClaim is said of a claim.
const keptClaim = " is kept for a snapshot that is done"

// snapshotSidecar is the container beside the driver.
const snapshotSidecar = `
        - name: snapshotter
          image: registry.k8s.io/sig-storage/csi-snapshotter:v8.7.0
          args: [--csi-address=/csi/csi.sock]
          volumeMounts: [{name: socket, mountPath: /csi}]`

// installSnapshots adds the kinds of snapshots, a class for each policy, and the controller.
func (d *dice) installSnapshots() {
	text := "apiVersion: v1\nkind: List\nitems:"
	for _, kind := range []string{"VolumeSnapshot", "VolumeSnapshotContent", "VolumeSnapshotClass"} {
		text += snapshotDefinition(kind)
	}
	d.install(installAt, text)
	d.install(3*time.Second, fmt.Sprintf(`
apiVersion: v1
kind: List
items:
- {apiVersion: snapshot.storage.k8s.io/v1, kind: VolumeSnapshotClass, metadata: {name: drop}, driver: %[1]s, deletionPolicy: Delete}
- apiVersion: snapshot.storage.k8s.io/v1
  kind: VolumeSnapshotClass
  metadata: {name: keep, annotations: {snapshot.storage.kubernetes.io/is-default-class: "true"}}
  driver: %[1]s
  deletionPolicy: Retain
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: snapshot-controller}
  spec:
    replicas: 1
    selector: {matchLabels: {app: snapshot-controller}}
    template:
      metadata: {labels: {app: snapshot-controller}}
      spec:
        nodeSelector: {kubernetes.io/hostname: node-1}
        terminationGracePeriodSeconds: 1
        containers: [{name: c, image: "registry.k8s.io/sig-storage/snapshot-controller:v8.7.0"}]
`, diskDriver))
}

// snapshotDefinition is the CustomResourceDefinition of one of the kinds.
func snapshotDefinition(kind string) string {
	plural, scope, status := snapshotv1.Snapshots.Resource, "Namespaced", "subresources: {status: {}}"
	switch kind {
	case "VolumeSnapshotContent":
		plural, scope = snapshotv1.Contents.Resource, "Cluster"
	case "VolumeSnapshotClass":
		plural, scope, status = snapshotv1.Classes.Resource, "Cluster", "subresources: {}"
	}
	return fmt.Sprintf(`
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata:
    name: %[1]s.snapshot.storage.k8s.io
    annotations: {api-approved.kubernetes.io: unapproved}
  spec:
    group: snapshot.storage.k8s.io
    scope: %[3]s
    names: {kind: %[2]s, plural: %[1]s}
    versions:
    - name: v1
      served: true
      storage: true
      %[4]s
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`, plural, kind, scope, status)
}

// snapshot takes snapshots of claims, makes claims of them, and deletes both, and what a snapshot is of.
func (d *dice) snapshot(at time.Duration) {
	n := d.IntN(3)
	claim, name, restored := fmt.Sprintf("disk-%d", n), fmt.Sprintf("snap-%d", n), fmt.Sprintf("restored-%d", n)
	remove := func(resource, name string) bool {
		if !d.applied[resource+"/"+name] {
			return false
		}
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: resource, Namespace: "default", Name: name})
		d.applied[resource+"/"+name] = false
		return true
	}
	switch d.IntN(9) {
	case 0, 1, 2:
		if remove(volumeSnapshots, name) {
			return
		}
	case 3:
		if remove("persistentvolumeclaims", restored) {
			remove("pods", restored)
			return
		}
	case 4:
		if remove("persistentvolumeclaims", claim) {
			remove("pods", fmt.Sprintf("disk-user-%d", n))
			return
		}
	case 5:
		d.add(cluster.Input{At: at, Kind: cluster.CrashContainer, Name: "snapshot-controller-*"})
		return
	case 6:
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: "snapshot-controller-*"})
		return
	}
	d.claim(at, claim, n, "1Gi", nil)
	d.user(at, fmt.Sprintf("disk-user-%d", n), claim)
	if d.once(volumeSnapshots + "/" + name) {
		spec := map[string]any{"source": map[string]any{"persistentVolumeClaimName": claim}}
		if class := []string{"drop", "drop", "keep", ""}[d.IntN(4)]; class != "" {
			spec["volumeSnapshotClassName"] = class
		}
		d.apply(at, map[string]any{"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshot", "metadata": map[string]any{"name": name}, "spec": spec})
		// Often it goes again, as it is made, as it becomes ready, as somebody waits for it, or later.
		if later := at + d.Between(0, 40*time.Second); d.IntN(4) > 0 && later < FaultsEnd-5*time.Second {
			d.add(cluster.Input{At: later, Kind: cluster.Delete, Resource: volumeSnapshots, Namespace: "default", Name: name})
		}
	}
	if d.IntN(2) == 0 {
		d.claim(at, restored, n, "5Gi", map[string]any{"apiGroup": snapshotv1.GroupVersion.Group, "kind": "VolumeSnapshot", "name": name})
		if n%2 == 0 {
			d.user(at, restored, restored)
		}
	}
}

// decoded reads an object of a kind that a definition adds.
func decoded[T any](o *api.Unstructured) *T {
	out := new(T)
	text, err := json.Marshal(o)
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		panic(err) // somebody wrote what is none
	}
	return out
}

// ofSnapshot is the name of the snapshot that a claim's volume is to be made of; "" for none.
func ofSnapshot(claim *corev1.PersistentVolumeClaim) string {
	if claim.Spec.DataSource == nil || claim.Spec.DataSource.Kind != "VolumeSnapshot" {
		return ""
	}
	return claim.Spec.DataSource.Name
}

// restorable tells whether what a claim's volume is to be made of is there.
func restorable(s trace.State, claim *corev1.PersistentVolumeClaim) bool {
	name := ofSnapshot(claim)
	if name == "" {
		return true
	}
	o := customs(s, volumeSnapshots)[claim.Namespace+"/"+name]
	return o != nil && o.DeletionTimestamp == nil && decoded[snapshotv1.VolumeSnapshot](o).Ready()
}

// snapshotsUnsettled: what can have a snapshot has one, what is to go is gone, and nothing is held for a snapshot that is done.
func snapshotsUnsettled(s trace.State, claims map[string]*corev1.PersistentVolumeClaim, say sayer) {
	of := map[string]*snapshotv1.VolumeSnapshot{} // by UID
	contents := map[string]*snapshotv1.VolumeSnapshotContent{}
	for _, o := range customs(s, snapshotContents) { // order: the sentences are sorted
		contents[o.Name] = decoded[snapshotv1.VolumeSnapshotContent](o)
	}
	held, source := map[string]bool{}, map[string]bool{} // claims, snapshots
	for _, claim := range claims {                       // order: into a map
		if name := ofSnapshot(claim); name != "" && claim.Status.Phase == corev1.ClaimPending {
			source[claim.Namespace+"/"+name] = true
		}
	}
	for key, o := range customs(s, volumeSnapshots) { // order: the sentences are sorted
		v := decoded[snapshotv1.VolumeSnapshot](o)
		of[string(v.UID)] = v
		claim := claims[v.Namespace+"/"+*v.Spec.Source.PersistentVolumeClaimName]
		content := contents[snapshotv1.ContentName(v)]
		switch {
		case v.DeletionTimestamp != nil && v.Spec.VolumeSnapshotClassName == nil && (claim == nil || claim.Status.Phase != corev1.ClaimBound):
			// Somebody applied it anew while it was to go, without a class, and its claim is gone: the controller looks for a default
			// class first, for which it asks the claim's volume, and never comes to the deletion. Upstream: syncSnapshotByKey, SetDefaultSnapshotClass.
		case v.DeletionTimestamp != nil && (!source[key] || content == nil):
			say("snapshot %s is to go", key)
		case v.DeletionTimestamp == nil && !v.Ready() && (content != nil ||
			claim != nil && claim.Status.Phase == corev1.ClaimBound && claim.DeletionTimestamp == nil):
			say("snapshot %s waits", key)
		}
		held[v.Namespace+"/"+*v.Spec.Source.PersistentVolumeClaimName] = held[v.Namespace+"/"+*v.Spec.Source.PersistentVolumeClaimName] || !v.Ready()
	}
	for _, c := range contents { // order: the sentences are sorted
		_, creating := c.Annotations[snapshotv1.AnnBeingCreated]
		switch v := of[string(c.Spec.VolumeSnapshotRef.UID)]; {
		case c.DeletionTimestamp != nil:
			say("content %s is to go", c.Name)
		case v == nil && c.Spec.DeletionPolicy == snapshotv1.DeletionDelete:
			say("content %s is of snapshot %s, which is not there", c.Name, c.Spec.VolumeSnapshotRef.Name)
		case v != nil && v.DeletionTimestamp == nil && v.Bound() != c.Name:
			say("content %s is of snapshot %s, which is not bound to it", c.Name, v.Name)
		case creating:
			say("content %s is still marked as being made", c.Name)
		}
	}
	for key, claim := range claims { // order: the sentences are sorted
		for _, f := range claim.Finalizers {
			if f == snapshotv1.PVCFinalizer && !held[key] {
				say("claim %s"+keptClaim, key)
			}
		}
	}
}

// keptForRemoved returns the claims, by key, that are kept for good for a snapshot that was removed at once, in upstream's clusters as in ours.
//
// Who deletes a snapshot that no finalizer holds yet has it removed when the API server comes to it, though snapshot-controller may have given it one
// since (Store.Delete, staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go). The controller goes on with the version that it wrote, and
// protects the claim (ensurePVCFinalizer, pkg/common-controller/snapshot_controller.go). That the snapshot is gone it learns then, and deleteSnapshot
// (snapshot_controller_base.go) does not look at the claim. Only another snapshot of the claim has its finalizer taken away.
func keptForRemoved(rec *trace.Recorder) map[string]bool {
	protected, removed := map[string]bool{}, map[string]bool{}
	for i := range rec.Len() {
		for _, d := range rec.Event(trace.ID(i + 1)).Deltas {
			if d.Cell.Kind != trace.CellObject {
				continue
			}
			switch d.Cell.Owner {
			case "persistentvolumeclaims":
				claim, _ := d.New.(*corev1.PersistentVolumeClaim)
				protected[d.Cell.Key] = claim != nil && slices.Contains(claim.Finalizers, snapshotv1.PVCFinalizer)
				if claim == nil {
					delete(removed, d.Cell.Key)
				}
			case volumeSnapshots:
				was, now := d.Old, d.New
				if was == nil {
					was = now
				}
				v := decoded[snapshotv1.VolumeSnapshot](was.(*api.Unstructured))
				removed[v.Namespace+"/"+*v.Spec.Source.PersistentVolumeClaimName] = now == nil && v.DeletionTimestamp == nil && len(v.Finalizers) > 0
			}
		}
	}
	maps.DeleteFunc(removed, func(claim string, at bool) bool { return !at || !protected[claim] })
	return removed
}

// snapshotted is what there is of snapshots at a moment of a run.
type snapshotted struct {
	say      sayer
	made     map[string]time.Duration                     // since when, by what the cloud calls them
	names    map[string]string                            // what the cloud calls them, by the names they were made for
	contents map[string]*snapshotv1.VolumeSnapshotContent // that are there, by name
	whose    map[string]*snapshotv1.VolumeSnapshotContent // the content that has or had a snapshot, by what the cloud calls it
	from     map[string]string                            // what disks were made of, by the names they were made for
	// unbound are VolumeSnapshots that were to go when they were not bound yet. Such a one never gets the finalizer that would keep it
	// until its content is gone, though it is bound later. Upstream: utils.NeedToAddSnapshotBoundFinalizer.
	unbound map[types.UID]bool
}

// snapshotsHold: the cloud takes one snapshot for each content; nothing is ready before the cloud has it ready; a snapshot goes from the cloud if its
// content is to go with it, and then before the content, as the content before the VolumeSnapshot; a claim of a snapshot gets what is in that one.
func snapshotsHold(rec *trace.Recorder, say sayer) {
	s := &snapshotted{say: say, made: map[string]time.Duration{}, names: map[string]string{}, contents: map[string]*snapshotv1.VolumeSnapshotContent{},
		whose: map[string]*snapshotv1.VolumeSnapshotContent{}, from: map[string]string{}, unbound: map[types.UID]bool{}}
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		for _, delta := range e.Deltas {
			if delta.Cell.Kind == trace.CellObject {
				s.written(e, delta)
			}
		}
		if e.Op == trace.Log {
			s.logged(e)
		}
	}
	last := rec.Event(trace.ID(rec.Len())).At
	has := map[string]int{}
	for _, c := range s.contents { // order: the sentences are sorted
		handle := handleOf(c)
		if has[handle]++; handle == "" {
			continue
		}
		if _, there := s.made[handle]; !there {
			say("content %s is of %s, which is not there", c.Name, handle)
		}
	}
	for handle, since := range s.made { // order: the sentences are sorted
		if has[handle] != 1 && last-since > 5*time.Second {
			say("%d contents are of %s, which was made at %v", has[handle], handle, since)
		}
	}
}

func handleOf(c *snapshotv1.VolumeSnapshotContent) string {
	if c.Status == nil || c.Status.SnapshotHandle == nil {
		return ""
	}
	return *c.Status.SnapshotHandle
}

// logged takes note of what the cloud has done.
func (s *snapshotted) logged(e *trace.Event) {
	handle, name := e.Text("snapshot"), e.Text("name")
	switch e.Text("message") {
	case "Snapshot is made":
		if before := s.names[name]; before != "" {
			s.say("event %d: %s and %s are made for %s", e.ID, before, handle, name)
		}
		s.made[handle], s.names[name] = e.At, handle
	case "Snapshot is deleted":
		if _, there := s.made[handle]; !there {
			return // by two calls at once
		}
		delete(s.made, handle)
		if c := s.whose[handle]; c == nil || c.DeletionTimestamp == nil || c.Spec.DeletionPolicy != snapshotv1.DeletionDelete {
			s.say("event %d: %s is deleted, and its content is not to go, or without it", e.ID, handle)
		}
	case "Disk is made":
		s.from[name] = handle
	}
}

// written looks at what has become of an object.
func (s *snapshotted) written(e *trace.Event, delta trace.Delta) {
	switch delta.Cell.Owner {
	case "persistentvolumeclaims":
		s.bound(e, delta)
	case volumeSnapshots:
		if now, ok := delta.New.(*api.Unstructured); ok {
			v, before := decoded[snapshotv1.VolumeSnapshot](now), &snapshotv1.VolumeSnapshot{}
			if was, ok := delta.Old.(*api.Unstructured); ok {
				before = decoded[snapshotv1.VolumeSnapshot](was)
			}
			if v.DeletionTimestamp != nil && before.DeletionTimestamp == nil && v.Bound() == "" {
				s.unbound[v.UID] = true
			}
			if c := s.contents[v.Bound()]; v.Ready() && !before.Ready() && (c == nil || !c.Refers(v) || !c.Ready()) {
				s.say("event %d: snapshot %s says that it is ready, and its content does not", e.ID, v.Name)
			}
		} else if was, ok := delta.Old.(*api.Unstructured); ok {
			v := decoded[snapshotv1.VolumeSnapshot](was)
			if c := s.contents[snapshotv1.ContentName(v)]; c != nil && c.Spec.DeletionPolicy == snapshotv1.DeletionDelete &&
				(c.DeletionTimestamp == nil || v.Bound() != "" && !s.unbound[v.UID]) {
				s.say("event %d: snapshot %s goes and leaves its content", e.ID, v.Name)
			}
		}
	case snapshotContents:
		if now, ok := delta.New.(*api.Unstructured); ok {
			s.content(e, decoded[snapshotv1.VolumeSnapshotContent](now))
		} else if was, ok := delta.Old.(*api.Unstructured); ok {
			c := decoded[snapshotv1.VolumeSnapshotContent](was)
			delete(s.contents, c.Name)
			handle := s.names["snapshot-"+string(c.Spec.VolumeSnapshotRef.UID)]
			if _, there := s.made[handle]; there && c.Spec.DeletionPolicy == snapshotv1.DeletionDelete {
				s.say("event %d: content %s goes and leaves %s", e.ID, c.Name, handle)
			}
		}
	}
}

// content looks at what is written into a content.
func (s *snapshotted) content(e *trace.Event, c *snapshotv1.VolumeSnapshotContent) {
	before, handle := s.contents[c.Name], handleOf(c)
	s.contents[c.Name] = c
	if handle != "" {
		if o := s.whose[handle]; o != nil && o.Name != c.Name {
			s.say("event %d: %s is of content %s and of %s", e.ID, handle, o.Name, c.Name)
		}
		s.whose[handle] = c
	}
	if c.Ready() && (before == nil || !before.Ready()) {
		if since, there := s.made[handle]; !there || e.At-since < leastUpload {
			s.say("event %d: content %s says that %s is ready, and it is not", e.ID, c.Name, handle)
		}
	}
}

// bound looks at a claim that gets its volume.
func (s *snapshotted) bound(e *trace.Event, delta trace.Delta) {
	claim, ok := delta.New.(*corev1.PersistentVolumeClaim)
	before, _ := delta.Old.(*corev1.PersistentVolumeClaim)
	if !ok || claim.Spec.VolumeName == "" || ofSnapshot(claim) == "" || before != nil && before.Spec.VolumeName != "" {
		return
	}
	handle := s.from[claim.Spec.VolumeName]
	if c := s.whose[handle]; c == nil || c.Spec.VolumeSnapshotRef.Name != ofSnapshot(claim) {
		s.say("event %d: claim %s is to have what is in %s, and gets what is in %q", e.ID, claim.Name, ofSnapshot(claim), handle)
	}
}
