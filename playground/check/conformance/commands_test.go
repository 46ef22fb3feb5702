package conformance

import "testing"

// TestCustomResource plays the whole life of a definition.
func TestCustomResource(t *testing.T) {
	w := newWorld(t, "06-custom-resource", 1)
	w.play("")
	w.atLeast(15)
}
