package main

import (
	"fmt"
	"reflect"
)

// writeCopies writes the deep copies, and what makes a kind an Object or a List. Hot types get straight code, as upstream's
// k8s.io/code-generator/cmd/deepcopy-gen writes it; the others are copied by reflection, which takes less room.
func writeCopies(w *writer, c *closure) {
	for _, t := range c.in(w.pkg.name) {
		if t.Kind() != reflect.Struct {
			continue
		}
		n := t.Name()
		if c.hot[t] {
			w.printf("\n// DeepCopyInto makes out a copy that shares nothing with in.\nfunc (in *%s) DeepCopyInto(out *%s) {\n*out = *in\n", n, n)
			for i := range t.NumField() {
				f := t.Field(i)
				w.copyValue(f.Type, "in."+f.Name, "out."+f.Name, 0)
			}
			w.printf("}\n\n// DeepCopy returns a copy that shares nothing with in; nil for nil.\nfunc (in *%s) DeepCopy() *%s {\nif in == nil {\nreturn nil\n}\nout := new(%s)\nin.DeepCopyInto(out)\nreturn out\n}\n", n, n, n)
		} else {
			w.imports["deepcopy"] = true
			w.printf("\n// DeepCopyInto makes out a copy that shares nothing with in.\nfunc (in *%s) DeepCopyInto(out *%s) {\n*out = *in\ndeepcopy.Detach(out)\n}\n", n,
				n)
			w.printf("\n// DeepCopy returns a copy that shares nothing with in; nil for nil.\nfunc (in *%s) DeepCopy() *%s { return deepcopy.Of(in).(*%s) }\n", n, n, n)
		}
		switch {
		case isObject(t):
			w.printf("\n// DeepCopyObject is DeepCopy as a metav1.Object.\nfunc (in *%s) DeepCopyObject() %s { return in.DeepCopy() }\n", n, w.meta("Object"))
		case isList(t):
			w.writeList(t)
		}
	}
}

// meta spells a hand written type of metav1.
func (w *writer) meta(name string) string {
	if w.pkg.name == "metav1" {
		return name
	}
	w.imports["metav1"] = true
	return "metav1." + name
}

func (w *writer) writeList(t reflect.Type) {
	n := t.Name()
	items, _ := t.FieldByName("Items")
	elem := items.Type.Elem()
	obj := w.meta("Object")
	w.printf("\n// DeepCopyList is DeepCopy as a metav1.List.\nfunc (in *%s) DeepCopyList() %s { return in.DeepCopy() }\n", n, w.meta("List"))
	w.printf("\n// GetItems returns pointers to the items, not to copies.\nfunc (in *%s) GetItems() []%s {\nout := make([]%s, len(in.Items))\nfor i := range in.Items {\nout[i] = &in.Items[i]\n}\nreturn out\n}\n", n, obj, obj)
	w.printf("\n// SetItems makes the list hold the values of objs, which must all be *%s; nested values are shared.\nfunc (in *%s) SetItems(objs []%s) {\nin.Items = make(%s, len(objs))\nfor i, o := range objs {\nin.Items[i] = *o.(*%s)\n}\n}\n",
		elem.Name(), n, obj, w.typeName(items.Type), w.typeName(elem))
}

// copyValue writes what makes out a deep copy of in, when out already is a shallow one. depth numbers the variables
// of nested loops.
func (w *writer) copyValue(t reflect.Type, in, out string, depth int) {
	if !isShared(t) {
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		w.printf("%s.DeepCopyInto(&%s)\n", in, out)
	case reflect.Pointer:
		w.printf("if %s != nil {\n%s = new(%s)\n", in, out, w.typeName(t.Elem()))
		if t.Elem().Kind() == reflect.Struct && isShared(t.Elem()) {
			w.printf("%s.DeepCopyInto(%s)\n", in, out)
		} else {
			w.printf("*%s = *%s\n", out, in)
			w.copyValue(t.Elem(), "(*"+in+")", "(*"+out+")", depth+1)
		}
		w.printf("}\n")
	case reflect.Slice:
		w.printf("if %s != nil {\n%s = make(%s, len(%s))\n", in, out, w.typeName(t), in)
		if isShared(t.Elem()) {
			i := fmt.Sprintf("i%d", depth)
			w.printf("for %s := range %s {\n", i, in)
			if t.Elem().Kind() != reflect.Struct {
				w.printf("%s[%s] = %s[%s]\n", out, i, in, i)
			}
			w.copyValue(t.Elem(), in+"["+i+"]", out+"["+i+"]", depth+1)
			w.printf("}\n")
		} else {
			w.printf("copy(%s, %s)\n", out, in)
		}
		w.printf("}\n")
	case reflect.Map:
		k, v, c := fmt.Sprintf("k%d", depth), fmt.Sprintf("v%d", depth), fmt.Sprintf("c%d", depth)
		w.printf("if %s != nil {\n%s = make(%s, len(%s))\nfor %s, %s := range %s {\n", in, out, w.typeName(t), in, k, v, in)
		if isShared(t.Elem()) {
			w.printf("%s := %s\n", c, v)
			w.copyValue(t.Elem(), v, c, depth+1)
			w.printf("%s[%s] = %s\n", out, k, c)
		} else {
			w.printf("%s[%s] = %s\n", out, k, v)
		}
		w.printf("}\n}\n")
	default:
		panic("gen: can't copy " + t.String())
	}
}
