package kubectl

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/discovery"
)

// runAPIResources is kubectl api-resources.
// Upstream: kubectl pkg/cmd/apiresources/apiresources.go, RunAPIResources.
func runAPIResources(s *session) error {
	by, wide := s.flags.text("sort-by"), false
	switch o := s.flags.text("output"); {
	case len(s.args) > 0:
		return noArguments(s)
	case o == "json" || o == "yaml" || o == "kyaml":
	case o == "wide":
		wide = true
	case o != "" && o != "name":
		return fmt.Errorf("unable to match a printer suitable for the output format %q, allowed formats are: json,kyaml,name,wide,yaml", o)
	case by != "" && by != "name" && by != "kind":
		return errors.New("--sort-by accepts only name or kind")
	}
	var kinds []*api.Kind
	if !s.flags.yes("cached") {
		s.discovery.fresh(s.Command, s.p)
	}
	incomplete := s.kinds().Incomplete() // what is known is shown all the same
	for _, k := range s.kinds() {
		switch {
		case k.Resource == "" || s.kinds().Resolve(k.GroupResource().String()) != k: // or it is a version that nobody prefers
		case s.flags.has("api-group") && k.Group != s.flags.text("api-group"):
		case s.flags.has("namespaced") && k.Namespaced != s.flags.yes("namespaced"):
		case s.flags.has("verbs") && !hasAll(discovery.Verbs(k), split(s.flags.all("verbs"))):
		case s.flags.has("categories") && !hasAll(k.Categories, split(s.flags.all("categories"))):
		default:
			kinds = append(kinds, k)
		}
	}
	slices.SortStableFunc(kinds, func(a, b *api.Kind) int {
		n := 0
		switch by {
		case "":
			n = strings.Compare(a.Group, b.Group)
		case "kind":
			n = strings.Compare(a.Kind, b.Kind)
		}
		if n != 0 {
			return n
		}
		return strings.Compare(a.Resource, b.Resource)
	})
	switch s.flags.text("output") {
	case "name":
		for _, k := range kinds {
			s.printf("%s\n", k.GroupResource())
		}
		return incomplete
	case "json", "yaml", "kyaml":
		s.printResources(kinds)
		return incomplete
	}
	var rows [][]string
	if !s.flags.yes("no-headers") {
		head := []string{"NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"}
		if wide {
			head = append(head, "VERBS", "CATEGORIES")
		}
		rows = append(rows, head)
	}
	for _, k := range kinds {
		row := []string{k.Resource, strings.Join(k.ShortNames, ","), k.GroupVersion().String(), strconv.FormatBool(k.Namespaced), k.Kind}
		if wide {
			row = append(row, strings.Join(discovery.Verbs(k), ","), strings.Join(k.Categories, ","))
		}
		rows = append(rows, row)
	}
	s.printf("%s", columns(rows))
	return incomplete
}

// printResources prints kinds as one list, as if they were of no group.
func (s *session) printResources(kinds []*api.Kind) {
	list := discovery.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}}
	for _, k := range kinds {
		list.APIResources = append(list.APIResources, discovery.APIResource{Name: k.Resource, SingularName: k.Singular, Namespaced: k.Namespaced,
			Group: k.Group, Version: k.Version, Kind: k.Kind, Verbs: discovery.Verbs(k), ShortNames: k.ShortNames, Categories: k.Categories})
	}
	switch s.flags.text("output") {
	case "json":
		s.printf("%s", indented(list))
	case "yaml":
		s.printf("%s", yamlText(tree(list)))
	default:
		s.printf("%s", kyamlText(json.RawMessage(encode(list))))
	}
}

// noArguments says that a command takes no arguments.
func noArguments(s *session) error {
	return fmt.Errorf("unexpected arguments: %v\nSee 'kubectl %s -h' for help and examples", s.args, s.name)
}

func hasAll(list, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(v string) bool { return !slices.Contains(list, v) })
}

// split are the values of a flag that was given several times, or has several with commas.
func split(values []string) []string { return strings.Split(strings.Join(values, ","), ",") }
