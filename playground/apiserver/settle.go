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

	// holdsTimes remembers of each type whether a time can be in it. It is only ever added to, with the same answers.
	holdsTimes = map[reflect.Type]bool{}
)

func holds(t reflect.Type) bool {
	if known, ok := holdsTimes[t]; ok {
		return known
	}
	found := t == timeType || t == microTimeType
	holdsTimes[t] = found // for types that contain themselves
	switch t.Kind() {
	case reflect.Struct:
		for i := 0; i < t.NumField() && !found; i++ {
			found = holds(t.Field(i).Type)
		}
	case reflect.Pointer, reflect.Slice:
		found = found || holds(t.Elem())
	}
	holdsTimes[t] = found
	return found
}

func settleValue(v reflect.Value) {
	if !holds(v.Type()) {
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
		if !v.IsNil() {
			settleValue(v.Elem())
		}
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
