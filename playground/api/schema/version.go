package schema

import (
	"slices"
	"strconv"
	"strings"
)

// CompareVersions orders versions of an API by how much one can rely on them: v2 is greater than v1, v1 than v1beta2, v1beta2
// than v1alpha1, and any of them than what is no such version. The result is as of cmp.Compare.
// Upstream: apimachinery/pkg/version/helpers.go, CompareKubeAwareVersionStrings.
func CompareVersions(a, b string) int {
	x, isX := parseVersion(a)
	y, isY := parseVersion(b)
	switch {
	case !isX && !isY:
		return -strings.Compare(a, b)
	case !isX:
		return -1
	case !isY:
		return 1
	}
	return slices.Compare(x[:], y[:])
}

// parseVersion takes "v1beta2" apart: how stable it is, 1 and 2.
func parseVersion(text string) (version [3]int, ok bool) {
	rest, ok := strings.CutPrefix(text, "v")
	if !ok {
		return version, false
	}
	version[0] = 2
	for stability, word := range []string{"alpha", "beta"} {
		if major, minor, found := strings.Cut(rest, word); found {
			version[0], rest = stability, major
			if version[2], ok = positive(minor); !ok {
				return version, false
			}
		}
	}
	version[1], ok = positive(rest)
	return version, ok
}

func positive(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && text[0] >= '1' && text[0] <= '9'
}
