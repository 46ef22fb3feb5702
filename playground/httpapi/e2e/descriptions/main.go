// Command descriptions writes what Kubernetes says of each type and field into the file with which the port describes them: run it in
// this module (go run ./descriptions), which has the release's documents.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// folder is where the types without descriptions are.
const folder = "../../api/openapi/types"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "descriptions:", err)
		os.Exit(1)
	}
}

// described is as much of a type as has descriptions.
type described struct {
	Description string
	Properties  map[string]struct{ Description string }
}

func run() error {
	release, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		return err
	}
	files, err := filepath.Glob(folder + "/*_*.json")
	if err != nil {
		return err
	}
	all := map[string]map[string]string{}
	for _, file := range append(files, folder+"/v1.json") {
		var ours struct{ Schemas map[string]json.RawMessage }
		if err := read(file, &ours); err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if name = "apis__" + strings.ReplaceAll(name, "_", "__"); name == "apis__v1" {
			name = "api__v1"
		}
		var upstream struct {
			Components struct{ Schemas map[string]described }
		}
		if err := read(filepath.Join(strings.TrimSpace(string(release)), "api/openapi-spec/v3", name+"_openapi.json"), &upstream); err != nil {
			return err
		}
		for name := range ours.Schemas {
			t := upstream.Components.Schemas[name]
			texts := map[string]string{"": t.Description}
			for field, p := range t.Properties {
				texts[field] = p.Description
			}
			maps.DeleteFunc(texts, func(_, text string) bool { return text == "" })
			all[name] = texts
		}
	}
	var b bytes.Buffer // a line for each type
	for i, name := range slices.Sorted(maps.Keys(all)) {
		line, err := json.Marshal(all[name])
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s%q: %s", map[bool]string{true: "{\n", false: ",\n"}[i == 0], name, line)
	}
	b.WriteString("\n}\n")
	return os.WriteFile("../../api/openapi/descriptions.json", b.Bytes(), 0o644)
}

func read(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
