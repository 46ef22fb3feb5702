package metav1

import "kubewalk/playground/api/types"

// The accessors of upstream's meta.go, by which code handles objects of any kind. Maps, slices and pointers are
// returned as they are, not copied.

// GetObjectMeta returns m itself, which is how an Object shows its ObjectMeta.
func (m *ObjectMeta) GetObjectMeta() *ObjectMeta { return m }

// GetName returns metadata.name.
func (m *ObjectMeta) GetName() string { return m.Name }

// SetName sets metadata.name.
func (m *ObjectMeta) SetName(name string) { m.Name = name }

// GetGenerateName returns metadata.generateName.
func (m *ObjectMeta) GetGenerateName() string { return m.GenerateName }

// SetGenerateName sets metadata.generateName.
func (m *ObjectMeta) SetGenerateName(name string) { m.GenerateName = name }

// GetNamespace returns metadata.namespace, empty for cluster scoped kinds.
func (m *ObjectMeta) GetNamespace() string { return m.Namespace }

// SetNamespace sets metadata.namespace.
func (m *ObjectMeta) SetNamespace(namespace string) { m.Namespace = namespace }

// GetUID returns metadata.uid.
func (m *ObjectMeta) GetUID() types.UID { return m.UID }

// SetUID sets metadata.uid.
func (m *ObjectMeta) SetUID(uid types.UID) { m.UID = uid }

// GetResourceVersion returns metadata.resourceVersion: a decimal revision of the store, opaque to clients.
func (m *ObjectMeta) GetResourceVersion() string { return m.ResourceVersion }

// SetResourceVersion sets metadata.resourceVersion.
func (m *ObjectMeta) SetResourceVersion(v string) { m.ResourceVersion = v }

// GetGeneration returns metadata.generation, which counts changes of the spec.
func (m *ObjectMeta) GetGeneration() int64 { return m.Generation }

// SetGeneration sets metadata.generation.
func (m *ObjectMeta) SetGeneration(n int64) { m.Generation = n }

// GetCreationTimestamp returns metadata.creationTimestamp.
func (m *ObjectMeta) GetCreationTimestamp() Time { return m.CreationTimestamp }

// SetCreationTimestamp sets metadata.creationTimestamp.
func (m *ObjectMeta) SetCreationTimestamp(t Time) { m.CreationTimestamp = t }

// GetDeletionTimestamp returns metadata.deletionTimestamp: nil until somebody deletes the object.
func (m *ObjectMeta) GetDeletionTimestamp() *Time { return m.DeletionTimestamp }

// SetDeletionTimestamp sets metadata.deletionTimestamp.
func (m *ObjectMeta) SetDeletionTimestamp(t *Time) { m.DeletionTimestamp = t }

// GetDeletionGracePeriodSeconds returns metadata.deletionGracePeriodSeconds.
func (m *ObjectMeta) GetDeletionGracePeriodSeconds() *int64 { return m.DeletionGracePeriodSeconds }

// SetDeletionGracePeriodSeconds sets metadata.deletionGracePeriodSeconds.
func (m *ObjectMeta) SetDeletionGracePeriodSeconds(seconds *int64) {
	m.DeletionGracePeriodSeconds = seconds
}

// GetLabels returns metadata.labels.
func (m *ObjectMeta) GetLabels() map[string]string { return m.Labels }

// SetLabels sets metadata.labels.
func (m *ObjectMeta) SetLabels(labels map[string]string) { m.Labels = labels }

// GetAnnotations returns metadata.annotations.
func (m *ObjectMeta) GetAnnotations() map[string]string { return m.Annotations }

// SetAnnotations sets metadata.annotations.
func (m *ObjectMeta) SetAnnotations(annotations map[string]string) { m.Annotations = annotations }

// GetFinalizers returns metadata.finalizers: while there are any, a deleted object stays.
func (m *ObjectMeta) GetFinalizers() []string { return m.Finalizers }

// SetFinalizers sets metadata.finalizers.
func (m *ObjectMeta) SetFinalizers(finalizers []string) { m.Finalizers = finalizers }

// GetOwnerReferences returns metadata.ownerReferences.
func (m *ObjectMeta) GetOwnerReferences() []OwnerReference { return m.OwnerReferences }

// SetOwnerReferences sets metadata.ownerReferences.
func (m *ObjectMeta) SetOwnerReferences(refs []OwnerReference) { m.OwnerReferences = refs }

// GetManagedFields returns metadata.managedFields.
func (m *ObjectMeta) GetManagedFields() []ManagedFieldsEntry { return m.ManagedFields }

// SetManagedFields sets metadata.managedFields.
func (m *ObjectMeta) SetManagedFields(entries []ManagedFieldsEntry) { m.ManagedFields = entries }
