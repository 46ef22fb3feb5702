package conformance

import "testing"

// TestCustomResource plays the whole life of a definition.
func TestCustomResource(t *testing.T) { customResource(t, newWorld(t, "06-custom-resource", 1)) }

// The server's own writes are left out: it makes them here without a request to itself.
func customResource(t *testing.T, w *world) {
	t.Helper()
	w.play("")
	w.atLeast(15)
	sent := func(trail []write) []write {
		return without(t, trail, "the API server's own", func(w write) bool { return w.component == "apiserver" })
	}
	compare(t, sent(readAudit(t, "06-custom-resource")), sent(audit(w.Trace(), w.started)))
}
