package claim

import (
	"fmt"
	"strings"

	"kubewalk/generator/problem"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/trace"
)

// On is what the run says to a claim. The error is a problem.Problem without a
// place: a mark, an object or a value that is not there.
//
// The run is one of the world that the claim is about.
func (c *Claim) On(r *Run) (Value, error) {
	at, number, ok := r.mark(c.To)
	if !ok {
		return Value{}, c.noMark(c.To, r)
	}
	from, _, ok := r.mark(c.From)
	if !ok {
		return Value{}, c.noMark(c.From, r)
	}
	if c.Asks == Nothing && c.World != "" {
		at = r.Parts
	}
	v, at, err := c.value(r, from, at, number)
	if err == nil && c.World != "" {
		v.place = r.place(at)
	}
	return v, err
}

// value is what the run says, and the event that shows it.
func (c *Claim) value(r *Run, from, at, number int) (v Value, shown int, err error) {
	if c.From == "" {
		from = r.begun()
	} else if from > at {
		return v, at, wrong(fmt.Sprintf("write @%s..%s", c.To, c.From), "moment %q is after %q", c.From, c.To)
	}
	switch c.Asks {
	case Moment:
		return numberOf(number), at, nil
	case Field:
		v, err = c.fieldOn(r, at)
		return v, at, err
	case CountObjects:
		n := 0
		for _, event := range r.state(c.objects.Resource, at) {
			matches, err := c.objects.MatchesTree(r.object(event))
			if matches && err == nil {
				matches, err = c.objectHolds(r.object(event), r.Events[event-1].Object.String(), r)
			}
			if err != nil {
				return v, at, err
			}
			if matches {
				n++
			}
		}
		return numberOf(n), at, nil
	case CountEvents:
		n, _, err := c.eventsOn(r, from, at)
		return numberOf(n), at, err
	case Time:
		if took := r.time(at); c.From == "" {
			return durationOf(took), at, nil
		} else {
			return durationOf(took - r.time(from)), at, nil
		}
	case TimeUntil:
		if c.From == "" { // from the moment on
			from, at = at, len(r.Events)
			if c.To == "" {
				from = r.begun()
			}
		}
		_, first, err := c.eventsOn(r, from, at)
		if err != nil {
			return v, at, err
		}
		if first == 0 {
			return v, at, wrong("see what happens: kubewalk trace content/demos/"+c.Demo+".yaml", "event %q does not happen %s",
				strings.TrimPrefix(c.Text, "time "), c.where())
		}
		return durationOf(r.time(first) - r.time(from)), first, nil
	case EventValue:
		v, err = c.eventValue(r.event(at))
		return v, at, err
	case CommandOutput:
		for i := len(r.Outputs) - 1; i >= 0; i-- {
			if o := r.Outputs[i]; o.At <= r.time(at) && o.Text != "" {
				return Value{kind: part, text: o.Text}, at, nil
			}
		}
		return v, at, wrong("choose a later mark", "no command has printed anything %s", c.where())
	}
	return v, at, nil
}

// demo is how an error names the world that a claim is about.
func (c *Claim) demo() string {
	if c.World != "" {
		return fmt.Sprintf("counterfactual %q of demo %q", c.World, c.Demo)
	}
	return fmt.Sprintf("demo %q", c.Demo)
}

// where says which moment or time a claim is about.
func (c *Claim) where() string {
	switch {
	case c.From != "":
		return fmt.Sprintf("between marks %q and %q of %s", c.From, c.To, c.demo())
	case c.To != "":
		return fmt.Sprintf("at mark %q of %s", c.To, c.demo())
	}
	return "at the end of " + c.demo()
}

func (c *Claim) noMark(id string, r *Run) error {
	var known, reached []string
	why := ""
	for _, m := range r.Marks {
		known = append(known, m.ID)
		if m.Event != 0 {
			reached = append(reached, m.ID)
		} else if m.ID == id {
			why = m.Why
		}
	}
	if why != "" {
		return wrong("name a mark that it comes to: "+strings.Join(reached, ", "), "%s does not come to mark %q: %s", c.demo(), id, why)
	}
	return wrong(problem.DidYouMean(id, known), "demo %q has no mark %q", c.Demo, id)
}

func (c *Claim) fieldOn(r *Run, at int) (Value, error) {
	byName := scenario.Objects{Resource: c.objects.Resource, Namespace: c.objects.Namespace, Name: c.objects.Name}
	var found, names []string
	var tree map[string]any
	for _, event := range r.state(c.objects.Resource, at) {
		object := r.object(event)
		names = append(names, scenario.Field(object, "metadata.name"))
		if matches, err := byName.MatchesTree(object); err != nil {
			return Value{}, err
		} else if matches {
			tree = object
			found = append(found, r.Events[event-1].Object.Key())
		}
	}
	switch len(found) {
	case 0:
		return Value{}, wrong(problem.DidYouMean(c.objects.Name, names), "no object %s is there %s", c.object(), c.where())
	case 1:
	default:
		return Value{}, wrong("name one of them, or its namespace with -n", "%s is more than one object %s: %s", c.object(), c.where(),
			strings.Join(found[:min(len(found), 4)], ", "))
	}
	text := scenario.Field(tree, c.path)
	if text == "" {
		kind, err := (&Claim{}).resource(c.objects.Resource)
		if err != nil {
			return Value{}, err
		}
		t, err := typeAt(kind, c.path)
		if err != nil {
			return Value{}, err
		}
		if t != nil {
			text = absent(t)
		}
	}
	return valueOf(text), nil
}

// object is how the claim names its object.
func (c *Claim) object() string {
	object, _, _ := strings.Cut(c.Text, " ")
	return object
}

// eventsOn counts the events after one and up to another, and finds the first.
func (c *Claim) eventsOn(r *Run, after, until int) (n, first int, err error) {
	keys, any := map[string]bool{}, false
	for i := range r.Events {
		e := &r.Events[i]
		if e.Op != c.match.Op {
			continue
		}
		any = true
		for k := 0; k < len(e.Attrs); k += 2 {
			keys[e.Attrs[k]] = true
		}
		if i+1 <= after || i+1 > until {
			continue
		}
		if event := r.event(i + 1); c.match.Matches(event) {
			holds, err := c.eventHolds(event, r)
			if err != nil {
				return 0, 0, err
			}
			if holds {
				if n++; first == 0 {
					first = i + 1
				}
			}
		}
	}
	if n > 0 || !any {
		return n, first, nil
	}
	return 0, 0, c.unknownKey(keys)
}

func (c *Claim) eventValue(e *trace.Event) (Value, error) {
	known := []string{"op", "who", "object"}
	switch c.path {
	case "op":
		return valueOf(string(e.Op)), nil
	case "who":
		return valueOf(e.Component), nil
	case "object":
		return valueOf(e.Object.String()), nil
	}
	for _, a := range e.Attrs {
		if a.Key == c.path {
			return valueOf(trace.String(a.Value)), nil
		}
		known = append(known, a.Key)
	}
	return Value{}, wrong(problem.DidYouMean(c.path, known), "the event %s has no value %q", c.where(), c.path)
}
