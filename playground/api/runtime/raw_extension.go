// Package runtime holds the one type of upstream's k8s.io/apimachinery/pkg/runtime that API objects contain.
package runtime

import "errors"

// RawExtension is JSON inside an object that only some controller understands, as the data of a ControllerRevision.
// Copies of it share Raw: replace it, never change it in place.
// Upstream: apimachinery/pkg/runtime/types.go, RawExtension, without the decoded object.
type RawExtension struct {
	Raw []byte `json:"-"`
}

// MarshalJSON implements json.Marshaler. Upstream: runtime/extension.go.
func (re RawExtension) MarshalJSON() ([]byte, error) {
	if re.Raw == nil {
		return []byte("null"), nil
	}
	return re.Raw, nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (re *RawExtension) UnmarshalJSON(in []byte) error {
	if re == nil {
		return errors.New("runtime.RawExtension: UnmarshalJSON on nil pointer")
	}
	if string(in) != "null" {
		re.Raw = append([]byte(nil), in...)
	}
	return nil
}
