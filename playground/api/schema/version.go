package schema

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

var kubeVersion = regexp.MustCompile(`^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$`)

// CompareVersions orders versions of an API by how much one can rely on them: v2 is greater than v1, v1 than v1beta2, v1beta2
// than v1alpha1, and any of them than what is no such version. The result is as of cmp.Compare.
// Upstream: apimachinery/pkg/version/helpers.go, CompareKubeAwareVersionStrings.
func CompareVersions(a, b string) int {
	x, y := kubeVersion.FindStringSubmatch(a), kubeVersion.FindStringSubmatch(b)
	switch {
	case x == nil && y == nil:
		return -strings.Compare(a, b)
	case x == nil:
		return -1
	case y == nil:
		return 1
	}
	number := func(text string) int {
		n, _ := strconv.Atoi(text) // too large a number is as good as any
		return n
	}
	stability := map[string]int{"": 2, "beta": 1, "alpha": 0}
	return cmp.Or(stability[x[2]]-stability[y[2]], cmp.Compare(number(x[1]), number(y[1])), cmp.Compare(number(x[3]), number(y[3])))
}
