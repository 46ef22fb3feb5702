// Package demofile reads the file that an author writes for a demo.
//
// It is YAML, and it stays on the host: what the page and the worker get is
// the scenario as JSON. Everything that is wrong, in the file's form, in what
// it names or in how the run turned out, is reported with line and column.
//
//	title: {en: Scale up, ja: スケールアップ}
//	cluster: {nodes: 3}
//	manifests:
//	  web: {apiVersion: apps/v1, kind: ReplicaSet, …}
//	steps:
//	  - {id: apply, at: 1s, apply: web}
//	claims:
//	  - {after: apply, within: 10s, count: 8, objects: {resource: pods, labels: app=web}}
//	marks:
//	  - {id: too-few, after: apply, when: {op: log, attrs: {message: Too few replicas}}, caption: {en: …, ja: …}}
//
// docs/demos.md is the manual of it, for authors; what the file may hold is said in
// forms.go, once for the parser, the manual's tables and the JSON Schema for editors.
package demofile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/yamltree"
)

// Problem is something wrong in a demo's file.
type Problem struct {
	File         string
	Line, Column int // from 1; columns count characters
	Message      string
}

func (p Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// File is a demo's file, read.
type File struct {
	Path     string
	Scenario *scenario.Scenario
	root     value
	// where tells, for a path into the scenario, the path into the file that it
	// came from. A path that is not in it is the same in both.
	where map[string]string
}

// Parse reads a demo. name is what pages call it; path is for messages;
// languages are those that titles and captions have to be in. When problems is
// not empty the file must not be used.
func Parse(name, path string, src []byte, languages []string) (file *File, problems []Problem) {
	tree := yamltree.Parse(string(src), 0)
	f := &File{Path: path, where: map[string]string{}, root: value{tree.Root}}
	if len(tree.Problems) == 0 && !tree.Root.There() {
		tree.Fail(tree.Root.At, "the file is empty: a demo has a title and steps")
	}
	if len(tree.Problems) == 0 {
		b := &builder{Tree: tree, file: f, languages: languages}
		f.Scenario = b.scenario(name, f.root)
	}
	for _, p := range tree.Problems {
		message := p.Message
		if p.Cure != "" {
			message += " (" + p.Cure + ")"
		}
		problems = append(problems, Problem{path, p.Line, p.Column, message})
	}
	if len(problems) == 0 {
		problems = f.Locate(f.Scenario.Problems())
	}
	sortProblems(problems)
	return f, problems
}

// Locate turns failures of a scenario into problems of its file.
func (f *File) Locate(failures []scenario.Failure) []Problem {
	var out []Problem
	for _, fail := range failures {
		at := f.find(f.yamlPath(fail.Path), fail.Name)
		out = append(out, Problem{f.Path, at.Line, at.Column, f.message(fail) + f.cure(fail)})
	}
	sortProblems(out)
	return out
}

// yamlPath finds the longest part of a scenario's path that the file has
// another place for, and puts that in its stead.
func (f *File) yamlPath(path string) string {
	for end := len(path); end > 0; end = strings.LastIndexAny(path[:end], ".[") {
		if y, ok := f.where[path[:end]]; ok {
			return y + path[end:]
		}
	}
	return path
}

// find returns the place of a path, or of the nearest thing around it that is
// there. That is where a text or a number stands, but the key of anything
// larger, of what something is missing in, and when it is the name that counts.
func (f *File) find(path string, name bool) yamltree.Place {
	v, ok := f.root.Find(path)
	if _, isText := v.Scalar(); ok && isText && !name {
		return v.At
	}
	return v.Key
}

func sortProblems(ps []Problem) {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
}
