// Package intstr holds a value that a manifest may write as a number or as text: a port by number or by name, a
// limit as a count or as a percentage. Upstream: k8s.io/apimachinery/pkg/util/intstr.
package intstr

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Type says which of the two a value is.
type Type int64

const (
	// Int says that IntVal holds the value.
	Int Type = iota
	// String says that StrVal holds the value.
	String
)

// IntOrString is a number or text. The zero value is the number 0.
type IntOrString struct {
	Type   Type
	IntVal int32
	StrVal string
}

// FromInt32 makes a number.
func FromInt32(n int32) IntOrString { return IntOrString{Type: Int, IntVal: n} }

// FromString makes a text.
func FromString(s string) IntOrString { return IntOrString{Type: String, StrVal: s} }

// Parse makes a number if s is one of 32 bits, else a text.
func Parse(s string) IntOrString {
	if n, err := strconv.ParseInt(s, 10, 32); err == nil {
		return FromInt32(int32(n))
	}
	return FromString(s)
}

// String is the value as text.
func (v *IntOrString) String() string {
	if v == nil {
		return "<nil>"
	}
	if v.Type == String {
		return v.StrVal
	}
	return strconv.Itoa(int(v.IntVal))
}

// IntValue is the number; a text is read as one, and 0 if it isn't.
func (v *IntOrString) IntValue() int {
	if v.Type == String {
		n, _ := strconv.Atoi(v.StrVal)
		return n
	}
	return int(v.IntVal)
}

// MarshalJSON implements json.Marshaler.
func (v IntOrString) MarshalJSON() ([]byte, error) {
	switch v.Type {
	case Int:
		return strconv.AppendInt(nil, int64(v.IntVal), 10), nil
	case String:
		return json.Marshal(v.StrVal)
	}
	return nil, errors.New("impossible IntOrString.Type")
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *IntOrString) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		v.Type = String
		return json.Unmarshal(b, &v.StrVal)
	}
	v.Type = Int
	return json.Unmarshal(b, &v.IntVal)
}

// ValueOrDefault returns v, or a pointer to other if v is nil.
func ValueOrDefault(v *IntOrString, other IntOrString) *IntOrString {
	if v == nil {
		return &other
	}
	return v
}

// GetScaledValueFromIntOrPercent returns the number, or the percentage of total, rounded up or down to whole ones:
// how a Deployment counts maxSurge (up) and maxUnavailable (down). Upstream computes with floats, whose result this
// integer arithmetic equals for all counts that occur.
func GetScaledValueFromIntOrPercent(v *IntOrString, total int, roundUp bool) (int, error) {
	if v == nil {
		return 0, errors.New("nil value for IntOrString")
	}
	if v.Type == Int {
		return int(v.IntVal), nil
	}
	s, ok := strings.CutSuffix(v.StrVal, "%")
	if !ok {
		return 0, errors.New("invalid value for IntOrString: invalid type: string is not a percentage")
	}
	percent, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("invalid value for IntOrString: invalid value %q: %v", v.StrVal, err)
	}
	product := int64(percent) * int64(total)
	n, rest := product/100, product%100
	switch {
	case roundUp && rest > 0:
		n++
	case !roundUp && rest < 0:
		n--
	}
	return int(n), nil
}
