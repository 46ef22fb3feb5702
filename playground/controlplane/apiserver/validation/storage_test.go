package validation

import (
	"encoding/json"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/schedulingv1"
	"kubewalk/playground/api/storagev1"
)

func from[T any](t *testing.T, text string) *T {
	t.Helper()
	out := new(T)
	if err := json.Unmarshal([]byte(text), out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func wantErrors(t *testing.T, name string, errs field.ErrorList, want string) {
	t.Helper()
	got := ""
	if err := errs.ToAggregate(); err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("%s:\n  %s\nwant\n  %s", name, got, want)
	}
}

func TestPersistentVolumes(t *testing.T) {
	for _, c := range []struct{ name, spec, want string }{
		{"good", `{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/tmp/a"}}`, ""},
		{"empty", `{}`, `[spec.accessModes: Required value, spec.capacity: Required value, spec.capacity: Unsupported value: null: supported values: "storage", spec: Required value: must specify a volume type]`},
		{"two sources", `{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/a"},"nfs":{"server":"s","path":"/p"}}`,
			`spec.nfs: Forbidden: may not specify more than 1 volume type`},
		{"local without a place", `{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"local":{"path":"/a/../b"}}`,
			`[spec.local.path: Invalid value: "/a/../b": must not contain '..', spec.nodeAffinity: Required value: Local volume requires node affinity]`},
		{"modes that exclude each other", `{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce","ReadWriteOncePod"],"hostPath":{"path":"/a"}}`,
			`spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes`},
		{"a policy of its own", `{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/a"},"persistentVolumeReclaimPolicy":"Keep"}`,
			`spec.persistentVolumeReclaimPolicy: Unsupported value: "Keep": supported values: "Delete", "Recycle", "Retain"`},
	} {
		v := &corev1.PersistentVolume{Spec: *from[corev1.PersistentVolumeSpec](t, c.spec)}
		wantErrors(t, c.name, ValidatePersistentVolume(v), c.want)
	}
	old := &corev1.PersistentVolume{Spec: *from[corev1.PersistentVolumeSpec](t,
		`{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/a"}}`)}
	moved := old.DeepCopy()
	moved.Spec.HostPath.Path = "/b"
	wantErrors(t, "another source", ValidatePersistentVolumeUpdate(moved, old),
		"spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation")
}

func TestPersistentVolumeClaims(t *testing.T) {
	const good = `{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}`
	for _, c := range []struct{ name, spec, want string }{
		{"good", good, ""},
		{"empty", `{}`, `[spec.accessModes: Required value: at least 1 access mode is required, spec.resources[storage]: Required value]`},
		{"of size nothing", `{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"0"}}}`,
			`spec.resources[storage]: Invalid value: "0": must be greater than zero`},
		{"a mode of its own", `{"accessModes":["Sometimes"],"resources":{"requests":{"storage":"1"}}}`,
			`spec.accessModes: Unsupported value: "Sometimes": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"`},
	} {
		wantErrors(t, c.name, ValidatePersistentVolumeClaim(&corev1.PersistentVolumeClaim{Spec: *from[corev1.PersistentVolumeClaimSpec](t, c.spec)}), c.want)
	}
	const immutable = "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
	for _, c := range []struct {
		name, phase, spec, want string
	}{
		{"its volume is named", "Pending", `{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"volumeName":"v"}`, ""},
		{"it gets a class", "Pending", `{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"storageClassName":"c"}`, ""},
		{"it grows", "Bound", `{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"2Gi"}}}`, ""},
		{"it grows before it is bound", "Pending", `{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"2Gi"}}}`, immutable},
		{"another mode", "Bound", `{"accessModes":["ReadOnlyMany"],"resources":{"requests":{"storage":"1Gi"}}}`, immutable},
		{"it shrinks", "Bound", `{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"512Mi"}}}`,
			"spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"},
	} {
		old := &corev1.PersistentVolumeClaim{Spec: *from[corev1.PersistentVolumeClaimSpec](t, good)}
		old.Status = *from[corev1.PersistentVolumeClaimStatus](t, `{"phase":"`+c.phase+`","capacity":{"storage":"1Gi"}}`)
		now := &corev1.PersistentVolumeClaim{Spec: *from[corev1.PersistentVolumeClaimSpec](t, c.spec), Status: old.Status}
		wantErrors(t, c.name, ValidatePersistentVolumeClaimUpdate(now, old), c.want)
	}
}

func TestClasses(t *testing.T) {
	for _, c := range []struct{ name, class, want string }{
		{"good", `{"provisioner":"kubewalk.dev/hostpath","volumeBindingMode":"Immediate"}`, ""},
		{"empty", `{}`, `[provisioner: Required value, volumeBindingMode: Required value]`},
		{"modes of its own", `{"provisioner":"a","volumeBindingMode":"Later","reclaimPolicy":"Recycle"}`,
			`[reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain", volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"]`},
	} {
		wantErrors(t, c.name, ValidateStorageClass(from[storagev1.StorageClass](t, c.class)), c.want)
	}
	for _, c := range []struct{ name, class, want string }{
		{"good", `{"metadata":{"name":"high"},"value":1000000000}`, ""},
		{"too high", `{"metadata":{"name":"high"},"value":1000000001}`, `value: Forbidden: maximum allowed value of a user defined priority is 1000000000`},
		{"the system's", `{"metadata":{"name":"system-node-critical"},"value":2000001000}`, ""},
		{"the system's, at another value", `{"metadata":{"name":"system-node-critical"},"value":1}`,
			`metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: value of system-node-critical PriorityClass must be 2000001000`},
		{"one that only sounds so", `{"metadata":{"name":"system-mine"},"value":1}`,
			`metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class`},
		{"a policy of its own", `{"metadata":{"name":"a"},"preemptionPolicy":"Sometimes"}`,
			`preemptionPolicy: Unsupported value: "Sometimes": supported values: "PreemptLowerPriority", "Never"`},
	} {
		wantErrors(t, c.name, ValidatePriorityClass(from[schedulingv1.PriorityClass](t, c.class)), c.want)
	}
	old := from[schedulingv1.PriorityClass](t, `{"metadata":{"name":"a"},"value":1}`)
	wantErrors(t, "another value", ValidatePriorityClassUpdate(from[schedulingv1.PriorityClass](t, `{"metadata":{"name":"a"},"value":2}`), old),
		"value: Forbidden: may not be changed in an update.")
}
