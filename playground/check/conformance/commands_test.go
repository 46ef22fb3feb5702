package conformance

import (
	"strings"
	"testing"
)

// TestCustomResource plays the whole life of a definition. kubectl explain reads OpenAPI, which the kubectl of the page does not.
func TestCustomResource(t *testing.T) {
	w := newWorld(t, "06-custom-resource", 1)
	w.skip = func(command string) string {
		if strings.HasPrefix(command, "kubectl explain ") {
			return "the page's kubectl does not explain"
		}
		return ""
	}
	w.play("")
	w.atLeast(14)
}
