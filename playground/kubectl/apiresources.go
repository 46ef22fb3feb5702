package kubectl

import (
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/discovery"
)

// runAPIResources is kubectl api-resources.
// Upstream: kubectl pkg/cmd/apiresources/apiresources.go, RunAPIResources.
func runAPIResources(s *session) error {
	var kinds []*api.Kind
	s.discovery.fresh(s.Command, s.p)
	incomplete := s.kinds().Incomplete() // what is known is shown all the same
	for _, k := range s.kinds() {
		switch {
		case k.Resource == "":
		case s.flags.has("api-group") && k.Group != s.flags.text("api-group"):
		case s.flags.has("namespaced") && k.Namespaced != s.flags.yes("namespaced"):
		case s.flags.has("verbs") && !hasAll(discovery.Verbs(k), split(s.flags.all("verbs"))):
		case s.flags.has("categories") && !hasAll(k.Categories, split(s.flags.all("categories"))):
		default:
			kinds = append(kinds, k)
		}
	}
	slices.SortStableFunc(kinds, func(a, b *api.Kind) int {
		if n := strings.Compare(a.Group, b.Group); n != 0 {
			return n
		}
		return strings.Compare(a.Resource, b.Resource)
	})
	if s.flags.text("output") == "name" {
		for _, k := range kinds {
			s.printf("%s\n", k.GroupResource())
		}
		return incomplete
	}
	var rows [][]string
	if !s.flags.yes("no-headers") {
		rows = append(rows, []string{"NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"})
	}
	for _, k := range kinds {
		rows = append(rows, []string{k.Resource, strings.Join(k.ShortNames, ","), k.GroupVersion().String(), strconv.FormatBool(k.Namespaced), k.Kind})
	}
	s.printf("%s", columns(rows))
	return incomplete
}

func hasAll(list, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(v string) bool { return !slices.Contains(list, v) })
}

// split are the values of a flag that was given several times, or has several with commas.
func split(values []string) []string { return strings.Split(strings.Join(values, ","), ",") }
