// Package demofile reads the file that an author writes for a demo.
//
// It is YAML, and it stays on the host: what the page and the worker get is
// the scenario as JSON. Everything that is wrong, in the file's form, in what
// it names or in how the run turned out, is reported with line and column.
//
//	title: {en: Scale up, ja: スケールアップ}
//	seed: 7
//	cluster: {nodes: 3}         # also: network, ingress, metrics, controllers, leaderElect, controllerManagers, schedulers, schedulerProfiles
//	                            # trace: objects keeps commits only, for a thousand Pods; trace: totals counts them, for as many as there may be
//	                            # hollowNodes: {count: 5000, zones: 3}, and preload: {deployments: 50, replicas: 2980} on them
//	focus: [replicaset-controller]   # whose insides the picture shows; up to three
//	setup: 12s                  # the cluster comes up; times below count from here
//	end: 40s
//	manifests:
//	  web: {apiVersion: apps/v1, kind: ReplicaSet, …}
//	steps:
//	  - {id: apply, at: 0s, apply: web}
//	  - {id: up, at: +15s, scale: {replicaset: web, replicas: 8}}   # + counts from the step before
//	  - {id: roll, at: +5s, kubectl: set image rs/web web=nginx:1.28, prints: image updated}   # as it would be typed
//	  - {id: more, at: +5s, kubectl: apply -f web}                   # -f names a manifest
//	  - {id: split, at: +5s, partition: node-2}                      # no packet gets through; heal: node-2 ends it
//	  - {id: late, at: +5s, slow: {component: kube-scheduler, by: 2s}}   # also etcd, kube-apiserver …; heal: kube-scheduler
//	  - {id: ill, at: +5s, fail: {component: kube-apiserver, with: "503 30%"}}   # or 500, 429; etcd: no-leader, no-space
//	  - {id: loop, at: +5s, fail: replicaset-controller}             # it crashes at each piece of work
//	  - {id: bad, at: +5s, kubectl: get rs wbe, fails: not found}    # it has to go wrong, in these words
//	claims:
//	  - after: up
//	    within: 10s
//	    objects: {resource: pods, labels: app=web, fields: {status.phase: Running}}
//	    count: == 8
//	  - {after: up, within: 30s, always: true, count: 1,             # at every moment
//	     objects: {resource: deployments, name: web, fields: {status.availableReplicas: ">= 3"}}}
//	  - {after: up, within: 10s, event: {reason: SuccessfulCreate, object: rs/web}, count: 5}
//	  - {after: up, within: 10s, before: [{op: pod.assume}, {op: container.start}]}   # the first of each
//	  - {after: roll, within: 1s, output: image updated}             # of the last command
//	marks:
//	  - id: too-few
//	    after: up
//	    when: {op: log, attrs: {message: Too few replicas}}
//	    caption: {en: …, ja: …}
//	controls:
//	  - scale: {replicaset: web, min: 0, max: 12}
//	  - kubectl: {examples: [get pods, apply -f web]}                # a line to type; -f names any manifest
//	  - crash-container: {pod: web-*}                                # and other faults, as in a step: a button
//	  - load: {deployment: web, max: 4000m}                          # CPU that readers ask for: a slider
//	  - request: {url: http://web, from: client}
//	  - profiles: {default: [], packing: [{pluginConfig: […]}]}      # of the schedulers, to choose and to edit
//	whatIf:                     # counterfactuals: the same run, but for one switch
//	  - id: forgetful
//	    label: {en: Without expectations, ja: expectations がなかったら}
//	    text: {en: …, ja: …}    # one sentence: what is switched
//	    without-expectations: replicaset-controller   # or, with a cache that is behind, as it matters then:
//	      # without-expectations: {component: replicaset-controller, late: 20ms}   # or one of these:
//	      # edge-triggered: replicaset-controller
//	      # stale-cache: {component: replicaset-controller, resource: pods, late: 2s}
//	      # stale-cache: {component: …, resource: pods, after: up, at: 1s, for: 10s}   # it stands still meanwhile
//	      # broken-watch: {client: replicaset-controller, resource: pods}   # not noticed when a fault breaks it;
//	      #                                                     with after or at, it breaks then
//	      # killed-mid-batch: {component: replicaset-controller, create: 3, after: up, restart: 5s}   # resource: pods
//	      # no-back-off: replicaset-controller   # or kube-scheduler, or kubelet: all of them
//	  # A claim with in: forgetful is about that world. Its count may be compared: count: "> real"
//	exercises:                  # a chapter shows one with a block ```exercise, in which stands DEMO/ID
//	  - id: five
//	    task: {en: Make it exactly five Pods that are Ready., ja: …}   # plain text
//	    from: up+8s             # optional: a step or mark, and how long after it; +8s counts from the set-up's end
//	    goal:                   # one condition, or a list: all hold in the same moment
//	      - text: {en: Five Pods are Ready, ja: …}                   # optional: shown in a list of what holds
//	        objects: {resource: pods, labels: app=web, fields: {"status.conditions[Ready].status": "True"}}   # as they are
//	        count: 5
//	      - {event: {reason: Killing, message: "*web*"}}             # this, events, order and output count from the
//	      - {output: replicaset.apps/web}                            # reader's first input on; output is that of one command
//	    never: {events: {op: component.stop}, count: ">= 1"}         # optional: what must not be true in any moment from then on
//	    holds: 3s               # optional: so long has all of the goal to hold
//	    within: 60s             # optional: so soon after the reader's first input
//	    hints:                  # one at a time: those whose condition holds now, or that have none, in this order
//	      - {when: {objects: {resource: pods, labels: app=web}, count: "> 5"}, text: {en: That is too many., ja: …}}
//	      - {text: {en: Drag the replicas., ja: …}}
//	    answer: [{at: 1s, scale: {replicaset: web, replicas: 5}}]    # as in steps; times count from where it begins
//	    wrong:                  # optional: answers that must not reach the goal; they get to the hints' conditions
//	      - [{at: 1s, scale: {replicaset: web, replicas: 6}}]
//	  - id: how-many            # a question: the goal proves the right option, in the run of the answer, or of the script
//	    task: {en: How many requests will the controller send?, ja: …}
//	    predict:
//	      - {text: {en: One, ja: …}, why: {en: Each Pod is a request of its own., ja: …}}
//	      - {text: {en: Five, ja: …}, right: true, why: {en: One for each Pod that is missing., ja: …}}
//	    goal: {events: {op: request.send, who: replicaset-controller, attrs: {verb: create}}, count: 5}

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

	"kubewalk/playground/scenario"
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
		return nil, []Problem{syntaxProblem(path, err)}
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
	r.fail(begin(bodies[1]), "a second document begins: a demo is one")
	return value{reader: r}
}

// Locate turns failures of a scenario into problems of its file.
func (f *File) Locate(failures []scenario.Failure) []Problem {
	var out []Problem
	for _, fail := range failures {
		at := f.find(f.yamlPath(fail.Path), fail.Name)
		out = append(out, Problem{f.Path, at.line, at.column, fail.Message})
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

func syntaxProblem(path string, err error) Problem {
	p := Problem{File: path, Line: 1, Column: 1, Message: err.Error()}
	var ye yaml.Error
	if errors.As(err, &ye) {
		at := placeOf(ye.GetToken())
		p.Line, p.Column, p.Message = at.line, at.column, ye.GetMessage()
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
	{"character '\t'", "indent with spaces"},
	{"mapping value is not allowed", "put a text that holds a colon in quotes"},
	{"flow mapping end token", "close the {"},
	{"',' or '}' must be", "close the {, or separate its entries"},
	{"',' or ']' must be", "close the [, or separate its elements"},
	{"sequence end token", "close the ["},
	{"end character of", "close the quotes"},
}

func sortProblems(ps []Problem) {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
}
