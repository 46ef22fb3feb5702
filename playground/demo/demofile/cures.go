package demofile

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/demo/scenario"
)

// hasCure tells of messages that say what to do: in brackets at their end, as something to write, or as what the value has to be.
var hasCure = regexp.MustCompile(`\)$|: (?:write|add|remove|put|keep|leave|use|make|say|name|give|replace|set|move|list) |, as in |is written as |has to be |: known|needs \w+: true$|such as \[| one thing, not .*: |is an amount from |needs a number, a quantity `)

// cured is a message with what helps in brackets. name is the demo's.
func cured(message, name string) string {
	if hasCure.MatchString(message) {
		return message
	}
	for _, c := range cures {
		if c.message.MatchString(message) {
			return message + " (" + strings.ReplaceAll(c.cure, "DEMO", name) + ")"
		}
	}
	return message
}

// cures are what helps against what a scenario says, which knows nothing of files, and against what a file's reader says in many
// places. The first that fits is meant; DEMO stands for its name.
var cures = []struct {
	message *regexp.Regexp
	cure    string
}{
	// The file.
	{regexp.MustCompile(`^the file is empty`), "kubewalk new demo DEMO writes one that works"},
	{regexp.MustCompile(`^a demo without steps and controls`), "add steps:, or controls: for readers"},
	{regexp.MustCompile(`^the end, .* is not after`), "end: counts from the end of the setup: write 20s, or more than the last step's time"},
	{regexp.MustCompile(`^the book has no language`), "remove the line, or add the language to site.yaml"},
	{regexp.MustCompile(`is longer than a day$`), "write 24h or less"},
	{regexp.MustCompile(`is negative$|is not negative$`), "write 0 or more"},
	{regexp.MustCompile(`has room for the internals of`), "list those that the demo is about"},
	{regexp.MustCompile(`it is too large: does an alias`), "remove the alias, and write out what it stands for"},
	{regexp.MustCompile(`mappings are merged more than`), "remove some <<: and write out what they stand for"},
	{regexp.MustCompile(`cannot be written as JSON|has no place in it|^(?:the )?manifest\b|^body: `), "write it as in a file for kubectl"},

	// The cluster.
	{regexp.MustCompile(`is for hollowNodes$|needs hollowNodes$`), "add hollowNodes: {count: 100}, or remove the line"},
	{regexp.MustCompile(`is listed twice$|is named already$`), "remove one of them"},
	{regexp.MustCompile(`is not among the operators$`), "add it to operators: as well"},
	{regexp.MustCompile(`^cloud is for nodes`), "remove one of the two"},
	{regexp.MustCompile(`needs network$`), "add network: true"},
	{regexp.MustCompile(`Pods are more than|do not take .* Pods$`), "write fewer deployments or replicas, or more nodes"},
	{regexp.MustCompile(`^preload needs the `), "add it to controllers:"},
	{regexp.MustCompile(`^preload needs a number`), "write {deployments: 10, replicas: 100}"},
	{regexp.MustCompile(`is no quantity$`), "write 4, 500m or 8Gi"},
	{regexp.MustCompile(`is no number between`), "write one of these"},
	{regexp.MustCompile(`a range of 253 addresses`), "write 253 or less"},
	{regexp.MustCompile(`^the scheduler's (?:profile|extender): |^the schedulers' profiles: |^kube-scheduler would not start`),
		"write it as in a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1"},
	{regexp.MustCompile(`^this build of the control plane`), "add cel: true to cluster: it has all of them"},

	// Steps, controls and counterfactuals.
	{regexp.MustCompile(`is not above min`), "write a larger max, or a smaller min"},
	{regexp.MustCompile(`^a control needs at least one`), "name one, or remove the control"},
	{regexp.MustCompile(`^killed-mid-batch needs create`), "add create: 2"},
	{regexp.MustCompile(`^\S+ needs an? [\w ]+: `), "add it, with one of these"},
	{regexp.MustCompile(`^(?:fail|slow|heal|partition|api-request): `), "write one that it takes: kubewalk help demo lists them"},
	{regexp.MustCompile(`^two steps are called `), "give one another id: after: names one"},
	{regexp.MustCompile(`^two counterfactuals are called `), "give one another id: in: names one"},
	{regexp.MustCompile(`^two marks are called `), "give one another id: demo:NAME@ID has to lead to one moment"},
	{regexp.MustCompile(`^two exercises are called `), "give one another id: a chapter shows one as DEMO/ID"},
	{regexp.MustCompile(`^the server doesn't have a resource type `), "write the name of a kind, as in kubectl get: pods, deployment, …"},
	{regexp.MustCompile(`is not before the demo's end`), "make end: later, or the step earlier"},
	{regexp.MustCompile(`past the demo's end`), "make end: later, or the time shorter"},
	{regexp.MustCompile(`applies to a pod, not`), "write pod: and the Pod's name"},
	{regexp.MustCompile(`^the step should have failed with .* but it worked`), "remove fails:, or change the step so that it fails"},
	{regexp.MustCompile(`^the step should have failed with `), "write after fails: a part of what the server said"},
	{regexp.MustCompile(`had not ended by the end of the demo`), "make end: later, or the step earlier"},
	{regexp.MustCompile(`should have printed`), "write a part of what it printed, or change the demo"},
	{regexp.MustCompile(`is never closed$`), "close it"},
	{regexp.MustCompile(`^unknown shorthand flag`), "write one that kubectl has: kubectl help lists them"},
	{regexp.MustCompile(`: resource name may not be empty$`), "write name: under the manifest's metadata"},
	{regexp.MustCompile(`^flag needs an argument`), "write its value behind it"},
	{regexp.MustCompile(`^request is (?:too )?`), "write a path as in /api/v1/namespaces/default/pods"},

	// Claims, marks and exercises before a run.
	{regexp.MustCompile(`^labels "`), "write app=web, app!=web, or app in (web, api)"},
	{regexp.MustCompile(`^a (?:claim|condition) is about one of`), "keep one of them, or add objects: {resource: pods, labels: app=web}"},
	{regexp.MustCompile(`can stay true`), "remove stays:"},
	{regexp.MustCompile(`can always be true`), "remove always:"},
	{regexp.MustCompile(`needs no stays`), "remove stays:"},
	{regexp.MustCompile(`^a claim needs within`), "add within: 10s"},
	{regexp.MustCompile(`^before names at least two`), "add the later one"},
	{regexp.MustCompile(`has no count$`), "remove count:"},
	{regexp.MustCompile(`is about the real world`), "remove in:"},
	{regexp.MustCompile(`^only the number of events in a counterfactual`), "add in:, or write a number"},
	{regexp.MustCompile(`^a mark needs an id`), "add id: too-few: demo:NAME@too-few leads to it"},
	{regexp.MustCompile(`^a counterfactual needs an id`), "add id: stale: claims name it with in:"},
	{regexp.MustCompile(`^nth counts from 1`), "write 1 or more"},
	{regexp.MustCompile(`^nth needs when`), "add when: {op: log}, or remove nth:"},
	{regexp.MustCompile(`not both$`), "remove one of them"},
	{regexp.MustCompile(`^an exercise needs an id`), "add id: five: a chapter shows it as DEMO/five"},
	{regexp.MustCompile(`^an exercise needs a goal`), "add goal: {objects: {resource: pods, labels: app=web}, count: 5}"},
	{regexp.MustCompile(`^an exercise needs an answer`), "add answer: [{at: 1s, scale: {replicaset: web, replicas: 5}}]"},
	{regexp.MustCompile(`^a question has two options or more`), "add options, and right: true to one of them"},
	{regexp.MustCompile(`^a question has no hints`), "remove hints:"},
	{regexp.MustCompile(`^the wrong answers to a question`), "remove wrong:"},

	// What a run shows.
	{regexp.MustCompile(`^the number of .*but it was|^event .* did not happen|^event .* should have happened before|had happened|^the number .*real`),
		"change the claim or the demo: kubewalk trace DEMO shows what happens"},
	{regexp.MustCompile(`^no command had been typed`), "name in after: a step with kubectl, or make within longer"},
	{regexp.MustCompile(`^mark "[^"]*": nothing has happened`), "write a later time"},
	{regexp.MustCompile(`^mark "[^"]*": event`), "change the mark: kubewalk trace DEMO --mark prints what to write"},
	{regexp.MustCompile(`^the goal is reached at`), "ask for another state, or for one that holds longer"},
	{regexp.MustCompile(`^the answer does not reach the goal|does not prove the right option`), "change the answer or the goal"},
	{regexp.MustCompile(`^this answer should be wrong`), "remove it, or make the goal stricter"},
	{regexp.MustCompile(`^this world runs away`), "make what is switched milder"},
	{regexp.MustCompile(`^(?i:error)\b|^The \w+ "[^"]*" is invalid|^the server `), "correct the step, or add fails: if the demo is about this"},
}

