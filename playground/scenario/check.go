package scenario

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// Failure is a claim that does not hold, or a step or mark that did not come
// about. Path points into the scenario ("claims[2].count"), so that whoever
// read it from a file can say line and column.
type Failure struct {
	Path    string
	Message string // what was expected and what happened instead
}

func (f Failure) Error() string { return f.Path + ": " + f.Message }

// Problems tells what is wrong with a scenario before it is run.
func (s *Scenario) Problems() []Failure {
	var out []Failure
	add := func(path, format string, args ...any) {
		out = append(out, Failure{path, fmt.Sprintf(format, args...)})
	}
	after := func(path, id string) {
		if id == "" {
			return
		}
		if _, ok := s.Step(id); !ok {
			var ids []string
			for _, st := range s.Steps {
				if st.ID != "" {
					ids = append(ids, st.ID)
				}
			}
			add(path+".after", "unknown step %q%s", id, DidYouMean(id, ids))
		}
	}
	if len(s.Steps) == 0 && len(s.Controls) == 0 {
		add("steps", "a demo without steps and controls shows nothing")
	}
	if s.End <= s.Setup {
		add("end", "end %v is not after the set-up's end %v", s.End, s.Setup)
	}
	seen := map[string]bool{}
	last := time.Duration(0)
	for i, st := range s.Steps {
		path := fmt.Sprintf("steps[%d]", i)
		if err := st.Input.Validate(); err != nil {
			add(path, "%v", err)
		}
		if st.ID != "" && seen[st.ID] {
			add(path+".id", "two steps are called %q", st.ID)
		}
		seen[st.ID] = true
		if st.At < last {
			add(path+".at", "step at %v stands after one at %v: put the steps in order of time", st.At, last)
		}
		if st.At >= s.End {
			add(path+".at", "step at %v is not before the demo's end %v", st.At, s.End)
		}
		last = st.At
	}
	for i, c := range s.Claims {
		path := fmt.Sprintf("claims[%d]", i)
		after(path, c.After)
		n := 0
		if c.Objects != nil {
			n++
			if _, err := c.Objects.counter(); err != nil {
				add(path+".objects.labels", "%v", err)
			}
		}
		if c.Events != nil {
			n++
			opKnown(add, path+".events", *c.Events)
		}
		if len(c.Order) > 0 {
			n++
			for j, m := range c.Order {
				opKnown(add, fmt.Sprintf("%s.order[%d]", path, j), m)
			}
		}
		if n != 1 {
			add(path, "a claim is about one of objects, events and order")
		}
		if c.Within <= 0 {
			add(path, "a claim needs within: how long may it take?")
		}
		if c.Order == nil {
			if _, err := parseCount(c.Count); err != nil {
				add(path+".count", "%v", err)
			}
		}
		if s.start(c.After)+c.Within > s.End {
			add(path+".within", "%v after %q is %v, past the demo's end %v", c.Within, c.After, s.start(c.After)+c.Within, s.End)
		}
	}
	seen = map[string]bool{}
	for i, m := range s.Marks {
		path := fmt.Sprintf("marks[%d]", i)
		after(path, m.After)
		if m.ID == "" {
			add(path, "a mark needs an id")
		} else if seen[m.ID] {
			add(path+".id", "two marks are called %q", m.ID)
		}
		seen[m.ID] = true
		if m.When != nil {
			opKnown(add, path+".when", *m.When)
		}
	}
	return out
}

func opKnown(add func(string, string, ...any), path string, m Match) {
	if m.Op != "" && !trace.Known(trace.Op(m.Op)) {
		add(path+".op", "unknown kind of event %q%s", m.Op, DidYouMean(m.Op, trace.OpNames()))
	}
}

// Check holds every claim against a finished run's trace.
func (s *Scenario) Check(rec *trace.Recorder) []Failure {
	var out []Failure
	for i, c := range s.Claims {
		path := fmt.Sprintf("claims[%d]", i)
		from := s.start(c.After)
		to := from + c.Within
		var msg string
		switch {
		case c.Objects != nil:
			msg = c.checkObjects(rec, from, to)
		case c.Events != nil:
			msg = c.checkEvents(rec, from, to)
		default:
			msg = c.checkOrder(rec, from, to)
		}
		if msg != "" {
			out = append(out, Failure{path, msg})
		}
	}
	return out
}

func (c Claim) checkObjects(rec *trace.Recorder, from, to time.Duration) string {
	cnt, err := c.Objects.counter()
	if err != nil {
		return err.Error()
	}
	want, err := parseCount(c.Count)
	if err != nil {
		return err.Error()
	}
	state := trace.State{}
	held, best := time.Duration(-1), -1
	look := func(at time.Duration) string {
		n := cnt.count(state)
		if held < 0 {
			if at <= to {
				best = n
			}
			if want.holds(n) && at <= to {
				held = at
			}
		} else if c.Stays && !want.holds(n) {
			return fmt.Sprintf("the number of %s was %s at %v, but %d again at %v", c.Objects, c.Count, held, n, at)
		}
		return ""
	}
	begun := false
	for i := range rec.Events(1) {
		e := rec.Event(trace.ID(i + 1))
		if e.At > from && !begun {
			begun = true
			if msg := look(from); msg != "" {
				return msg
			}
		}
		state.Apply(e)
		if e.Op == trace.StoreCommit && e.At >= from {
			begun = true
			if msg := look(e.At); msg != "" {
				return msg
			}
		}
	}
	if !begun {
		look(from)
	}
	if held < 0 {
		return fmt.Sprintf("the number of %s was to be %s within %v of %s, but at %v it was %d", c.Objects, c.Count, c.Within, c.since(), to, best)
	}
	return ""
}

