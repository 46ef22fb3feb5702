package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/cluster"
)

// CheckSteps holds what became of each step against what the author expects.
// outcomes are the cluster's, in the steps' order.
func (s *Scenario) CheckSteps(outcomes []cluster.Outcome) []Failure {
	return s.CheckAnswer("steps", s.Steps, outcomes)
}

// CheckAnswer does so for steps that stand elsewhere in the scenario.
func (s *Scenario) CheckAnswer(where string, steps []Step, outcomes []cluster.Outcome) []Failure {
	var l checklist
	for i, st := range steps {
		path := fmt.Sprintf("%s[%d]", where, i)
		if i >= len(outcomes) || !outcomes[i].Done {
			l.add(path, "the step had not ended by the end of the demo")
			continue
		}
		message := outcomes[i].Error
		switch {
		case st.Fails == "" && message != "":
			f := Failure{Path: path, Message: message}
			if len(st.Manifest) > 0 {
				field, name := complaint(message, st.Manifest)
				f.Path, f.Name = path+".manifest"+field, name
			}
			l = append(l, f)
		case st.Fails != "" && message == "":
			l.add(path+".fails", "the step should have failed with %q, but it worked", st.Fails)
		case !strings.Contains(message, st.Fails):
			l.add(path+".fails", "the step should have failed with %q, but it failed with %q", st.Fails, message)
		}
		l.missing(path+".prints", st, outcomes[i], st.Prints)
	}
	return l
}

// wrongType reads what the API server says to a value of another type than its field's:
// the type in JSON, and the field, in which lists have no index.
func wrongType(message string) (typ string, field []string, ok bool) {
	_, rest, unmarshals := strings.Cut(message, "cannot unmarshal ")
	typ, rest, inField := strings.Cut(rest, " into Go struct field ")
	rest, _, typed := strings.Cut(rest, " of type ")
	_, path, _ := strings.Cut(rest, ".") // behind the struct's name
	typ, _, _ = strings.Cut(typ, " ")    // number 1.5
	return typ, strings.Split(path, "."), unmarshals && inField && typed
}

// misplaced finds the value of that type at a field, as a path that begins with a dot.
func misplaced(doc any, field []string, typ string) (path string, ok bool) {
	is := "object"
	switch doc.(type) {
	case string:
		is = "string"
	case float64:
		is = "number"
	case bool:
		is = "bool"
	case []any:
		is = "array"
	}
	if len(field) == 0 && is == typ {
		return "", true
	}
	switch doc := doc.(type) {
	case []any:
		for i, item := range doc {
			if path, ok := misplaced(item, field, typ); ok {
				return fmt.Sprintf("[%d]%s", i, path), true
			}
		}
	case map[string]any:
		keys, rest := slices.Sorted(maps.Keys(doc)), field
		if len(field) > 0 {
			keys, rest = []string{field[0]}, field[1:]
		}
		for _, key := range keys {
			if inner, there := doc[key]; there {
				if path, ok := misplaced(inner, rest, typ); ok {
					return "." + key + path, true
				}
			}
		}
	}
	return "", false
}

// complaint finds the field that the API server complains about, as a path that
// begins with a dot; "" when it names none. name tells that the field's name is
// what is wrong.
func complaint(message string, manifest json.RawMessage) (field string, name bool) {
	if typ, path, ok := wrongType(message); ok {
		var doc any
		if json.Unmarshal(manifest, &doc) == nil {
			field, _ = misplaced(doc, path, typ)
		}
		return field, false
	}
	for _, before := range []string{`unknown field "`, `duplicate field "`} {
		if _, rest, ok := strings.Cut(message, before); ok {
			if path, _, ok := strings.Cut(rest, `"`); ok {
				return "." + path, true
			}
		}
	}
	if _, rest, ok := strings.Cut(message, "is invalid: "); ok {
		rest = strings.TrimPrefix(rest, "\n* ")
		if path, _, ok := strings.Cut(rest, ": "); ok && !strings.Contains(path, " ") {
			return "." + path, false
		}
	}
	return "", false
}
