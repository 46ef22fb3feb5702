package conformance

import (
	"slices"
	"testing"

	"kubewalk/playground/api"
)

// served leaves out what happened to kinds that are not served here: those of device claims.
func served(t *testing.T, recorded []write) []write {
	return without(t, recorded, "kinds that are not served here", func(w write) bool { return w.verb == "deletecollection" && api.Resolve(w.resource) == nil })
}

// TestNamespaceEnds plays the transcript of ownership to its end: a namespace
// is made, furnished, filled and deleted with all that is in it.
func TestNamespaceEnds(t *testing.T) {
	recorded := readAudit(t, "07-ownership")
	begin := slices.IndexFunc(recorded, func(w write) bool { return w.resource == "namespaces" })
	recorded = served(t, recorded[begin:])
	for _, seed := range seeds {
		w := newWorld(t, "07-ownership", seed)
		w.play("")
		w.atLeast(14)
		ours := audit(w.Trace(), w.started)
		ours = ours[slices.IndexFunc(ours, func(w write) bool { return w.resource == "namespaces" }):]
		compare(t, recorded, ours)
		inOrder(t, "ours", ours)
		// Pods go first, the namespace last.
		pods, other, gone := -1, -1, -1
		for i, w := range ours {
			switch {
			case w.component != "namespace-controller":
			case w.verb == "deletecollection" && w.resource == "pods":
				pods = i
			case w.verb == "deletecollection" && other < 0:
				other = i
			case w.resource == "namespaces/finalize":
				gone = i
			}
		}
		if !(0 <= pods && pods < other && other < gone && gone < len(ours)) {
			t.Errorf("Pods are deleted at %d, the rest from %d on, the namespace at %d", pods, other, gone)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
