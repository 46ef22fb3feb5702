package chaos

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "custom resources", act: (*dice).customResources, holds: customResourcesHold})
}

const widgets = "widgets.chaos.example.com"

// customResources let people define a kind, make objects of it, change and scale them, report on them, and delete all of it, in any
// order.
func (d *dice) customResources(at time.Duration) {
	name := fmt.Sprint("widget-", d.IntN(3))
	command := func(manifest []byte, args ...string) {
		d.add(cluster.Input{At: at, Kind: cluster.Command, Args: args, Manifest: manifest})
	}
	switch d.IntN(10) {
	case 0, 1, 2:
		integer := func(more map[string]any) map[string]any {
			more["type"] = "integer"
			return more
		}
		command(manifest(map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": widgets},
			"spec": map[string]any{"group": "chaos.example.com", "scope": "Namespaced", "names": map[string]any{"kind": "Widget", "plural": "widgets"},
				"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
					"subresources": map[string]any{"status": map[string]any{}, "scale": map[string]any{"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}},
					"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{
						"spec": map[string]any{"type": "object", "default": map[string]any{}, "properties": map[string]any{
							"n": integer(map[string]any{"minimum": 1, "maximum": 5, "default": 2}), "m": integer(map[string]any{})}},
						"status": map[string]any{"type": "object", "properties": map[string]any{"n": integer(map[string]any{})}}}}}}}}}), "apply", "-f", "-")
	case 3, 4, 5:
		spec := map[string]any{}
		if d.IntN(2) == 0 {
			spec["n"] = d.IntN(7)
		}
		if d.IntN(2) == 0 {
			spec["m"] = d.IntN(3)
		}
		command(manifest(map[string]any{"apiVersion": "chaos.example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": name, "namespace": "default"},
			"spec": spec}), "apply", "-f", "-")
	case 6:
		command(nil, "scale", widgets, name, fmt.Sprint("--replicas=", d.IntN(7)))
	case 7:
		command(nil, "patch", widgets, name, "--subresource=status", "--type=merge", "-p", fmt.Sprintf(`{"status":{"n":%d},"spec":{"n":4}}`, d.IntN(7)))
	case 8:
		command(nil, "delete", widgets, name, "--wait=false")
	default:
		command(nil, "delete", "crd", widgets, "--wait=false")
	}
}

// customResourcesHold: what is stored is what the schema allows, with its defaults; the generation counts changes of the spec and
// nothing else; and nothing is left of a kind whose definition is gone.
func customResourcesHold(rec *trace.Recorder, say sayer) {
	stored := map[trace.Ref]*api.Unstructured{}
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Op != trace.StoreCommit {
			continue
		}
		for _, d := range e.Deltas {
			if was, ok := d.Old.(*apiextensionsv1.CustomResourceDefinition); ok && d.New == nil && was.Name == widgets && len(stored) > 0 {
				say("event %d: %s is gone, and %d of its objects are not", e.ID, widgets, len(stored))
			}
		}
		if e.Object.Resource != widgets {
			continue
		}
		for _, d := range e.Deltas {
			now, ok := d.New.(*api.Unstructured)
			if !ok {
				if _, was := d.Old.(*api.Unstructured); was {
					delete(stored, e.Object)
				}
				continue
			}
			spec, _ := now.Fields["spec"].(map[string]any)
			n, _ := spec["n"].(json.Number)
			if v, err := n.Int64(); err != nil || v < 1 || v > 5 {
				say("event %d: %s is stored with n=%q, which the schema does not allow", e.ID, e.Object.Key(), n)
			}
			if before := stored[e.Object]; before != nil && before.UID == now.UID && now.DeletionTimestamp == nil {
				changed := !reflect.DeepEqual(before.Fields["spec"], now.Fields["spec"])
				if grown := now.Generation != before.Generation; grown != changed {
					say("event %d: the generation of %s went from %d to %d, and the spec from %v to %v", e.ID, e.Object.Key(), before.Generation, now.Generation,
						before.Fields["spec"], now.Fields["spec"])
				}
			}
			stored[e.Object] = now
		}
	}
}
