package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api/metav1"
)

// Unstructured is an object of a kind that a CustomResourceDefinition added: there is no Go type for it. Its metadata is
// that of every object; all else is JSON.
// Upstream: apimachinery/pkg/apis/meta/v1/unstructured/unstructured.go.
type Unstructured struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	// Fields are the other fields at the top, "spec" and the like, as encoding/json decodes them with numbers as
	// json.Number. They are shared by copies of the struct: DeepCopyObject before a change.
	Fields map[string]any

	kind *Kind
}

// UnstructuredList is a list of them. Its items are shared, not copied.
type UnstructuredList struct {
	metav1.ObjectList
	kind *Kind
}

// NewUnstructured returns an empty object of a kind.
func NewUnstructured(kind *Kind) *Unstructured { return &Unstructured{kind: kind} }

// NewUnstructuredList returns an empty list of a kind's objects.
func NewUnstructuredList(kind *Kind) *UnstructuredList { return &UnstructuredList{kind: kind} }

// MarshalJSON writes the list as upstream does, its keys by name. Upstream: unstructured_list.go, UnstructuredContent.
func (l *UnstructuredList) MarshalJSON() ([]byte, error) {
	items := l.Items
	if items == nil {
		items = []metav1.Object{}
	}
	return json.Marshal(struct {
		APIVersion string           `json:"apiVersion"`
		Items      []metav1.Object  `json:"items"`
		Kind       string           `json:"kind"`
		Metadata   *metav1.ListMeta `json:"metadata"`
	}{l.APIVersion, items, l.Kind, &l.ListMeta})
}

// As returns the object as one of another version of its kind: the metadata and the fields are shared.
// Upstream: apiextensions-apiserver/pkg/apiserver/conversion/nop_converter.go.
func (u *Unstructured) As(kind *Kind) *Unstructured {
	out := *u
	out.kind = kind
	out.SetGroupVersionKind(kind.GroupVersionKind)
	return &out
}

// DeepCopyObject implements Object.
func (u *Unstructured) DeepCopyObject() Object {
	out := &Unstructured{TypeMeta: u.TypeMeta, kind: u.kind}
	u.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if u.Fields != nil {
		out.Fields = CopyTree(u.Fields).(map[string]any)
	}
	return out
}

// MarshalJSON writes the fields in the order of their names, as upstream does.
func (u *Unstructured) MarshalJSON() ([]byte, error) {
	whole := maps.Clone(u.Fields)
	if whole == nil {
		whole = map[string]any{}
	}
	whole["metadata"] = &u.ObjectMeta
	if u.APIVersion != "" {
		whole["apiVersion"] = u.APIVersion
	}
	if u.Kind != "" {
		whole["kind"] = u.Kind
	}
	return json.Marshal(whole)
}

// UnmarshalJSON takes any object of JSON. What is wrong with its metadata is a *json.UnmarshalTypeError.
func (u *Unstructured) UnmarshalJSON(text []byte) error {
	var head struct {
		metav1.TypeMeta
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var fields map[string]any
	if err := d.Decode(&fields); err != nil {
		return err
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(fields, name)
	}
	u.TypeMeta, u.ObjectMeta, u.Fields = head.TypeMeta, head.Metadata, fields
	return nil
}

// Tree is the whole object as JSON decodes it. Its fields are shared.
func (u *Unstructured) Tree() map[string]any {
	out := maps.Clone(u.Fields)
	if out == nil {
		out = map[string]any{}
	}
	text, err := json.Marshal(&u.ObjectMeta)
	if err != nil {
		panic(fmt.Sprintf("api: metadata of %s: %v", u.Name, err)) // it consists of texts, numbers and times
	}
	var meta map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&meta); err != nil {
		panic(fmt.Sprintf("api: metadata of %s: %v", u.Name, err)) // it was written a moment ago
	}
	out["apiVersion"], out["kind"], out["metadata"] = u.APIVersion, u.Kind, meta
	return out
}

// KindSet is what one server serves: the built-in kinds, and those that definitions added to it. Don't change it.
type KindSet []*Kind

// For finds a kind by its name in full, nil if it isn't served.
func (s KindSet) For(gvk GroupVersionKind) *Kind {
	if k := byKind[gvk]; k != nil && !k.rare {
		return k
	}
	return s.find(func(k *Kind) bool { return k.GroupVersionKind == gvk })
}

// ForResource finds a kind by its resource in full, nil if it isn't served.
func (s KindSet) ForResource(gvr GroupVersionResource) *Kind {
	if k := byResource[gvr]; k != nil && !k.rare {
		return k
	}
	return s.find(func(k *Kind) bool { return k.GroupVersionResource() == gvr })
}

func (s KindSet) find(is func(*Kind) bool) *Kind {
	if i := slices.IndexFunc(s, is); i >= 0 {
		return s[i]
	}
	return nil
}

// BuiltIn are the kinds that neither a definition nor another server added.
func (s KindSet) BuiltIn() KindSet { return s[:len(s)-len(s.Custom())] }

// Custom are the kinds that definitions and other servers added.
func (s KindSet) Custom() []*Kind {
	rest := s[min(len(kinds), len(s)):]
	for len(rest) > 0 && rest[0].rare {
		rest = rest[1:]
	}
	return rest
}

// Defined are the kinds that definitions added.
func (s KindSet) Defined() []*Kind {
	return slices.DeleteFunc(slices.Clone(s.Custom()), func(k *Kind) bool { return k.Aggregated != nil })
}

// DiscoveryFailed are versions of which it isn't known what they contain, because a server behind this one doesn't answer.
// Upstream: client-go discovery/discovery_client.go, ErrGroupDiscoveryFailed; discovery/aggregated_discovery.go, StaleGroupVersionError.
type DiscoveryFailed []string

func (e DiscoveryFailed) Error() string {
	var out []string
	for _, gv := range e {
		out = append(out, gv+": stale GroupVersion discovery: "+gv)
	}
	return "unable to retrieve the complete list of server APIs: " + strings.Join(out, ", ")
}

// Incomplete is the error for who wants to know all that there is: a DiscoveryFailed, or nil.
func (s KindSet) Incomplete() error {
	var failed DiscoveryFailed
	for _, k := range s.Custom() {
		if k.Aggregated != nil && k.Aggregated.Stale {
			failed = append(failed, k.GroupVersion().String())
		}
	}
	if failed == nil {
		return nil
	}
	slices.Sort(failed)
	return failed
}
