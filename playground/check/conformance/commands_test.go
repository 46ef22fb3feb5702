package conformance

import "testing"

// TestCustomResource plays the recording up to where objects of the new kind
// are asked for, which are not served here.
func TestCustomResource(t *testing.T) {
	w := newWorld(t, "06-custom-resource", 1)
	w.play("kubectl api-resources --api-group=sample.example.com")
	w.atLeast(2)
}