// typeCures help against values of another type than their field's, which the API
// server tells as Go would.
var typeCures = []struct {
	message *regexp.Regexp
	cure    string
}{
	{regexp.MustCompile(`quantities must match the regular expression`), "write a quantity: 500m, 2, 128Mi"},
	{regexp.MustCompile(`cannot unmarshal string into .* of type \*?int`), "write the number without quotes"},
	{regexp.MustCompile(`cannot unmarshal number \S+ into .* of type \*?int`), "write a whole number"},
	{regexp.MustCompile(`cannot unmarshal \w+(?: \S+)? into .* of type \*?bool`), "write true or false, without quotes"},
	{regexp.MustCompile(`cannot unmarshal (?:number|bool)(?: \S+)? into .* of type \*?(?:string|v\d)`), "put it in quotes: it is a text"},
	{regexp.MustCompile(`cannot unmarshal (?:array|object) into .* of type \*?(?:string|int)`), "write one value, not a list or a mapping"},
	{regexp.MustCompile(`cannot unmarshal \w+(?: \S+)? into .* of type \[\]`), "write a list: begin each entry with a hyphen"},
	{regexp.MustCompile(`cannot unmarshal (?:string|array)(?: \S+)? into .* of type \*?(?:map|v\d)`), "write keys and values below it"},
}

