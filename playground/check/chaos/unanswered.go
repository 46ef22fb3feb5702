package chaos

import (
	"fmt"
	"time"

	"kubewalk/playground/cluster"
)

func init() {
	register(&ingredient{name: "unanswered writes", prepare: (*dice).someReplicas, act: (*dice).unansweredWrites, apart: true})
}

// unansweredWrites has the API server die in the middle of many writes, and come again before clients lose their patience. From a commit to its answer it
// is less than a millisecond; of so many some are between the two. Those are in etcd, and nobody was told: who writes again does it twice.
func (d *dice) unansweredWrites(at time.Duration) {
	for i := range 8 + d.IntN(9) {
		metadata := map[string]any{"name": fmt.Sprintf("note-%d-%d", at.Microseconds(), i)}
		if d.IntN(2) == 0 { // the server completes the name: nothing refuses the second
			metadata = map[string]any{"generateName": "note-"}
		}
		d.add(cluster.Input{At: at + d.Between(0, 6*time.Millisecond), Kind: cluster.Command, Args: []string{"create", "-f", "-"},
			Manifest: manifest(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})})
	}
	if d.IntN(2) == 0 {
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: "steady-*"})
	}
	stop := at + d.Between(6*time.Millisecond, 12*time.Millisecond)
	d.add(cluster.Input{At: stop, Kind: cluster.Stop, Component: cluster.APIServer})
	d.add(cluster.Input{At: stop + d.Between(500*time.Millisecond, 3*time.Second), Kind: cluster.Start, Component: cluster.APIServer})
}
