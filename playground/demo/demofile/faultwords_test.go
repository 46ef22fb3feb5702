package demofile_test

import (
	"testing"

	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/cloud"
	"kubewalk/playground/demo/phrase"
)

// TestFaultsAreSaidInWords: what a file calls a way to fail is no word for a reader.
func TestFaultsAreSaidInWords(t *testing.T) {
	ways := []string{"no-leader", "no-space"}
	for _, name := range append([]string{cloud.Name}, cluster.OperatorNames...) {
		ways = append(ways, cluster.OperatorFaults(name)...)
	}
	for _, way := range ways {
		for _, key := range []string{"input.fail." + way, "scene.fault.fail." + way} {
			if phrase.Word("en", key) == "" {
				t.Errorf("there are no words for %s", key)
			}
		}
	}
}
