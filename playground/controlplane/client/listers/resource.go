//go:build !js || cel

package listers

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/controlplane/client/cache"
)

// ResourceClaimLister reads ResourceClaims, ResourceClaimTemplateLister templates of them.
type (
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
