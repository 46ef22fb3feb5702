// Package openapi has the types of the built-in kinds, as a Kubernetes 1.36.3 publishes them at /openapi/v3, and what it says of each type and field.
// It is a third of a megabyte, so only native programs and the browser's larger build import it.
//
// A type is its JSON schema, decoded. Nothing is decoded before somebody asks for it.
package openapi

import (
	"embed"
	"encoding/json"
	"slices"
	"strings"

	"kubewalk/playground/api/schema"
)

// files are the types of each group and version, without their descriptions, and its paths.
//
//go:embed types/*.json
var files embed.FS

// descriptions are a JSON object with a line for each type, by its name: what is said of it, under "", and of its fields.
// playground/httpapi/e2e/descriptions writes it.
//
//go:embed descriptions.json
var descriptions string

// Versions are the groups and versions of which there are types, in order.
func Versions() []schema.GroupVersion {
	entries, err := files.ReadDir("types")
	if err != nil {
		panic(err) // they are a part of the program
	}
	var all []schema.GroupVersion
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".json")
		group, version, ok := strings.Cut(name, "_")
		if !ok {
			group, version = "", name
		}
		all = append(all, schema.GroupVersion{Group: group, Version: version})
	}
	return all
}

// Types are those of a version and all that they refer to, by their names ("io.k8s.api.core.v1.Pod"), with their descriptions. The caller may
// change them. A version of which nothing is known has none.
func Types(gv schema.GroupVersion) map[string]map[string]any {
	text, err := files.ReadFile("types/" + strings.ReplaceAll(gv.String(), "/", "_") + ".json")
	if err != nil {
		return nil
	}
	var recorded struct{ Schemas map[string]map[string]any }
	if err := json.Unmarshal(text, &recorded); err != nil {
		panic(err) // the file is a part of the program
	}
	for name, t := range recorded.Schemas { // order: each is changed by itself
		texts := said(name)
		if text := texts[""]; text != "" {
			t["description"] = text
		}
		fields, _ := t["properties"].(map[string]any)
		for field, of := range fields { // order: likewise
			if text, of := texts[field], of.(map[string]any); text != "" {
				of["description"] = text
			}
		}
	}
	return recorded.Schemas
}

// said is what is said of a type and its fields.
func said(name string) map[string]string {
	_, line, _ := strings.Cut(descriptions, "\n\""+name+"\": ")
	line, _, _ = strings.Cut(line, "\n")
	var texts map[string]string
	if err := json.Unmarshal([]byte(strings.TrimSuffix(line, ",")), &texts); err != nil && line != "" {
		panic(err) // the file is a part of the program
	}
	return texts
}

// TypeOf is the type of a kind among those of its version, and its name; nil if it is none of them.
func TypeOf(types map[string]map[string]any, kind schema.GroupVersionKind) (name string, t map[string]any) {
	var names []string
	for name, t := range types { // order: the first by name is taken
		all, _ := t["x-kubernetes-group-version-kind"].([]any)
		if slices.ContainsFunc(all, func(one any) bool {
			is, _ := one.(map[string]any)
			return is["group"] == kind.Group && is["version"] == kind.Version && is["kind"] == kind.Kind
		}) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	name = slices.Min(names)
	return name, types[name]
}
