package strategicpatch

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/types"
)

// Status is a strategic merge patch that gives an object another status. It is made of two objects in memory, and is
// carried out on them where it can be: JSON is made of it only for who wants to see it, or if the object has changed
// meanwhile. Both ways lead to the same object: see FuzzStatus.
type Status struct {
	of     api.Object
	status reflect.Value // a struct
	uid    types.UID
	direct bool // both statuses are as they would come out of JSON
	text   []byte
	render func() []byte // makes text, if the one that asks for it has its own way to say it
}

// NewStatus makes the patch that turns the status of an object into another; status is a pointer to one. Neither may be
// changed afterwards, except that the patch makes *status its own. With a UID, the patch is about the object of that UID
// only. It returns nil if the two mean the same in JSON.
func NewStatus(of api.Object, status any, uid types.UID) *Status {
	old, now := statusOf(of), reflect.ValueOf(status).Elem()
	s := &Status{of: of, status: now, uid: uid, direct: uid == "" || uid == of.GetUID()}
	changed := false
	for i := range old.NumField() {
		was, is := old.Field(i), now.Field(i)
		if identical(was, is) {
			is.Set(was) // so that the two share it
			continue
		}
		changed = true
		tag := old.Type().Field(i).Tag
		s.direct = s.direct && settled(was, tag) && settled(is, tag)
	}
	if !changed || !s.direct && s.Text() == nil {
		return nil
	}
	return s
}

// Apply returns the object with its new status. ok is false when to is not the object of which the patch was made, or the
// patch has to be carried out as JSON. What did not change is shared with to.
func (s *Status) Apply(to api.Object) (obj api.Object, ok bool) {
	if s == nil || !s.direct || to != s.of {
		return nil, false
	}
	out := reflect.New(reflect.TypeOf(to).Elem())
	out.Elem().Set(reflect.ValueOf(to).Elem())
	obj = out.Interface().(api.Object)
	statusOf(obj).Set(s.status)
	return obj, true
}

// As has the patch say the same in another way: text makes its JSON, when somebody wants to see it. Carried out on the object of
// which the patch was made it has to lead to the same status.
func (s *Status) As(text func() []byte) *Status {
	s.text, s.render = nil, text
	return s
}

// Text is the patch as JSON, nil if it changes nothing.
func (s *Status) Text() []byte {
	if s.text == nil && s.render != nil {
		s.text = s.render()
	}
	if s.text != nil {
		return s.text
	}
	before, after := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	old, changed := statusOf(s.of), false
	for i := range old.NumField() {
		if identical(old.Field(i), s.status.Field(i)) {
			continue
		}
		name, options, _ := strings.Cut(old.Type().Field(i).Tag.Get("json"), ",")
		was, is := encode(old.Field(i), options), encode(s.status.Field(i), options)
		if bytes.Equal(was, is) {
			continue
		}
		changed = true
		if was != nil {
			before[name] = was
		}
		if is != nil {
			after[name] = is
		}
	}
	if !changed {
		return nil
	}
	patch, err := CreateTwoWayMergePatch(wrap(before), wrap(after), reflect.TypeOf(s.of))
	if err != nil {
		panic("strategicpatch: a patch can't be made of a status: " + err.Error())
	}
	if s.uid != "" {
		patch = append([]byte(`{"metadata":{"uid":`+strconv.Quote(string(s.uid))+`},`), patch[1:]...)
	}
	s.text = patch
	return patch
}

func statusOf(obj api.Object) reflect.Value { return reflect.ValueOf(obj).Elem().FieldByName("Status") }

func wrap(fields map[string]json.RawMessage) []byte {
	b, err := json.Marshal(map[string]any{"status": fields})
	if err != nil {
		panic("strategicpatch: a status can't be encoded: " + err.Error())
	}
	return b
}

// encode makes JSON of a field; nil if it is to be left out.
func encode(v reflect.Value, options string) json.RawMessage {
	if strings.HasPrefix(options, "omitempty") && (v.IsZero() || isEmpty(v)) {
		return nil
	}
	b, err := json.Marshal(v.Interface())
	if err != nil {
		panic("strategicpatch: a status can't be encoded: " + err.Error())
	}
	return b
}