// mistyped is how the API server tells, as Go would, that a value is of another type than its field.
var mistyped = regexp.MustCompile(`(?s)^.*cannot unmarshal (\w+)(?: \S+)? into Go struct field \w+\.(\S+) of type \*?(\S+)`)

// noTime is how Go tells that a text is no time.
var noTime = regexp.MustCompile(`parsing time \\?"+([^"\\]*)\\?"+ as `)

// noSelector is how apimachinery tells that a text selects nothing.
var noSelector = regexp.MustCompile(`^labels ("(?:[^"\\]|\\.)*"): `)

// unknownKind is how kubectl tells that the server does not have a kind.
var unknownKind = regexp.MustCompile(`no matches for kind "([^"]*)" in version "([^"]*)"`)

// message is what went wrong in one line, without Go's words.
func (f *File) message(fail scenario.Failure) string {
	if m := noTime.FindStringSubmatch(fail.Message); m != nil {
		return fmt.Sprintf("%q is not a time", m[1])
	}
	if m := noSelector.FindStringSubmatch(fail.Message); m != nil {
		return fmt.Sprintf("labels %s is no selector", m[1])
	}
	m := mistyped.FindStringSubmatch(fail.Message)
	if m == nil {
		return strings.ReplaceAll(strings.TrimSpace(fail.Message), "\n", " ")
	}
	given, field, kind := m[1], m[2], m[3]
	_, exact, placed := strings.Cut(fail.Path, ".manifest.")
	if placed {
		field = exact
	}
	field = strings.ReplaceAll(field, "ProbeHandler.", "") // a part of Go's type, which is none of YAML
	wanted := "keys and values"
	switch {
	case strings.HasPrefix(kind, "int"):
		wanted = "a whole number"
	case kind == "bool":
		wanted = "true or false"
	case strings.HasPrefix(kind, "[]"):
		wanted = "a list"
	case kind == "string", given == "number", given == "bool":
		wanted = "text"
	}
	is := map[string]string{"string": "text", "number": "a number", "bool": "true or false", "array": "a list", "object": "keys and values"}[given]
	if v, ok := f.root.Find(f.yamlPath(fail.Path)); ok && placed && !fail.Name {
		is = v.Is()
	}
	return fmt.Sprintf("%s has to be %s, and is %s", field, wanted, is)
}

