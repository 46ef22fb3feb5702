package metav1

import "errors"

// FieldsV1 is a set of fields in the JSON of sigs.k8s.io/structured-merge-diff ({"f:spec":{"f:replicas":{}}}), kept as
// the text it is: an immutable string, so that copies may share it.
// Upstream: apimachinery/pkg/apis/meta/v1/fieldsv1_string.go, FieldsV1.
type FieldsV1 struct {
	raw string
}

// NewFieldsV1 makes a set from its JSON, unchecked.
func NewFieldsV1(raw string) *FieldsV1 { return &FieldsV1{raw} }

// GetRawString returns the JSON; empty for nil.
func (f *FieldsV1) GetRawString() string {
	if f == nil {
		return ""
	}
	return f.raw
}

// GetRawBytes returns a copy of the JSON.
func (f *FieldsV1) GetRawBytes() []byte { return []byte(f.GetRawString()) }

// SetRawString replaces the JSON, unchecked.
func (f *FieldsV1) SetRawString(raw string) { f.raw = raw }

// Equal compares the JSON byte for byte; nil equals an empty set of none.
func (f FieldsV1) Equal(g FieldsV1) bool { return f.raw == g.raw }

// DeepCopyInto copies the value; the text is immutable.
func (f *FieldsV1) DeepCopyInto(out *FieldsV1) { *out = *f }

// DeepCopy returns a copy; nil for nil.
func (f *FieldsV1) DeepCopy() *FieldsV1 {
	if f == nil {
		return nil
	}
	return &FieldsV1{f.raw}
}

// MarshalJSON implements json.Marshaler.
func (f FieldsV1) MarshalJSON() ([]byte, error) {
	if f.raw == "" {
		return []byte("null"), nil
	}
	return []byte(f.raw), nil
}

// UnmarshalJSON implements json.Unmarshaler; it keeps b as it stands.
func (f *FieldsV1) UnmarshalJSON(b []byte) error {
	if f == nil {
		return errors.New("metav1.Fields: UnmarshalJSON on nil pointer")
	}
	if string(b) != "null" {
		f.raw = string(b)
	}
	return nil
}
