package trace

import (
	"slices"
	"sort"
)

// Level says how much of a run is kept.
type Level int

const (
	Off       Level = iota // nothing: for benchmarks
	Objects                // commits but those of Leases and Events, inputs, and components that come and go: for thousands of Pods
	All                    // everything
	Unstacked              // everything but the call stacks, which take a fifth of the time: for experiments by the thousand
	Totals                 // counts instead of commits, beside inputs and components: for hundreds of thousands of Pods
)

// keeps tells whether events of that kind are kept at the level.
func (l Level) keeps(op Op) bool {
	switch l {
	case Off:
		return false
	case Objects:
		return op == StoreCommit || op == StoreCompact || op == Input || op == ComponentStart || op == ComponentStop
	case Totals:
		return op == Summary || op == Input || op == ComponentStart || op == ComponentStop
	}
	return true
}

// State is what is visible at one moment: every cell and its value.
// It must not be changed by who is given it.
type State map[Cell]any

// Recorder keeps a run's events and folds them into states.
type Recorder struct {
	level  Level
	events [][]Event // in pieces of eventsInPiece, so that none of them ever moves
	length int       // of all of them
	stacks *Stacks
	now    State

	// What is left of the pieces that attributes and deltas were last put into: events share them, so none allocates its own.
	attrs  []Attr
	deltas []Delta

	// Who owns what is asked for when a component stops, so it is followed only then.
	followed int                          // up to this event
	owned    map[string]map[Cell]struct{} // component → cells that it set and that still are
	owners   map[Cell][]string            // the same the other way round
}

// NewRecorder returns an empty recorder.
func NewRecorder(level Level) *Recorder {
	return &Recorder{
		level:  level,
		stacks: NewStacks(),
		now:    State{},
		owned:  map[string]map[Cell]struct{}{},
		owners: map[Cell][]string{},
	}
}

// Keeps tells whether an event of that kind would be kept, so that a caller
// can leave out the work of making it.
func (r *Recorder) Keeps(op Op) bool { return r.level.keeps(op) }

// Record appends an event, gives it its number and fills in the deltas' old
// values. A delta that changes nothing is dropped. skip is the number of stack
// frames between the code that caused the event and Record.
// It returns 0 when the level does not keep such events.
//
// attrs and deltas are copied, and are no fields of e, so that who calls may have them on its stack: nothing of them but what is in
// them escapes.
func (r *Recorder) Record(e Event, attrs []Attr, deltas []Delta, skip int) ID {
	if !r.level.keeps(e.Op) || r.level == Objects && e.Op == StoreCommit && (e.Object.Resource == "leases" || e.Object.Resource == "events") {
		return 0
	}
	e.ID = ID(r.length + 1)
	if r.level != Unstacked {
		e.Stack = r.stacks.Capture(skip + 1)
	}
	e.Attrs, e.Deltas = r.keep(attrs), r.apply(deltas)
	if r.length%eventsInPiece == 0 {
		r.events = append(r.events, make([]Event, 0, eventsInPiece))
	}
	last := &r.events[len(r.events)-1]
	*last = append(*last, e)
	r.length++
	return e.ID
}

// How many events, attributes and deltas are allocated at once.
const eventsInPiece, attrsInPiece, deltasInPiece = 512, 1024, 512

// keep copies attributes to where they stay.
func (r *Recorder) keep(attrs []Attr) []Attr {
	n := len(attrs)
	if n == 0 {
		return nil
	}
	if n > len(r.attrs) {
		r.attrs = make([]Attr, max(n, attrsInPiece))
	}
	kept := r.attrs[:n:n]
	r.attrs = r.attrs[n:]
	copy(kept, attrs)
	return kept
}

