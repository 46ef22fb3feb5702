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

// cures are what helps against what a scenario says, which knows nothing of files.
var cures = []struct{ message, cure string }{
	{"two marks are called ", "give one another id: demo:NAME@ID has to lead to one moment"},
	{"two steps are called ", "give one another id: after: names one"},
	{"a mark needs an id", "add id: too-few: demo:NAME@too-few leads to it"},
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

// unknownKind is how kubectl tells that the server does not have a kind.
var unknownKind = regexp.MustCompile(`no matches for kind "([^"]*)" in version "([^"]*)"`)

// message is what went wrong in one line, without Go's words.
func (f *File) message(fail scenario.Failure) string {
	if m := noTime.FindStringSubmatch(fail.Message); m != nil {
		return fmt.Sprintf("%q is not a time", m[1])
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
	for _, c := range cures {
		if strings.HasPrefix(fail.Message, c.message) {
			return " (" + c.cure + ")"
		}
	}
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
	var manifest struct{ APIVersion, Kind string }
	if json.Unmarshal(f.manifestOf(step), &manifest) != nil {
		return ""
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
