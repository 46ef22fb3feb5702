package scenario

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/trace"
)

// Failure is something wrong with a scenario, or something in it that did not
// come about. Path points into the scenario ("claims[2].count"), so that
// whoever read it from a file can say line and column.
type Failure struct {
	Path    string
	Name    bool   // it is the name of the field at Path that is wrong, not its value
	Message string // what was expected, and what is there or happened instead
}

func (f Failure) Error() string { return f.Path + ": " + f.Message }

// checklist collects failures.
type checklist []Failure

func (l *checklist) add(path, format string, args ...any) {
	*l = append(*l, Failure{Path: path, Message: fmt.Sprintf(format, args...)})
}

// Problems tells what is wrong with a scenario before it is run. Times in
// messages count from the end of the setup, as an author's do.
func (s *Scenario) Problems() []Failure {
	var l checklist
	if len(s.Steps) == 0 && len(s.Controls) == 0 {
		l.add("steps", "a demo without steps and controls shows nothing")
	}
	if s.End <= s.Setup {
		l.add("end", "the end, %v, is not after the end of the setup", s.End-s.Setup)
	}
	s.stepProblems(&l)
	s.whatIfProblems(&l)
	for i, c := range s.Claims {
		s.claimProblems(&l, fmt.Sprintf("claims[%d]", i), c)
	}
	seen := map[string]bool{}
	for i, m := range s.Marks {
		path := fmt.Sprintf("marks[%d]", i)
		s.markProblems(&l, path, m)
		if m.ID != "" && seen[m.ID] {
			l.add(path+".id", "two marks are called %q", m.ID)
		}
		seen[m.ID] = true
	}
	for i := range s.Exercises {
		s.exerciseProblems(&l, i, &s.Exercises[i])
	}
	return l
}

func (s *Scenario) stepProblems(l *checklist) {
	seen := map[string]bool{}
	last := s.Setup
	for i, st := range s.Steps {
		path := fmt.Sprintf("steps[%d]", i)
		if err := st.Input.Validate(); err != nil {
			l.add(path, "%v", err)
		}
		if st.ID != "" && seen[st.ID] {
			l.add(path+".id", "two steps are called %q", st.ID)
		}
		seen[st.ID] = true
		at := st.At - s.Setup
		if st.At < last {
			l.add(path+".at", "step at %v comes after one at %v: put the steps in order of time", at, last-s.Setup)
		}
		if st.At >= s.End {
			l.add(path+".at", "step at %v is not before the demo's end, %v", at, s.End-s.Setup)
		}
		last = max(last, st.At)
	}
}

// after checks the step that something counts from. It returns the time, and
// false when there is no such step.
func (s *Scenario) after(l *checklist, path, id string) (time.Duration, bool) {
	if id == "" {
		return s.Setup, true
	}
	if st, ok := s.Step(id); ok {
		return st.At, true
	}
	var ids []string
	for _, st := range s.Steps {
		if st.ID != "" {
			ids = append(ids, st.ID)
		}
	}
	l.add(path+".after", "unknown step %q (%s)", id, suggest.Cure(id, ids))
	return 0, false
}

func (s *Scenario) claimProblems(l *checklist, path string, c Claim) {
	if _, err := s.World(c.In); err != nil {
		l.add(path+".in", "%v", err)
	}
	if c.In != "" && c.Output != nil {
		l.add(path+".output", "a claim on what a command prints is about the real world: leave out in")
	}
	from, known := s.after(l, path, c.After)
	if !s.aboutProblems(l, path, c, "a claim is about one of objects, event, events, order, before and output") {
		return
	}
	if c.Stays && c.Objects == nil {
		l.add(path+".stays", "only a claim on objects can stay true: one on events counts those within its time")
	}
	if c.Always && c.Objects == nil {
		l.add(path+".always", "only a claim on objects can always be true")
	}
	if c.Always && c.Stays {
		l.add(path+".stays", "what is always true needs no stays: within says for how long")
	}
	if c.Within <= 0 {
		l.add(path, "a claim needs within: how long may it take?")
	} else if known && from+c.Within > s.End {
		l.add(path+".within", "%v after %s is %v, past the demo's end, %v", c.Within, since(c.After), from+c.Within-s.Setup, s.End-s.Setup)
	}
}

