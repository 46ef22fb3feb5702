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
	"strconv"
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
	name     string
	// where tells, for a path into the scenario, the path into the file that it
	// came from. A path that is not in it is the same in both.
	where map[string]string
}

// Parse reads a demo. name is what pages call it; path is for messages;
// languages are those that titles and captions have to be in. When problems is
// not empty the file must not be used.
func Parse(name, path string, src []byte, languages []string) (file *File, problems []Problem) {
	tree := yamltree.Parse(string(src), 0)
	f := &File{Path: path, where: map[string]string{}, root: value{tree.Root}, name: name}
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
		problems = append(problems, Problem{path, p.Line, p.Column, cured(message, name)})
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
		at := f.find(fail)
		out = append(out, Problem{f.Path, at.Line, at.Column, cured(f.message(fail)+f.cure(fail), f.name)})
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

// find returns the place of a failure's path, or of the nearest thing around it that is
// there. That is where a text or a number stands, but the key of anything
// larger, of what something is missing in, and when it is the name that counts.
func (f *File) find(fail scenario.Failure) yamltree.Place {
	path := f.yamlPath(fail.Path)
	if at, ok := f.findInText(path, fail); ok {
		return at
	}
	v, ok := f.root.Find(path)
	if _, isText := v.Scalar(); ok && isText && !fail.Name {
		return v.At
	}
	return v.Key
}

// findInText is find for a path that leads into a manifest written as a text. Of several documents it is the one that has
// the path, and whose kind the message names if there is one.
func (f *File) findInText(path string, fail scenario.Failure) (at yamltree.Place, ok bool) {
	step, inside, found := strings.Cut(path, ".manifest")
	v, there := f.root.Find(step + ".manifest")
	if _, isText := v.Scalar(); !found || !there || !isText {
		return at, false
	}
	documents, exact := v.Documents()
	if !exact {
		return v.At, true
	}
	if strings.HasPrefix(inside, "[") { // which of them
		index, rest, _ := strings.Cut(inside[1:], "]")
		i, err := strconv.Atoi(index)
		if err != nil || i >= len(documents) {
			return v.At, true
		}
		documents, inside = documents[i:i+1], rest
	}
	named := false
	for _, document := range documents {
		inner, has := document.Root.Find(inside)
		kind, _ := document.Root.Find("kind")
		name, _ := kind.Scalar()
		names := name != "" && strings.Contains(fail.Message, name)
		if ok && (!has || named || !names) {
			continue
		}
		if at, ok, named = inner.Key, has, names; inner.There() && !fail.Name && has {
			if _, isText := inner.Scalar(); isText {
				at = inner.At
			}
		}
	}
	return at, true
}

func sortProblems(ps []Problem) {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
}
