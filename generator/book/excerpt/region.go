package excerpt

import (
	"fmt"
	"regexp"

	"kubewalk/generator/problem"
)

// Regions begin and end in comments of their own, in whatever a file's language
// takes for one. They may lie in each other; the comments are not shown.
var regionLine = regexp.MustCompile(`^\s*(?://|#|--|;|/\*|<!--)\s*(region|endregion)\b\s*([\w.-]*)\s*(?:\*/|-->)?\s*$`)

// marker is "region" or "endregion" for a line that is one's end.
func marker(line string) string {
	if m := regionLine.FindStringSubmatch(line); m != nil && (m[1] == "endregion" || m[2] != "") {
		return m[1]
	}
	return ""
}

// region finds the lines between a region's ends.
func region(r Reference, lines []string) (first, last int, err error) {
	var open []string // names, from the outermost
	var known []string
	depth := 0 // of the one that is looked for; 0 while it is not open
	for i, line := range lines {
		m := regionLine.FindStringSubmatch(line)
		switch {
		case m == nil || marker(line) == "":
		case m[1] == "region":
			open = append(open, m[2])
			known = append(known, m[2])
			if m[2] != r.Region {
				continue
			}
			if first > 0 {
				return 0, 0, wrong("give them names of their own", "region %q begins twice in %s, again in line %d", r.Region, r.File, i+1)
			}
			first, depth = i+2, len(open)
		case len(open) == 0:
			return 0, 0, wrong("remove it, or begin the region", "endregion without a region in %s, line %d", r.File, i+1)
		default:
			if name := open[len(open)-1]; m[2] != "" && m[2] != name {
				return 0, 0, wrong(fmt.Sprintf("end %q first", name), "region %q ends inside of %q in %s, line %d", m[2], name, r.File, i+1)
			}
			if len(open) == depth {
				last, depth = i, 0
			}
			open = open[:len(open)-1]
		}
	}
	switch {
	case first == 0:
		return 0, 0, wrong(problem.DidYouMean(r.Region, known), "no region %q in %s", r.Region, r.File)
	case last == 0:
		return 0, 0, wrong("write // endregion after it", "region %q has no end in %s", r.Region, r.File)
	}
	return first, last, nil
}
