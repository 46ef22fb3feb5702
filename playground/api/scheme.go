package api

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/metav1"
)

// Kind is one kind of object and how it is served. Upstream keeps this apart: the Go types in runtime.Scheme, the
// names in each registry's rest.Storage (pkg/registry/core/pod/storage/storage.go and its like).
type Kind struct {
	GroupVersionKind
	// Resource is the plural by which paths name the kind. It is empty for what is only the body of subresources.
	Resource string
	// Singular, ShortNames and Categories are the other names that kubectl understands.
	Singular   string
	ShortNames []string
	Categories []string
	// Namespaced says that each object is in a namespace.
	Namespaced bool
	// Subresources are by name.
	Subresources []Subresource
	// New makes an empty object, and NewList an empty list; NewList is nil for what can only be created. Neither sets
	// apiVersion and kind.
	New     func() Object
	NewList func() List
	// Schema is that of a custom kind, whose objects are *Unstructured; nil for built-in kinds, whose Go types say it.
	Schema *apiextensionsv1.JSONSchemaProps
	// Table is how kubectl get shows a custom kind's objects; nil for built-in kinds. now is the server's time, from which ages count.
	Table func(objects []Object, now time.Time) *metav1.Table
	// Aggregated is what is known of a kind that another server serves behind this one; nil for all others.
	Aggregated *Aggregated

	rare bool // see AllKinds
}

// Aggregated is what an APIService and the server behind it say of a kind.
type Aggregated struct {
	// Verbs are what the server can do with it.
	Verbs []string
	// GroupPriority and VersionPriority are the APIService's, by which discovery is sorted.
	GroupPriority, VersionPriority int32
	// Stale says that the server could not be asked what its version contains: the kind has no resource then, it stands for the version.
	Stale bool
}

// Supports tells whether all these things can be done with the kind's objects. Upstream: client-go discovery, SupportsAllVerbs.
func (k *Kind) Supports(verbs ...string) bool {
	return k.Aggregated == nil || !slices.ContainsFunc(verbs, func(v string) bool { return !slices.Contains(k.Aggregated.Verbs, v) })
}

// StorageName is how the store, and with it the trace, names a resource: "pods", and "foos.sample.example.com" if a definition
// added it. So are those called that not every server has: the name is the same in a program that does not know them.
func StorageName(gvr GroupVersionResource) string {
	if k := byResource[gvr]; k != nil && !k.rare {
		return gvr.Resource
	}
	if name, ok := storedAs[gvr]; ok {
		return name
	}
	return gvr.GroupResource().String()
}

// StorageName is how the store names the kind's resource.
func (k *Kind) StorageName() string { return StorageName(k.GroupVersionResource()) }

// Subresource is a part of an object with a path of its own, as pods/status.
type Subresource struct {
	Name string
	// Kind is what its body is, if not the object itself.
	Kind GroupVersionKind
}

// GroupVersionResource is what the kind's path names.
func (k *Kind) GroupVersionResource() GroupVersionResource {
	return k.GroupVersion().WithResource(k.Resource)
}

// GroupResource is GroupVersionResource without the version.
func (k *Kind) GroupResource() GroupResource { return k.GroupVersionResource().GroupResource() }

// Subresource finds a subresource by name. Its Kind is filled in.
func (k *Kind) Subresource(name string) (Subresource, bool) {
	for _, s := range k.Subresources {
		if s.Name != name {
			continue
		}
		if s.Kind.Empty() {
			s.Kind = k.GroupVersionKind
		}
		return s, true
	}
	return Subresource{}, false
}

var byType, byKind, byResource = index()

func index() (map[reflect.Type]*Kind, map[GroupVersionKind]*Kind, map[GroupVersionResource]*Kind) {
	types, gvks, gvrs := map[reflect.Type]*Kind{}, map[GroupVersionKind]*Kind{}, map[GroupVersionResource]*Kind{}
	for _, k := range AllKinds() {
		types[reflect.TypeOf(k.New())] = k
		gvks[k.GroupVersionKind] = k
		if k.Resource != "" {
			gvrs[k.GroupVersionResource()] = k
		}
		if k.NewList != nil {
			types[reflect.TypeOf(k.NewList())] = k
		}
	}
	return types, gvks, gvrs
}

