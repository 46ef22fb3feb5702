// Package protobuf reads the objects that clients send as application/vnd.kubernetes.protobuf, which is what client-go's
// typed clients do: it turns them into JSON, and all else stays as it is. It also makes such bodies of JSON, for who takes nothing else.
//
// fields.txt says what each number means. playground/api/gen writes it from the tags of upstream's types.
//
// Upstream: apimachinery/pkg/runtime/serializer/protobuf, and the generated.pb.go of each version.
package protobuf

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/intstr"
)

// MediaType is the type of such bodies.
const MediaType = "application/vnd.kubernetes.protobuf"

//go:embed fields.txt
var table string

// field is one of a message: its name in JSON and its type, as api/gen's wireType spells it.
type field struct{ name, typ string }

// Codec reads and writes bodies. It has the fields of each type by their numbers.
type Codec struct {
	messages map[string]map[uint64]field
	orders   map[string][]uint64 // the numbers of each type, ascending
}

// NewCodec reads the table, which takes less than a millisecond.
func NewCodec() *Codec {
	types := map[string]map[uint64]field{}
	var fields map[uint64]field
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if words[0] == "type" {
			fields = map[uint64]field{}
			types[words[1]] = fields
			continue
		}
		n, err := strconv.ParseUint(words[0], 10, 64)
		if err != nil {
			panic(err) // the table is a part of the program
		}
		fields[n] = field{words[1], words[2]}
	}
	types[partial] = map[uint64]field{1: {"metadata", "metav1.ObjectMeta"}}
	types[partial+"List"] = map[uint64]field{1: {"metadata", "metav1.ListMeta"}, 2: {"items", "[]" + partial}}
	orders := map[string][]uint64{}
	for name, fields := range types { // order: each has its own
		orders[name] = slices.Sorted(maps.Keys(fields))
	}
	return &Codec{types, orders}
}

// partial is the type of objects that are their metadata alone; upstream's has no tags that say so.
const partial = "metav1.PartialObjectMetadata"

// prefix begins every body. Upstream: serializer/protobuf/protobuf.go, protoEncodingPrefix.
const prefix = "k8s\x00"

// maxDepth is how deep messages may lie in each other: schemas of definitions go deepest.
const maxDepth = 100

