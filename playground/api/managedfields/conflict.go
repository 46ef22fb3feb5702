package managedfields

import (
	"fmt"
	"sort"
	"strings"

	"kubewalk/playground/api/metav1"
)

// Causes are the conflicts as a Status lists them. Upstream: managedfields/internal/conflict.go, NewConflictError.
func (c Conflicts) Causes() []metav1.StatusCause {
	var out []metav1.StatusCause
	for _, conflict := range c {
		out = append(out, metav1.StatusCause{
			Type: metav1.CauseTypeFieldManagerConflict, Message: "conflict with " + conflict.Manager.String(), Field: conflict.Path,
		})
	}
	return out
}

// Message is what a person reads. Upstream: managedfields/internal/conflict.go, getConflictMessage.
func (c Conflicts) Message() string {
	if len(c) == 1 {
		return fmt.Sprintf("Apply failed with 1 conflict: conflict with %v: %v", c[0].Manager, c[0].Path)
	}
	paths := map[Manager][]string{}
	var managers []Manager
	for _, conflict := range c {
		if paths[conflict.Manager] == nil {
			managers = append(managers, conflict.Manager)
		}
		paths[conflict.Manager] = append(paths[conflict.Manager], conflict.Path)
	}
	sort.Slice(managers, func(i, j int) bool { return managers[i].String() < managers[j].String() })
	var lines []string
	for _, m := range managers {
		lines = append(lines, fmt.Sprintf("conflicts with %v:", m))
		for _, path := range paths[m] {
			lines = append(lines, "- "+path)
		}
	}
	return fmt.Sprintf("Apply failed with %d conflicts: %s", len(c), strings.Join(lines, "\n"))
}
