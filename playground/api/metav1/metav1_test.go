package metav1

import (
	"encoding/json"
	"testing"
	"time"

	"kubewalk/playground/api/schema"
)

func TestTimesInJSON(t *testing.T) {
	at := time.Date(2026, 1, 2, 4, 4, 5, 123456789, time.FixedZone("", 3600))
	tests := []struct {
		in   any
		want string
	}{
		{NewTime(at), `"2026-01-02T03:04:05Z"`}, {Time{}, `null`},
		{NewMicroTime(at), `"2026-01-02T03:04:05.123456Z"`}, {MicroTime{}, `null`},
		{Duration{90 * time.Second}, `"1m30s"`},
		{ObjectMeta{}, `{}`},
	}
	for _, tt := range tests {
		if got, err := json.Marshal(tt.in); string(got) != tt.want || err != nil {
			t.Errorf("%v: %s, %v, want %s", tt.in, got, err, tt.want)
		}
	}
	var back Time
	if err := json.Unmarshal([]byte(`"2026-01-02T04:04:05+01:00"`), &back); err != nil || back.Location() != time.UTC {
		t.Errorf("time read is %v, %v, want it in UTC", back, err)
	}
	whole := NewTime(at).Rfc3339Copy()
	if !back.Equal(&whole) {
		t.Errorf("%v is not %v", back, whole)
	}
}

// dog is a kind made for the test.
type dog struct {
	TypeMeta
	ObjectMeta
}

func (d *dog) DeepCopyObject() Object {
	out := *d
	d.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func TestControllerRef(t *testing.T) {
	owner := &dog{ObjectMeta: ObjectMeta{Name: "web", UID: "7"}}
	pup := &dog{}
	if GetControllerOf(pup) != nil || IsControlledBy(pup, owner) {
		t.Error("an orphan has a controller")
	}
	ref := NewControllerRef(owner, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ReplicaSet"})
	pup.OwnerReferences = []OwnerReference{{Name: "other", UID: "8"}, *ref}
	got := GetControllerOf(pup)
	if got == nil || got.APIVersion != "apps/v1" || got.Name != "web" || !*got.BlockOwnerDeletion || !IsControlledBy(pup, owner) {
		t.Errorf("controller is %+v", got)
	}
	*got.Controller = false
	if GetControllerOf(pup) == nil {
		t.Error("GetControllerOf returned what it shares with the object")
	}
}
