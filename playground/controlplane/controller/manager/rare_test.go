//go:build !js || cel

package manager

import (
	"slices"
	"testing"
)

// What a cluster has when nothing is said must not depend on the build: the page goes on with what was recorded by a larger one.
func TestRareControllersRunOnlyWhereTheyAreAskedFor(t *testing.T) {
	for _, controllers := range [][]string{nil, {"*"}} {
		running, err := Enabled(controllers)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range rareControllers {
			if slices.Contains(running, d.Component) {
				t.Errorf("--controllers=%v has %s, which is not in every build", controllers, d.Name)
			}
		}
	}
}