// apply changes the state, and returns the deltas that change it.
func (r *Recorder) apply(deltas []Delta) []Delta {
	if len(deltas) > len(r.deltas) {
		r.deltas = make([]Delta, max(len(deltas), deltasInPiece))
	}
	kept := r.deltas[:0]
	for _, d := range deltas {
		d.Old = r.now[d.Cell]
		if d.Old == d.New { // values are comparable: scalars, small structs, pointers to objects
			continue
		}
		if d.New == nil {
			delete(r.now, d.Cell)
		} else {
			r.now[d.Cell] = d.New
		}
		kept = append(kept, d)
	}
	n := len(kept)
	r.deltas = r.deltas[n:]
	return kept[:n:n]
}

// A component's memory dies with it. Messages live on the wire and objects in
// the store, so they belong to nobody.
func (k CellKind) diesWithComponent() bool {
	return k != CellMessage && k != CellObject && k != CellRevision && k != CellCompacted
}

func (r *Recorder) own(component string, c Cell) {
	if !c.Kind.diesWithComponent() {
		return
	}
	owners := r.owners[c]
	if slices.Contains(owners, component) {
		return
	}
	r.owners[c] = append(owners, component)
	cells := r.owned[component]
	if cells == nil {
		cells = map[Cell]struct{}{}
		r.owned[component] = cells
	}
	cells[c] = struct{}{}
}

func (r *Recorder) disown(c Cell) {
	if !c.Kind.diesWithComponent() {
		return
	}
	for _, component := range r.owners[c] {
		delete(r.owned[component], c)
	}
	delete(r.owners, c)
}

// Owned lists the cells that die with a component, in order.
func (r *Recorder) Owned(component string) []Cell {
	for ; r.followed < r.length; r.followed++ {
		e := r.Event(ID(r.followed + 1))
		for _, d := range e.Deltas {
			if d.New == nil {
				r.disown(d.Cell)
			} else {
				r.own(e.Component, d.Cell)
			}
		}
	}
	out := make([]Cell, 0, len(r.owned[component]))
	for c := range r.owned[component] {
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Less(out[j]) })
	return out
}

// Less orders cells by kind, owner and key.
func (c Cell) Less(d Cell) bool {
	if c.Kind != d.Kind {
		return c.Kind < d.Kind
	}
	if c.Owner != d.Owner {
		return c.Owner < d.Owner
	}
	return c.Key < d.Key
}

// Len is the number of events, and the ID of the newest.
func (r *Recorder) Len() int { return r.length }

// Event returns one event. It panics when there is none with that ID.
func (r *Recorder) Event(id ID) *Event {
	return &r.events[(id-1)/eventsInPiece][(id-1)%eventsInPiece]
}

// Events returns a copy of the events from one ID on, for tests: in a long run
// they are many megabytes. To go through them, use Len and Event.
func (r *Recorder) Events(from ID) []Event {
	out := make([]Event, 0, r.length-int(from-1))
	for id := from; int(id) <= r.length; id++ {
		out = append(out, *r.Event(id))
	}
	return out
}

// Stacks is the table that the events' stacks point into.
func (r *Recorder) Stacks() *Stacks { return r.stacks }

// Now is the newest state. It changes with the next event: to keep it, use At.
func (r *Recorder) Now() State { return r.now }

// At returns the state right after an event; At(0) is the state before the first.
func (r *Recorder) At(id ID) State {
	s := State{}
	for i := range id {
		s.Apply(r.Event(i + 1))
	}
	return s
}

// Apply moves a state over an event.
func (s State) Apply(e *Event) {
	for _, d := range e.Deltas {
		if d.New == nil {
			delete(s, d.Cell)
		} else {
			s[d.Cell] = d.New
		}
	}
}

// Undo moves a state back over an event.
func (s State) Undo(e *Event) {
	for i := len(e.Deltas) - 1; i >= 0; i-- {
		d := e.Deltas[i]
		if d.Old == nil {
			delete(s, d.Cell)
		} else {
			s[d.Cell] = d.Old
		}
	}
}

// Cells lists the cells of a kind, in order.
func (s State) Cells(kind CellKind) []Cell {
	var out []Cell
	for c := range s {
		if c.Kind == kind {
			out = append(out, c)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Less(out[j]) })
	return out
}
