package rehearsal

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/trace"
)

// Selection is what Print shows of a trace; the zero value is all of it.
type Selection struct {
	scenario.Match        // who and op
	Object         string // web-*, pods/web-* or "pods default/web-*"
	From           string // a step or a mark
	// Languages asks for lines that an author can paste, with captions in these.
	Languages []string
}

// print writes the events that are selected. Times count from the end of the setup, as
// those in the demo's file do.
func (w Selection) print(s *scenario.Scenario, t *trace.Recorder, out io.Writer) error {
	if err := w.Check(components(s, t)); err != nil {
		return err
	}
	var from time.Duration
	if w.From != "" {
		var err error
		if from, err = s.Moment(w.From, t); err != nil {
			return err
		}
	}
	if w.Languages != nil { // marks and claims count from the end of the setup
		from = max(from, s.Setup)
	}
	about, err := w.about()
	if err != nil {
		return err
	}
	var found []*trace.Event
	wanted := func(e *trace.Event) bool { return e.At >= from && w.Matches(e) && about(e.Object) }
	for i := range t.Len() {
		if e := t.Event(trace.ID(i + 1)); wanted(e) {
			found = append(found, e)
		}
	}
	switch {
	case len(found) == 0:
		return errors.New("no event matches (without flags, trace prints all of them)")
	case w.Languages != nil:
		return paste(s, t, found, w.Languages, out)
	}
	return t.PrintSome(out, s.Setup, wanted)
}

// about reads how a person names an object.
func (w Selection) about() (func(trace.Ref) bool, error) {
	if w.Object == "" || strings.Contains(w.Object, " ") {
		match := scenario.Match{Object: w.Object}
		return func(o trace.Ref) bool { return match.Matches(&trace.Event{Object: o}) }, nil
	}
	resource, name, kinded := strings.Cut(w.Object, "/")
	if !kinded {
		resource, name = "", w.Object
	} else if k := api.Resolve(resource); k != nil {
		resource = k.Resource
	} else {
		return nil, fmt.Errorf("object %q is not a kind and name: write pod/web-*", w.Object)
	}
	return func(o trace.Ref) bool {
		return (resource == "" || o.Resource == resource) && o.Name != "" && fits(name, o.Name)
	}, nil
}
