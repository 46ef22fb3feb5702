// Package demofile reads the file that an author writes for a demo.
//
// It is YAML, and it stays on the host: what the page and the worker get is
// the scenario as JSON. Everything that is wrong, in the file's form, in what
// it names or in how the run turned out, is reported with line and column.
//
//	title: {en: Scale up, ja: スケールアップ}
//	seed: 7
//	cluster: {nodes: 3}
//	setup: 12s                  # the cluster comes up; times below count from here
//	end: 40s
//	manifests:
//	  web: {apiVersion: apps/v1, kind: ReplicaSet, …}
//	steps:
//	  - {id: apply, at: 0s, apply: web}
//	  - {id: up, at: +15s, scale: {replicaset: web, replicas: 8}}   # + counts from the step before
//	claims:
//	  - after: up
//	    within: 10s
//	    objects: {resource: pods, labels: app=web, fields: {status.phase: Running}}
//	    count: == 8
//	marks:
//	  - id: too-few
//	    after: up
//	    when: {op: log, attrs: {message: Too few replicas}}
//	    caption: {en: …, ja: …}
//	controls:
//	  - scale: {replicaset: web, min: 0, max: 12}
package demofile

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"kubewalk/playground/scenario"
)

// Problem is something wrong in a demo's file.
type Problem struct {
	File         string
	Line, Column int
	Message      string
}

func (p Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// File is a demo's file, read.
type File struct {
	Path     string
	Scenario *scenario.Scenario
	tree     *ast.File
	// where tells, for a path into the scenario, the path into the YAML that it
	// came from. A path that is not in it is the same in both.
	where map[string]string
	// needed are the languages that every text must be there in.
	languages []string
}

// Parse reads a demo. name is what pages call it; path is for messages;
// languages are those that titles and captions have to be in. When problems is
// not empty the file must not be used.
func Parse(name, path string, src []byte, languages []string) (file *File, problems []Problem) {
	tree, err := parser.ParseBytes(src, 0)
	if err != nil {
		return nil, []Problem{syntaxProblem(path, err)}
	}
	f := &File{Path: path, tree: tree, where: map[string]string{}, languages: languages}
	var raw rawFile
	if err := yaml.UnmarshalWithOptions(src, &raw, yaml.Strict(), yaml.DisallowUnknownField()); err != nil {
		return nil, []Problem{syntaxProblem(path, err)}
	}
	b := &builder{file: f}
	f.Scenario = b.scenario(name, &raw)
	problems = b.problems
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
		out = append(out, f.at(f.yamlPath(fail.Path), fail.Message))
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

// at makes a problem at the place of a YAML path, or of the nearest thing
// around it that is there.
func (f *File) at(path, message string) Problem {
	p := Problem{File: f.Path, Line: 1, Column: 1, Message: message}
	for {
		if node := f.node(path); node != nil {
			pos := position(node)
			p.Line, p.Column = pos.Line, pos.Column
			return p
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut <= 0 {
			if node := f.node(path); node != nil {
				pos := position(node)
				p.Line, p.Column = pos.Line, pos.Column
			}
			return p
		}
		path = path[:cut]
	}
}

func (f *File) node(path string) ast.Node {
	yp, err := yaml.PathString("$." + path)
	if err != nil {
		return nil
	}
	node, err := yp.FilterFile(f.tree)
	if err != nil {
		return nil
	}
	return node
}

// position is where a node begins: for a mapping, its first key.
func position(n ast.Node) *token.Position {
	switch v := n.(type) {
	case *ast.MappingNode:
		if len(v.Values) > 0 && !v.IsFlowStyle {
			return position(v.Values[0])
		}
	case *ast.MappingValueNode:
		return v.Key.GetToken().Position
	case *ast.SequenceNode:
		if len(v.Values) > 0 && !v.IsFlowStyle {
			return position(v.Values[0])
		}
	}
	return n.GetToken().Position
}

func syntaxProblem(path string, err error) Problem {
	p := Problem{File: path, Line: 1, Column: 1, Message: err.Error()}
	var ye yaml.Error
	if errors.As(err, &ye) {
		if t := ye.GetToken(); t != nil {
			p.Line, p.Column = t.Position.Line, t.Position.Column
		}
		p.Message = ye.GetMessage()
	}
	return p
}

func sortProblems(ps []Problem) {
	sort.SliceStable(ps, func(i, j int) bool {
		if ps[i].Line != ps[j].Line {
			return ps[i].Line < ps[j].Line
		}
		return ps[i].Column < ps[j].Column
	})
}
