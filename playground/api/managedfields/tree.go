package managedfields

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"kubewalk/playground/api"
)

// Trees are values of JSON as encoding/json decodes them, with numbers as json.Number. A field that is absent and one
// that is null differ: absent is a missing key.

// element returns what tells an element of a list from the others.
// Upstream: typed/helpers.go, listItemToPathElement.
func (t *Type) element(item any) (string, error) {
	if t.set {
		switch item.(type) {
		case map[string]any, []any:
			return "", fmt.Errorf("item %v in a list that is a set is no scalar", item)
		}
		return valueElement(item), nil
	}
	m, ok := item.(map[string]any)
	if !ok {
		return "", fmt.Errorf("associative list with keys may not have non-map elements")
	}
	keys := make(map[string]any, len(t.keys))
	for _, name := range t.keys {
		v, ok := m[name]
		if !ok {
			if v, ok = t.keyDefault(name); !ok {
				return "", fmt.Errorf("associative list with keys has an element that omits key field %q (and doesn't have default value)", name)
			}
		}
		keys[name] = v
	}
	return keyElement(keys), nil
}

// keyDefault is the schema's default of a key. Only protocols and references by name have one.
func (t *Type) keyDefault(name string) (any, bool) {
	switch {
	case name == "protocol":
		return "TCP", true
	case name == "name" && len(t.elem.fields) == 1, name == "ip":
		return "", true
	}
	return nil, false
}

// toFieldSet is the set of what a tree says something about: its leaves, the elements of its lists, its empty maps.
// Upstream: typed/tofieldset.go, toFieldSetWalker.
func (t *Type) toFieldSet(tree any) *Set {
	out := &Set{}
	t.collectFields(tree, nil, out)
	return out
}

func (t *Type) collectFields(v any, path []string, out *Set) {
	if t == nil || t.atomic || t.what != "map" && t.what != "list" {
		out.insert(path)
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v { // order: it fills a set
			at := append(path[:len(path):len(path)], fieldElement(name))
			t.below(at[len(at)-1]).collectFields(value, at, out)
			empty, isMap := value.(map[string]any)
			if value == nil || isMap && len(empty) == 0 || t.fields[name] == nil {
				out.insert(at)
			}
		}
	case []any:
		for _, item := range v {
			e, err := t.element(item)
			if err != nil {
				continue // it was checked before
			}
			at := append(path[:len(path):len(path)], e)
			t.elem.collectFields(item, at, out)
			out.insert(at)
		}
	}
}

// comparison is what differs between two trees. Upstream: typed/typed.go, Comparison.
type comparison struct{ added, modified, removed *Set }

// compare says what one has to do to old to get new.
// Upstream: typed/compare.go, compareWalker.
func (t *Type) compare(old, new any) *comparison {
	c := &comparison{&Set{}, &Set{}, &Set{}}
	c.walk(t, old, new, true, true, nil)
	return c
}

// walk compares one place. had and has say that the value is there at all; null is a value.
func (c *comparison) walk(t *Type, old, new any, had, has bool, path []string) {
	leaf := func() {
		switch {
		case !had:
			c.added.insert(path)
		case !has:
			c.removed.insert(path)
		case !api.SameTree(old, new):
			c.modified.insert(path)
		}
	}
	if t == nil || t.atomic || t.what != "map" && t.what != "list" || hollow(old) && hollow(new) {
		leaf()
		return
	}
	if t.what == "map" {
		c.maps(t, old, new, path)
	} else {
		c.lists(t, old, new, path)
	}
	if !had {
		c.added.insert(path)
	} else if !has {
		c.removed.insert(path)
	}
}

func (c *comparison) maps(t *Type, old, new any, path []string) {
	before, _ := old.(map[string]any)
	after, _ := new.(map[string]any)
	visit := func(name string) {
		o, had := before[name]
		n, has := after[name]
		e := fieldElement(name)
		c.walk(t.below(e), o, n, had, has, append(path[:len(path):len(path)], e))
	}
	for name := range before { // order: it fills sets
		visit(name)
	}
	for name := range after { // order: it fills sets
		if _, seen := before[name]; !seen {
			visit(name)
		}
	}
}

func (c *comparison) lists(t *Type, old, new any, path []string) {
	before, _ := t.index(old)
	after, _ := t.index(new)
	visit := func(e string) {
		o, had := before[e]
		n, has := after[e]
		c.walk(t.elem, o, n, had, has, append(path[:len(path):len(path)], e))
	}
	for e := range before { // order: it fills sets
		visit(e)
	}
	for e := range after { // order: it fills sets
		if _, seen := before[e]; !seen {
			visit(e)
		}
	}
}

// index is a list's elements by what tells them apart, and these in the list's order. Of elements that cannot be told
// apart the first counts.
func (t *Type) index(list any) (map[string]any, []string) {
	items, _ := list.([]any)
	byElement := make(map[string]any, len(items))
	var order []string
	for _, item := range items {
		e, err := t.element(item)
		if err != nil {
			continue
		}
		if _, twice := byElement[e]; !twice {
			byElement[e] = item
			order = append(order, e)
		}
	}
	return byElement, order
}

