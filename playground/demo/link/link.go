// Package link reads links to a moment of a demo: the fragment of a page's URL, which holds the demo's name, the seed, what a
// reader did, the moment, and the engine that it was made with: generator/build/releases says what that is. The page writes them; site/widgets/state/link.ts
// describes the form, and both sides read testdata/links.json.
package link

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"kubewalk/playground/cluster"
)

// Experiment is what a link holds.
type Experiment struct {
	Course
	Demo string `json:"demo"`
	// Engine is what the link was made with; "" in older links.
	Engine string `json:"engine,omitempty"`
	Seed   uint64 `json:"seed"`
	// Versus is the world beside it, where two are compared.
	Versus *Course `json:"versus,omitempty"`
	At     int64   `json:"at"` // µs since the epoch
	Event  int64   `json:"event,omitempty"`
}

// Course is what makes a world, with the seed.
type Course struct {
	Inputs []cluster.Input `json:"inputs"`
	// WhatIf is the counterfactual; "" is the real world.
	WhatIf string `json:"whatIf,omitempty"`
}

const (
	// mostInputs is how many inputs a link may have.
	mostInputs = 1000
	// latest is how late its times may be, s: virtual time ends after a year.
	latest int64 = 365 * 24 * 3600
)

// Problem says what is wrong with a link.
type Problem string

func (p Problem) Error() string { return "the link is incomplete or broken: " + string(p) }

// field is one of an input's, in the order of a link.
type field struct {
	name     string
	optional bool
	set      func(in *cluster.Input, text string) error
}

func text(name string, of func(*cluster.Input) *string) field {
	return field{name: name, set: func(in *cluster.Input, text string) error { *of(in) = text; return nil }}
}

func may(f field) field { f.optional = true; return f }

func object(name string, of func(*cluster.Input) *json.RawMessage) field {
	return field{name: name, set: func(in *cluster.Input, text string) error {
		if !json.Valid([]byte(text)) {
			return Problem(fmt.Sprintf("%s %q is not JSON", name, text))
		}
		*of(in) = json.RawMessage(text)
		return nil
	}}
}

var (
	resource  = text("resource", func(in *cluster.Input) *string { return &in.Resource })
	namespace = may(text("namespace", func(in *cluster.Input) *string { return &in.Namespace }))
	name      = text("name", func(in *cluster.Input) *string { return &in.Name })
	node      = text("node", func(in *cluster.Input) *string { return &in.Node })
	component = text("component", func(in *cluster.Input) *string { return &in.Component })
	container = may(text("container", func(in *cluster.Input) *string { return &in.Container }))
	value     = text("value", func(in *cluster.Input) *string { return &in.Value })
	metric    = text("metric", func(in *cluster.Input) *string { return &in.Metric })
	address   = text("url", func(in *cluster.Input) *string { return &in.URL })
	from      = may(text("from", func(in *cluster.Input) *string { return &in.From }))
	method    = text("method", func(in *cluster.Input) *string { return &in.Method })
	content   = may(text("contentType", func(in *cluster.Input) *string { return &in.ContentType }))
	body      = may(text("body", func(in *cluster.Input) *string { return &in.Body }))
	connected = may(text("connection", func(in *cluster.Input) *string { return &in.Connection }))
	agent     = may(text("agent", func(in *cluster.Input) *string { return &in.Agent }))
	manifest  = object("manifest", func(in *cluster.Input) *json.RawMessage { return &in.Manifest })
	profiles  = object("profiles", func(in *cluster.Input) *json.RawMessage { return &in.Profiles })
	replicas  = field{name: "replicas", set: func(in *cluster.Input, text string) error {
		n, err := count(text, "replicas")
		if n > 1<<31-1 {
			return Problem(fmt.Sprintf("replicas %q is too large", text))
		}
		of := int32(n)
		in.Replicas = &of
		return err
	}}
	grace = field{name: "grace", optional: true, set: func(in *cluster.Input, text string) error {
		n, err := count(text, "grace")
		in.Grace = &n
		return err
	}}
	args = field{name: "args", set: func(in *cluster.Input, text string) (err error) {
		for _, word := range strings.Split(text, "+") {
			if word, err = decode(word); err != nil {
				return err
			}
			in.Args = append(in.Args, word)
		}
		return nil
	}}
	inContainer = []field{resource, namespace, name, container, value}
)

// fields are those of each kind of input: fieldsOf in link.ts.
var fields = map[cluster.Kind][]field{
	cluster.Scale:          {resource, namespace, name, replicas},
	cluster.Delete:         {resource, namespace, name, grace},
	cluster.KillNode:       {node},
	cluster.StartNode:      {node},
	cluster.DropWatch:      {component, may(resource)},
	cluster.Stop:           {component},
	cluster.Start:          {component},
	cluster.Apply:          {manifest},
	cluster.Create:         {manifest},
	cluster.Patch:          {resource, namespace, name, manifest},
	cluster.Own:            {resource, namespace, name, value},
	cluster.Command:        {args, may(manifest)},
	cluster.Type:           {may(value), connected},
	cluster.CrashContainer: {resource, namespace, name, container, may(value)},
	cluster.UseMemory:      inContainer,
	cluster.UseCPU:         inContainer,
	cluster.RegistryDown:   {},
	cluster.RegistryUp:     {},
	cluster.LoseImage:      {name},
	cluster.RestoreImage:   {name},
	cluster.FillMemory:     {node, value},
	cluster.FillDisk:       {node, value},
	cluster.SlowKubelet:    {node, value},

	cluster.TerminateInstance: {node},

	cluster.Partition:   {may(node), may(component)},
	cluster.Slow:        {component, value},
	cluster.Fail:        {component, may(value)},
	cluster.Heal:        {may(node), may(component), may(value)},
	cluster.Load:        {resource, namespace, name, value},
	cluster.SetMetric:   {metric, may(value), may(resource), namespace, may(name)},
	cluster.Ask:         {address, from, may(method)},
	cluster.APIRequest:  {method, address, content, body, agent, connected},
	cluster.Reconfigure: {profiles},
}

