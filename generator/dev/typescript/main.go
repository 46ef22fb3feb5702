// Command typescript writes what Go and a page send each other as TypeScript: the structs of a recording, a scenario and the
// worker's functions as interfaces, closed sets as unions and lists, tables as objects, each Go package in a module of its own.
//
//	go run ./generator/dev/typescript    writes site/widgets/generated
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// dir is where the modules are, from the project's root.
const dir = "site/widgets/generated"

// source is a package whose types a page knows. What is reachable from its types is written too, as long as it is in one of
// the packages here; of others, a page knows only that they are JSON.
type source struct {
	path   string
	types  []string
	consts []string // texts and numbers
	tables []string // maps of texts
}

var sources = []source{
	{path: "kubewalk/playground/cluster", types: []string{"Input", "Config"}, consts: []string{"podPrograms", "staticPods"}, tables: []string{"operatorFaults"}},
	{path: "kubewalk/playground/demo/recording", types: []string{"Header", "Frame", "packedFile", "packedRest", "Details", "Managers"},
		consts: []string{"Version", "Packed"}},
	{path: "kubewalk/playground/demo/scenario", types: []string{"Scenario", "Progress"}},
	{path: "kubewalk/playground/demo/scene", types: []string{"Shape"}, tables: []string{"marks"}},
	{path: "kubewalk/playground/demo/score", types: []string{"Line"}},
	{path: "kubewalk/playground/demo/session", types: []string{"functions"}},
	{path: "kubewalk/playground/jsapi", types: []string{"functions"}},
	{path: "kubewalk/playground/kubectl", types: []string{"Fields"}},
	{path: "kubewalk/playground/trace", types: []string{"Op", "Level"}},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "typescript:", err)
		os.Exit(1)
	}
}

func run() error {
	modules, err := generate(sources)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range modules { // order: each is a file of its own
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
