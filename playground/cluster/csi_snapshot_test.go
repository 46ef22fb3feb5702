package cluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// defineSnapshots adds the kinds of snapshots, two classes of them, and the controller.
func defineSnapshots(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	for kind, scope := range map[string]string{"VolumeSnapshot": "Namespaced", "VolumeSnapshotContent": "Cluster", "VolumeSnapshotClass": "Cluster"} {
		plural := strings.ToLower(kind) + "s"
		if kind == "VolumeSnapshotClass" {
			plural = "volumesnapshotclasses"
		}
		typed(t, c, "apply -f crd", fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
			"metadata":{"name":"%[1]s.snapshot.storage.k8s.io","annotations":{
			"api-approved.kubernetes.io":"https://github.com/kubernetes-csi/external-snapshotter/pull/814"}},
			"spec":{"group":"snapshot.storage.k8s.io","scope":%[3]q,"names":{"kind":%[2]q,"plural":%[1]q},"versions":[{"name":"v1","served":true,"storage":true,
			"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`, plural, kind, scope))
	}
	pass(c, time.Second)
	for name, policy := range map[string]string{"drop": "Delete", "keep": "Retain"} {
		typed(t, c, "apply -f class", fmt.Sprintf(`{"apiVersion":"snapshot.storage.k8s.io/v1","kind":"VolumeSnapshotClass","metadata":{"name":%q,
			"annotations":{"snapshot.storage.kubernetes.io/is-default-class":"%v"}},"driver":"disk.csi.example.com","deletionPolicy":%q}`, name, name == "drop", policy))
	}
	typed(t, c, "apply -f controller", snapshotController)
}

const snapshotController = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"snapshot-controller"},"spec":{"containers":[
	{"name":"c","image":"registry.k8s.io/sig-storage/snapshot-controller:v8.7.0"}]}}`

// snapshotWorld has a Pod that has written into its volume.
func snapshotWorld(t *testing.T, flags string) *cluster.Cluster {
	t.Helper()
	c := csiWorld(t, flags, "", "csi-snapshotter")
	typed(t, c, "apply -f pod", user("a", "node-2"))
	pass(c, 20*time.Second)
	want(t, c, "get pod a", "1/1", "Running")
	return c
}

func snapshot(name, class string) string {
	if class != "" {
		class = fmt.Sprintf(`"volumeSnapshotClassName":%q,`, class)
	}
	return fmt.Sprintf(`{"apiVersion":"snapshot.storage.k8s.io/v1","kind":"VolumeSnapshot","metadata":{"name":%q},"spec":{%s
		"source":{"persistentVolumeClaimName":"data"}}}`, name, class)
}

// restored is a claim of what is in a snapshot, and a Pod that has it.
func restored(t *testing.T, c *cluster.Cluster, from, size string) {
	t.Helper()
	typed(t, c, "apply -f claim", fmt.Sprintf(`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"restored"},"spec":{"storageClassName":"disk",
		"dataSource":{"apiGroup":"snapshot.storage.k8s.io","kind":"VolumeSnapshot","name":%q},
		"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":%q}}}}`, from, size))
	pod := strings.ReplaceAll(user("b", "node-1"), `"claimName":"data"`, `"claimName":"restored"`)
	typed(t, c, "apply -f pod", strings.ReplaceAll(pod, "echo hello >> /data/log; ", ""))
}

// logged is how often the cloud has said something.
func logged(c *cluster.Cluster, message string) (n int) {
	for _, e := range c.Trace().Events(1) {
		if e.Op == trace.Log && e.Text("message") == message {
			n++
		}
	}
	return n
}

// TestSnapshot takes a snapshot of a claim that names no class, and makes a volume of it, which has what was there at that moment.
func TestSnapshot(t *testing.T) {
	c := snapshotWorld(t, "")
	typed(t, c, "apply -f snapshot", snapshot("s", ""))
	pass(c, 2500*time.Millisecond)
	const status = `get volumesnapshot s -o jsonpath='{.spec.volumeSnapshotClassName} {.status.readyToUse} {.status.restoreSize} {.metadata.finalizers}'`
	want(t, c, status, "drop false 1Gi", "volumesnapshot-as-source-protection", "volumesnapshot-bound-protection")
	want(t, c, "get pvc data -o yaml", "pvc-as-source-protection")
	typed(t, c, "exec a -- sh -c 'echo later >> /data/log'", "")
	pass(c, 15*time.Second)
	want(t, c, status, "drop true 1Gi")
	if got := typed(t, c, "get pvc data -o yaml", ""); strings.Contains(got, "pvc-as-source-protection") {
		t.Error("the claim keeps its finalizer, though the snapshot is ready")
	}
	want(t, c, "get events", "CreatingSnapshot", "Waiting for a snapshot default/s to be created by the CSI driver.", "SnapshotCreated",
		"Snapshot default/s was successfully created by the CSI driver.", "SnapshotReady", "Snapshot default/s is ready to use.")
	want(t, c, "get volumesnapshotcontents -o yaml", "snapshotHandle: snap-1", "volumesnapshotcontent-bound-protection", "deletionPolicy: Delete",
		"name: snapcontent-")
	if got := typed(t, c, "get volumesnapshotcontents -o yaml", ""); strings.Contains(got, "being-created") {
		t.Error("the content is marked as being made")
	}
	restored(t, c, "s", "1Gi")
	pass(c, 20*time.Second)
	want(t, c, "get pod b", "1/1", "Running")
	if got := typed(t, c, "exec b -- cat /data/log", ""); strings.TrimSpace(got) != "hello" {
		t.Errorf("in the restored volume there is %q", got)
	}
}

// TestRestoreWaits: a claim of a snapshot that is not ready waits for it, and one that asks for less than was on the disk waits for ever.
func TestRestoreWaits(t *testing.T) {
	c := snapshotWorld(t, "")
	typed(t, c, "apply -f snapshot", snapshot("s", ""))
	restored(t, c, "s", "1Gi")
	pass(c, 3*time.Second)
	want(t, c, "get pvc restored", "Pending")
	pass(c, 40*time.Second)
	want(t, c, "get pvc restored", "Bound")
	want(t, c, "get events", `failed to provision volume with StorageClass "disk": error getting handle for DataSource `+
		"Type VolumeSnapshot by Name s: snapshot s is not Ready")
	typed(t, c, "delete pod b --wait=false", "")
	typed(t, c, "delete pvc restored --wait=false", "")
	pass(c, 30*time.Second)
	restored(t, c, "s", "1Mi")
	pass(c, 20*time.Second)
	want(t, c, "get pvc restored", "Pending")
	want(t, c, "get events", "requested volume size 1048576 is less than the size 1073741824 for the source snapshot s")
	// A snapshot that a claim waits for is not deleted.
	typed(t, c, "delete volumesnapshot s --wait=false", "")
	pass(c, 5*time.Second)
	want(t, c, "get volumesnapshots", "s")
	want(t, c, "get events", "SnapshotDeletePending")
}

// TestADriverThatDiesInASnapshot: the next call has the same name, and finds the snapshot.
func TestADriverThatDiesInASnapshot(t *testing.T) {
	c := snapshotWorld(t, `,"--die-after=CreateSnapshot:1"`)
	typed(t, c, "apply -f snapshot", snapshot("s", "drop"))
	pass(c, 40*time.Second)
	want(t, c, "get volumesnapshot s -o jsonpath={.status}", `"readyToUse":true`)
	if made, again := logged(c, "Snapshot is made"), logged(c, "Snapshot exists already"); made != 1 || again == 0 {
		t.Errorf("%d snapshots were made, and one was found %d times", made, again)
	}
	want(t, c, "logs deploy/disk-controller -c driver", `] "Snapshot exists already" snapshot="snap-1"`)
	want(t, c, "logs deploy/disk-controller -c driver --previous", `"Snapshot is made" snapshot="snap-1"`, "panic: runtime error")
	want(t, c, "logs deploy/disk-controller -c csi-snapshotter --previous", `1 main.go] "Lost connection to CSI driver, exiting"`)
	want(t, c, "logs snapshot-controller", `"Starting snapshot controller"`)
	got := typed(t, c, "logs deploy/disk-controller -c csi-snapshotter", "")
	if strings.Contains(got, "GRPC call") || !strings.Contains(got, "Creating snapshot") {
		t.Errorf("without --v=5, csi-snapshotter has logged %q", got)
	}
	if got = typed(t, c, "get volumesnapshot s -o jsonpath={.status.error}", ""); strings.TrimSpace(got) != "" {
		t.Errorf("the snapshot is ready, and has the error %s", got)
	}
}

// TestDeletedSnapshots: Delete takes the snapshot out of the cloud, Retain leaves it there, and its content.
func TestDeletedSnapshots(t *testing.T) {
	for policy, left := range map[string]int{"drop": 0, "keep": 1} {
		c := snapshotWorld(t, "")
		typed(t, c, "apply -f snapshot", snapshot("s", policy))
		pass(c, 15*time.Second)
		typed(t, c, "delete volumesnapshot s --wait=false", "")
		pass(c, 10*time.Second)
		if got := strings.TrimSpace(typed(t, c, "get volumesnapshots -o name", "")); got != "" {
			t.Errorf("%s: left over: %s", policy, got)
		}
		if got := strings.Count(typed(t, c, "get volumesnapshotcontents -o name", ""), "snapcontent-"); got != left {
			t.Errorf("%s: %d contents", policy, got)
		}
		if got := logged(c, "Snapshot is made") - logged(c, "Snapshot is deleted"); got != left {
			t.Errorf("%s: %d snapshots in the cloud", policy, got)
		}
	}
}

// TestDeletedWithoutController: a controller that starts knows of all contents before it looks at a snapshot that goes.
func TestDeletedWithoutController(t *testing.T) {
	c := snapshotWorld(t, "")
	typed(t, c, "apply -f snapshot", snapshot("s", "drop"))
	pass(c, 15*time.Second)
	typed(t, c, "delete pod snapshot-controller --grace-period=1 --wait=false", "")
	pass(c, 5*time.Second)
	typed(t, c, "delete volumesnapshot s --wait=false", "")
	typed(t, c, "apply -f controller", snapshotController)
	pass(c, 15*time.Second)
	if got := strings.TrimSpace(typed(t, c, "get volumesnapshots,volumesnapshotcontents -o name", "")); got != "" {
		t.Errorf("left over: %s", got)
	}
	if got := logged(c, "Snapshot is made") - logged(c, "Snapshot is deleted"); got != 0 {
		t.Errorf("%d snapshots are left in the cloud", got)
	}
}

// TestAClaimOfASnapshot: a claim that is deleted while a snapshot is being taken stays until it has been.
func TestAClaimOfASnapshot(t *testing.T) {
	c := snapshotWorld(t, "")
	typed(t, c, "delete pod a --wait=false", "")
	pass(c, 20*time.Second)
	typed(t, c, "apply -f snapshot", snapshot("s", "drop"))
	pass(c, 2*time.Second)
	typed(t, c, "delete pvc data --wait=false", "")
	pass(c, 500*time.Millisecond)
	want(t, c, "get pvc data", "Terminating")
	pass(c, 15*time.Second)
	if got := strings.TrimSpace(typed(t, c, "get pvc -o name", "")); got != "" {
		t.Errorf("left over: %s", got)
	}
	want(t, c, "get volumesnapshot s -o jsonpath={.status}", `"readyToUse":true`)
}

// TestASnapshotOfBefore: a content that names a snapshot in the cloud is bound to the VolumeSnapshot that names it.
func TestASnapshotOfBefore(t *testing.T) {
	c := snapshotWorld(t, "")
	typed(t, c, "apply -f snapshot", snapshot("s", "keep"))
	pass(c, 15*time.Second)
	typed(t, c, "delete volumesnapshot s --wait=false", "")
	typed(t, c, "apply -f content", `{"apiVersion":"snapshot.storage.k8s.io/v1","kind":"VolumeSnapshotContent","metadata":{"name":"old"},"spec":{
		"driver":"disk.csi.example.com","deletionPolicy":"Retain","source":{"snapshotHandle":"snap-1"},"volumeSnapshotRef":{"name":"old","namespace":"default"}}}`)
	typed(t, c, "apply -f snapshot", `{"apiVersion":"snapshot.storage.k8s.io/v1","kind":"VolumeSnapshot","metadata":{"name":"old"},"spec":{
		"source":{"volumeSnapshotContentName":"old"}}}`)
	pass(c, 10*time.Second)
	want(t, c, "get volumesnapshot old -o jsonpath={.status}", `"readyToUse":true`, `"boundVolumeSnapshotContentName":"old"`)
	restored(t, c, "old", "1Gi")
	pass(c, 20*time.Second)
	want(t, c, "exec b -- cat /data/log", "hello")
}
