package accurate

import (
	"path"

	"kubewalk/playground/api"
)

// Labels, annotations and the finalizer. Upstream: api/accurate/v2/meta.go.
const (
	metaPrefix = "accurate.cybozu.com/"

	Finalizer     = metaPrefix + "finalizer"
	LabelType     = metaPrefix + "type"
	LabelTemplate = metaPrefix + "template"
	LabelParent   = metaPrefix + "parent"
	AnnFrom       = metaPrefix + "from"
	AnnPropagate  = metaPrefix + "propagate"

	LabelCreatedBy  = "app.kubernetes.io/created-by"
	CreatedBy       = "accurate"
	NSTypeTemplate  = "template"
	NSTypeRoot      = "root"
	PropagateCreate = "create"
	PropagateUpdate = "update"
)

// Config is what upstream reads from config.yaml. Upstream: pkg/config/types.go, Config.
type Config struct {
	// LabelKeys and AnnotationKeys are patterns of what namespaces get from those above.
	LabelKeys, AnnotationKeys []string
	// SubNamespaceLabelKeys and SubNamespaceAnnotationKeys are patterns of what a SubNamespace may give its namespace.
	SubNamespaceLabelKeys, SubNamespaceAnnotationKeys []string
	// Watches are the kinds that are propagated.
	Watches []api.GroupVersionKind
}

// DefaultConfig is the one of upstream's chart, with a label for teams as in its documentation.
func DefaultConfig() Config {
	rbac := api.GroupVersion{Group: "rbac.authorization.k8s.io", Version: "v1"}
	return Config{
		LabelKeys: []string{"team"},
		Watches:   []api.GroupVersionKind{rbac.WithKind("Role"), rbac.WithKind("RoleBinding"), api.GroupVersion{Version: "v1"}.WithKind("Secret")},
	}
}

// matching are the pairs whose keys match a pattern.
func matching(pairs map[string]string, patterns []string) map[string]string {
	out := map[string]string{}
	for key, value := range pairs { // order: each fills its own key
		for _, pattern := range patterns {
			if ok, _ := path.Match(pattern, key); ok {
				out[key] = value
			}
		}
	}
	return out
}