func isEmpty(v reflect.Value) bool {
	return (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0
}

var (
	timeType     = reflect.TypeFor[metav1.Time]()
	quantityType = reflect.TypeFor[resource.Quantity]()
)

// identical says that two values are the same in memory, whatever they mean.
func identical(x, y reflect.Value) bool {
	if x.Type() == timeType {
		return timeIn(x) == timeIn(y)
	}
	switch x.Kind() {
	case reflect.Pointer:
		return x.Pointer() == y.Pointer() || !x.IsNil() && !y.IsNil() && identical(x.Elem(), y.Elem())
	case reflect.Struct:
		for i := range x.NumField() {
			if !identical(x.Field(i), y.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if x.Len() != y.Len() || x.IsNil() != y.IsNil() {
			return false
		}
		for i := 0; i < x.Len() && x.Pointer() != y.Pointer(); i++ {
			if !identical(x.Index(i), y.Index(i)) {
				return false
			}
		}
		return true
	case reflect.String:
		return x.String() == y.String()
	case reflect.Bool:
		return x.Bool() == y.Bool()
	case reflect.Int32, reflect.Int64:
		return x.Int() == y.Int()
	}
	return reflect.DeepEqual(x.Interface(), y.Interface())
}

func timeIn(v reflect.Value) time.Time {
	if v.CanAddr() {
		return v.Addr().Interface().(*metav1.Time).Time
	}
	return v.Interface().(metav1.Time).Time
}

// settled says that a value comes out of JSON as it went in, and that a patch of it does what it looks like: times are
// whole seconds of UTC, what would be left out is nil, and the elements of lists that are merged can be told apart.
func settled(v reflect.Value, tag reflect.StructTag) bool {
	switch v.Type() {
	case timeType:
		t := timeIn(v)
		return t.IsZero() && t == time.Time{} || !t.IsZero() && t.Nanosecond() == 0 && t == t.UTC().Round(0) && 0 < t.Year() && t.Year() < 10000
	case quantityType:
		q := v.Interface().(resource.Quantity)
		same, err := resource.ParseQuantity(q.String())
		return err == nil && same == q
	}
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Bool, reflect.Int32, reflect.Int64:
		return true
	case reflect.Pointer:
		return v.IsNil() || !(v.Type().Elem() == timeType && v.Elem().IsZero()) && settled(v.Elem(), "")
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() || f.Anonymous || !settled(v.Field(i), f.Tag) {
				return false
			}
		}
		return true
	case reflect.Slice:
		return settledList(v, tag)
	case reflect.Map:
		if v.Len() == 0 {
			return v.IsNil()
		}
		for it := v.MapRange(); it.Next(); { // order: all have to be so
			if key := it.Key(); key.Kind() != reflect.String || !utf8.ValidString(key.String()) || strings.HasPrefix(key.String(), "$") || !settled(it.Value(), "") {
				return false
			}
		}
		return true
	}
	return false
}

func settledList(v reflect.Value, tag reflect.StructTag) bool {
	if v.Len() == 0 {
		return v.IsNil()
	}
	key := tag.Get("patchMergeKey")
	if key == "" && tag.Get("patchStrategy") != "" || v.Type().Elem().Kind() == reflect.Uint8 {
		return false
	}
	for i := range v.Len() {
		item := v.Index(i)
		if !settled(item, "") {
			return false
		}
		if key == "" {
			continue
		}
		id := byTag(item, key)
		if id == "" {
			return false
		}
		for j := range i {
			if byTag(v.Index(j), key) == id {
				return false
			}
		}
	}
	return true
}

// byTag is the text in the field of that JSON name, "" if there is none.
func byTag(v reflect.Value, name string) string {
	if v.Kind() != reflect.Struct {
		return ""
	}
	for i := range v.NumField() {
		if tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); tag == name && v.Field(i).Kind() == reflect.String {
			return v.Field(i).String()
		}
	}
	return ""
}
