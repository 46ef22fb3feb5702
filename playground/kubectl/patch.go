package kubectl

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/types"
	"kubewalk/playground/client"
	"kubewalk/playground/sim"
)

// Patch is kubectl patch --type=merge: a GET, then a PATCH.
//
// It is also what cordon, uncordon, taint and label come down to, which have
// no commands of their own here.
//
// Upstream: kubectl pkg/cmd/patch/patch.go, RunPatch.
func (c Command) Patch(p *sim.Proc, resource, namespace, name string, patch []byte) (string, error) {
	k, namespace, err := find(resource, namespace)
	if err != nil {
		return "", err
	}
	r := &client.Request{Verb: client.Get, Resource: k.GroupVersionResource(), Namespace: namespace, Name: name}
	before, err := c.transport.Do(p, r)
	if err != nil {
		return "", words(err, "")
	}
	after, err := c.transport.Do(p, &client.Request{
		Verb: client.Patch, Resource: r.Resource, Namespace: namespace, Name: name,
		PatchType: types.MergePatchType, Patch: patch, FieldManager: "kubectl-patch",
	})
	if err != nil {
		return "", words(err, "")
	}
	// The server keeps the version of an object that a patch leaves as it is.
	if after.(api.Object).GetResourceVersion() == before.(api.Object).GetResourceVersion() {
		return said(k, name, "patched (no change)"), nil
	}
	return said(k, name, "patched"), nil
}
