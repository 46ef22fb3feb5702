package api

import (
	"maps"
	"reflect"

	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
)

// Equal says that two objects mean the same: nil is an empty slice or map, quantities are compared by amount and times
// by instant. Objects of different kinds are never equal. Upstream: apimachinery/pkg/api/equality, Semantic.DeepEqual.
func Equal(a, b Object) bool { return SemanticDeepEqual(a, b) }

// SemanticDeepEqual is Equal for parts of objects, which must be of the same type: two specs, two lists of conditions.
func SemanticDeepEqual(a, b any) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if !x.IsValid() || !y.IsValid() {
		return x.IsValid() == y.IsValid()
	}
	return x.Type() == y.Type() && equal(x, y)
}

var (
	timeType      = reflect.TypeFor[metav1.Time]()
	microTimeType = reflect.TypeFor[metav1.MicroTime]()
	quantityType  = reflect.TypeFor[resource.Quantity]()
	kindType      = reflect.TypeFor[*Kind]()
	stringsType   = reflect.TypeFor[map[string]string]()
)

func equal(x, y reflect.Value) bool {
	switch x.Kind() {
	case reflect.String:
		return x.String() == y.String()
	case reflect.Pointer:
		if x.IsNil() || y.IsNil() {
			return x.IsNil() == y.IsNil()
		}
		return x.Pointer() == y.Pointer() || equal(x.Elem(), y.Elem())
	case reflect.Struct:
		if x.CanAddr() && y.CanAddr() { // most are part of something that a pointer leads to: nothing is copied
			if x.Addr().UnsafePointer() == y.Addr().UnsafePointer() {
				return true
			}
			switch x.Type() {
			case timeType:
				return x.Addr().Interface().(*metav1.Time).Time.Equal(y.Addr().Interface().(*metav1.Time).Time)
			case quantityType:
				return x.Addr().Interface().(*resource.Quantity).Equal(*y.Addr().Interface().(*resource.Quantity))
			}
		}
		switch x.Type() {
		case timeType:
			return x.Interface().(metav1.Time).Time.Equal(y.Interface().(metav1.Time).Time)
		case microTimeType:
			return x.Interface().(metav1.MicroTime).Time.Equal(y.Interface().(metav1.MicroTime).Time)
		case quantityType:
			return x.Interface().(resource.Quantity).Equal(y.Interface().(resource.Quantity))
		}
		for i := range x.NumField() {
			field := x.Field(i)
			if field.Kind() == reflect.Pointer && field.Type() == kindType {
				continue // the object's apiVersion and kind say it
			}
			if !equal(field, y.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Interface:
		x, y = x.Elem(), y.Elem()
		if !x.IsValid() || !y.IsValid() {
			return x.IsValid() == y.IsValid()
		}
		return x.Type() == y.Type() && equal(x, y)
	case reflect.Slice:
		if x.Len() != y.Len() {
			return false
		}
		if x.Len() == 0 || x.Pointer() == y.Pointer() {
			return true
		}
		for i := range x.Len() {
			if !equal(x.Index(i), y.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if x.Len() != y.Len() {
			return false
		}
		if x.Len() == 0 || x.UnsafePointer() == y.UnsafePointer() {
			return true
		}
		if x.Type() == stringsType && x.CanAddr() && y.CanAddr() { // labels, annotations
			return maps.Equal(*x.Addr().Interface().(*map[string]string), *y.Addr().Interface().(*map[string]string))
		}
		// order: all have to be equal, whichever is looked at first.
		for it := x.MapRange(); it.Next(); {
			other := y.MapIndex(it.Key())
			if !other.IsValid() || !equal(it.Value(), other) {
				return false
			}
		}
		return true
	}
	return x.Equal(y)
}
