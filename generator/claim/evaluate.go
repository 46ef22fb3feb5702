package claim

import (
	"fmt"
	"strings"

	"kubewalk/generator/problem"
	"kubewalk/playground/scenario"
	"kubewalk/playground/trace"
)

// On is what the run says to a claim. The error is a problem.Problem without a
// place: a mark, an object or a value that is not there.
func (c *Claim) On(r *Run) (Value, error) {
	at, number, ok := r.mark(c.To)
	if !ok {
		return Value{}, c.noMark(c.To, r)
	}
	from, _, ok := r.mark(c.From)
	if !ok {
		return Value{}, c.noMark(c.From, r)
	}
	if c.From == "" {
		from = r.begun()
	} else if from > at {
		return Value{}, wrong(fmt.Sprintf("write @%s..%s", c.To, c.From), "moment %q is after %q", c.From, c.To)
	}
	switch c.Asks {
	case Moment:
		return numberOf(number), nil
	case Field:
		return c.fieldOn(r, at)
	case CountObjects:
		n := 0
		for _, event := range r.state(c.objects.Resource, at) {
			matches, err := c.objects.MatchesTree(r.object(event))
			if err != nil {
				return Value{}, err
			}
			for _, other := range c.unless {
				if is, err := other.MatchesTree(r.object(event)); err != nil || is {
					matches = false
				}
			}
			if matches {
				n++
			}
		}
		return numberOf(n), nil
	case CountEvents:
		n, _, err := c.eventsOn(r, from, at)
		return numberOf(n), err
	case Time:
		if took := r.time(at); c.From == "" {
			return durationOf(took), nil
		} else {
			return durationOf(took - r.time(from)), nil
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
			return Value{}, err
		}
		if first == 0 {
			return Value{}, wrong("see what happens: go run ./playground/cmd/trace content/demos/"+c.Demo+".yaml", "event %q does not happen %s", c.match, c.where())
		}
		return durationOf(r.time(first) - r.time(from)), nil
	case EventValue:
		return c.eventValue(r.event(at))
	case CommandOutput:
		for i := len(r.Outputs) - 1; i >= 0; i-- {
			if o := r.Outputs[i]; o.At <= r.time(at) && o.Text != "" {
				return Value{kind: part, text: o.Text}, nil
			}
		}
		return Value{}, wrong("choose a later mark", "no command has printed anything %s", c.where())
	}
	return Value{}, nil
}

// where says which moment or time a claim is about.
func (c *Claim) where() string {
	switch {
	case c.From != "":
		return fmt.Sprintf("between marks %q and %q of demo %q", c.From, c.To, c.Demo)
	case c.To != "":
		return fmt.Sprintf("at mark %q of demo %q", c.To, c.Demo)
	}
	return fmt.Sprintf("at the end of demo %q", c.Demo)
}

func (c *Claim) noMark(id string, r *Run) error {
	var known []string
	for _, m := range r.Marks {
		known = append(known, m.ID)
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
		return Value{}, wrong("name one of them, or its namespace with -n", "%s is more than one object %s: %s", c.object(), c.where(), strings.Join(found[:min(len(found), 4)], ", "))
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
		if i+1 > after && i+1 <= until && c.match.Matches(r.event(i+1)) {
			if n++; first == 0 {
				first = i + 1
			}
		}
	}
	if n > 0 || !any {
		return n, first, nil
	}
	for key := range c.match.Attrs { // order: any that is wrong will do, and there is mostly one
		if !keys[key] {
			known := []string{"who", "object"}
			for k := range keys { // order: DidYouMean sorts
				known = append(known, k)
			}
			return 0, 0, wrong(problem.DidYouMean(key, known), "no event %s has a value %q", c.match.Op, key)
		}
	}
	return 0, 0, nil
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
