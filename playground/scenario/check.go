package scenario

import (
	"fmt"
	"time"

	"kubewalk/playground/trace"
)

// Check holds every claim against a finished run's trace. Times in messages
// count from the set-up's end, as an author's do.
func (s *Scenario) Check(rec *trace.Recorder) []Failure {
	var l checklist
	for i, c := range s.Claims {
		from := s.start(c.After)
		k := check{Claim: c, rec: rec, setup: s.Setup, from: from, to: from + c.Within}
		var wrong string
		switch {
		case c.Objects != nil:
			wrong = k.objects()
		case c.Events != nil:
			wrong = k.events()
		default:
			wrong = k.order()
		}
		if wrong != "" {
			l.add(fmt.Sprintf("claims[%d]", i), "%s", wrong)
		}
	}
	return l
}

// check is a claim and the time that it is about, both ends included.
type check struct {
	Claim
	rec             *trace.Recorder
	setup, from, to time.Duration
}

// objects looks at the state at from, and then after each moment in which
// something was committed: what is there between two commits of the same moment
// lasts no time.
func (k check) objects() string {
	count, err := k.Objects.counter()
	if err != nil {
		return err.Error()
	}
	want, err := parseCount(k.Count)
	if err != nil {
		return err.Error()
	}
	held := time.Duration(-1) // when it came true
	atEnd := 0                // the number when the time was up
	// look judges a moment; it returns false when there is nothing left to see.
	look := func(at time.Duration) (wrong string, more bool) {
		n := count.n
		switch {
		case held < 0 && at > k.to:
			return "", false
		case held < 0:
			if atEnd = n; want.holds(n) {
				held = at
			}
			return "", held < 0 || k.Stays
		case !want.holds(n):
			return fmt.Sprintf("the number of %s was %s at %v, as it is to stay, but %d at %v", k.Objects, want, held-k.setup, n, at-k.setup), false
		}
		return "", true
	}
	now, changed := k.from, true
	for i := range k.rec.Events(1) {
		e := k.rec.Event(trace.ID(i + 1))
		if e.At > now && changed {
			wrong, more := look(now)
			if !more {
				return k.verdict(wrong, held, want, atEnd)
			}
			changed = false
		}
		if count.apply(e); e.Op == trace.StoreCommit {
			now, changed = max(k.from, e.At), true
		}
	}
	wrong := ""
	if changed {
		wrong, _ = look(now)
	}
	return k.verdict(wrong, held, want, atEnd)
}

func (k check) verdict(wrong string, held time.Duration, want number, atEnd int) string {
	if wrong == "" && held < 0 {
		return fmt.Sprintf("the number of %s was to be %s within %v of %s, but it was %d at %v", k.Objects, want, k.Within, since(k.After), atEnd, k.to-k.setup)
	}
	return wrong
}

// during calls do for every event of the time, until it returns false.
func (k check) during(do func(e *trace.Event) bool) {
	for i := range k.rec.Events(1) {
		if e := k.rec.Event(trace.ID(i + 1)); e.At >= k.from && (e.At > k.to || !do(e)) {
			return
		}
	}
}

func (k check) events() string {
	want, err := parseCount(k.Count)
	if err != nil {
		return err.Error()
	}
	n := 0
	k.during(func(e *trace.Event) bool {
		if k.Events.Matches(e) {
			n++
		}
		return true
	})
	if !want.holds(n) {
		return fmt.Sprintf("the number of events %q was to be %s within %v of %s, but it was %d", k.Events, want, k.Within, since(k.After), n)
	}
	return ""
}

func (k check) order() string {
	next := 0
	k.during(func(e *trace.Event) bool {
		if k.Order[next].Matches(e) {
			next++
		}
		return next < len(k.Order)
	})
	switch next {
	case len(k.Order):
		return ""
	case 0:
		return fmt.Sprintf("event %q did not happen within %v of %s", k.Order[0], k.Within, since(k.After))
	}
	return fmt.Sprintf("event %q did not happen after %q within %v of %s", k.Order[next], k.Order[next-1], k.Within, since(k.After))
}
