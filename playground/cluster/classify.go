//go:build !js || cel

package cluster

import (
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
)

// Classify finds the FlowSchema and the priority level of a request that comes from outside, or of one for a path that is about no resource,
// if r is nil. ok is false where the cluster has no such kinds, and for what is not classified. A nil user is whoever is outside.
func (c *Cluster) Classify(as *authenticationv1.UserInfo, r *client.Request, verb, path string) (schema, level types.UID, ok bool) {
	return c.server.Classify(Kubectl, as, r, verb, path)
}
