package cluster

import (
	"encoding/json"
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Own makes one object the owner of another of its kind and namespace: Resource,
// Namespace, Name (the dependent), Value (the owner; "!" in front for one that
// blocks the owner's deletion). It is what a person does with kubectl get, for
// the UID, and kubectl patch.
const Own Kind = "own"

var _ = register(Own, action{
	validate: func(in Input) error {
		if in.Resource == "" || in.Name == "" || in.Value == "" {
			return fmt.Errorf("input %q: needs a resource, a name, and an owner as its value", in.Kind)
		}
		if api.Resolve(in.Resource) == nil {
			return fmt.Errorf("input %q: resource %q is not served", in.Kind, in.Resource)
		}
		return nil
	},
	words: func(in Input) string { return string(in.Kind) + " " + in.key() + " " + in.Value },
	attrs: func(in Input) []trace.Attr { return given("owner", in.Value) },
	do: func(c *Cluster, i int) {
		c.kubectl.Go("kubectl patch", func(p *sim.Proc) {
			err := own(p, c.observed(c.server), c.results[i].Input)
			o := &c.results[i] // inputs may have been added meanwhile
			if o.Done = true; err != nil {
				o.Error = err.Error()
				p.Logger().Error(err, "kubectl patch")
			}
		})
	},
})

func own(p *sim.Proc, t client.Transport, in Input) error {
	kind := api.Resolve(in.Resource)
	namespace := in.Namespace
	if namespace == "" && kind.Namespaced {
		namespace = "default"
	}
	name, block := in.Value, in.Value[0] == '!'
	if block {
		name = name[1:]
	}
	owner, err := client.As[api.Object](t.Do(p, &client.Request{Verb: client.Get, Resource: kind.GroupVersionResource(), Namespace: namespace, Name: name}))
	if err != nil {
		return err
	}
	ref := metav1.OwnerReference{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Name: name, UID: owner.GetUID(), BlockOwnerDeletion: &block}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"ownerReferences": []metav1.OwnerReference{ref}}})
	if err != nil {
		return err
	}
	_, err = t.Do(p, &client.Request{Verb: client.Patch, Resource: kind.GroupVersionResource(), Namespace: namespace, Name: in.Name,
		PatchType: types.StrategicMergePatchType, Patch: patch})
	return err
}
