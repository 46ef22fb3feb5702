package metav1

import (
	"encoding/json"
	"time"
)

// Time is an instant that JSON writes in UTC to the second, and as null if it is zero. Nothing in the playground asks
// the machine for the time: a Time comes from the simulation's clock or from a manifest.
// Upstream: apimachinery/pkg/apis/meta/v1/time.go, Time (which reads into the local zone; here it is UTC, since the
// zone of the machine must not matter).
type Time struct {
	time.Time
}

// NewTime wraps t.
func NewTime(t time.Time) Time { return Time{t} }

// DeepCopyInto copies the value; a Time shares nothing that changes.
func (t *Time) DeepCopyInto(out *Time) { *out = *t }

// DeepCopy returns a copy; nil for nil.
func (t *Time) DeepCopy() *Time {
	if t == nil {
		return nil
	}
	out := *t
	return &out
}

// IsZero is true for nil too.
func (t *Time) IsZero() bool { return t == nil || t.Time.IsZero() }

// Before is false if either is nil.
func (t *Time) Before(u *Time) bool { return t != nil && u != nil && t.Time.Before(u.Time) }

// Equal compares instants, not zones; nil equals only nil.
func (t *Time) Equal(u *Time) bool {
	if t == nil || u == nil {
		return t == u
	}
	return t.Time.Equal(u.Time)
}

// Rfc3339Copy returns the time as it would come back from JSON: whole seconds.
func (t Time) Rfc3339Copy() Time { return Time{t.Time.UTC().Truncate(time.Second)} }

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) { return marshalTime(t.Time, time.RFC3339) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Time) UnmarshalJSON(b []byte) (err error) {
	t.Time, err = unmarshalTime(b, time.RFC3339)
	return err
}

// MicroTime is a Time to the microsecond, which leases and events use.
// Upstream: apimachinery/pkg/apis/meta/v1/micro_time.go, MicroTime.
type MicroTime struct {
	time.Time
}

// NewMicroTime wraps t.
func NewMicroTime(t time.Time) MicroTime { return MicroTime{t} }

// DeepCopyInto copies the value; a MicroTime shares nothing that changes.
func (t *MicroTime) DeepCopyInto(out *MicroTime) { *out = *t }

// DeepCopy returns a copy; nil for nil.
func (t *MicroTime) DeepCopy() *MicroTime {
	if t == nil {
		return nil
	}
	out := *t
	return &out
}

// IsZero is true for nil too.
func (t *MicroTime) IsZero() bool { return t == nil || t.Time.IsZero() }

// Before is false if either is nil.
func (t *MicroTime) Before(u *MicroTime) bool { return t != nil && u != nil && t.Time.Before(u.Time) }

// Equal compares instants, not zones; nil equals only nil.
func (t *MicroTime) Equal(u *MicroTime) bool {
	if t == nil || u == nil {
		return t == u
	}
	return t.Time.Equal(u.Time)
}

// MarshalJSON implements json.Marshaler.
func (t MicroTime) MarshalJSON() ([]byte, error) { return marshalTime(t.Time, RFC3339Micro) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *MicroTime) UnmarshalJSON(b []byte) (err error) {
	t.Time, err = unmarshalTime(b, RFC3339Micro)
	return err
}

func marshalTime(t time.Time, layout string) ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	b := append(make([]byte, 0, len(layout)+2), '"')
	b = t.UTC().AppendFormat(b, layout)
	return append(b, '"'), nil
}

func unmarshalTime(b []byte, layout string) (time.Time, error) {
	if string(b) == "null" {
		return time.Time{}, nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return time.Time{}, err
	}
	t, err := time.Parse(layout, s)
	return t.UTC(), err
}

// Duration is a length of time that JSON writes as Go does: "1m30s".
// Upstream: apimachinery/pkg/apis/meta/v1/duration.go, Duration.
type Duration struct {
	time.Duration
}

// MarshalJSON implements json.Marshaler.
func (d Duration) MarshalJSON() ([]byte, error) { return []byte(`"` + d.Duration.String() + `"`), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (d *Duration) UnmarshalJSON(b []byte) (err error) {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	d.Duration, err = time.ParseDuration(s)
	return err
}
