package conformance

import "testing"

// A Deployment rolls out, forward, back, is scaled, paused, resumed and deleted.
func TestRollout(t *testing.T) {
	recorded := readAudit(t, "02-deployment-rollout")
	for _, seed := range seeds {
		w := newWorld(t, "02-deployment-rollout", seed)
		w.play("")
		w.atLeast(24)
		ours := audit(w.Trace(), w.started)
		compare(t, whatIsSure(t, recorded), whatIsSure(t, ours))
		sameEvents(t, recorded, ours, 0)
		inOrder(t, "ours", ours)
		// In how many steps a roll-out goes depends on how many Pods become ready between two looks.
		if n, want := steps(ours), steps(recorded); 2*n < want || n > 2*want {
			t.Errorf("ReplicaSets were scaled %d times, and %d times in the recording", n, want)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// steps counts how often ReplicaSets were scaled.
func steps(trail []write) int {
	n := 0
	for _, w := range trail {
		if isStep(w) && w.code == "200" {
			n++
		}
	}
	return n
}

func isStep(w write) bool {
	return w.component == "deployment-controller" && w.verb == "update" && w.resource == "replicasets"
}

// whatIsSure leaves out the steps, and what the garbage collector was late for.
func whatIsSure(t *testing.T, trail []write) []write {
	trail = without(t, trail, "steps of a roll-out, which TestRollout counts", isStep)
	return without(t, trail, "what the garbage collector was late for", func(w write) bool {
		return w.component == "generic-garbage-collector" && w.code == "404"
	})
}
