package demofile

import (
	"fmt"
	"math"
	"reflect"

	"kubewalk/playground/api"
	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/trace"
)

func (b *builder) claim(v value) scenario.Claim {
	m := v.mapping(claimForm)
	c := b.about(m)
	c.In = m["in"].Text("in")
	c.After, c.Within = m["after"].Text("after"), m["within"].duration("within", 0)
	c.Stays, c.Always = m["stays"].Yes("stays"), m["always"].Yes("always")
	for _, item := range m["before"].list("before", "- {op: log, attrs: {message: Too few replicas}}") {
		if match := b.match(item, "an event"); match != nil {
			c.Before = append(c.Before, *match)
		}
	}
	return c
}

// about reads what a claim is about, and how many it counts.
func (b *builder) about(m map[string]value) scenario.Claim {
	c := scenario.Claim{Output: m["output"].oneOrMore("output"), Count: m["count"].Text("count")}
	if objects := m["objects"]; objects.There() {
		o := objects.mapping(objectsForm)
		if !o["resource"].There() {
			b.Fail(objects.Key, "objects needs a resource, as in %s", objectsForm.example)
		}
		c.Objects = &scenario.Objects{
			Resource: o["resource"].resource(), Namespace: o["namespace"].Text("namespace"), Name: o["name"].Text("name"),
			Labels: o["labels"].Text("labels"), Fields: o["fields"].conditions("fields", "{status.phase: Running}"),
		}
		b.fields(c.Objects.Resource, o["fields"])
	}
	if event := m["event"]; event.There() {
		e := event.mapping(eventForm)
		c.Event = &scenario.Event{Reason: e["reason"].Text("reason"), Type: e["type"].Text("type"), Object: e["object"].Text("object"),
			Message: e["message"].Text("message")}
	}
	c.Events = b.match(m["events"], "events")
	for _, item := range m["order"].list("order", "- {op: store.commit, object: pods default/web-*}") {
		if match := b.match(item, "an event"); match != nil {
			c.Order = append(c.Order, *match)
		}
	}
	return c
}

// fields reports fields that objects of a kind cannot have. Those of kinds that a demo defines may be any.
func (b *builder) fields(resource string, v value) {
	kind := api.Resolve(resource)
	if kind == nil || kind.New == nil {
		return
	}
	for _, e := range v.entries() {
		if at, name, known := unknownField(reflect.TypeOf(kind.New()), e.Name); name != "" {
			cure := suggest.Cure(name, known)
			if near := suggest.Nearest(name, known); near != "" {
				cure = fmt.Sprintf("did you mean %q?", e.Name[:at]+near+e.Name[at+len(name):])
			}
			b.Cure(e.Key, cure, "unknown field %q of %s", e.Name[:at+len(name)], resource)
		}
	}
}

func (b *builder) match(v value, what string) *scenario.Match {
	if !v.There() {
		return nil
	}
	m := v.mappingAs(what, matchForm)
	if len(m) == 0 {
		b.Fail(v.Key, "%s says nothing about the event: it is written as %s", what, matchForm.example)
	}
	return &scenario.Match{
		Op: m["op"].OneOf("kind of event", trace.OpNames()), Who: m["who"].Text("who"), Object: m["object"].Text("object"),
		Attrs: m["attrs"].conditions("attrs", "{message: Too few replicas}"),
	}
}

func (b *builder) mark(v value, focusable []string) scenario.Mark {
	m := v.mapping(markForm)
	out := scenario.Mark{ID: m["id"].Text("id"), After: m["after"].Text("after"), At: m["at"].duration("at", 0)}
	if nth := m["nth"]; nth.There() {
		out.Nth = int(nth.whole("nth", 1, math.MaxInt32))
	}
	out.When = b.match(m["when"], "when")
	if focus := m["focus"]; focus.There() {
		if out.Focus, out.Insides = b.focus(focus, focusable); out.When == nil {
			b.Fail(focus.Key, "mark %q changes the picture, which happens at an event: write when: instead of at:", out.ID)
		}
	}
	out.Caption = b.needed(v, m, "caption", fmt.Sprintf("the caption of mark %q", out.ID))
	return out
}

// oneOrMore reads a text, or a list of them.
func (v value) oneOrMore(what string) (out []string) {
	if !v.There() {
		return nil
	}
	if _, isText := v.Scalar(); isText {
		return []string{v.Text(what)}
	}
	for _, item := range v.list(what, "[configured]") {
		out = append(out, item.Text(what))
	}
	return out
}
