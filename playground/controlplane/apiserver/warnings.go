package apiserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/apiserver/registry"
)

// deprecations are the kinds that are served and had better not be used. Upstream: k8s.io/api/core/v1, APILifecycle… of the
// types; apiserver/pkg/endpoints/deprecation/deprecation.go, WarningMessage.
var deprecations = map[string]string{
	"/componentstatuses": "v1 ComponentStatus is deprecated in v1.19+",
	"/endpoints":         "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
}

// warnOfDeprecation tells who uses such a kind.
func (c *call) warnOfDeprecation(e *registry.Store) {
	text := deprecations[e.Kind.Group+"/"+e.Kind.Resource]
	if e.Custom != nil {
		text = e.Custom.Deprecation()
	}
	if text != "" {
		c.Warn(text)
	}
}

// warnOfOrphans tells who deletes a Job that its Pods stay. Upstream: pkg/registry/batch/job/storage/storage.go, JobStorage.Delete.
func (c *call) warnOfOrphans(e *registry.Store, options *metav1.DeleteOptions) {
	if e.Kind.Group == "batch" && e.OrphansByDefault() && options.PropagationPolicy == nil && options.OrphanDependents == nil {
		c.Warn("child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning")
	}
}

// warnOfMetadata tells of finalizers that others may use too, and of owners given twice, of which one is dropped.
// Upstream: rest/create.go, metadata warnings; endpoints/handlers/create.go, dedupOwnerReferencesAndAddWarning.
func (c *call) warnOfMetadata(obj api.Object) {
	standard := []string{metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents, "kubernetes"}
	for _, f := range obj.GetFinalizers() {
		if !strings.Contains(f, "/") && !slices.Contains(standard, f) {
			c.Warn(fmt.Sprintf(`metadata.finalizers: %q: prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`, f))
		}
	}
	refs := obj.GetOwnerReferences()
	if len(refs) < 2 {
		return
	}
	kept, twice, seen := make([]metav1.OwnerReference, 0, len(refs)), []string{}, make(map[ownerReference]bool, len(refs))
	for _, r := range refs {
		switch key := (ownerReference{r.APIVersion, r.Kind, r.Name, r.UID, said(r.Controller), said(r.BlockOwnerDeletion)}); {
		case seen[key]:
			twice = append(twice, string(r.UID))
		default:
			seen[key] = true
			kept = append(kept, r)
		}
	}
	if len(twice) > 0 {
		c.Warn(".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " +
			strings.Join(twice, ", "))
		obj.SetOwnerReferences(kept)
	}
}

// ownerReference is one that can be looked up: an object may name ten thousand.
type ownerReference struct {
	apiVersion, kind, name    string
	uid                       types.UID
	controller, blockDeletion string
}

// said is what a pointer says, "" for nothing.
func said(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}
