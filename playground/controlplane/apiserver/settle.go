package apiserver

import (
	"reflect"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
)

// settle brings an object into the form in which it would come out of JSON: times without what JSON doesn't write.
// Whole seconds matter: two Pods of one second have the same age for a controller.
func settle(obj api.Object) { settleValue(reflect.ValueOf(obj).Elem()) }

var (
	timeType      = reflect.TypeFor[metav1.Time]()
	microTimeType = reflect.TypeFor[metav1.MicroTime]()

	// holdsTimes has every type in which a time can be, of all that objects are made of. It is not written any more once
	// the program runs, so that worlds in several goroutines may share it.
	holdsTimes = func() map[reflect.Type]bool {
		found := map[reflect.Type]bool{}
		for _, kind := range api.AllKinds() {
			explore(reflect.TypeOf(kind.New()), found)
		}
		explore(reflect.TypeFor[*api.Unstructured](), found)
		return found
	}()
)

// explore notes of t and of all types inside it whether they hold times.
func explore(t reflect.Type, found map[reflect.Type]bool) bool {
	if known, ok := found[t]; ok {
		return known
	}
	if t == timeType || t == microTimeType {
		found[t] = true
		return true
	}
	holds := false
	found[t] = false // for types that contain themselves
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			holds = explore(t.Field(i).Type, found) || holds
		}
	case reflect.Pointer, reflect.Slice:
		holds = explore(t.Elem(), found) || holds
	}
	found[t] = holds
	return holds
}

func settleValue(v reflect.Value) {
	switch v.Kind() { // what holds nothing need not be looked up
	case reflect.Struct:
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
	case reflect.Slice:
		if v.Len() == 0 {
			return
		}
	default:
		return
	}
	if !holdsTimes[v.Type()] {
		return
	}
	switch v.Type() {
	case timeType:
		t := v.Addr().Interface().(*metav1.Time)
		if !t.IsZero() {
			*t = t.Rfc3339Copy()
		}
		return
	case microTimeType:
		t := v.Addr().Interface().(*metav1.MicroTime)
		if !t.IsZero() {
			t.Time = t.Time.UTC().Truncate(time.Microsecond)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		settleValue(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			settleValue(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			settleValue(v.Index(i))
		}
	}
}
