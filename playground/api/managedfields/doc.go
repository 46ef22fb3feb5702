// Package managedfields knows who owns which field of an object: what server-side apply decides by.
//
// Every write has a manager (kubectl, kube-controller-manager …). A field belongs to whoever changed it last; a field
// that is applied belongs to all who apply it with the same value. An apply that would change another's field is a
// conflict, unless it is forced; what a manager applied once and applies no more goes away, unless somebody else has it.
//
// Upstream works the owners out with every write and stores them in the object. Here a write is only noted (Journal): the
// owners are worked out when somebody applies, or asks to see them, which is seldom. What comes out is the same, down to
// the text of metadata.managedFields.
//
// Objects are compared as JSON trees beside a Type, which is read off the Go types' tags (listType, listMapKey, mapType,
// structType).
//
// Simplified: each kind has one version, so sets are never converted. Kinds that CustomResourceDefinitions define are
// absent.
//
// Upstream: apimachinery/pkg/util/managedfields and sigs.k8s.io/structured-merge-diff/v6 (fieldpath, typed, merge).
package managedfields
