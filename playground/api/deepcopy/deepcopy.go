// Package deepcopy copies values of API types by reflection.
//
// Straight code for every type would be a twelfth of what a reader downloads, and most types are copied a few times in
// the life of a cluster. So the generator (../gen) writes straight code for what Pods, Nodes and the workloads consist
// of, and lets the rest come here. It is some five times slower.
package deepcopy

import "reflect"

// Of copies what the pointer in points to, and returns a pointer of the same type. A nil pointer is returned as it is.
func Of(in any) any {
	v := reflect.ValueOf(in)
	if v.IsNil() {
		return in
	}
	out := reflect.New(v.Type().Elem())
	out.Elem().Set(v.Elem())
	detach(out.Elem())
	return out.Interface()
}

// Detach makes the value that the pointer out points to, a shallow copy, share nothing with what it was copied from.
func Detach(out any) { detach(reflect.ValueOf(out).Elem()) }

func detach(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		// A type with hidden fields (time.Time, resource.Quantity) is immutable, or looks after itself.
		for i := range v.NumField() {
			if !v.Field(i).CanInterface() {
				return
			}
		}
		for i := range v.NumField() {
			detach(v.Field(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out := reflect.New(v.Type().Elem())
			out.Elem().Set(v.Elem())
			detach(out.Elem())
			v.Set(out)
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(out, v)
		if shares(v.Type().Elem()) {
			for i := range v.Len() {
				detach(out.Index(i))
			}
		}
		v.Set(out)
	case reflect.Map:
		if v.IsNil() {
			return
		}
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); { // order: what is written is a map again
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(it.Value())
			detach(elem)
			out.SetMapIndex(it.Key(), elem)
		}
		v.Set(out)
	}
}

// shares says that an assigned value of a type may share memory with the original.
func shares(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Pointer, reflect.Slice, reflect.Map:
		return true
	}
	return false
}
