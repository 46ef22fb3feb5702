package conformance

import "testing"

// ConfigMaps and Secrets, patches, and server-side apply with a conflict: what kubectl says, and what it sends.
func TestConfigAndApply(t *testing.T) {
	recorded := readAudit(t, "08-config-and-apply")
	for _, seed := range seeds[:3] {
		w := newWorld(t, "08-config-and-apply", seed)
		w.play("")
		w.atLeast(20)
		compare(t, recorded, audit(w.Trace(), w.started))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
