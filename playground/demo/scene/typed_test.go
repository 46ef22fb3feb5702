package scene

import (
	"slices"
	"testing"
)

func TestTyped(t *testing.T) {
	for line, want := range map[string][]string{
		"rollout undo deployment/web --to-revision=2": {"rollout undo deployment/web --to-revision=2", "rollout undo deployment/web", "rollout undo"},
		"get pods": {"get pods", "get pods", "get pods"},
		"":         {"", "", ""},
	} {
		if got := typed(line); !slices.Equal(got, want) {
			t.Errorf("%q: got %q", line, got)
		}
	}
}
