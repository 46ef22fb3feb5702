// Package schema names kinds and resources. A kind ("ReplicaSet") is what a manifest says, a resource ("replicasets")
// is what a path says; both belong to a group and a version. It mirrors upstream's
// k8s.io/apimachinery/pkg/runtime/schema, and imports nothing of the API, so that metav1 can use it.
package schema

import (
	"fmt"
	"strings"
)

// GroupVersion is what apiVersion holds.
type GroupVersion struct{ Group, Version string }

// ParseGroupVersion reads an apiVersion: "v1" (the core group, whose name is empty) or "apps/v1".
func ParseGroupVersion(apiVersion string) (GroupVersion, error) {
	if apiVersion == "" || apiVersion == "/" {
		return GroupVersion{}, nil
	}
	switch strings.Count(apiVersion, "/") {
	case 0:
		return GroupVersion{"", apiVersion}, nil
	case 1:
		group, version, _ := strings.Cut(apiVersion, "/")
		return GroupVersion{group, version}, nil
	}
	return GroupVersion{}, fmt.Errorf("unexpected GroupVersion string: %v", apiVersion)
}

// String is the apiVersion.
func (gv GroupVersion) String() string {
	if gv.Group != "" {
		return gv.Group + "/" + gv.Version
	}
	return gv.Version
}

// Empty says that neither part is set.
func (gv GroupVersion) Empty() bool { return gv == GroupVersion{} }

// WithKind names a kind of the group and version.
func (gv GroupVersion) WithKind(kind string) GroupVersionKind {
	return GroupVersionKind{gv.Group, gv.Version, kind}
}

// WithResource names a resource of the group and version.
func (gv GroupVersion) WithResource(resource string) GroupVersionResource {
	return GroupVersionResource{gv.Group, gv.Version, resource}
}

// GroupKind is a kind whatever its version.
type GroupKind struct{ Group, Kind string }

// String is "ReplicaSet.apps", or "Pod" in the core group: what "… is invalid" messages are built from.
func (gk GroupKind) String() string {
	if gk.Group == "" {
		return gk.Kind
	}
	return gk.Kind + "." + gk.Group
}

// Empty says that neither part is set.
func (gk GroupKind) Empty() bool { return gk == GroupKind{} }

// WithVersion adds the version.
func (gk GroupKind) WithVersion(version string) GroupVersionKind {
	return GroupVersionKind{gk.Group, version, gk.Kind}
}

// GroupVersionKind is a kind in full.
type GroupVersionKind struct{ Group, Version, Kind string }

// FromAPIVersionAndKind reads the two fields of a manifest; an apiVersion that can't be read leaves only the kind.
func FromAPIVersionAndKind(apiVersion, kind string) GroupVersionKind {
	gv, err := ParseGroupVersion(apiVersion)
	if err != nil {
		return GroupVersionKind{Kind: kind}
	}
	return gv.WithKind(kind)
}

// ToAPIVersionAndKind returns the two fields of a manifest.
func (gvk GroupVersionKind) ToAPIVersionAndKind() (apiVersion, kind string) {
	return gvk.GroupVersion().String(), gvk.Kind
}

// GroupVersion is the kind's apiVersion.
func (gvk GroupVersionKind) GroupVersion() GroupVersion { return GroupVersion{gvk.Group, gvk.Version} }

// GroupKind leaves the version out.
func (gvk GroupVersionKind) GroupKind() GroupKind { return GroupKind{gvk.Group, gvk.Kind} }

// Empty says that no part is set.
func (gvk GroupVersionKind) Empty() bool { return gvk == GroupVersionKind{} }

// String is "apps/v1, Kind=ReplicaSet", and "/v1, Kind=Pod" in the core group.
func (gvk GroupVersionKind) String() string {
	return gvk.Group + "/" + gvk.Version + ", Kind=" + gvk.Kind
}

// GroupResource is a resource whatever its version.
type GroupResource struct{ Group, Resource string }

// String is "replicasets.apps", or "pods" in the core group: what "… not found" messages are built from.
func (gr GroupResource) String() string {
	if gr.Group == "" {
		return gr.Resource
	}
	return gr.Resource + "." + gr.Group
}

// Empty says that neither part is set.
func (gr GroupResource) Empty() bool { return gr == GroupResource{} }

// WithVersion adds the version.
func (gr GroupResource) WithVersion(version string) GroupVersionResource {
	return GroupVersionResource{gr.Group, version, gr.Resource}
}

// GroupVersionResource is a resource in full.
type GroupVersionResource struct{ Group, Version, Resource string }

// GroupVersion is the resource's apiVersion.
func (gvr GroupVersionResource) GroupVersion() GroupVersion {
	return GroupVersion{gvr.Group, gvr.Version}
}

// GroupResource leaves the version out.
func (gvr GroupVersionResource) GroupResource() GroupResource {
	return GroupResource{gvr.Group, gvr.Resource}
}

// Empty says that no part is set.
func (gvr GroupVersionResource) Empty() bool { return gvr == GroupVersionResource{} }

// String is "apps/v1, Resource=replicasets", and "/v1, Resource=pods" in the core group.
func (gvr GroupVersionResource) String() string {
	return gvr.Group + "/" + gvr.Version + ", Resource=" + gvr.Resource
}