// Kinds returns every built-in kind that all servers have, in the order of the table in kinds.go. The kinds are shared: don't change them.
func Kinds() KindSet { return slices.Clone(kinds) }

// AllKinds returns also those that a server has only if it was asked for them, or somebody named one: what hardly anybody needs, and the build of the control
// plane for the browser that is loaded first does not contain.
func AllKinds() KindSet { return append(Kinds(), rareKinds...) }

// KindFor finds a kind by its name in full, nil if it isn't served.
func KindFor(gvk GroupVersionKind) *Kind { return byKind[gvk] }

// KindForResource finds a kind by its resource in full, nil if it isn't served.
func KindForResource(gvr GroupVersionResource) *Kind { return byResource[gvr] }

// KindOf finds the kind of an object by its Go type, whatever its apiVersion and kind say; of a custom object it is the one that it
// was made of. It panics on a type that is not served: objects of other types can't come into the system.
func KindOf(obj Object) *Kind {
	if u, ok := obj.(*Unstructured); ok {
		return u.kind
	}
	return kindOfType(obj)
}

// KindOfList finds the kind of a list's items by the list's Go type; see KindOf.
func KindOfList(list List) *Kind {
	if u, ok := list.(*UnstructuredList); ok {
		return u.kind
	}
	return kindOfType(list)
}

func kindOfType(v any) *Kind {
	k := byType[reflect.TypeOf(v)]
	if k == nil {
		panic(fmt.Sprintf("api: type %T is not registered (add it to playground/api/kinds.go)", v))
	}
	return k
}

// Resolve finds the built-in kind that a user means by "pods", "pod", "po", "Pod", "replicasets.apps" or
// "replicasets.v1.apps", nil if there is none. Case doesn't matter.
func Resolve(name string) *Kind { return KindSet(kinds).Resolve(name) }

// Resolve is the function of that name, for all kinds of the set.
func (s KindSet) Resolve(name string) *Kind {
	name, group, hasGroup := strings.Cut(strings.ToLower(name), ".")
	for _, k := range s {
		if k.Resource == "" || hasGroup && group != k.Group && group != k.Version+"."+k.Group {
			continue
		}
		if name == k.Resource || name == k.Singular || slices.Contains(k.ShortNames, name) {
			return k
		}
	}
	return nil
}

// SetKind writes the apiVersion and kind of obj's registered kind into it, as answers of the API server carry them.
func SetKind(obj Object) { obj.GetObjectKind().SetGroupVersionKind(KindOf(obj).GroupVersionKind) }

// SetListKind is SetKind for a list.
func SetListKind(list List) {
	gvk := KindOfList(list).GroupVersionKind
	gvk.Kind += "List"
	list.GetObjectKind().SetGroupVersionKind(gvk)
}

// WithoutItemKinds is a list as a server writes it: of built-in kinds, the items do not say what they are, since the list does. The list
// itself stays as it is.
// Upstream: apimachinery/pkg/runtime/serializer/versioning/versioning.go, doEncode, which gives a kind to the list alone.
func WithoutItemKinds(list List) List {
	before := reflect.ValueOf(list).Elem()
	items := before.FieldByName("Items")
	if byType[reflect.TypeOf(list)] == nil || !items.IsValid() || items.Len() == 0 {
		return list
	}
	after := reflect.New(before.Type())
	after.Elem().Set(before)
	copied := reflect.MakeSlice(items.Type(), items.Len(), items.Len())
	reflect.Copy(copied, items)
	after.Elem().FieldByName("Items").Set(copied)
	out := after.Interface().(List)
	for _, item := range out.GetItems() {
		item.GetObjectKind().SetGroupVersionKind(GroupVersionKind{})
	}
	return out
}
