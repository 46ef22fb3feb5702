package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// Attempt watches a run for whether it solves an exercise. It is read along
// with the run: each event is looked at once, and each object that changes is
// held against the conditions once.
type Attempt struct {
	exercise    *Exercise
	since       time.Duration // the reader's first input
	goal, never []*gauge
	hints       [][]*gauge

	next trace.ID // the first event that was not read yet
	now  time.Duration
	last trace.ID      // the last event of now
	held time.Duration // since when the goal holds; -1 when it does not
	by   trace.ID      // the event that brought it about
	out  Progress
}

// Progress is what is known of an attempt. Times are µs since the epoch.
type Progress struct {
	// Since is the reader's first input, Until how far the run has come.
	Since int64 `json:"since"`
	Until int64 `json:"until"`
	// Changes is what holds from which moment on; the first is the state at Since.
	Changes []Change `json:"changes"`
	// At most one of these is set. Solved is when the goal had held for long
	// enough, with the event that brought it about; Spoilt is when something was
	// so that never must be, Late when there was no time left.
	Solved *Moment `json:"solved,omitempty"`
	Spoilt *Moment `json:"spoilt,omitempty"`
	Late   *Moment `json:"late,omitempty"`
}

// Change is what holds from a moment on: each part of the goal, and what each hint is for.
type Change struct {
	At    int64  `json:"at"`
	Event int    `json:"event"` // the last of that moment
	Goal  []bool `json:"goal"`
	Hints []bool `json:"hints,omitempty"`
}

// Moment is when something was decided.
type Moment struct {
	At    int64 `json:"at"`
	Event int   `json:"event"`
	Part  int   `json:"part,omitempty"` // Spoilt: which of Never
}

// Attempt begins to watch a run in which the reader's first input is at since.
// It panics for an exercise that has problems.
func (x *Exercise) Attempt(since time.Duration) *Attempt {
	a := &Attempt{exercise: x, since: since, held: -1, next: 1, goal: gauges(x.Goal), never: gauges(x.Never)}
	for _, h := range x.Hints {
		a.hints = append(a.hints, gauges(h.When))
	}
	a.out = Progress{Since: since.Microseconds(), Changes: []Change{}}
	return a
}

// Read goes on to where the run is: what happened up to elapsed has all
// happened. It returns what is known now, which must not be changed.
func (a *Attempt) Read(rec *trace.Recorder, elapsed time.Duration) *Progress {
	for ; int(a.next) <= rec.Len() && !a.out.Over(); a.next++ {
		e := rec.Event(a.next)
		if e.At > a.now {
			a.look(e.At)
			a.now = e.At
		}
		a.last = e.ID
		a.apply(e)
	}
	if !a.out.Over() {
		a.look(elapsed)
		a.now = max(a.now, elapsed)
	}
	a.out.Until = elapsed.Microseconds()
	return &a.out
}

// Solved tells whether the goal was reached, and when.
func (a *Attempt) Solved() (time.Duration, bool) {
	if a.out.Solved == nil {
		return 0, false
	}
	return time.Duration(a.out.Solved.At) * time.Microsecond, true
}

// Over tells that nothing that happens can change the result.
func (p *Progress) Over() bool { return p.Solved != nil || p.Spoilt != nil || p.Late != nil }

// Lacks says why the goal was not reached. Times count from the end of the setup.
func (a *Attempt) Lacks(setup time.Duration) string {
	since := func(m *Moment) time.Duration { return time.Duration(m.At)*time.Microsecond - setup }
	if m := a.out.Spoilt; m != nil {
		return fmt.Sprintf("what must never be so was so at %v: %s", since(m), a.never[m.Part])
	}
	var lacks []string
	for _, g := range a.goal {
		if !g.holds() {
			lacks = append(lacks, g.String())
		}
	}
	late := ""
	if a.out.Late != nil {
		late = fmt.Sprintf("at %v, when the time was up, ", since(a.out.Late))
	}
	if len(lacks) == 0 {
		return late + "it does not hold for " + a.exercise.Holds.String()
	}
	return late + strings.Join(lacks, "; ")
}

func (a *Attempt) apply(e *trace.Event) {
	began := e.At >= a.since
	for _, g := range a.goal {
		g.apply(e, began)
	}
	for _, g := range a.never {
		g.apply(e, began)
	}
	for _, hint := range a.hints {
		for _, g := range hint {
			g.apply(e, began)
		}
	}
}

