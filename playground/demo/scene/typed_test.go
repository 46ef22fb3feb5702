package scene

import (
	"slices"
	"testing"
)

func TestTyped(t *testing.T) {
	for line, want := range map[string][]string{
		"rollout undo deployment/web --to-revision=2": {"rollout undo deployment/web --to-revision=2", "rollout undo deployment/web", "rollout undo deploy/web", "rollout undo", "rollout"},
		"scale deployment/web --replicas=8":           {"scale deployment/web --replicas=8", "scale deployment/web 8", "scale deploy/web 8", "scale deployment/web", "scale"},
		"get pods":                                    {"get pods", "get pods", "get pods", "get pods", "get"},
		"":                                            {"", "", "", "", ""},
	} {
		if got := typed(line); !slices.Equal(got, want) {
			t.Errorf("%q: got %q", line, got)
		}
	}
}
