//go:build !js || cel

package client

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/resourcev1"
)

// ResourceV1Client are the resources of group resource.k8s.io, in builds that have them.
// Upstream: k8s.io/client-go/kubernetes/typed/resource/v1.
type ResourceV1Client struct{ transport Transport }

// ResourceClaimInterface is what ResourceClaims returns.
type ResourceClaimInterface = ResourceClient[*resourcev1.ResourceClaim, *resourcev1.ResourceClaimList]

// ResourceV1 are the resources of group resource.k8s.io.
func (c *Clientset) ResourceV1() ResourceV1Client { return ResourceV1Client{c.transport} }

// ResourceClaims are the ResourceClaims of a namespace.
func (c ResourceV1Client) ResourceClaims(namespace string) ResourceClaimInterface {
	return newResource[*resourcev1.ResourceClaim, *resourcev1.ResourceClaimList](c.transport,
		api.GroupVersion{Group: resourcev1.GroupName, Version: "v1"}, "resourceclaims", namespace)
}
