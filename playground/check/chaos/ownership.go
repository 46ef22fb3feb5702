package chaos

import (
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "ownership", act: (*dice).ownership, unsettled: ownershipUnsettled})
}

// ownership makes ConfigMaps own each other as chance will have it, circles
// included, and deletes them in each of the three ways. It begins with a family,
// in which most have several owners, so that each of what follows meets somebody.
func (d *dice) ownership(at time.Duration) {
	if d.once("the family") {
		for i := range 6 {
			d.ownedMap(at, fmt.Sprintf("owned-%d", i))
		}
		for range 9 {
			d.own(at+d.Between(100*time.Millisecond, 300*time.Millisecond), fmt.Sprintf("owned-%d", d.IntN(6)))
		}
		return
	}
	for range 1 + d.IntN(2) {
		name := fmt.Sprintf("owned-%d", d.IntN(6))
		switch {
		case !d.applied[name] || d.IntN(8) == 0:
			d.ownedMap(at, name)
		case d.IntN(5) < 3:
			d.own(at, name)
		default:
			d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "configmaps", Namespace: "default", Name: name,
				Cascade: []string{"background", "foreground", "orphan"}[d.IntN(3)]})
			d.applied[name] = false
		}
	}
}

func (d *dice) ownedMap(at time.Duration, name string) {
	d.applied[name] = true
	d.apply(at, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name}})
}

// own gives one of them an owner more.
func (d *dice) own(at time.Duration, name string) {
	owner := fmt.Sprintf("owned-%d", d.IntN(6))
	// What blocks its own deletion waits for itself for ever, here as upstream.
	if d.IntN(2) == 0 && owner != name {
		owner = "!" + owner
	}
	d.add(cluster.Input{At: at, Kind: cluster.Own, Resource: "configmaps", Namespace: "default", Name: name, Value: owner})
}

// inCircles finds who waits for ever, here as upstream: objects that block each other's deletion, and were all deleted in the foreground by somebody, who
// did not leave it to the collector, and whoever waits for one of them.
// Upstream: garbagecollector.go, processDeletingDependentsItem, which does not ask for whom a dependent waits that is being deleted.
func inCircles(maps []*corev1.ConfigMap) map[*corev1.ConfigMap]bool {
	waiting := map[*corev1.ConfigMap]bool{}
	for _, cm := range maps {
		waiting[cm] = cm.DeletionTimestamp != nil && slices.Contains(cm.Finalizers, metav1.FinalizerDeleteDependents)
	}
	blocks := func(dependent, owner *corev1.ConfigMap) bool {
		return slices.ContainsFunc(dependent.OwnerReferences, func(ref metav1.OwnerReference) bool {
			return ref.UID == owner.UID && ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion
		})
	}
	for changed := true; changed; { // whoever waits for nobody who waits will go
		changed = false
		for _, owner := range maps {
			if waiting[owner] && !slices.ContainsFunc(maps, func(o *corev1.ConfigMap) bool { return waiting[o] && blocks(o, owner) }) {
				waiting[owner], changed = false, true
			}
		}
	}
	return waiting
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
	waiting := inCircles(maps)
	for _, cm := range maps {
		if cm.DeletionTimestamp != nil && !waiting[cm] {
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
