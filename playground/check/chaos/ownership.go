package chaos

import (
	"fmt"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "ownership", act: (*dice).ownership, unsettled: ownershipUnsettled})
}

// ownership makes ConfigMaps own each other as chance will have it, circles
// included, and deletes them in each of the three ways.
func (d *dice) ownership(at time.Duration) {
	name := fmt.Sprintf("owned-%d", d.IntN(6))
	if !d.applied[name] || d.IntN(8) == 0 {
		d.applied[name] = true
		d.apply(at, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name}})
		return
	}
	in := cluster.Input{At: at, Kind: cluster.Own, Resource: "configmaps", Namespace: "default", Name: name}
	if d.IntN(5) < 3 {
		in.Value = fmt.Sprintf("owned-%d", d.IntN(6))
		// What blocks its own deletion waits for itself for ever, here as upstream.
		if d.IntN(2) == 0 && in.Value != name {
			in.Value = "!" + in.Value
		}
	} else {
		in.Kind = cluster.Delete
		in.Cascade = []string{"background", "foreground", "orphan"}[d.IntN(3)]
		d.applied[name] = false
	}
	d.add(in)
}

// ownershipUnsettled: nothing waits for its end, and nothing is there whose owners are all gone.
func ownershipUnsettled(s trace.State, say sayer) {
	there := map[string]bool{}
	var maps []*corev1.ConfigMap
	for _, c := range s.Cells(trace.CellObject) {
		if cm, ok := s[c].(*corev1.ConfigMap); ok {
			there[string(cm.UID)] = true
			maps = append(maps, cm)
		}
	}
	for _, cm := range maps {
		if cm.DeletionTimestamp != nil {
			say("configmap %s/%s is still being deleted, with finalizers %v", cm.Namespace, cm.Name, cm.Finalizers)
		}
		gone := 0
		for _, ref := range cm.OwnerReferences {
			if ref.Kind == "ConfigMap" && !there[string(ref.UID)] {
				gone++
			}
		}
		if gone > 0 && gone == len(cm.OwnerReferences) {
			say("configmap %s/%s has only owners that are gone", cm.Namespace, cm.Name)
		}
	}
}
