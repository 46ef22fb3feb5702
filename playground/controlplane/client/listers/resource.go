//go:build !js || cel

package listers

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/controlplane/client/cache"
)

// ResourceClaimLister reads ResourceClaims, and so on.
type (
	DeviceClassLister struct {
		ResourceLister[*resourcev1.DeviceClass]
	}
	ResourceSliceLister struct {
		ResourceLister[*resourcev1.ResourceSlice]
	}
	ResourceClaimLister struct {
		ResourceLister[*resourcev1.ResourceClaim]
	}
	ResourceClaimTemplateLister struct {
		ResourceLister[*resourcev1.ResourceClaimTemplate]
	}
)

// NewResourceClaimLister reads ResourceClaims.
func NewResourceClaimLister(indexer cache.Indexer) ResourceClaimLister {
	return ResourceClaimLister{ResourceLister[*resourcev1.ResourceClaim]{indexer: indexer,
		resource: api.GroupResource{Group: resourcev1.GroupName, Resource: "resourceclaims"}}}
}

// ResourceClaims are those of one namespace.
func (l ResourceClaimLister) ResourceClaims(namespace string) ResourceLister[*resourcev1.ResourceClaim] {
	return l.in(namespace)
}

// NewResourceClaimTemplateLister reads ResourceClaimTemplates.
func NewResourceClaimTemplateLister(indexer cache.Indexer) ResourceClaimTemplateLister {
	return ResourceClaimTemplateLister{ResourceLister[*resourcev1.ResourceClaimTemplate]{indexer: indexer,
		resource: api.GroupResource{Group: resourcev1.GroupName, Resource: "resourceclaimtemplates"}}}
}

// ResourceClaimTemplates are those of one namespace.
func (l ResourceClaimTemplateLister) ResourceClaimTemplates(namespace string) ResourceLister[*resourcev1.ResourceClaimTemplate] {
	return l.in(namespace)
}

// NewDeviceClassLister reads DeviceClasses.
func NewDeviceClassLister(indexer cache.Indexer) DeviceClassLister {
	return DeviceClassLister{ResourceLister[*resourcev1.DeviceClass]{indexer: indexer,
		resource: api.GroupResource{Group: resourcev1.GroupName, Resource: "deviceclasses"}}}
}

// NewResourceSliceLister reads ResourceSlices.
func NewResourceSliceLister(indexer cache.Indexer) ResourceSliceLister {
	return ResourceSliceLister{ResourceLister[*resourcev1.ResourceSlice]{indexer: indexer,
		resource: api.GroupResource{Group: resourcev1.GroupName, Resource: "resourceslices"}}}
}