// look judges the state that there is from now on, up to until.
func (a *Attempt) look(until time.Duration) {
	from := max(a.now, a.since)
	if until < a.since {
		return
	}
	a.note(from)
	for i, g := range a.never {
		if g.holds() {
			a.out.Spoilt = &Moment{At: from.Microseconds(), Event: int(a.last), Part: i}
			return
		}
	}
	limit := a.since + a.exercise.Within
	switch holds := all(a.goal); {
	case holds && a.held < 0 && (a.exercise.Within == 0 || from <= limit):
		a.held, a.by = from, a.last
	case !holds:
		a.held = -1
	}
	switch {
	case a.held >= 0 && a.held+a.exercise.Holds <= until:
		a.out.Solved = &Moment{At: (a.held + a.exercise.Holds).Microseconds(), Event: int(a.by)}
	case a.held < 0 && a.exercise.Within > 0 && until > limit:
		a.out.Late = &Moment{At: limit.Microseconds(), Event: int(a.last)}
	}
}

// note keeps what holds from a moment on, when it is something else than before.
func (a *Attempt) note(at time.Duration) {
	c := Change{At: at.Microseconds(), Event: int(a.last), Goal: make([]bool, 0, len(a.goal))}
	for _, g := range a.goal {
		c.Goal = append(c.Goal, g.holds())
	}
	for _, hint := range a.hints {
		c.Hints = append(c.Hints, all(hint))
	}
	if n := len(a.out.Changes); n > 0 && slices.Equal(a.out.Changes[n-1].Goal, c.Goal) && slices.Equal(a.out.Changes[n-1].Hints, c.Hints) {
		return
	}
	a.out.Changes = append(a.out.Changes, c)
}

// gauge measures one condition.
type gauge struct {
	*Part
	want    number
	count   *counter
	n       int // events, or how far an order has come
	printed map[string]string
	said    bool // a command has printed everything
}

func gauges(parts []Part) (out []*gauge) {
	for i := range parts {
		g := &gauge{Part: &parts[i]}
		objects, count := g.Objects, g.Count
		if g.Event != nil {
			objects = g.Event.objects()
			if count == "" {
				count = ">= 1"
			}
		}
		var err error
		if objects != nil {
			if g.count, err = objects.counter(); err != nil {
				panic("scenario: condition was not checked: " + err.Error())
			}
		}
		if objects != nil || g.Events != nil {
			if g.want, err = parseCount(count); err != nil {
				panic("scenario: condition was not checked: " + err.Error())
			}
		}
		out = append(out, g)
	}
	return out
}

func all(gauges []*gauge) bool {
	for _, g := range gauges {
		if !g.holds() {
			return false
		}
	}
	return true
}

func (g *gauge) apply(e *trace.Event, began bool) {
	switch {
	case g.Objects != nil, g.Event != nil && began:
		g.count.apply(e)
	case !began:
	case g.Events != nil:
		if g.Events.Matches(e) {
			g.n++
		}
	case g.Order != nil:
		if g.n < len(g.Order) && g.Order[g.n].Matches(e) {
			g.n++
		}
	case g.Output != nil && !g.said:
		g.read(e)
	}
}

// read collects what a command prints, by the process that does; what the cluster
// itself answers, to a request, stands in one event.
func (g *gauge) read(e *trace.Event) {
	if e.Op == trace.Input {
		clear(g.printed)
	}
	if e.Op != trace.Log || e.Component != cluster.Kubectl && e.Get("input") == nil {
		return
	}
	if g.printed == nil {
		g.printed = map[string]string{}
	}
	text := g.printed[e.Process] + "\n" + e.Text("message") + "\n" + e.Text("error")
	g.printed[e.Process] = text
	g.said = !slices.ContainsFunc(g.Output, func(part string) bool { return !strings.Contains(text, part) })
}

func (g *gauge) holds() bool {
	switch {
	case g.count != nil:
		return g.want.holds(g.count.n)
	case g.Events != nil:
		return g.want.holds(g.n)
	case g.Order != nil:
		return g.n == len(g.Order)
	}
	return g.said
}

// String is what the condition asks for, and what there is instead.
func (g *gauge) String() string {
	switch {
	case g.count != nil:
		return fmt.Sprintf("the number of %s should have been %s, but it is %d%s", &g.count.Objects, g.want, g.count.n, g.count.instead(g.want))
	case g.Events != nil:
		return fmt.Sprintf("the number of events %q should have been %s, but it is %d", g.Events, g.want, g.n)
	case g.Order != nil && g.n < len(g.Order):
		return fmt.Sprintf("event %q did not happen", g.Order[g.n])
	case g.Order != nil:
		return fmt.Sprintf("event %q happened", g.Order[g.n-1])
	}
	return fmt.Sprintf("no command printed %q", strings.Join(g.Output, ", "))
}
