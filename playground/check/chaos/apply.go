package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "appliers", act: (*dice).appliers, holds: appliersHold})
}

// sharedName is the ConfigMap over which appliers meet.
const sharedName = "shared"

// appliers let one of three managers apply what it wants of one ConfigMap, without force. Values say whose they are, so
// that two never agree.
func (d *dice) appliers(at time.Duration) {
	manager := []string{"alice", "bob", "carol"}[d.IntN(3)]
	data := map[string]any{}
	for range 1 + d.IntN(3) {
		data[fmt.Sprint("key-", d.IntN(4))] = fmt.Sprint(manager, "-", d.IntN(5))
	}
	d.add(cluster.Input{At: at, Kind: cluster.Command,
		Args: []string{"apply", "--server-side", "--field-manager=" + manager, "-f", "-"},
		Manifest: manifest(map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": sharedName, "namespace": "default"}, "data": data})})
}

// appliersHold: nobody takes over a field that somebody else applies. From one version to the next a value changes to
// another of the same manager's, or goes because its manager applies it no more.
func appliersHold(rec *trace.Recorder, say sayer) {
	var before map[string]string
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Op != trace.StoreCommit || e.Object.Name != sharedName {
			continue
		}
		for _, d := range e.Deltas {
			now, ok := d.New.(*corev1.ConfigMap)
			if !ok {
				continue
			}
			for _, key := range slices.Sorted(maps.Keys(now.Data)) {
				was, had := before[key]
				a, _, _ := strings.Cut(was, "-")
				b, _, _ := strings.Cut(now.Data[key], "-")
				if had && a != b {
					say("event %d: %s of ConfigMap %s was %s and became %s without force", e.ID, key, sharedName, was, now.Data[key])
				}
			}
			before = now.Data
		}
	}
}
