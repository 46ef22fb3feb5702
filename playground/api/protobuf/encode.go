package protobuf

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api/intstr"
)

// ErrNoForm is for a kind that has no form in protobuf: a custom one, or a table.
var ErrNoForm = errors.New("the kind has no form in protobuf")

// FromJSON makes a body of an object, a list or a Status in JSON, which says its kind. Any goroutine may call it. What JSON leaves out is left
// out, too, where upstream writes a zero.
func (d *Codec) FromJSON(text []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree map[string]any
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	apiVersion, _ := tree["apiVersion"].(string)
	kind, _ := tree["kind"].(string)
	if apiVersion == "" {
		apiVersion = "v1" // of APIVersions alone
	}
	name, ok := d.typeOf(apiVersion, kind)
	if !ok {
		return nil, fmt.Errorf("%w: %s, %s", ErrNoForm, apiVersion, kind)
	}
	raw, err := d.appendMessage(nil, name, tree)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	meta := appendBytes(appendBytes(nil, 1, apiVersion), 2, kind)
	out := appendBytes([]byte(prefix), 1, meta) // runtime.Unknown
	out = appendBytes(out, 2, raw)
	return appendBytes(appendBytes(out, 3, ""), 4, ""), nil
}

// Event makes a frame of an event of a watch in JSON.
// Upstream: serializer/protobuf/protobuf.go, RawSerializer, and apimachinery/pkg/util/framer, NewLengthDelimitedFrameWriter.
func (d *Codec) Event(line []byte) ([]byte, error) {
	var event struct {
		Type   string
		Object json.RawMessage
	}
	if err := json.Unmarshal(line, &event); err != nil {
		return nil, err
	}
	object, err := d.FromJSON(event.Object)
	if err != nil {
		return nil, err
	}
	frame := appendBytes(make([]byte, 4), 1, event.Type)
	frame = appendBytes(frame, 2, appendBytes(nil, 1, object)) // runtime.RawExtension
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame, nil
}

// appendNumber writes a field that is a number of base 128.
func appendNumber(b []byte, n, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, n<<3), v)
}

// appendBytes writes a field that has a length.
func appendBytes[T string | []byte](b []byte, n uint64, v T) []byte {
	b = binary.AppendUvarint(binary.AppendUvarint(b, n<<3|2), uint64(len(v)))
	return append(b, v...)
}

// appendMessage writes the fields of a message, in the order of their numbers.
func (d *Codec) appendMessage(b []byte, typ string, object map[string]any) ([]byte, error) {
	var err error
	for _, n := range d.orders[typ] {
		f := d.messages[typ][n]
		v := object[f.name]
		switch {
		case f.name == "-":
			b, err = d.appendValue(b, n, f.typ, object)
		case v == nil:
		case strings.HasPrefix(f.typ, "map[]"):
			b, err = d.appendMap(b, n, strings.TrimPrefix(f.typ, "map[]"), v)
		case strings.HasPrefix(f.typ, "[]"):
			list, ok := v.([]any)
			if !ok {
				return nil, errForm(f.name, v)
			}
			for _, element := range list {
				if b, err = d.appendValue(b, n, strings.TrimPrefix(f.typ, "[]"), element); err != nil {
					break
				}
			}
		default:
			b, err = d.appendValue(b, n, f.typ, v)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return b, nil
}

// appendMap writes a map as messages of a key and a value each, in the order of the keys.
func (d *Codec) appendMap(b []byte, n uint64, typ string, v any) ([]byte, error) {
	entries, ok := v.(map[string]any)
	if !ok {
		return nil, errForm("map", v)
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		entry := appendBytes(nil, 1, key)
		if v := entries[key]; v != nil || typ != "bool" && typ != "int" && typ != "float" {
			var err error
			if entry, err = d.appendValue(entry, 2, typ, v); err != nil {
				return nil, err
			}
		}
		b = appendBytes(b, n, entry)
	}
	return b, nil
}

func errForm(what string, v any) error { return fmt.Errorf("%s is a %T in JSON", what, v) }

// appendValue writes a field of any type that does not come more than once.
func (d *Codec) appendValue(b []byte, n uint64, typ string, v any) ([]byte, error) {
	switch typ {
	case "bool":
		truth, ok := v.(bool)
		if !ok {
			return nil, errForm(typ, v)
		}
		if truth {
			return appendNumber(b, n, 1), nil
		}
		return appendNumber(b, n, 0), nil
	case "int":
		number, ok := v.(json.Number)
		if !ok {
			return nil, errForm(typ, v)
		}
		i, err := strconv.ParseInt(number.String(), 10, 64)
		return appendNumber(b, n, uint64(i)), err
	case "float":
		number, ok := v.(json.Number)
		if !ok {
			return nil, errForm(typ, v)
		}
		f, err := number.Float64()
		return binary.LittleEndian.AppendUint64(binary.AppendUvarint(b, n<<3|1), math.Float64bits(f)), err
	}
	body, err := d.body(typ, v)
	if err != nil {
		return nil, err
	}
	return appendBytes(b, n, body), nil
}

// body is what a value of a type that has a length consists of.
func (d *Codec) body(typ string, v any) ([]byte, error) {
	text, isText := v.(string)
	switch typ {
	case "string":
		if !isText && v != nil {
			return nil, errForm(typ, v)
		}
		return []byte(text), nil
	case "bytes":
		return base64.StdEncoding.DecodeString(text)
	case "items":
		list, _ := v.([]any)
		var b []byte
		for _, one := range list {
			item, _ := one.(string)
			b = appendBytes(b, 1, item)
		}
		return b, nil
	case "metav1.Time", "metav1.MicroTime":
		if text == "" {
			return nil, nil
		}
		t, err := time.Parse(time.RFC3339Nano, text)
		return appendNumber(appendNumber(nil, 1, uint64(t.Unix())), 2, uint64(t.Nanosecond())), err
	case "metav1.Duration":
		span, err := time.ParseDuration(text)
		return appendNumber(nil, 1, uint64(span)), err
	case "resource.Quantity":
		return appendBytes(nil, 1, fmt.Sprint(v)), nil
	case "runtime.RawExtension", "metav1.FieldsV1", "apiextensionsv1.JSON":
		raw, err := json.Marshal(v)
		return appendBytes(nil, 1, raw), err
	case "intstr.IntOrString":
		if isText {
			return appendBytes(appendNumber(appendNumber(nil, 1, uint64(intstr.String)), 2, 0), 3, text), nil
		}
		number, _ := v.(json.Number)
		i, err := strconv.ParseInt(number.String(), 10, 32)
		return appendBytes(appendNumber(appendNumber(nil, 1, uint64(intstr.Int)), 2, uint64(i)), 3, ""), err
	case "apiextensionsv1.JSONSchemaPropsOrBool":
		if _, is := v.(bool); is {
			v = map[string]any{"allows": v}
		} else {
			v = map[string]any{"allows": true, "schema": v}
		}
	case "apiextensionsv1.JSONSchemaPropsOrArray", "apiextensionsv1.JSONSchemaPropsOrStringArray":
		name := "schema"
		if _, is := v.([]any); is && strings.HasSuffix(typ, "StringArray") {
			name = "property"
		} else if is {
			name = "jSONSchemas"
		}
		v = map[string]any{name: v}
	}
	object, ok := v.(map[string]any)
	if !ok && v != nil {
		return nil, errForm(typ, v)
	}
	return d.appendMessage(nil, typ, object)
}
