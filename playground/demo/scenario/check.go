package scenario

import (
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// Check holds every claim about the real world against a finished run's trace.
// Times in messages count from the end of the setup, as an author's do.
func (s *Scenario) Check(rec *trace.Recorder) []Failure { return s.CheckWorld("", rec, rec) }

// CheckWorld holds the claims about a counterfactual against its trace, and the
// real one's where they compare.
func (s *Scenario) CheckWorld(whatIf string, rec, real *trace.Recorder) []Failure {
	var l checklist
	for i, c := range s.Claims {
		if c.In != whatIf {
			continue
		}
		from := s.start(c.After)
		k := check{Claim: c, rec: rec, setup: s.Setup, from: from, to: from + c.Within}
		if op, ok := c.compared(); ok {
			then := k
			then.rec = real
			k.Count = fmt.Sprint(op, then.happened())
		}
		var wrong string
		switch {
		case c.Event != nil:
			k.Objects = c.Event.objects()
			if k.Count == "" {
				k.Count = ">= 1"
			}
			wrong = k.objects()
		case c.Objects != nil:
			wrong = k.objects()
		case c.Events != nil:
			wrong = k.events()
		case c.Before != nil:
			wrong = k.before()
		case c.Output != nil:
			continue // see CheckOutputs
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
	instead := ""             // what was there then
	last := k.from            // the last moment within the time: what is there is looked up only then
	for i := range k.rec.Len() {
		if e := k.rec.Event(trace.ID(i + 1)); e.Op == trace.StoreCommit && e.At <= k.to {
			last = max(last, e.At)
		}
	}
	// look judges a moment; it returns false when there is nothing left to see.
	look := func(at time.Duration) (wrong string, more bool) {
		n := count.n
		switch {
		case k.Always && at > k.to:
			return "", false
		case k.Always && !want.holds(n):
			return fmt.Sprintf("the number of %s should always have been %s, for %v from %s on, but it was %d at %v%s", k.Objects, want, k.Within,
				since(k.After), n, at-k.setup, count.instead(want)), false
		case k.Always:
			held = at
			return "", true
		case held < 0 && at > k.to:
			return "", false
		case held < 0:
			if atEnd = n; want.holds(n) {
				held = at
			} else if at >= last {
				instead = count.instead(want)
			}
			return "", held < 0 || k.Stays
		case !want.holds(n):
			return fmt.Sprintf("the number of %s was %s at %v and should have stayed so, but it was %d at %v%s", k.Objects, want, held-k.setup, n, at-k.setup,
				count.instead(want)), false
		}
		return "", true
	}
	now, changed := k.from, true
	for i := range k.rec.Len() {
		e := k.rec.Event(trace.ID(i + 1))
		if e.At > now && changed {
			wrong, more := look(now)
			if !more {
				return k.verdict(wrong, held, want, atEnd, instead)
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
	return k.verdict(wrong, held, want, atEnd, instead)
}

func (k check) verdict(wrong string, held time.Duration, want number, atEnd int, instead string) string {
	if wrong == "" && held < 0 {
		return fmt.Sprintf("the number of %s should have been %s within %v of %s, but it was %d at %v%s", k.Objects, want, k.Within, since(k.After), atEnd,
			k.to-k.setup, instead)
	}
	return wrong
}

// during calls do for every event of the time, until it returns false.
func (k check) during(do func(e *trace.Event) bool) {
	for i := range k.rec.Len() {
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
	if n := k.happened(); !want.holds(n) {
		return fmt.Sprintf("the number of events %q should have been %s within %v of %s, but it was %d", k.Events, want, k.Within, since(k.After), n)
	}
	return ""
}

// happened counts the events of the time.
func (k check) happened() (n int) {
	k.during(func(e *trace.Event) bool {
		if k.Events.Matches(e) {
			n++
		}
		return true
	})
	return n
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

// before holds the first event of each kind against the first of the next.
func (k check) before() string {
	first := make([]*trace.Event, len(k.Before))
	k.during(func(e *trace.Event) bool {
		for i := range k.Before {
			if first[i] == nil && k.Before[i].Matches(e) {
				first[i] = e
			}
		}
		return true
	})
	for i, e := range first {
		switch {
		case e == nil:
			return fmt.Sprintf("event %q did not happen within %v of %s", k.Before[i], k.Within, since(k.After))
		case i > 0 && first[i-1].ID >= e.ID:
			return fmt.Sprintf("event %q should have happened before %q, but it happened at %v, and the other at %v",
				k.Before[i-1], k.Before[i], first[i-1].At-k.setup, e.At-k.setup)
		}
	}
	return ""
}

// CheckOutputs holds claims on what commands printed against what became of
// the steps. outcomes are the cluster's, in the steps' order.
func (s *Scenario) CheckOutputs(outcomes []cluster.Outcome) []Failure {
	var l checklist
	for i, c := range s.Claims {
		if c.Output == nil || c.In != "" {
			continue
		}
		// The last command that was typed by then.
		until, last := s.start(c.After)+c.Within, -1
		for n, st := range s.Steps {
			if st.At <= until && n < len(outcomes) && outcomes[n].Done && st.Kind == cluster.Command {
				last = n
			}
		}
		path := fmt.Sprintf("claims[%d].output", i)
		if last < 0 {
			l.add(path, "no command had been typed, and had ended, within %v of %s", c.Within, since(c.After))
			continue
		}
		l.missing(path, s.Steps[last], outcomes[last], c.Output)
	}
	return l
}

// missing says which texts a command did not print, and what it printed instead.
func (l *checklist) missing(path string, st Step, o cluster.Outcome, texts []string) {
	printed := strings.TrimSpace(strings.Join([]string{o.Output, o.Warning, o.Error}, "\n"))
	for _, text := range texts {
		if !strings.Contains(printed, text) {
			l.add(path, "%s should have printed %q, but it printed %q", st.Input, text, printed)
		}
	}
}

// objects are the Events as objects.
func (e *Event) objects() *Objects {
	o := &Objects{Resource: "events", Fields: map[string]string{}}
	kind, name, _ := strings.Cut(e.Object, "/")
	if k := api.Resolve(kind); k != nil {
		kind = k.Kind
	}
	for path, want := range map[string]string{ // order: each has its own key
		"reason": e.Reason, "type": e.Type, "message": e.Message, "involvedObject.kind": kind, "involvedObject.name": name,
	} {
		if want != "" {
			o.Fields[path] = want
		}
	}
	return o
}