// aboutProblems are those of what a claim is about, and how many it counts. It
// returns false when it is about nothing, or about two things.
func (s *Scenario) aboutProblems(l *checklist, path string, c Claim, one string) bool {
	about := 0
	if c.Objects != nil {
		about++
		if _, err := c.Objects.counter(); err != nil {
			l.add(path+".objects.labels", "%v", err)
		}
	}
	if c.Event != nil {
		about++
		s.eventProblems(l, path+".event", c.Event)
	}
	if c.Output != nil {
		about++
	}
	if len(c.Before) > 0 {
		about++
		if len(c.Before) < 2 {
			l.add(path+".before", "before names at least two events, the earlier one first")
		}
		for j, m := range c.Before {
			opKnown(l, fmt.Sprintf("%s.before[%d]", path, j), m)
		}
	}
	if c.Events != nil {
		about++
		opKnown(l, path+".events", *c.Events)
	}
	if len(c.Order) > 0 {
		about++
		for j, m := range c.Order {
			opKnown(l, fmt.Sprintf("%s.order[%d]", path, j), m)
		}
	}
	if about != 1 {
		l.add(path, "%s", one)
		return false
	}
	op, compares := c.compared()
	counted := c.Objects != nil || c.Events != nil || c.Event != nil && c.Count != ""
	switch {
	case compares && (c.Events == nil || c.In == ""):
		l.add(path+".count", "only the number of events in a counterfactual is compared with the real world's: add in, or write a number")
	case compares:
		if _, err := parseCount(op + "0"); err != nil {
			l.add(path+".count", "count %q is not a comparison: write > real, == real or < real", c.Count)
		}
	case counted:
		if _, err := parseCount(c.Count); err != nil {
			l.add(path+".count", "%v", err)
		}
	case c.Output != nil && c.Count != "":
		l.add(path+".count", "a claim on an output has no count")
	case c.Count != "":
		l.add(path+".count", "a claim on an order has no count")
	}
	return true
}

// eventProblems are those of a claim on Events of the API.
func (s *Scenario) eventProblems(l *checklist, path string, e *Event) {
	if *e == (Event{}) {
		l.add(path, "event says nothing about it: write {reason: Scheduled, object: pod/web-*}")
	}
	if e.Type != "" && e.Type != "Normal" && e.Type != "Warning" {
		l.add(path+".type", "unknown type of Event %q (%s)", e.Type, suggest.Cure(e.Type, []string{"Normal", "Warning"}))
	}
	if kind, _, slash := strings.Cut(e.Object, "/"); e.Object != "" && (!slash || api.Resolve(kind) == nil) {
		l.add(path+".object", "object %q is not a kind and name: write pod/web-*", e.Object)
	}
}

func (s *Scenario) markProblems(l *checklist, path string, m Mark) {
	from, known := s.after(l, path, m.After)
	if m.ID == "" {
		l.add(path, "a mark needs an id")
	}
	if m.Nth < 0 {
		l.add(path+".nth", "nth counts from 1")
	}
	switch {
	case m.When != nil:
		opKnown(l, path+".when", *m.When)
		if m.At != 0 {
			l.add(path+".at", "a mark is when an event happens, or at a time: not both")
		}
	case m.Nth > 0:
		l.add(path+".nth", "nth needs when: the nth of which event?")
	case known && from+m.At > s.End:
		l.add(path+".at", "%v after %s is %v, past the demo's end, %v", m.At, since(m.After), from+m.At-s.Setup, s.End-s.Setup)
	}
}

func opKnown(l *checklist, path string, m Match) {
	if m.Op != "" && !trace.Known(trace.Op(m.Op)) {
		l.add(path+".op", "unknown kind of event %q (%s)", m.Op, suggest.Cure(m.Op, trace.OpNames()))
	}
}

// since says what "after" means.
func since(after string) string {
	if after == "" {
		return "the end of the setup"
	}
	return fmt.Sprintf("step %q", after)
}
