package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/trace"
)

// Exercise asks a reader to bring the cluster to a state, or to foretell one.
// An Attempt tells of a run whether it does.
type Exercise struct {
	ID   string            `json:"id"`
	Task map[string]string `json:"task"` // by language, plain text
	// From is the step or mark to begin at, Offset how long after it; "" counts
	// from the end of the setup. Without either a reader begins anywhere.
	From   string        `json:"from,omitempty"`
	Offset time.Duration `json:"offset,omitempty"`
	// Begin is when that is, since the epoch. Whoever has run the demo fills it in: see Settle.
	Begin time.Duration `json:"begin,omitempty"`
	// Version changes when what counts does. Whoever publishes the demo fills it in.
	Version string `json:"version,omitempty"`

	// Goal is what has to hold, all of it in the same moment; Never is what must
	// not have held in any moment from the reader's first input on.
	Goal  []Part `json:"goal,omitempty"`
	Never []Part `json:"never,omitempty"`
	// Holds is for how long the goal has to hold. Within is how long after the
	// reader's first input it may begin to; 0 is any time.
	Holds  time.Duration `json:"holds,omitempty"`
	Within time.Duration `json:"within,omitempty"`
	// Predict makes it a question: one of the options is right. The goal then
	// proves it, in the run of the answer, or else of the author's script.
	Predict []Option `json:"predict,omitempty"`

	Hints []Hint `json:"hints,omitempty"`
	// Answer is the author's. Its times count from Begin.
	Answer []Step `json:"answer,omitempty"`
	// Wrong are answers that must not reach the goal. They are for the build alone.
	Wrong [][]Step `json:"-"`
}

// Part is one condition of a goal: a claim without times, about one of Objects,
// Event, Events, Order and Output. Objects are those of the moment; the others
// count from the reader's first input on.
type Part struct {
	Text map[string]string `json:"text,omitempty"` // by language, for a list of what holds; may be nil
	Claim
}

// Option is an answer to a question.
type Option struct {
	Text  map[string]string `json:"text"` // by language
	Right bool              `json:"right,omitempty"`
	Why   map[string]string `json:"why"` // by language: why it is right, or not
}

// Hint helps a reader on. When is the state that it is for, all of it; empty is any.
type Hint struct {
	When []Part            `json:"when,omitempty"`
	Text map[string]string `json:"text"` // by language
}

// Exercise returns the exercise of that name; nil when there is none.
func (s *Scenario) Exercise(id string) *Exercise {
	for i := range s.Exercises {
		if s.Exercises[i].ID == id {
			return &s.Exercises[i]
		}
	}
	return nil
}

// Inputs is the author's answer, or a wrong one, with its times since the epoch.
func (x *Exercise) Inputs(steps []Step) (out []cluster.Input) {
	for _, st := range steps {
		in := st.Input
		in.At += x.Begin
		out = append(out, in)
	}
	return out
}

// Settle finds out when each exercise begins, in the trace of the author's run.
func (s *Scenario) Settle(rec *trace.Recorder) []Failure {
	var l checklist
	for i := range s.Exercises {
		x := &s.Exercises[i]
		at, err := s.begin(x.From, rec)
		if err != nil {
			l.add(fmt.Sprintf("exercises[%d].from", i), "%v", err)
		}
		if x.Begin = at + x.Offset; x.Begin > s.End {
			l.add(fmt.Sprintf("exercises[%d].from", i), "the exercise begins at %v, past the demo's end, %v", x.Begin-s.Setup, s.End-s.Setup)
		}
	}
	return l
}

// Moment is when a step or a mark is, in the trace of a run.
func (s *Scenario) Moment(id string, rec *trace.Recorder) (time.Duration, error) {
	if known := s.moments(); !slices.Contains(known, id) {
		return 0, fmt.Errorf("unknown step or mark %q (%s)", id, suggest.Cure(id, known))
	}
	return s.begin(id, rec)
}

// moments are the names of steps and marks.
func (s *Scenario) moments() (known []string) {
	for _, st := range s.Steps {
		known = append(known, st.ID)
	}
	for _, m := range s.Marks {
		known = append(known, m.ID)
	}
	return slices.DeleteFunc(known, func(id string) bool { return id == "" })
}

func (s *Scenario) begin(from string, rec *trace.Recorder) (time.Duration, error) {
	for _, m := range s.Marks {
		if _, isStep := s.Step(from); from == "" || isStep || m.ID != from {
			continue
		}
		if m.When == nil {
			return s.TimeOf(m), nil
		}
		id, err := s.Find(m, rec)
		if err != nil {
			return 0, err
		}
		return rec.Event(id).At, nil
	}
	return s.start(from), nil
}

func (s *Scenario) exerciseProblems(l *checklist, i int, x *Exercise) {
	path := fmt.Sprintf("exercises[%d]", i)
	if x.ID == "" {
		l.add(path, "an exercise needs an id")
	} else if strings.Trim(x.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		l.add(path+".id", "id %q is part of an address: use small letters, digits and hyphens", x.ID)
	}
	if slices.ContainsFunc(s.Exercises[:i], func(other Exercise) bool { return x.ID != "" && other.ID == x.ID }) {
		l.add(path+".id", "two exercises are called %q", x.ID)
	}
	if known := s.moments(); x.From != "" && !slices.Contains(known, x.From) {
		l.add(path+".from", "unknown step or mark %q (%s)", x.From, suggest.Cure(x.From, known))
	}
	if len(x.Goal) == 0 {
		l.add(path, "an exercise needs a goal: what has to hold when it is solved")
	}
	s.partProblems(l, path+".goal", x.Goal)
	s.partProblems(l, path+".never", x.Never)
	for j, h := range x.Hints {
		s.partProblems(l, fmt.Sprintf("%s.hints[%d].when", path, j), h.When)
	}
	if len(x.Predict) > 0 {
		predictProblems(l, path, x)
	} else {
		if len(x.Answer) == 0 {
			l.add(path, "an exercise needs an answer, which the build tries")
		}
		if len(s.Controls) == 0 {
			l.add(path, "a reader can do nothing here: add controls to the demo")
		}
	}
	answerProblems(l, path+".answer", x.Answer)
	for j, wrong := range x.Wrong {
		answerProblems(l, fmt.Sprintf("%s.wrong[%d]", path, j), wrong)
	}
}

func predictProblems(l *checklist, path string, x *Exercise) {
	right := 0
	for _, o := range x.Predict {
		if o.Right {
			right++
		}
	}
	if len(x.Predict) < 2 || right != 1 {
		l.add(path+".predict", "a question has two options or more, and one of them is right: true")
	}
	if len(x.Hints) > 0 {
		l.add(path+".hints", "a question has no hints: say why an option is wrong")
	}
	if len(x.Wrong) > 0 {
		l.add(path+".wrong", "the wrong answers to a question are its options")
	}
}

func answerProblems(l *checklist, path string, steps []Step) {
	var last time.Duration
	for i, st := range steps {
		if err := st.Input.Validate(); err != nil {
			l.add(fmt.Sprintf("%s[%d]", path, i), "%v", err)
		}
		if st.At < last {
			l.add(fmt.Sprintf("%s[%d].at", path, i), "step at %v comes after one at %v: put the steps in order of time", st.At, last)
		}
		last = max(last, st.At)
	}
}

// partProblems are those of conditions: a claim's, which here has neither a
// beginning nor an end.
func (s *Scenario) partProblems(l *checklist, path string, parts []Part) {
	for i, p := range parts {
		s.aboutProblems(l, fmt.Sprintf("%s[%d]", path, i), p.Claim, "a condition is about one of objects, event, events, order and output")
	}
}
