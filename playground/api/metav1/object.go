package metav1

import (
	"kubewalk/playground/api/schema"
	"kubewalk/playground/api/types"
)

// Object is a pointer to one API object: *corev1.Pod, *appsv1.ReplicaSet and so on. The generated kinds implement it
// by embedding TypeMeta and ObjectMeta. It joins upstream's runtime.Object and metav1.Object, because here all objects
// have metadata. An Object that came out of a store, a cache or a watch event is shared: copy before changing.
type Object interface {
	// GetObjectKind and GetObjectMeta return pointers into the object.
	GetObjectKind() *TypeMeta
	GetObjectMeta() *ObjectMeta
	// DeepCopyObject returns a copy that shares nothing.
	DeepCopyObject() Object

	GetName() string
	SetName(string)
	GetGenerateName() string
	SetGenerateName(string)
	GetNamespace() string
	SetNamespace(string)
	GetUID() types.UID
	SetUID(types.UID)
	GetResourceVersion() string
	SetResourceVersion(string)
	GetGeneration() int64
	SetGeneration(int64)
	GetCreationTimestamp() Time
	SetCreationTimestamp(Time)
	GetDeletionTimestamp() *Time
	SetDeletionTimestamp(*Time)
	GetDeletionGracePeriodSeconds() *int64
	SetDeletionGracePeriodSeconds(*int64)
	GetLabels() map[string]string
	SetLabels(map[string]string)
	GetAnnotations() map[string]string
	SetAnnotations(map[string]string)
	GetFinalizers() []string
	SetFinalizers([]string)
	GetOwnerReferences() []OwnerReference
	SetOwnerReferences([]OwnerReference)
	GetManagedFields() []ManagedFieldsEntry
	SetManagedFields([]ManagedFieldsEntry)
}

// List is a pointer to a list of API objects: *corev1.PodList and so on.
type List interface {
	// GetObjectKind and GetListMeta return pointers into the list.
	GetObjectKind() *TypeMeta
	GetListMeta() *ListMeta
	// DeepCopyList returns a copy that shares nothing.
	DeepCopyList() List
	// GetItems returns pointers to the items, not to copies.
	GetItems() []Object
	// SetItems replaces the items by the values behind objs; it panics if one is of another kind.
	SetItems(objs []Object)
}

// ObjectList is a list of any kind whose items are shared, not copied: what an
// informer asks for, which keeps thousands of objects and changes none.
type ObjectList struct {
	TypeMeta
	ListMeta
	Items []Object
}

// DeepCopyList copies the items too.
func (l *ObjectList) DeepCopyList() List {
	out := &ObjectList{TypeMeta: l.TypeMeta, Items: make([]Object, len(l.Items))}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for i, o := range l.Items {
		out.Items[i] = o.DeepCopyObject()
	}
	return out
}

// GetItems returns the items themselves.
func (l *ObjectList) GetItems() []Object { return l.Items }

// SetItems replaces the items by those.
func (l *ObjectList) SetItems(objs []Object) { l.Items = objs }

// GetObjectKind returns t itself, which is how an Object shows its TypeMeta.
func (t *TypeMeta) GetObjectKind() *TypeMeta { return t }

// GroupVersionKind reads apiVersion and kind. Both are empty in objects that came over a typed client, as upstream.
func (t *TypeMeta) GroupVersionKind() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(t.APIVersion, t.Kind)
}

// SetGroupVersionKind writes apiVersion and kind.
func (t *TypeMeta) SetGroupVersionKind(gvk schema.GroupVersionKind) {
	t.APIVersion, t.Kind = gvk.ToAPIVersionAndKind()
}

// GetListMeta returns m itself, which is how a List shows its ListMeta.
func (m *ListMeta) GetListMeta() *ListMeta { return m }

// GetResourceVersion says from which revision of the store the list is.
func (m *ListMeta) GetResourceVersion() string { return m.ResourceVersion }

// SetResourceVersion sets what GetResourceVersion returns.
func (m *ListMeta) SetResourceVersion(v string) { m.ResourceVersion = v }

// GetContinue returns the token for the next page, empty on the last.
func (m *ListMeta) GetContinue() string { return m.Continue }

// SetContinue sets what GetContinue returns.
func (m *ListMeta) SetContinue(c string) { m.Continue = c }
