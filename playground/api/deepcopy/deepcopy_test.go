package deepcopy_test

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
)

// TestCopiesShareNothing fills objects of every kind at random, copies them, and then writes over everything that can
// be reached in the copy: the original must stay as it was.
func TestCopiesShareNothing(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, k := range api.AllKinds() {
		obj := k.New()
		fill(r, reflect.ValueOf(obj).Elem(), 0)
		before := text(t, obj)
		copied := obj.DeepCopyObject()
		if !reflect.DeepEqual(obj, copied) {
			t.Errorf("%s: the copy differs:\n%s\n%s", k.Kind, before, text(t, copied))
		}
		scribble(reflect.ValueOf(copied).Elem())
		if after := text(t, obj); after != before {
			t.Errorf("%s: who changes a copy changes the original:\n%s\n%s", k.Kind, before, after)
		}
		if k.NewList == nil {
			continue
		}
		list := k.NewList()
		list.SetItems([]metav1.Object{obj})
		scribble(reflect.ValueOf(list.DeepCopyList()).Elem())
		if after := text(t, list.GetItems()[0]); after != before {
			t.Errorf("%s: who changes a copy of the list changes the original", k.Kind)
		}
	}
}

func TestNilStaysNil(t *testing.T) {
	var none *metav1.LabelSelector
	if got := none.DeepCopy(); got != nil {
		t.Errorf("the copy of nil is %v", got)
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// opaque are the types that a test cannot fill field by field.
var opaque = map[reflect.Type]any{
	reflect.TypeFor[metav1.Time]():        metav1.Time{},
	reflect.TypeFor[metav1.MicroTime]():   metav1.MicroTime{},
	reflect.TypeFor[resource.Quantity]():  resource.MustParse("100m"),
	reflect.TypeFor[intstr.IntOrString](): intstr.FromInt32(3),
}

func fill(r *rand.Rand, v reflect.Value, depth int) {
	if value, is := opaque[v.Type()]; is {
		v.Set(reflect.ValueOf(value))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(string(rune('a' + r.Intn(26))))
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.Intn(100)))
	case reflect.Struct:
		if v.Type().Name() == "RawExtension" || v.Type().Name() == "JSON" {
			v.Field(0).SetBytes([]byte(`{"a":1}`))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(r, v.Field(i), depth+1)
			}
		}
	case reflect.Pointer:
		if depth < 12 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), depth+1)
		}
	case reflect.Slice:
		n := 1 + r.Intn(2)
		if depth > 10 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(r, v.Index(i), depth+2)
		}
	case reflect.Map:
		if depth > 10 {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(r, key, depth+1)
		fill(r, elem, depth+2)
		v.SetMapIndex(key, elem)
	}
}

// scribble writes over everything that v reaches.
func scribble(v reflect.Value) {
	if _, is := opaque[v.Type()]; is {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("changed")
	case reflect.Int32, reflect.Int64:
		v.SetInt(-1)
	case reflect.Uint8:
		v.SetUint(' ')
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scribble(v.Field(i))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			scribble(v.Index(i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(v.MapIndex(k))
			scribble(elem)
			v.SetMapIndex(k, elem)
		}
	}
}
