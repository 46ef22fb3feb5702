package rehearsal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/trace"
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

// named adds the components that are asked for and are not there, in the place of what
// only follows from that.
func named(s *scenario.Scenario, t *trace.Recorder, failures []scenario.Failure) []scenario.Failure {
	for _, stranger := range s.Strangers(components(s, t)) {
		whose, _, _ := strings.Cut(stranger.Path, "]")
		failures = slices.DeleteFunc(failures, func(f scenario.Failure) bool { return strings.HasPrefix(f.Path, whose+"]") })
		failures = append(failures, stranger)
	}
	return failures
}

// components are those of the cluster, and whoever else did something in the run.
func components(s *scenario.Scenario, t *trace.Recorder) []string {
	out := s.Cluster.Components()
	for i := range t.Len() {
		out = append(out, t.Event(trace.ID(i+1)).Component)
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(name string) bool { return name == "" })
}

func scans(path, format string, into *int) bool {
	n, err := fmt.Sscanf(path, format, into)
	return err == nil && n == 1
}
