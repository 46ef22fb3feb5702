// Package types holds the identities that several API packages share: UIDs, node names, namespaced names and kinds of
// patch. It mirrors upstream's k8s.io/apimachinery/pkg/types and imports nothing, so that every package may use it.
package types

// UID identifies one object over space and time: a Pod deleted and created again under its name has another UID.
type UID string

// NodeName is the name of a Node, where it must not be taken for the name of a host.
type NodeName string

// NamespacedName is the key of an object within its resource. Namespace is empty for what is not namespaced.
type NamespacedName struct {
	Namespace string
	Name      string
}

// String is "namespace/name", with the slash even if the namespace is empty, as upstream's.
func (n NamespacedName) String() string { return n.Namespace + "/" + n.Name }

// PatchType is the content type of a patch.
type PatchType string

// The patches that the API server takes.
const (
	JSONPatchType           PatchType = "application/json-patch+json"
	MergePatchType          PatchType = "application/merge-patch+json"
	StrategicMergePatchType PatchType = "application/strategic-merge-patch+json"
	ApplyPatchType          PatchType = "application/apply-patch+yaml"
	ApplyYAMLPatchType      PatchType = "application/apply-patch+yaml"
)