// Parse reads a fragment, with or without what is before its "#". The error is a Problem.
func Parse(link string) (*Experiment, error) {
	if _, fragment, ok := strings.Cut(link, "#"); ok {
		link = fragment
	}
	if !strings.HasPrefix(link, "demo=") {
		return nil, Problem("it names no demo: copy one from a demo's Share panel, whose end looks like #demo=NAME&seed=1&at=12.5")
	}
	parts := map[string]string{}
	for _, part := range strings.Split(link, "&") {
		if key, value, ok := strings.Cut(part, "="); ok && key != "" {
			parts[key] = value
		}
	}
	out := &Experiment{}
	var err error
	if out.Demo, err = decode(parts["demo"]); err != nil {
		return nil, err
	}
	if engine, ok := parts["engine"]; ok {
		if len(engine) != 8 || strings.Trim(engine, "0123456789abcdef") != "" {
			return nil, Problem(fmt.Sprintf("engine %q is not 8 hexadecimal digits", engine))
		}
		out.Engine = engine
	}
	seed, err := count(parts["seed"], "seed")
	if err != nil {
		return nil, err
	}
	out.Seed = uint64(seed)
	if out.Course, err = course(parts["inputs"], parts["what-if"]); err != nil {
		return nil, err
	}
	if out.At, err = seconds(parts["at"], 6, "moment"); err != nil {
		return nil, err
	}
	_, versus := parts["versus"]
	_, whatIf := parts["versus-what-if"]
	if versus || whatIf {
		c, err := course(parts["versus"], parts["versus-what-if"])
		if err != nil {
			return nil, err
		}
		out.Versus = &c
	}
	if event, ok := parts["event"]; ok {
		if out.Event, err = count(event, "event"); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func course(text, whatIf string) (c Course, err error) {
	c.Inputs = []cluster.Input{}
	texts := slices.DeleteFunc(strings.Split(text, ";"), func(t string) bool { return t == "" })
	if len(texts) > mostInputs {
		return c, Problem(fmt.Sprintf("it has %d inputs; %d are the most", len(texts), mostInputs))
	}
	for i, t := range texts {
		in, err := input(t)
		if err != nil {
			return c, err
		}
		if i > 0 && in.At < c.Inputs[i-1].At {
			return c, Problem(fmt.Sprintf("input %d is before input %d", i+1, i))
		}
		c.Inputs = append(c.Inputs, in)
	}
	c.WhatIf, err = decode(whatIf)
	return c, err
}

func input(text string) (in cluster.Input, err error) {
	parts := strings.Split(text, ",")
	if len(parts) < 2 {
		parts = append(parts, "")
	}
	in.Kind = cluster.Kind(parts[1])
	values := parts[2:]
	of, known := fields[in.Kind]
	switch {
	case !known && len(values) == 0:
		return in, Problem(fmt.Sprintf(`%q is not an input; one reads like "20,kill-node,node-2": time, kind, what it is done to`, text))
	case !known:
		return in, Problem(fmt.Sprintf("input %q is not known", in.Kind))
	case len(values) > len(of):
		return in, Problem(fmt.Sprintf("%q has too many fields", text))
	}
	at, err := seconds(parts[0], 9, "time")
	if err != nil {
		return in, err
	}
	in.At = time.Duration(at)
	for i, f := range of {
		raw := ""
		if i < len(values) {
			raw = values[i]
		}
		switch {
		case raw == "" && !f.optional:
			return in, Problem(fmt.Sprintf("%q lacks its %s", text, f.name))
		case raw == "":
			continue
		case f.name != args.name: // whose words are encoded one by one
			if raw, err = decode(raw); err != nil {
				return in, err
			}
		}
		if err := f.set(&in, raw); err != nil {
			return in, err
		}
	}
	return in, nil
}

// seconds reads a time as a whole number of units of 10^-places s.
func seconds(text string, places int, what string) (int64, error) {
	whole, part, pointed := strings.Cut(text, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if !digits(whole) || len(whole) > 9 || pointed && !digits(part) || len(part) > places {
		return 0, Problem(fmt.Sprintf("%s %q is not a time in seconds", what, text))
	}
	n, err := strconv.ParseInt(whole+part+strings.Repeat("0", places-len(part)), 10, 64)
	most := latest
	for range places {
		most *= 10
	}
	if err != nil || n > most {
		return 0, Problem(fmt.Sprintf("%s %q is more than a year away", what, text))
	}
	return n, nil
}

func count(text, what string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || len(text) > 15 {
		return 0, Problem(fmt.Sprintf("%s %q is not a number", what, text))
	}
	return int64(n), nil
}

func decode(text string) (string, error) {
	out, err := url.PathUnescape(text)
	if err != nil || !utf8.ValidString(out) {
		return "", Problem(fmt.Sprintf("%q is not encoded as URLs are", text))
	}
	return out, nil
}
