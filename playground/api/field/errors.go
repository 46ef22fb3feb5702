// Package field says what is wrong with which field of an object, in the API server's own words. Validation collects
// such errors, all of them, so that a manifest's author sees every mistake at once; apierrors.NewInvalid makes one
// answer of them.
//
// Names and texts are those of upstream's k8s.io/apimachinery/pkg/util/validation/field. What its declarative validation
// added (origins, stability levels) is absent: it never reaches a message.
package field

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Error is one thing that is wrong with one field.
type Error struct {
	Type     ErrorType
	Field    string
	BadValue any
	Detail   string
}

// ErrorType is the kind of mistake. The values are those of the causes in a Status.
type ErrorType string

// What can be wrong.
const (
	ErrorTypeNotFound     ErrorType = "FieldValueNotFound"
	ErrorTypeRequired     ErrorType = "FieldValueRequired"
	ErrorTypeDuplicate    ErrorType = "FieldValueDuplicate"
	ErrorTypeInvalid      ErrorType = "FieldValueInvalid"
	ErrorTypeNotSupported ErrorType = "FieldValueNotSupported"
	ErrorTypeForbidden    ErrorType = "FieldValueForbidden"
	ErrorTypeTooLong      ErrorType = "FieldValueTooLong"
	ErrorTypeTooMany      ErrorType = "FieldValueTooMany"
	ErrorTypeInternal     ErrorType = "InternalError"
	ErrorTypeTypeInvalid  ErrorType = "FieldValueTypeInvalid"
)

var typeTexts = map[ErrorType]string{
	ErrorTypeNotFound:     "Not found",
	ErrorTypeRequired:     "Required value",
	ErrorTypeDuplicate:    "Duplicate value",
	ErrorTypeInvalid:      "Invalid value",
	ErrorTypeNotSupported: "Unsupported value",
	ErrorTypeForbidden:    "Forbidden",
	ErrorTypeTooLong:      "Too long",
	ErrorTypeTooMany:      "Too many",
	ErrorTypeInternal:     "Internal error",
	ErrorTypeTypeInvalid:  "Invalid value",
}

// String is the type as messages show it.
func (t ErrorType) String() string {
	if text, ok := typeTexts[t]; ok {
		return text
	}
	return fmt.Sprintf("<unknown error %q>", string(t))
}

// Error is the path and what is wrong there.
func (e *Error) Error() string { return e.Field + ": " + e.ErrorBody() }

// ErrorBody is the message without the path.
func (e *Error) ErrorBody() string {
	s := e.Type.String()
	switch e.Type {
	case ErrorTypeRequired, ErrorTypeForbidden, ErrorTypeTooLong, ErrorTypeInternal:
		// The value says nothing, or is too long to be shown.
	default:
		if text, ok := show(e.BadValue); ok {
			s += ": " + text
		}
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// OmitValueType is passed to Invalid in place of a value that is not to be shown.
type OmitValueType struct{}

// show prints numbers as they are, text in quotes, and anything else as JSON.
func show(value any) (text string, ok bool) {
	switch v := value.(type) {
	case OmitValueType:
		return "", false
	case int64, int32, float64, float32, bool:
		return fmt.Sprint(v), true
	case string:
		return strconv.Quote(v), true
	}
	if b, err := json.Marshal(value); err == nil {
		return string(b), true
	}
	return fmt.Sprintf("%#v", value), true
}

// TypeInvalid says that the value has the wrong type.
func TypeInvalid(path *Path, value any, detail string) *Error {
	return &Error{ErrorTypeTypeInvalid, path.String(), value, detail}
}

// NotFound says that what the value refers to isn't there.
func NotFound(path *Path, value any) *Error {
	return &Error{ErrorTypeNotFound, path.String(), value, ""}
}

// Required says that the field has to be given.
func Required(path *Path, detail string) *Error {
	return &Error{ErrorTypeRequired, path.String(), "", detail}
}

// Duplicate says that the value is there twice where it has to be unique.
func Duplicate(path *Path, value any) *Error {
	return &Error{ErrorTypeDuplicate, path.String(), value, ""}
}

// Invalid says that the value is malformed or out of bounds.
func Invalid(path *Path, value any, detail string) *Error {
	return &Error{ErrorTypeInvalid, path.String(), value, detail}
}

// NotSupported says that the value is none of the valid ones, which the message lists in the order given.
func NotSupported[T ~string](path *Path, value any, validValues []T) *Error {
	detail := ""
	if len(validValues) > 0 {
		quoted := make([]string, len(validValues))
		for i, v := range validValues {
			quoted[i] = strconv.Quote(string(v))
		}
		detail = "supported values: " + strings.Join(quoted, ", ")
	}
	return &Error{ErrorTypeNotSupported, path.String(), value, detail}
}

// Forbidden says that the value would be good elsewhere, but not here.
func Forbidden(path *Path, detail string) *Error {
	return &Error{ErrorTypeForbidden, path.String(), "", detail}
}

// TooLong says that the value has more than so many bytes; the value itself is not shown.
func TooLong(path *Path, _ any, maxLength int) *Error {
	return &Error{ErrorTypeTooLong, path.String(), "<value omitted>", atMost("may not be more than", maxLength, "byte", "value is too long")}
}

// TooMany says that a list has too many items.
func TooMany(path *Path, actualQuantity, maxQuantity int) *Error {
	var actual any = OmitValueType{}
	if actualQuantity >= 0 {
		actual = actualQuantity
	}
	return &Error{ErrorTypeTooMany, path.String(), actual, atMost("must have at most", maxQuantity, "item", "has too many items")}
}

func atMost(words string, max int, unit, unbounded string) string {
	if max < 0 {
		return unbounded
	}
	if max != 1 {
		unit += "s"
	}
	return words + " " + strconv.Itoa(max) + " " + unit
}
