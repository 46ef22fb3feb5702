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
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"kubewalk/playground/demo/indent"
	"kubewalk/playground/demo/scenario"
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
	tree, err := parser.ParseBytes(src, 0)
	if err != nil {
		return nil, []Problem{syntaxProblem(path, string(src), err)}
	}
	r := &reader{path: path, anchors: anchorsOf(tree)}
	f := &File{Path: path, where: map[string]string{}}
	f.root = r.document(tree)
	if len(r.problems) == 0 {
		b := &builder{reader: r, file: f, languages: languages}
		f.Scenario = b.scenario(name, f.root)
	}
	if problems = r.problems; len(problems) == 0 {
		problems = f.Locate(f.Scenario.Problems())
	}
	sortProblems(problems)
	return f, problems
}

// document is the mapping that the file has to be, all of it.
func (r *reader) document(tree *ast.File) value {
	var bodies []ast.Node
	for _, doc := range tree.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		r.fail(place{1, 1}, "the file is empty: a demo has a title and steps")
		return value{reader: r}
	case 1:
		ast.Walk(aliasChecker{r}, bodies[0])
		return r.value(bodies[0], nil)
	}
	r.fail(begin(bodies[1]), "a second YAML document begins here: a demo's file has only one")
	return value{reader: r}
}

// Locate turns failures of a scenario into problems of its file.
func (f *File) Locate(failures []scenario.Failure) []Problem {
	var out []Problem
	for _, fail := range failures {
		at := f.find(f.yamlPath(fail.Path), fail.Name)
		out = append(out, Problem{f.Path, at.line, at.column, fail.Message + f.cure(fail)})
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
func (f *File) find(path string, name bool) place {
	v := f.root
	for path != "" {
		inner, rest, ok := v.step(path)
		if !ok {
			return v.key
		}
		v, path = inner, rest
	}
	if _, isText := scalar(v.node); isText && !name {
		return v.at
	}
	return v.key
}

// step goes one step down a path such as "steps[0].manifest.metadata.labels[app]".
// Keys may hold dots: the longest one that fits is meant.
func (v value) step(path string) (inner value, rest string, ok bool) {
	if element, after, found := strings.Cut(path, "]"); found && strings.HasPrefix(element, "[") {
		if s, isList := v.node.(*ast.SequenceNode); isList {
			var i int
			if _, err := fmt.Sscanf(element, "[%d", &i); err != nil || i < 0 || i >= len(s.Values) {
				return v, "", false
			}
			return v.value(s.Values[i], nil), after, true
		}
		for _, e := range v.entries() {
			if e.name == element[1:] {
				return e.value, after, true
			}
		}
		return v, "", false
	}
	path = strings.TrimPrefix(path, ".")
	longest := -1
	for _, e := range v.entries() {
		after, fits := strings.CutPrefix(path, e.name)
		if fits && len(e.name) > longest && (after == "" || after[0] == '.' || after[0] == '[') {
			inner, rest, longest = e.value, after, len(e.name)
		}
	}
	return inner, rest, longest >= 0
}

func syntaxProblem(path, src string, err error) Problem {
	p := Problem{File: path, Line: 1, Column: 1, Message: err.Error()}
	var ye yaml.Error
	if errors.As(err, &ye) {
		at := placeOf(ye.GetToken())
		p.Line, p.Column, p.Message = at.line, at.column, ye.GetMessage()
	}
	if line, column, what, cure, ok := indent.Explain(src, p.Line, p.Message); ok {
		return Problem{path, line, column, what + " (" + cure + ")"}
	}
	for _, c := range syntaxCures {
		if strings.Contains(p.Message, c.message) {
			p.Message += " (" + c.cure + ")"
			break
		}
	}
	return p
}

// syntaxCures are what helps against what the YAML parser complains about.
var syntaxCures = []struct{ message, cure string }{
	{"invalid header option", `> begins a block of text: put a comparison in quotes, ">= 3"`},
	{"already defined at", "remove one of the two"},
	{"mapping value is not allowed", "put a text that contains a colon in quotes"},
	{"flow mapping end token", "close the {"},
	{"',' or '}' must be", "close the {, or separate its entries"},
	{"',' or ']' must be", "close the [, or separate its elements"},
	{"sequence end token", "close the ["},
	{"end character of", "close the quotes"},
	{"non-map value", "write it as key: value, with a space after the colon; a text of several lines begins with |"},
	{"is a reserved character", "put the text in quotes"},
	{"block sequence entries are not allowed", "begin the list in a line of its own, or put a text that begins with - in quotes"},
}

func sortProblems(ps []Problem) {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
}
