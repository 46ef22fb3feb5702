package conformance

import (
	"slices"
	"testing"

	"kubewalk/playground/cluster"
)

// conflicts counts the 409s of a trail by who was told so, of what.
func conflicts(trail []write) map[string]int {
	out := map[string]int{}
	for _, w := range trail {
		if w.code == "409" && w.component != "kubectl" {
			out[w.what()]++
		}
	}
	return out
}

// Conflicts are a matter of timing, there and here, so what is compared is their number over all seeds with that many times the recording's: at most
// so much more often. A kind of conflict that was never recorded is listed here, or fails. Whoever mends a cause lowers its bound.
func TestConflicts(t *testing.T) {
	const name = "02-deployment-rollout"
	want := conflicts(readAudit(t, name))
	got := map[string]int{}
	for _, seed := range seeds {
		w := newWorld(t, name, seed)
		w.play("")
		for what, n := range conflicts(audit(w.Trace(), w.started)) {
			got[what] += n
		}
	}
	for what, n := range got {
		t.Logf("%s: %d times in the recording, %.1f times here", what, want[what], float64(n)/float64(len(seeds)))
		most, known := mostConflicts[what]
		if !known {
			t.Errorf("%s: %d times in %d runs, and nobody expects that", what, n, len(seeds))
		} else if n > most {
			t.Errorf("%s: %d times in %d runs, at most %d are expected", what, n, len(seeds), most)
		}
	}
	for what := range want {
		if _, known := mostConflicts[what]; !known {
			t.Errorf("%s was recorded %d times, and is not looked at", what, want[what])
		}
	}
}

// mostConflicts are today's figures, of all seeds together.
var mostConflicts = map[string]int{
	"deployment-controller update deployments/status 409": 70, // 7 in the recording
	"deployment-controller update replicasets 409":        30, // 4
	"replicaset-controller update replicasets/status 409": 4,  // 3
	"generic-garbage-collector delete pods 409":           8,  // never recorded: a Pod whose status is written between look and deletion
}

// The recordings were made with KWOK in the kubelet's place. On hollow nodes, kwok is what speaks for them here too.
func TestOnHollowNodes(t *testing.T) {
	for _, name := range []string{"01-replicaset-life", "02-deployment-rollout", "03-service-endpoints", "05-scheduling", "07-ownership", "08-config-and-apply"} {
		t.Run(name, func(t *testing.T) {
			recorded := slices.DeleteFunc(served(readAudit(t, name)), func(w write) bool { return w.component == "node-controller" })
			config := cluster.DefaultConfig()
			config.Nodes, config.HollowNodes = nil, &cluster.HollowNodes{Count: 3, CPU: "4", Memory: "8Gi"}
			w := newWorldOf(t, name, 1, config)
			w.play("")
			w.atLeast(10)
			if name != "03-service-endpoints" { // who writes what of Services is compared in TestServiceEndpoints, by rules of its own
				compare(t, whatIsSure(recorded), whatIsSure(audit(w.Trace(), w.started)))
			}
		})
	}
}
