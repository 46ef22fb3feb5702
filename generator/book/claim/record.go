package claim

import (
	"bytes"
	"compress/flate"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/session"
	"kubewalk/playground/trace"
)

// Record is what claims can be held against, as plain data: the events of a run
// and what its commands printed. Objects are in the recording's details.
type Record struct {
	World   string            // the counterfactual that it is of; "" for the real world
	Label   map[string]string // of a counterfactual, by language
	Seed    uint64
	Epoch   time.Time // where the demo's clock begins
	Setup   time.Duration
	Events  []Event
	Marks   []Mark
	Outputs []Output
	Parts   int // the first event of a counterfactual that the real world has not
}

// Event is an event of the trace. Its number is its place in the list, from 1.
type Event struct {
	At     time.Duration // since the epoch
	Who    string
	Op     string
	Object trace.Ref
	Attrs  []string // key, value, key, value …
}

// Mark is a moment of the author's: the event that it points at. A counterfactual
// may not come to it: then there is none, and Why says what is missing.
type Mark struct {
	ID    string
	Event int
	Why   string
}

// Output is what a command printed, by when it was typed.
type Output struct {
	At   time.Duration
	Text string
}

// NewRecord keeps what claims may ask of a finished run, of the real world or, with
// its id, of a counterfactual.
func NewRecord(s *scenario.Scenario, world string, run *session.Session) (*Record, error) {
	rec := run.Cluster().Trace()
	r := &Record{World: world, Seed: s.Seed, Epoch: s.Cluster.Epoch, Setup: s.Setup}
	for _, w := range s.WhatIf {
		if w.ID == world {
			r.Label = w.Label
		}
	}
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		kept := Event{At: e.At, Who: e.Component, Op: string(e.Op), Object: e.Object}
		for _, a := range e.Attrs {
			kept.Attrs = append(kept.Attrs, a.Key, trace.String(a.Value))
		}
		r.Events = append(r.Events, kept)
	}
	for _, m := range s.Marks {
		id, err := s.Find(m, rec)
		why := ""
		if err != nil {
			if world == "" {
				return nil, err
			}
			why = strings.TrimPrefix(err.Error(), fmt.Sprintf("mark %q: ", m.ID))
		}
		r.Marks = append(r.Marks, Mark{m.ID, int(id), why})
	}
	for i, o := range run.Cluster().Outcomes() {
		if i < len(s.Steps) && o.Done {
			text := strings.TrimSpace(strings.Join([]string{o.Output, o.Warning, o.Error}, "\n"))
			r.Outputs = append(r.Outputs, Output{s.Steps[i].At, text})
		}
	}
	return r, nil
}

// Encode is the record as bytes, for a cache.
func (r *Record) Encode() ([]byte, error) {
	var out bytes.Buffer
	zipped, err := flate.NewWriter(&out, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := gob.NewEncoder(zipped).Encode(r); err != nil {
		return nil, err
	}
	err = zipped.Close()
	return out.Bytes(), err
}

// Decode reads what Encode wrote.
func Decode(record []byte) (*Record, error) {
	r := new(Record)
	if err := gob.NewDecoder(flate.NewReader(bytes.NewReader(record))).Decode(r); err != nil {
		return nil, fmt.Errorf("record of a demo: %w", err)
	}
	return r, nil
}

// Run is a recorded run that claims are held against.
type Run struct {
	*Record
	details details
	objects map[int]map[string]any // by event, as far as somebody has asked
}

// details are recording.Details, of which few objects are ever looked at.
type details struct {
	Objects map[int]json.RawMessage `json:"objects"`
	Base    map[int]int             `json:"base"`
}

// Open reads what Encode wrote, and the recording's details as JSON.
func Open(record, written []byte) (*Run, error) {
	kept, err := Decode(record)
	if err != nil {
		return nil, err
	}
	r := &Run{Record: kept, objects: map[int]map[string]any{}}
	if err := json.Unmarshal(written, &r.details); err != nil {
		return nil, fmt.Errorf("details of a demo: %w", err)
	}
	return r, nil
}

// event is the event of that number, as conditions want it.
func (r *Run) event(n int) *trace.Event {
	kept := &r.Events[n-1]
	e := &trace.Event{ID: trace.ID(n), At: kept.At, Component: kept.Who, Op: trace.Op(kept.Op), Object: kept.Object}
	for i := 0; i+1 < len(kept.Attrs); i += 2 {
		e.Attrs = append(e.Attrs, trace.Attr{Key: kept.Attrs[i], Value: kept.Attrs[i+1]})
	}
	return e
}

// object is the object that an event wrote. A version is a patch on the one
// before, so those in between are kept.
func (r *Run) object(event int) map[string]any {
	if known, ok := r.objects[event]; ok {
		return known
	}
	var chain []int
	for at := event; ; {
		chain = append(chain, at)
		base, patched := r.details.Base[at]
		if !patched || r.objects[base] != nil {
			break
		}
		at = base
	}
	for _, at := range slices.Backward(chain) {
		var object map[string]any
		if json.Unmarshal(r.details.Objects[at], &object) != nil {
			panic(fmt.Sprintf("claim: event %d holds no object", at)) // the build wrote it
		}
		if base, patched := r.details.Base[at]; patched {
			object = recording.Merge(r.objects[base], object)
		}
		r.objects[at] = object
	}
	return r.objects[event]
}

// state are the newest versions of a resource's objects after an event, by the
// event that wrote them, in the order of their names.
func (r *Run) state(resource string, until int) []int {
	newest := map[trace.Ref]int{}
	for n := 1; n <= until; n++ {
		e := &r.Events[n-1]
		if e.Op != string(trace.StoreCommit) || e.Object.Resource != resource {
			continue
		}
		if _, ok := r.details.Objects[n]; ok {
			newest[e.Object] = n
		} else {
			delete(newest, e.Object)
		}
	}
	out := make([]int, 0, len(newest))
	for _, n := range newest { // order: sorted below
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b int) int {
		return strings.Compare(r.Events[a-1].Object.Key(), r.Events[b-1].Object.Key())
	})
	return out
}

// mark is a moment's event, and its number in the storyboard; the end's for "".
func (r *Run) mark(id string) (event, number int, ok bool) {
	if id == "" {
		return len(r.Events), 0, true
	}
	for i, m := range r.Marks {
		if m.ID == id {
			return m.Event, i + 1, m.Event != 0
		}
	}
	return 0, 0, false
}

// time is when an event happened; the epoch for none.
func (r *Run) time(event int) time.Duration {
	if event == 0 {
		return 0
	}
	return r.Events[event-1].At
}

// begun is the last event of the set-up.
func (r *Run) begun() int {
	n, _ := slices.BinarySearchFunc(r.Events, r.Setup, func(e Event, setup time.Duration) int {
		if e.At <= setup {
			return -1
		}
		return 1
	})
	return n
}
