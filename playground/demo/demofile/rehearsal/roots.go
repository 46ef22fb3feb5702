package rehearsal

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/demo/scenario"
)

// roots leaves out what may only follow from a step that did not work: an author who
// sees one mistake as one mends it faster. What was decided before that step, and
// manifests that the API server refuses by themselves, are told; left is the number
// of the others.
func roots(s *scenario.Scenario, failures []scenario.Failure) (out []scenario.Failure, left int) {
	first, ok := firstStep(s, failures)
	if !ok {
		return failures, 0
	}
	for _, f := range failures {
		var i int
		switch {
		case scans(f.Path, "steps[%d]", &i) && (i <= first || strings.Contains(f.Path, ".manifest.")):
		case scans(f.Path, "claims[%d]", &i) && decided(s, s.Claims[i]) <= s.Steps[first].At:
		default:
			left++
			continue
		}
		out = append(out, f)
	}
	return out, left
}

// firstStep is the first that went wrong.
func firstStep(s *scenario.Scenario, failures []scenario.Failure) (first int, ok bool) {
	first = len(s.Steps)
	for _, f := range failures {
		var i int
		if scans(f.Path, "steps[%d]", &i) {
			first = min(first, i)
		}
	}
	return first, first < len(s.Steps)
}

// decided is when it is known whether a claim holds.
func decided(s *scenario.Scenario, c scenario.Claim) time.Duration {
	from := s.Setup
	if st, ok := s.Step(c.After); ok {
		from = st.At
	}
	if c.Stays {
		return s.End
	}
	return from + c.Within
}

func scans(path, format string, into *int) bool {
	n, err := fmt.Sscanf(path, format, into)
	return err == nil && n == 1
}
