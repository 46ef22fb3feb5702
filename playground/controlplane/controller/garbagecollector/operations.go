package garbagecollector

import (
	"encoding/json"
	"fmt"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/retry"
	"kubewalk/playground/sim"
)

// deletableResources are the kinds to watch: all that can be listed and deleted,
// and are not ignored. What is served in two versions is watched in the first.
func deletableResources(kinds api.KindSet, ignored []api.GroupResource) []*api.Kind {
	var out []*api.Kind
	seen := map[api.GroupResource]bool{{Resource: "componentstatuses"}: true}
	for _, r := range ignored {
		seen[r] = true
	}
	for _, kind := range kinds {
		if r := kind.GroupResource(); kind.NewList != nil && kind.Resource != "" && !seen[r] && kind.Supports("delete", "list", "watch") {
			seen[r] = true
			out = append(out, kind)
		}
	}
	return out
}

// kindOf finds a served kind; nil when there is none.
func (gb *GraphBuilder) kindOf(apiVersion, kind string) *api.Kind {
	return gb.transport.Kinds().For(schema.FromAPIVersionAndKind(apiVersion, kind))
}

func (gc *GarbageCollector) request(verb string, ref objectReference) (*client.Request, error) {
	kind := gc.graph.kindOf(ref.APIVersion, ref.Kind)
	if kind == nil {
		return nil, fmt.Errorf("unable to get REST mapping for %s/%s", ref.APIVersion, ref.Kind)
	}
	r := &client.Request{Verb: verb, Resource: kind.GroupVersionResource(), Name: ref.Name}
	if kind.Namespaced {
		r.Namespace = ref.Namespace
	}
	return r, nil
}

func (gc *GarbageCollector) getObject(p *sim.Proc, ref objectReference) (api.Object, error) {
	r, err := gc.request(client.Get, ref)
	if err != nil {
		return nil, err
	}
	return client.As[api.Object](gc.transport.Do(p, r))
}

func (gc *GarbageCollector) patch(p *sim.Proc, ref objectReference, t types.PatchType, patch []byte) error {
	r, err := gc.request(client.Patch, ref)
	if err != nil {
		return err
	}
	r.PatchType, r.Patch = t, patch
	_, err = gc.transport.Do(p, r)
	return err
}

// deleteObject deletes the object that was read, in the version that was read:
// an owner that was added since must not be overlooked. When only something
// else has changed, it is deleted all the same.
// Upstream: operations.go, deleteObject.
func (gc *GarbageCollector) deleteObject(p *sim.Proc, ref objectReference, read api.Object, policy metav1.DeletionPropagation) error {
	for {
		r, err := gc.request(client.Delete, ref)
		if err != nil {
			return err
		}
		uid, version := ref.UID, read.GetResourceVersion()
		r.Delete = metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version}, PropagationPolicy: &policy}
		_, err = gc.transport.Do(p, r)
		if !apierrors.IsConflict(err) {
			return err
		}
		fresh, getErr := gc.getObject(p, ref)
		if getErr != nil {
			return getErr
		}
		if fresh.GetUID() != ref.UID || fresh.GetResourceVersion() == version ||
			!slices.EqualFunc(fresh.GetOwnerReferences(), read.GetOwnerReferences(), sameReference) {
			return err
		}
		read = fresh
	}
}

// removeFinalizer takes a finalizer off an object that may be gone by now.
func (gc *GarbageCollector) removeFinalizer(p *sim.Proc, owner *node, finalizer string) error {
	type meta struct {
		ResourceVersion string   `json:"resourceVersion"`
		Finalizers      []string `json:"finalizers"`
	}
	return retry.RetryOnConflict(p, retry.DefaultBackoff, func() error {
		obj, err := gc.getObject(p, owner.identity)
		if apierrors.IsNotFound(err) || err == nil && obj.GetUID() != owner.identity.UID {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot finalize owner %s, because cannot get it: %v. The garbage collector will retry later", owner.identity, err)
		}
		if !hasFinalizer(obj, finalizer) {
			p.Logger().V(5).Info("finalizer already removed from object", "finalizer", finalizer, "object", owner.identity)
			return nil
		}
		left := slices.DeleteFunc(slices.Clone(obj.GetFinalizers()), func(f string) bool { return f == finalizer })
		patch, err := json.Marshal(map[string]meta{"metadata": {obj.GetResourceVersion(), left}})
		if err != nil {
			return err
		}
		err = gc.patch(p, owner.identity, types.MergePatchType, patch)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}

// unblockOwnerReferencesPatch makes every blocking reference of an object one
// that does not block; the patch is nil when there is none.
func unblockOwnerReferencesPatch(n *node) ([]byte, error) {
	type meta struct {
		OwnerReferences []metav1.OwnerReference `json:"ownerReferences"`
		UID             types.UID               `json:"uid"`
	}
	no := false
	var refs []metav1.OwnerReference
	for _, ref := range n.owners {
		if isTrue(ref.BlockOwnerDeletion) {
			ref.BlockOwnerDeletion = &no
			refs = append(refs, ref)
		}
	}
	if len(refs) == 0 {
		return nil, nil // a patch without references would take all away
	}
	return json.Marshal(map[string]meta{"metadata": {refs, n.identity.UID}})
}
