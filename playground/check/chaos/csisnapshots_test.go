package chaos

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/operator/csi/snapshotv1"
	"kubewalk/playground/trace"
)

// snapshotObject is an object of one of the kinds of snapshots, from its JSON.
func snapshotObject(t *testing.T, resource, key, text string) trace.Delta {
	t.Helper()
	o := &api.Unstructured{}
	if err := json.Unmarshal([]byte(text), o); err != nil {
		t.Fatal(err)
	}
	return trace.Set(trace.Cell{Kind: trace.CellObject, Owner: resource, Key: key}, o)
}

const (
	snapshotText = `{"apiVersion":"snapshot.storage.k8s.io/v1","kind":"VolumeSnapshot","metadata":{"name":"snap","namespace":"default","uid":"1"%s},` +
		`"spec":{"source":{"persistentVolumeClaimName":"disk"}%s}%s}`
	contentText = `{"apiVersion":"snapshot.storage.k8s.io/v1","kind":"VolumeSnapshotContent","metadata":{"name":"snapcontent-1"%s},` +
		`"spec":{"deletionPolicy":"Delete","driver":"d","volumeSnapshotRef":{"name":"snap","namespace":"default","uid":"1"},"source":{}}}`
	toGo = `,"deletionTimestamp":"2026-01-15T09:00:00Z"`
)

// A snapshot that is to go may stay only if it has no class and its claim is not bound: then the controller never comes to the deletion.
func TestSnapshotThatStays(t *testing.T) {
	class := `,"volumeSnapshotClassName":"drop"`
	bound := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "disk", Namespace: "default"},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound}}
	pending := &corev1.PersistentVolumeClaim{ObjectMeta: bound.ObjectMeta, Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}}
	for name, c := range map[string]struct {
		class   string
		claim   *corev1.PersistentVolumeClaim
		excused bool
	}{
		"no class, no claim":        {"", nil, true},
		"no class, a pending claim": {"", pending, true},
		"no class, a bound claim":   {"", bound, false},
		"a class, no claim":         {class, nil, false},
	} {
		d := snapshotObject(t, volumeSnapshots, "default/snap", fmt.Sprintf(snapshotText, toGo, c.class, ""))
		claims := map[string]*corev1.PersistentVolumeClaim{}
		if c.claim != nil {
			claims["default/disk"] = c.claim
		}
		var said []string
		snapshotsUnsettled(trace.State{d.Cell: d.New}, claims, into(&said))
		if (len(said) == 0) != c.excused {
			t.Errorf("%s: it says %q", name, said)
		}
	}
}

// A snapshot may go before its content only if it was to go when it was not bound yet: it never gets the finalizer that would keep it.
func TestSnapshotThatLeavesItsContent(t *testing.T) {
	status := `,"status":{"boundVolumeSnapshotContentName":"snapcontent-1"}`
	snapshot := func(meta, status string) trace.Delta {
		return snapshotObject(t, volumeSnapshots, "default/snap", fmt.Sprintf(snapshotText, meta, "", status))
	}
	content := func(meta string) trace.Delta {
		return snapshotObject(t, snapshotContents, "snapcontent-1", fmt.Sprintf(contentText, meta))
	}
	gone := trace.Unset(trace.Cell{Kind: trace.CellObject, Owner: volumeSnapshots, Key: "default/snap"})
	for name, c := range map[string]struct {
		deltas  []trace.Delta
		excused bool
	}{
		"bound when it was to go":        {[]trace.Delta{snapshot("", ""), content(""), snapshot("", status), snapshot(toGo, status), content(toGo), gone}, false},
		"to go, then bound":              {[]trace.Delta{snapshot("", ""), content(""), snapshot(toGo, ""), snapshot(toGo, status), content(toGo), gone}, true},
		"to go, and its content is not":  {[]trace.Delta{snapshot("", ""), content(""), snapshot(toGo, ""), snapshot(toGo, status), gone}, false},
		"never bound, its content is to": {[]trace.Delta{snapshot("", ""), content(""), snapshot(toGo, ""), content(toGo), gone}, true},
	} {
		rec := trace.NewRecorder(trace.All)
		state := map[trace.Cell]any{}
		for _, d := range c.deltas {
			d.Old = state[d.Cell]
			state[d.Cell] = d.New
			rec.Record(trace.Event{Op: trace.StoreCommit}, nil, []trace.Delta{d}, 0)
		}
		var said []string
		snapshotsHold(rec, func(format string, args ...any) {
			if text := fmt.Sprintf(format, args...); strings.Contains(text, "leaves its content") {
				said = append(said, text)
			}
		})
		if (len(said) == 0) != c.excused {
			t.Errorf("%s: it says %q", name, said)
		}
	}
}

// A claim is excused only if its last snapshot was removed though it had got a finalizer, without having been marked.
func TestKeptForRemoved(t *testing.T) {
	claim := func(finalizers ...string) trace.Delta {
		return trace.Set(trace.Cell{Kind: trace.CellObject, Owner: "persistentvolumeclaims", Key: "default/disk"},
			&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "disk", Namespace: "default", Finalizers: finalizers}})
	}
	snapshot := func(meta string) trace.Delta {
		return snapshotObject(t, volumeSnapshots, "default/snap", fmt.Sprintf(snapshotText, meta, "", ""))
	}
	other := func() trace.Delta {
		return snapshotObject(t, volumeSnapshots, "default/other", strings.Replace(fmt.Sprintf(snapshotText, "", "", ""), "snap", "other", 1))
	}
	unset := func(resource, name string) trace.Delta {
		return trace.Unset(trace.Cell{Kind: trace.CellObject, Owner: resource, Key: "default/" + name})
	}
	fresh, protected, gone := claim(), claim(snapshotv1.PVCFinalizer), unset(volumeSnapshots, "snap")
	const finalizer = `,"finalizers":["snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection"]`
	held := snapshot(finalizer)
	for name, c := range map[string]struct {
		deltas  []trace.Delta
		excused bool
	}{
		"removed at once":               {[]trace.Delta{fresh, snapshot(""), held, gone, protected}, true},
		"protected before it is gone":   {[]trace.Delta{fresh, snapshot(""), held, protected, gone}, true},
		"no finalizer held it":          {[]trace.Delta{fresh, snapshot(""), gone, protected}, false},
		"marked first":                  {[]trace.Delta{fresh, held, protected, snapshot(finalizer + toGo), gone}, false},
		"still there":                   {[]trace.Delta{fresh, held, protected}, false},
		"another snapshot of it":        {[]trace.Delta{fresh, snapshot(""), held, gone, protected, other()}, false},
		"another, before":               {[]trace.Delta{fresh, other(), unset(volumeSnapshots, "other"), snapshot(""), held, gone, protected}, true},
		"released":                      {[]trace.Delta{fresh, snapshot(""), held, gone, protected, fresh}, false},
		"another claim under this name": {[]trace.Delta{fresh, snapshot(""), held, gone, protected, unset("persistentvolumeclaims", "disk"), protected}, false},
	} {
		rec := trace.NewRecorder(trace.All)
		state := map[trace.Cell]any{}
		for _, d := range c.deltas {
			d.Old = state[d.Cell]
			state[d.Cell] = d.New
			rec.Record(trace.Event{Op: trace.StoreCommit}, nil, []trace.Delta{d}, 0)
		}
		if got := keptForRemoved(rec); got["default/disk"] != c.excused {
			t.Errorf("%s: %v, want %v", name, got, c.excused)
		}
	}
}