// kind is what helps against a kind that the server does not have: one with nearly that name, or the version that has it.
func kind(message string) string {
	m := unknownKind.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	var names []string
	for _, k := range api.AllKinds() {
		if k.Kind == m[1] {
			return "write apiVersion: " + k.GroupVersion().String()
		}
		names = append(names, k.Kind)
	}
	if near := suggest.Nearest(m[1], names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// cure is what a message ends in, in brackets; "" when nothing is known that helps.
func (f *File) cure(fail scenario.Failure) string {
	if m := mistyped.FindStringSubmatch(fail.Message); m != nil && m[1] == "string" && strings.HasPrefix(m[3], "int") {
		if v, ok := f.root.Find(f.yamlPath(fail.Path)); ok {
			if text, _ := v.Scalar(); strings.Trim(text, "-0123456789") != "" {
				return " (write a whole number)"
			}
		}
	}
	if noTime.MatchString(fail.Message) {
		return " (write 2026-01-31T10:00:00Z)"
	}
	for _, c := range typeCures {
		if c.message.MatchString(fail.Message) {
			return " (" + c.cure + ")"
		}
	}
	if cure := kind(fail.Message); cure != "" {
		return " (" + cure + ")"
	}
	if near := f.field(fail); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// field is what a manifest's author probably meant by the name of a field that the
// API server does not know.
func (f *File) field(fail scenario.Failure) string {
	step, path, ok := strings.Cut(fail.Path, ".manifest.")
	if !ok || !fail.Name || f.Scenario == nil || !strings.Contains(fail.Message, `unknown field "`) {
		return ""
	}
	type typed struct{ APIVersion, Kind string }
	var manifest typed
	text := f.manifestOf(step)
	if json.Unmarshal(text, &manifest) != nil {
		var several []typed
		_ = json.Unmarshal(text, &several) // it is either
		for _, one := range several {
			if one.Kind != "" && strings.Contains(fail.Message, one.Kind) {
				manifest = one
				break
			}
		}
	}
	group, version, found := strings.Cut(manifest.APIVersion, "/")
	if !found {
		group, version = "", manifest.APIVersion
	}
	kind := api.KindFor(api.GroupVersionKind{Group: group, Version: version, Kind: manifest.Kind})
	if kind == nil || kind.New == nil {
		return ""
	}
	return nearestField(reflect.TypeOf(kind.New()), path)
}

// manifestOf is the manifest of the step at a path: "steps[1]", "exercises[0].answer[2]".
func (f *File) manifestOf(path string) json.RawMessage {
	var i, j, k int
	s := f.Scenario
	switch {
	case scans(path, "steps[%d]", &i) && i < len(s.Steps):
		return s.Steps[i].Manifest
	case scans(path, "exercises[%d].answer[%d]", &i, &j) && i < len(s.Exercises) && j < len(s.Exercises[i].Answer):
		return s.Exercises[i].Answer[j].Manifest
	case scans(path, "exercises[%d].wrong[%d][%d]", &i, &j, &k) && i < len(s.Exercises) && j < len(s.Exercises[i].Wrong) && k < len(s.Exercises[i].Wrong[j]):
		return s.Exercises[i].Wrong[j][k].Manifest
	}
	return nil
}

func scans(path, format string, into ...any) bool {
	n, err := fmt.Sscanf(path, format, into...)
	return err == nil && n == len(into)
}

// nearestField follows a path through a type's fields, as JSON names them, to the
// first name that is not there, and returns one that is near it.
func nearestField(t reflect.Type, path string) string {
	for name := range strings.SplitSeq(path, ".") {
		name, index, _ := strings.Cut(name, "[")
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return ""
		}
		fields := fieldsOf(t)
		next, ok := fields[name]
		if !ok {
			return suggest.Nearest(name, sorted(fields))
		}
		for t = next; index != "" && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Pointer); {
			if t.Kind() != reflect.Pointer {
				index = ""
			}
			t = t.Elem()
		}
	}
	return ""
}

// fieldsOf are a struct's fields by their names in JSON, with those of what it embeds.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name != "":
			out[name] = f.Type
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			for name, inner := range fieldsOf(f.Type) { // order: into a map
				out[name] = inner
			}
		}
	}
	return out
}

// unknownField follows the path of a claim's field through a type, as scenario's claims do through objects, to the first name that
// is not there: where it begins in the path, the name, and those that are there. The name is "" if all are known.
func unknownField(t reflect.Type, path string) (at int, name string, known []string) {
	for at < len(path) {
		if path[at] == '.' {
			at++
			continue
		}
		step := path[at:]
		if inner, _, closed := strings.Cut(step, "]"); closed && step[0] == '[' {
			step = inner + "]" // an element, or a key that holds dots
		} else if end := strings.IndexAny(step[1:], ".["); end >= 0 {
			step = step[:end+1]
		}
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch {
		case t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler):
			return 0, "", nil // it says itself how it is written
		case t.Kind() == reflect.Map, t.Kind() == reflect.Slice:
			t = t.Elem()
		case t.Kind() == reflect.Struct:
			fields := fieldsOf(t)
			next, ok := fields[step]
			if !ok {
				return at, step, sorted(fields)
			}
			t = next
		default:
			return 0, "", nil
		}
		at += len(step)
	}
	return 0, "", nil
}

var marshaler = reflect.TypeFor[json.Marshaler]()