var (
	errPrefix    = errors.New("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
	errTruncated = errors.New("unexpected EOF")
	errDepth     = errors.New("proto: messages are nested too deeply")
)

// ToJSON turns a body into JSON. Any goroutine may call it.
func (d *Codec) ToJSON(body []byte) ([]byte, error) {
	rest, ok := strings.CutPrefix(string(body), prefix)
	if !ok {
		return nil, errPrefix
	}
	var gvk struct{ apiVersion, kind string }
	raw := ""
	err := each(rest, func(n uint64, v value) error { // runtime.Unknown
		switch n {
		case 1:
			return each(v.bytes, func(n uint64, v value) error {
				switch n {
				case 1:
					gvk.apiVersion = v.bytes
				case 2:
					gvk.kind = v.bytes
				}
				return nil
			})
		case 2:
			raw = v.bytes
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	name, ok := d.typeOf(gvk.apiVersion, gvk.kind)
	if !ok {
		return nil, fmt.Errorf("no kind %q is registered for version %q", gvk.kind, gvk.apiVersion)
	}
	object, err := d.message(name, raw, maxDepth)
	if err != nil {
		return nil, err
	}
	object["apiVersion"], object["kind"] = gvk.apiVersion, gvk.kind
	return json.Marshal(object)
}

// typeOf is the type of a kind in the table. Options come with whatever version the request is about, or with meta.k8s.io's.
func (d *Codec) typeOf(apiVersion, kind string) (string, bool) {
	if strings.HasSuffix(kind, "Options") {
		if name := "metav1." + kind; d.messages[name] != nil {
			return name, true
		}
	}
	for _, k := range api.AllKinds() {
		if k.GroupVersion().String() != apiVersion {
			continue
		}
		var v any
		switch {
		case k.Kind == kind:
			v = k.New()
		case k.NewList != nil && k.Kind+"List" == kind:
			v = k.NewList()
		default:
			continue
		}
		name := strings.TrimPrefix(fmt.Sprintf("%T", v), "*")
		return name, d.messages[name] != nil
	}
	if apiVersion == "v1" || strings.HasPrefix(apiVersion, "meta.k8s.io/") { // what is said beside objects
		name := "metav1." + kind
		return name, d.messages[name] != nil
	}
	return "", false
}

// value is one on the wire: a number, or bytes.
type value struct {
	number  uint64
	bytes   string
	isBytes bool
}

// varint reads a number of base 128.
func varint(s string) (n uint64, rest string, err error) {
	for i := 0; i < len(s) && i < 10; i++ {
		n |= uint64(s[i]&0x7f) << (7 * i)
		if s[i] < 0x80 {
			return n, s[i+1:], nil
		}
	}
	return 0, "", errTruncated
}

// each calls do for every field of a message.
func each(s string, do func(n uint64, v value) error) error {
	for s != "" {
		key, rest, err := varint(s)
		if err != nil {
			return err
		}
		var v value
		switch key & 7 {
		case 0:
			v.number, rest, err = varint(rest)
		case 1:
			v.number, rest, err = fixed(rest, 8)
		case 2:
			var size uint64
			if size, rest, err = varint(rest); err == nil && size > uint64(len(rest)) {
				err = errTruncated
			}
			if err == nil {
				v.isBytes, v.bytes, rest = true, rest[:size], rest[size:]
			}
		case 5:
			v.number, rest, err = fixed(rest, 4)
		default:
			err = fmt.Errorf("proto: illegal wireType %d", key&7)
		}
		if err != nil {
			return err
		}
		if err := do(key>>3, v); err != nil {
			return err
		}
		s = rest
	}
	return nil
}

func fixed(s string, size int) (n uint64, rest string, err error) {
	if len(s) < size {
		return 0, "", errTruncated
	}
	for i := range size {
		n |= uint64(s[i]) << (8 * i)
	}
	return n, s[size:], nil
}

// message reads a message of a type that is in the table as a JSON object.
func (d *Codec) message(typ, s string, depth int) (map[string]any, error) {
	if depth == 0 {
		return nil, errDepth
	}
	object := map[string]any{}
	fields := d.messages[typ]
	err := each(s, func(n uint64, v value) error {
		f, known := fields[n]
		if !known {
			return nil // a newer client's
		}
		switch {
		case f.name == "-":
			inner, err := d.message(f.typ, v.bytes, depth-1)
			for name, value := range inner { // order: each has its own name
				object[name] = value
			}
			return err
		case strings.HasPrefix(f.typ, "map[]"):
			entries, _ := object[f.name].(map[string]any)
			if entries == nil {
				entries = map[string]any{}
				object[f.name] = entries
			}
			return d.entry(entries, strings.TrimPrefix(f.typ, "map[]"), v.bytes, depth-1)
		case strings.HasPrefix(f.typ, "[]"):
			list, _ := object[f.name].([]any)
			element, err := d.decode(strings.TrimPrefix(f.typ, "[]"), v, depth-1)
			object[f.name] = append(list, element)
			return err
		}
		decoded, err := d.decode(f.typ, v, depth-1)
		object[f.name] = decoded
		return err
	})
	return object, err
}

// entry reads one of a map.
func (d *Codec) entry(entries map[string]any, typ, s string, depth int) error {
	key := ""
	decoded, err := d.decode(typ, value{isBytes: true}, depth) // what is not written is empty
	if err != nil {
		return err
	}
	err = each(s, func(n uint64, v value) (err error) {
		switch n {
		case 1:
			key = v.bytes
		case 2:
			decoded, err = d.decode(typ, v, depth)
		}
		return err
	})
	entries[key] = decoded
	return err
}

// decode reads one value of any type.
func (d *Codec) decode(typ string, v value, depth int) (any, error) {
	if read := scalars[typ]; read != nil {
		return read(v)
	}
	object, err := d.message(typ, v.bytes, depth)
	if err != nil {
		return nil, err
	}
	if variant := variants[typ]; variant != nil {
		return variant(object), nil
	}
	return object, nil
}

// scalars are the types that are no objects in JSON.
var scalars = map[string]func(v value) (any, error){
	"string": func(v value) (any, error) { return v.bytes, nil },
	"bytes":  func(v value) (any, error) { return []byte(v.bytes), nil },
	"bool":   func(v value) (any, error) { return v.number != 0, nil },
	"int":    func(v value) (any, error) { return int64(v.number), nil },
	"float":  func(v value) (any, error) { return math.Float64frombits(v.number), nil },
	"items": func(v value) (any, error) {
		list := []string{}
		err := each(v.bytes, func(_ uint64, v value) error { list = append(list, v.bytes); return nil })
		return list, err
	},
	"metav1.Time":      func(v value) (any, error) { return instant(v.bytes, time.RFC3339) },
	"metav1.MicroTime": func(v value) (any, error) { return instant(v.bytes, "2006-01-02T15:04:05.000000Z07:00") },
	"metav1.Duration": func(v value) (any, error) {
		d := int64(0)
		err := each(v.bytes, func(_ uint64, v value) error { d = int64(v.number); return nil })
		return time.Duration(d).String(), err
	},
	"resource.Quantity":    only,
	"runtime.RawExtension": raw,
	"metav1.FieldsV1":      raw,
	"apiextensionsv1.JSON": raw,
	"intstr.IntOrString": func(v value) (any, error) {
		var x intstr.IntOrString
		err := each(v.bytes, func(n uint64, v value) error {
			switch n {
			case 1:
				x.Type = intstr.Type(v.number)
			case 2:
				x.IntVal = int32(v.number)
			case 3:
				x.StrVal = v.bytes
			}
			return nil
		})
		return x, err
	},
}

// only reads a message that is one text.
func only(v value) (any, error) {
	text := ""
	err := each(v.bytes, func(_ uint64, v value) error { text = v.bytes; return nil })
	return text, err
}

// raw reads a message that holds JSON.
func raw(v value) (any, error) {
	text, err := only(v)
	switch {
	case err != nil:
		return nil, err
	case text == "":
		return nil, nil
	case !json.Valid([]byte(text.(string))):
		return nil, errors.New("invalid JSON in a raw field")
	}
	return json.RawMessage(text.(string)), nil
}

// instant reads a time; one that is not set is null.
func instant(s, layout string) (any, error) {
	var seconds, nanos int64
	err := each(s, func(n uint64, v value) error {
		switch n {
		case 1:
			seconds = int64(v.number)
		case 2:
			nanos = int64(int32(v.number))
		}
		return nil
	})
	if err != nil || seconds == 0 && nanos == 0 {
		return nil, err
	}
	return time.Unix(seconds, nanos).UTC().Format(layout), nil
}

// variants are the messages that hold one of several forms, which are no objects of their own in JSON.
// Upstream: apiextensions/v1/marshal.go.
var variants = map[string]func(m map[string]any) any{
	"apiextensionsv1.JSONSchemaPropsOrBool":        func(m map[string]any) any { return either(m, "schema", "allows") },
	"apiextensionsv1.JSONSchemaPropsOrArray":       func(m map[string]any) any { return either(m, "schema", "jSONSchemas") },
	"apiextensionsv1.JSONSchemaPropsOrStringArray": func(m map[string]any) any { return either(m, "schema", "property") },
}

func either(m map[string]any, first, second string) any {
	if v, ok := m[first]; ok {
		return v
	}
	return m[second]
}
