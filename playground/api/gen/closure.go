package main

import (
	"maps"
	"reflect"
	"slices"
)

// closure is the set of upstream types that the roots reach and that we generate, by our package's name.
type closure struct {
	types map[string]map[string]reflect.Type
	hot   map[reflect.Type]bool // those that get straight code for copies
}

func newClosure() *closure {
	c := &closure{types: map[string]map[string]reflect.Type{}, hot: map[reflect.Type]bool{}}
	for _, root := range hot {
		c.warm(reflect.TypeOf(root))
	}
	return c
}

// warm marks a type and what it consists of, down to what is cold.
func (c *closure) warm(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		c.warm(t.Elem())
	case reflect.Map:
		c.warm(t.Elem())
	case reflect.Struct:
		if c.hot[t] || isLeaf(t) || cold[t.Name()] {
			return
		}
		c.hot[t] = true
		for i := range t.NumField() {
			c.warm(t.Field(i).Type)
		}
	}
}

func (c *closure) add(t reflect.Type) {
	if name := packageNames[t.PkgPath()]; t.PkgPath() != "" {
		if name == "" || isLeaf(t) {
			return
		}
		if c.types[name] == nil {
			c.types[name] = map[string]reflect.Type{}
		}
		if c.types[name][t.Name()] != nil {
			return
		}
		c.types[name][t.Name()] = t
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		c.add(t.Elem())
	case reflect.Map:
		c.add(t.Key())
		c.add(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			c.add(t.Field(i).Type)
		}
	}
}

// in lists the generated types of a package by name.
func (c *closure) in(pkg string) []reflect.Type {
	var list []reflect.Type
	for _, name := range sortedKeys(c.types[pkg]) {
		list = append(list, c.types[pkg][name])
	}
	return list
}

func (c *closure) has(pkg, name string) bool { return c.types[pkg][name] != nil }

// isLeaf says that a named type is written by hand here.
func isLeaf(t reflect.Type) bool {
	switch name := packageNames[t.PkgPath()]; name {
	case "resource", "intstr", "types", "runtime":
		return true
	default:
		return handWritten[name+"."+t.Name()]
	}
}

// isShared says that an assignment of t would leave two values sharing memory that can change.
func isShared(t reflect.Type) bool {
	if t.PkgPath() != "" && isLeaf(t) {
		return false
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return true
	case reflect.Struct:
		for i := range t.NumField() {
			if isShared(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// embeds says that struct t embeds metav1's type of that name.
func embeds(t reflect.Type, name string) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	f, ok := t.FieldByName(name)
	return ok && f.Anonymous && len(f.Index) == 1 && packageNames[f.Type.PkgPath()] == "metav1"
}

// isObject and isList tell the kinds from the structs inside them.
func isObject(t reflect.Type) bool { return embeds(t, "TypeMeta") && embeds(t, "ObjectMeta") }

func isList(t reflect.Type) bool {
	if !embeds(t, "TypeMeta") || !embeds(t, "ListMeta") {
		return false
	}
	_, ok := t.FieldByName("Items")
	return ok
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
