package scenario

import (
	"fmt"
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
				field, name := complaint(message)
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

// complaint finds the field that the API server complains about, as a path that
// begins with a dot; "" when it names none. name tells that the field's name is
// what is wrong.
func complaint(message string) (field string, name bool) {
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