func (c Claim) checkEvents(rec *trace.Recorder, from, to time.Duration) string {
	want, err := parseCount(c.Count)
	if err != nil {
		return err.Error()
	}
	n := 0
	for i := range rec.Events(1) {
		e := rec.Event(trace.ID(i + 1))
		if e.At >= from && e.At <= to && c.Events.Matches(e) {
			n++
		}
	}
	if !want.holds(n) {
		return fmt.Sprintf("the number of events %q was to be %s within %v of %s, but it was %d", c.Events, c.Count, c.Within, c.since(), n)
	}
	return ""
}

func (c Claim) checkOrder(rec *trace.Recorder, from, to time.Duration) string {
	next := 0
	for i := range rec.Events(1) {
		e := rec.Event(trace.ID(i + 1))
		if e.At >= from && e.At <= to && c.Order[next].Matches(e) {
			if next++; next == len(c.Order) {
				return ""
			}
		}
	}
	if next == 0 {
		return fmt.Sprintf("event %q did not happen within %v of %s", c.Order[0], c.Within, c.since())
	}
	return fmt.Sprintf("event %q did not happen after %q within %v of %s", c.Order[next], c.Order[next-1], c.Within, c.since())
}

func (c Claim) since() string {
	if c.After == "" {
		return "the start"
	}
	return fmt.Sprintf("step %q", c.After)
}

func (o Objects) String() string {
	s := o.Resource
	if o.Labels != "" {
		s += " with " + o.Labels
	}
	if len(o.Fields) > 0 {
		s += " and " + Match{Attrs: o.Fields}.String()
	}
	return s
}

// Find returns the event that a mark points at. It fails when there is none.
func (s *Scenario) Find(m Mark, rec *trace.Recorder) (trace.ID, error) {
	from := s.start(m.After)
	if m.When == nil {
		last := trace.ID(0)
		for i := range rec.Events(1) {
			if e := rec.Event(trace.ID(i + 1)); e.At <= from+m.At {
				last = e.ID
			}
		}
		if last == 0 {
			return 0, fmt.Errorf("nothing has happened by %v", from+m.At)
		}
		return last, nil
	}
	want := max(m.Nth, 1)
	n := 0
	for i := range rec.Events(1) {
		e := rec.Event(trace.ID(i + 1))
		if e.At >= from && m.When.Matches(e) {
			if n++; n == want {
				return e.ID, nil
			}
		}
	}
	return 0, fmt.Errorf("mark %q: event %q happened %d times after %s, not %d", m.ID, m.When, n, Claim{After: m.After}.since(), want)
}

// CheckSteps holds what became of each step against what the author expects.
// outcomes are by step: "" for a step that worked, or kubectl's error.
func (s *Scenario) CheckSteps(outcomes []cluster.Outcome) []Failure {
	var out []Failure
	for i, st := range s.Steps {
		path := fmt.Sprintf("steps[%d]", i)
		if i >= len(outcomes) || !outcomes[i].Done {
			out = append(out, Failure{path, "the step had not ended by the end of the demo"})
			continue
		}
		message := outcomes[i].Error
		switch {
		case st.Fails == "" && message != "":
			if len(st.Manifest) > 0 {
				path += ".manifest" + unknownField(message)
			}
			out = append(out, Failure{path, message})
		case st.Fails != "" && message == "":
			out = append(out, Failure{path + ".fails", fmt.Sprintf("the step was to fail with %q, but it worked", st.Fails)})
		case st.Fails != "" && !strings.Contains(message, st.Fails):
			out = append(out, Failure{path + ".fails", fmt.Sprintf("the step was to fail with %q, but it failed with %q", st.Fails, message)})
		}
	}
	return out
}

// unknownField finds the field that the API server complains about, so that
// the message can stand at its place in the manifest.
func unknownField(message string) string {
	for _, before := range []string{`unknown field "`, `duplicate field "`} {
		if _, rest, ok := strings.Cut(message, before); ok {
			if name, _, ok := strings.Cut(rest, `"`); ok {
				return "." + name
			}
		}
	}
	if _, rest, ok := strings.Cut(message, "is invalid: "); ok {
		rest = strings.TrimPrefix(rest, "\n* ")
		if name, _, ok := strings.Cut(rest, ": "); ok && !strings.Contains(name, " ") {
			return "." + name
		}
	}
	return ""
}
