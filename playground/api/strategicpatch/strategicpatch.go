// Package strategicpatch makes and applies strategic merge patches: JSON merge patches
// that know the type, and so merge lists by key instead of replacing them.
//
// How a list is merged is said by the tags of the Go types: patchStrategy
// ("merge", "replace", "retainKeys") and patchMergeKey, which are upstream's.
// What a patch can say beyond values are directives: $patch (replace, delete),
// $retainKeys, $deleteFromPrimitiveList/… and $setElementOrder/….
//
// Controllers, the scheduler and kubectl patch this way, since a patch that
// changes one owner reference or one condition then can't undo what somebody
// else wrote beside it. kubectl apply makes its patch of three documents: what
// it applied last, what it applies now, and what there is.
//
// Simplified: a field that the type does not have is merged by its value's
// form, where upstream gives up.
//
// Upstream: k8s.io/apimachinery/pkg/util/strategicpatch.
package strategicpatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"
)

const (
	directiveMarker       = "$patch"
	retainKeysDirective   = "$retainKeys"
	deleteFromPrimitive   = "$deleteFromPrimitiveList/"
	setElementOrderPrefix = "$setElementOrder/"
)

// Errors that a patch, or what it is applied to, is to blame for.
// Upstream: apimachinery/pkg/util/mergepatch/errors.go.
var (
	ErrBadJSONDoc                           = errors.New("invalid JSON document")
	ErrNoListOfLists                        = errors.New("lists of lists are not supported")
	ErrBadPatchFormatForPrimitiveList       = errors.New("invalid patch format of primitive list")
	ErrBadPatchFormatForRetainKeys          = errors.New("invalid patch format of retainKeys")
	ErrBadPatchFormatForSetElementOrderList = errors.New("invalid patch format of setElementOrder list")
	errMergingListsCannotYetBeSpecified     = errors.New("merging lists cannot yet be specified in the patch")
)

// StrategicMergePatch applies a patch to a document. Both are JSON; t is the
// document's type, a struct or a pointer to one.
func StrategicMergePatch(original, patch []byte, t reflect.Type) ([]byte, error) {
	before, err := object(original)
	if err != nil {
		return nil, err
	}
	change, err := object(patch)
	if err != nil {
		return nil, err
	}
	after, err := merging{carryOut: true}.maps(before, change, t)
	if err != nil {
		return nil, err
	}
	return json.Marshal(after)
}

// CreateTwoWayMergePatch makes the patch that turns original into modified.
// Upstream: patch.go, the function of that name.
func CreateTwoWayMergePatch(original, modified []byte, t reflect.Type) ([]byte, error) {
	docs, err := objects(original, modified)
	if err != nil {
		return nil, err
	}
	patch, err := diffing{setElementOrder: true}.maps(docs[0], docs[1], t, false)
	if err != nil {
		return nil, err
	}
	return json.Marshal(patch)
}

// CreateThreeWayMergePatch makes the patch that turns current into what
// modified asks for, and takes away what original asked for and modified does
// not. What is neither in original nor in modified stays. Without overwrite it
// is an error if somebody changed, since original, what the patch changes.
// Upstream: patch.go, the function of that name.
func CreateThreeWayMergePatch(original, modified, current []byte, t reflect.Type, overwrite bool) ([]byte, error) {
	docs, err := objects(original, modified, current)
	if err != nil {
		return nil, err
	}
	delta, err := diffing{ignoreDeletions: true, setElementOrder: true}.maps(docs[2], docs[1], t, false)
	if err != nil {
		return nil, err
	}
	deletions, err := diffing{ignoreChangesAndAdditions: true, setElementOrder: true}.maps(docs[0], docs[1], t, false)
	if err != nil {
		return nil, err
	}
	patch, err := merging{}.maps(deletions, delta, t)
	if err != nil {
		return nil, err
	}
	if !overwrite {
		changed, err := diffing{}.maps(docs[0], docs[2], t, false)
		if err != nil {
			return nil, err
		}
		if conflict(patch, changed, t) {
			a, _ := json.Marshal(patch)
			b, _ := json.Marshal(changed)
			return nil, fmt.Errorf("patch:\n%s\nconflicts with changes made from original to current:\n%s\n", a, b)
		}
	}
	return json.Marshal(patch)
}

func objects(texts ...[]byte) ([]map[string]any, error) {
	var out []map[string]any
	for _, text := range texts {
		doc, err := object(text)
		if err != nil {
			return nil, err
		}
		out = append(out, doc)
	}
	return out, nil
}

// object decodes without turning integers into floats.
func object(text []byte) (map[string]any, error) {
	if len(text) == 0 {
		text = []byte("{}")
	}
	var out map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		return nil, ErrBadJSONDoc
	}
	return out, nil
}

// strategy is what the tags say of a field.
type strategy struct {
	typ                        reflect.Type // nil when the type has no such field
	merge, replace, retainKeys bool
	mergeKey                   string
	mapKeys                    string // with commas, where several fields tell elements apart
}

// lookup finds the field of a struct by its JSON name, also in inlined structs.
func lookup(t reflect.Type, name string) strategy {
	t = deref(t)
	if t == nil {
		return strategy{}
	}
	if t.Kind() == reflect.Map {
		return strategy{typ: t.Elem()}
	}
	if t.Kind() != reflect.Struct {
		return strategy{}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && tag == "" && strings.Contains(options, "inline") {
			if s := lookup(f.Type, name); s.typ != nil {
				return s
			}
			continue
		}
		if tag != name {
			continue
		}
		s := strategy{typ: f.Type, mergeKey: f.Tag.Get("patchMergeKey"), mapKeys: f.Tag.Get("listMapKey")}
		for _, word := range strings.Split(f.Tag.Get("patchStrategy"), ",") {
			switch word {
			case "merge":
				s.merge = true
			case "replace":
				s.replace = true
			case "retainKeys":
				s.retainKeys = true
			}
		}
		return s
	}
	return strategy{}
}

func deref(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// element is the type of a list's elements; nil when it is no list.
func element(t reflect.Type) reflect.Type {
	if t = deref(t); t != nil && t.Kind() == reflect.Slice {
		return t.Elem()
	}
	return nil
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m { // order: sorted below
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// text compares scalars as upstream does: by how they are printed.
func text(v any) string { return fmt.Sprintf("%v", v) }

// Field is the type of a field, and what tells the elements of a list that is merged apart: the names of their fields, "" for texts.
// It says so for those who merge by rules of their own, as Kustomize does. Upstream: kyaml/openapi/openapi.go, PatchStrategyAndKeyList.
func Field(t reflect.Type, name string) (field reflect.Type, keys []string) {
	s := lookup(t, name)
	if !s.merge {
		return s.typ, nil
	}
	if s.mapKeys != "" {
		return s.typ, strings.Split(s.mapKeys, ",")
	}
	return s.typ, []string{s.mergeKey}
}

// Element is the type of a list's elements; nil when it is no list.
func Element(t reflect.Type) reflect.Type { return element(t) }