// hollow says that there is nothing inside: no value, null, an empty map or list.
func hollow(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// merge is old with what new says. Upstream: typed/merge.go, mergingWalker with ruleKeepRHS.
func (t *Type) merge(old, new any, had, has bool) any {
	if !has {
		return old
	}
	if !had || t == nil || t.atomic || t.what != "map" && t.what != "list" || hollow(old) && hollow(new) {
		return new
	}
	if t.what == "list" {
		return t.mergeList(old, new)
	}
	before, _ := old.(map[string]any)
	after, _ := new.(map[string]any)
	out := make(map[string]any, len(before)+len(after))
	for name, v := range before { // order: each fills its own key
		out[name] = v
	}
	for name, v := range after { // order: each fills its own key
		o, had := before[name]
		out[name] = t.below(fieldElement(name)).merge(o, v, had, true)
	}
	return out
}

// mergeList merges two lists: what both have comes in the order of new, what only old has stays where it was among them.
// Upstream: typed/merge.go, visitListItems.
func (t *Type) mergeList(old, new any) any {
	before, left := t.index(old)
	after, right := t.index(new)
	out := []any{}
	var shared []string
	for _, e := range right {
		if _, ok := before[e]; ok {
			shared = append(shared, e)
		}
	}
	merged := map[string]bool{}
	take := func(e string) {
		merged[e] = true
		o, had := before[e]
		n, has := after[e]
		out = append(out, t.elem.merge(o, n, had, has))
	}
	next := func() {
		if len(shared) > 0 {
			shared = shared[1:]
		}
	}
	for l, r := 0, 0; l < len(left) || r < len(right); {
		if l < len(left) && r < len(right) {
			e := left[l]
			if e == right[r] {
				take(e)
				l, r = l+1, r+1
				next()
				continue
			}
			if _, ok := after[e]; ok && len(shared) > 0 && shared[0] != e {
				l++
				continue
			}
		}
		if l < len(left) {
			e := left[l]
			if _, ok := after[e]; !ok {
				take(e)
				l++
				continue
			}
			if merged[e] {
				l++
			}
		}
		if r < len(right) {
			e := right[r]
			take(e)
			r++
			if len(shared) > 0 && shared[0] == e {
				next()
			}
		}
	}
	return out
}

// remove is a tree without the fields of a set. Upstream: typed/remove.go, removingWalker.
func (t *Type) remove(v any, gone *Set) any {
	if gone.Empty() || t == nil || t.atomic {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return v
		}
		out := map[string]any{}
		for name, value := range v { // order: each fills its own key
			e := fieldElement(name)
			below := gone.child(e)
			if below != nil && below.member {
				continue
			}
			out[name] = t.below(e).remove(value, below)
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		if len(v) == 0 {
			return v
		}
		var out []any
		for _, item := range v {
			e, err := t.element(item)
			if err != nil {
				out = append(out, item)
				continue
			}
			below := gone.child(e)
			if below != nil && below.member {
				continue
			}
			out = append(out, t.elem.remove(item, below))
		}
		if out == nil {
			return nil
		}
		return out
	}
	return v
}

// validate says what in a tree the type does not allow. Upstream: typed/validate.go, validatingObjectWalker, whose errors
// these are.
func (t *Type) validate(v any) []string {
	var errs []string
	t.check(v, "", &errs)
	return errs
}

func (t *Type) check(v any, path string, errs *[]string) {
	fail := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if path != "" {
			text = path + ": " + text
		}
		*errs = append(*errs, text)
	}
	if t == nil || v == nil || t.what == "" {
		return
	}
	switch t.what {
	case "string", "boolean", "numeric":
		expected := map[string]string{"string": "string", "boolean": "boolean", "numeric": "numeric (int or float)"}[t.what]
		good := false
		switch v.(type) {
		case string:
			good = t.what == "string"
		case bool:
			good = t.what == "boolean"
		case json.Number:
			good = t.what == "numeric"
		}
		if !good {
			fail("expected %s, got &value.valueUnstructured{Value:%s}", expected, goSyntax(v))
		}
	case "map":
		m, ok := v.(map[string]any)
		if !ok {
			fail("expected map, got &{%v}", v)
			return
		}
		for _, name := range sortedKeys(m) {
			f := t.below(fieldElement(name))
			if f == nil {
				*errs = append(*errs, path+"."+name+": field not declared in schema")
				continue
			}
			f.check(m[name], path+"."+name, errs)
		}
	case "list":
		list, ok := v.([]any)
		if !ok {
			fail("expected list, got &{%v}", v)
			return
		}
		seen := map[string]bool{}
		for i, item := range list {
			at := fmt.Sprintf("%s[%d]", path, i)
			if t.set || t.keys != nil {
				e, err := t.element(item)
				if err != nil {
					fail("element %d: %v", i, err)
					return
				}
				if seen[e] {
					fail("duplicate entries for key %v", strings.TrimPrefix(pathString([]string{e}), "."))
				}
				seen[e] = true
				at = path + pathString([]string{e})
			}
			t.elem.check(item, at, errs)
		}
	}
}

// goSyntax shows a value as upstream's errors do.
func goSyntax(v any) string {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case map[string]any:
		var list []string
		for _, name := range sortedKeys(v) {
			list = append(list, quote(name)+":"+goSyntax(v[name]))
		}
		return "map[string]interface {}{" + strings.Join(list, ", ") + "}"
	case []any:
		var list []string
		for _, item := range v {
			list = append(list, goSyntax(item))
		}
		return "[]interface {}{" + strings.Join(list, ", ") + "}"
	}
	return fmt.Sprintf("%#v", v)
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m { // order: sorted below
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
