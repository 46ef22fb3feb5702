package scenario

import (
	"fmt"
	"time"

	"kubewalk/playground/trace"
)

// From is the time from which on a mark's event counts.
func (s *Scenario) From(m Mark) time.Duration { return s.start(m.After) }

// TimeOf is when a mark without an event is.
func (s *Scenario) TimeOf(m Mark) time.Duration { return s.start(m.After) + m.At }

// Find returns the event that a mark points at: the nth that matches after the
// mark's step, or, for a mark that is a time, the last that has happened then.
// It fails when there is none.
func (s *Scenario) Find(m Mark, rec *trace.Recorder) (trace.ID, error) {
	from := s.start(m.After)
	if m.When == nil {
		last := trace.ID(0)
		for i := range rec.Len() {
			e := rec.Event(trace.ID(i + 1))
			if e.At > s.TimeOf(m) {
				break
			}
			last = e.ID
		}
		if last == 0 {
			return 0, fmt.Errorf("mark %q: nothing has happened by %v", m.ID, from+m.At-s.Setup)
		}
		return last, nil
	}
	want := max(m.Nth, 1)
	n := 0
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.At >= from && m.When.Matches(e) {
			if n++; n == want {
				return e.ID, nil
			}
		}
	}
	if n == 0 {
		return 0, fmt.Errorf("mark %q: event %q did not happen after %s", m.ID, m.When, since(m.After))
	}
	return 0, fmt.Errorf("mark %q: event %q happened %d times after %s, not %d", m.ID, m.When, n, since(m.After), want)
}

// CheckMarks tells which marks point at nothing, and which come before one that is listed above them: they are numbered as they are listed.
func (s *Scenario) CheckMarks(rec *trace.Recorder) []Failure {
	var l checklist
	last, of := trace.ID(0), ""
	for i, m := range s.Marks {
		id, err := s.Find(m, rec)
		switch {
		case err != nil:
			l.add(fmt.Sprintf("marks[%d]", i), "%v", err)
		case id < last:
			l.add(fmt.Sprintf("marks[%d]", i), "mark %q comes before mark %q, which is listed above it: list marks in the order in which they happen", m.ID, of)
		default:
			last, of = id, m.ID
		}
	}
	return l
}
