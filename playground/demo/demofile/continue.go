package demofile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/goccy/go-yaml"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
)

// Continuation is how a demo went on otherwise than its author wrote.
type Continuation struct {
	Title    map[string]string // by language; nil is the author's
	Seed     uint64
	Script   int                // how many of the author's steps happened
	Steps    []scenario.Step    // what happened after them, in order of time since the epoch
	Controls []scenario.Control // of kubectl, with examples; nil are the author's
	End      time.Duration      // since the epoch
}

// Continue gives the file of a demo that does what c says: the author's cluster and first steps, and then the others. It has no claims, marks,
// what-ifs and exercises, which are about the author's run, and no manifests that no step applies. An input that a file cannot tell is an
// error: one that a reader gave with a manifest edited in the page, for instance.
func (f *File) Continue(c Continuation) ([]byte, error) {
	c.Steps = slices.Clone(c.Steps)
	for i, st := range c.Steps { // in a file, a namespace that is not named is this one
		if st.Resource != "" && st.Namespace == "" && st.Kind != cluster.DropWatch {
			c.Steps[i].Namespace = "default"
		}
	}
	wanted := *f.Scenario
	wanted.Steps = append(slices.Clone(f.Scenario.Steps[:c.Script]), c.Steps...)
	wanted.End, wanted.Seed = c.End, c.Seed
	wanted.Claims, wanted.Marks, wanted.WhatIf, wanted.Exercises = nil, nil, nil, nil
	if c.Title != nil {
		wanted.Title = c.Title
	}
	if c.Controls != nil {
		wanted.Controls = c.Controls
	}
	author, err := f.ordered()
	if err != nil {
		return nil, err
	}
	var file yaml.MapSlice
	for _, item := range author {
		switch item.Key {
		case "claims", "marks", "whatIf", "exercises", "seed", "end", "steps":
			continue
		case "title":
			item.Value = wanted.Title
		case "controls":
			if c.Controls != nil {
				continue
			}
		case "manifests":
			item.Value = f.applied(item.Value, wanted.Steps, wanted.Controls)
		}
		file = append(file, item)
	}
	steps, _ := keyed(author, "steps").([]any)
	steps = slices.Clone(steps[:min(c.Script, len(steps))])
	for i := range steps { // a time may count from the step before
		steps[i] = set(steps[i].(yaml.MapSlice), "at", (wanted.Steps[i].At - wanted.Setup).String())
	}
	for _, st := range c.Steps {
		step, err := stepOf(st, wanted.Setup)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	file = append(file, yaml.MapItem{Key: "seed", Value: wanted.Seed}, yaml.MapItem{Key: "end", Value: (wanted.End - wanted.Setup).String()})
	if len(steps) > 0 {
		file = append(file, yaml.MapItem{Key: "steps", Value: steps})
	}
	if len(c.Controls) > 0 {
		file = append(file, yaml.MapItem{Key: "controls", Value: controlsOf(c.Controls)})
	}
	out, err := yaml.MarshalWithOptions(file, yaml.IndentSequence(true), yaml.UseLiteralStyleIfMultiline(true))
	if err != nil {
		return nil, err
	}
	return out, reads(&wanted, out)
}

// ordered is the file's mapping, its keys in their order.
func (f *File) ordered() (out yaml.MapSlice, err error) {
	text, err := f.root.JSON()
	if err == nil {
		err = yaml.UnmarshalWithOptions(text, &out, yaml.UseOrderedMap())
	}
	return out, err
}

// applied are those of the file's manifests that a step applies, or a control's example.
func (f *File) applied(all any, steps []scenario.Step, controls []scenario.Control) (out yaml.MapSlice) {
	manifests := map[string]json.RawMessage{}
	if at, ok := f.root.Find("manifests"); ok {
		if text, err := at.JSON(); err == nil {
			_ = json.Unmarshal(text, &manifests) // it has been read before
		}
	}
	var used []string
	command := func(args []string) {
		used = append(used, scenario.NeededManifests(args, manifests)...)
	}
	for i, st := range steps {
		if st.Kind == cluster.Command {
			command(st.Args)
		} else if at, ok := f.root.Find(fmt.Sprintf("steps[%d].%s", i, st.Kind)); ok && len(st.Manifest) > 0 && i < len(f.Scenario.Steps) {
			name, _ := at.Scalar()
			used = append(used, name)
		}
	}
	for _, c := range controls {
		for _, example := range c.Examples {
			if args, _, err := scenario.ParseCommand(example, f.Scenario.Manifests, nil); err == nil {
				command(args)
			}
		}
	}
	named, _ := all.(yaml.MapSlice)
	for _, item := range named {
		if slices.Contains(used, item.Key.(string)) {
			out = append(out, item)
		}
	}
	return out
}

// keyed is what stands under a key.
func keyed(m yaml.MapSlice, key string) any {
	for _, item := range m {
		if item.Key == key {
			return item.Value
		}
	}
	return nil
}

// set is a mapping with another value under a key.
func set(m yaml.MapSlice, key string, value any) yaml.MapSlice {
	i := slices.IndexFunc(m, func(item yaml.MapItem) bool { return item.Key == key })
	if m = slices.Clone(m); i >= 0 {
		m[i].Value = value
		return m
	}
	return append(m, yaml.MapItem{Key: key, Value: value})
}

// stepOf is a step as YAML.
func stepOf(st scenario.Step, setup time.Duration) (yaml.MapSlice, error) {
	does, err := doingOf(st.Input)
	if err != nil {
		return nil, err
	}
	step := yaml.MapSlice{{Key: "at", Value: (st.At - setup).String()}, {Key: string(st.Kind), Value: does}}
	if st.Kind == cluster.Command && len(st.Manifest) > 0 && slices.Equal(cluster.ManifestsOf(st.Args), []string{"-"}) {
		step = append(step, yaml.MapItem{Key: "manifest", Value: body(string(st.Manifest))})
	}
	if st.Fails != "" {
		step = append(step, yaml.MapItem{Key: "fails", Value: plain(st.Fails)})
	}
	return step, nil
}

// doingOf is what stands under the key of a step's kind: the reverse of doings' functions, for what comes from a port or from a reader.
func doingOf(in cluster.Input) (any, error) {
	var out yaml.MapSlice
	add := func(key, value string) {
		if value != "" {
			out = append(out, yaml.MapItem{Key: key, Value: plain(value)})
		}
	}
	if in.Resource != "" && in.Kind != cluster.DropWatch {
		add(in.Resource, in.Name)
		if in.Namespace != "default" {
			add("namespace", in.Namespace)
		}
	}
	whom := func() {
		if in.Node != "" {
			add("node", in.Node)
		} else {
			add("component", in.Component)
		}
	}
	switch in.Kind {
	case cluster.APIRequest, cluster.Ask:
		return requestOf(in), nil
	case cluster.Command:
		return plain(cluster.CommandLine(in.Args)), nil
	case cluster.Type:
		if in.Connection != "" {
			return append(out, yaml.MapItem{Key: "line", Value: plain(in.Value)}, yaml.MapItem{Key: "connection", Value: in.Connection}), nil
		}
		return plain(in.Value), nil
	case cluster.Scale:
		out = append(out, yaml.MapItem{Key: "replicas", Value: *in.Replicas})
	case cluster.Delete:
		if in.Grace != nil {
			out = append(out, yaml.MapItem{Key: "grace", Value: *in.Grace})
		}
	case cluster.KillNode, cluster.StartNode, cluster.TerminateInstance:
		return plain(in.Node), nil
	case cluster.Stop, cluster.Start:
		return plain(in.Component), nil
	case cluster.Partition:
		return plain(in.Node + in.Component), nil
	case cluster.DropWatch:
		add("client", in.Component)
		add("resource", in.Resource)
	case cluster.CrashContainer:
		add("container", in.Container)
		if in.Value != "" {
			code, err := strconv.Atoi(in.Value)
			if err != nil {
				return nil, err
			}
			out = append(out, yaml.MapItem{Key: "exitCode", Value: code})
		}
	case cluster.UseMemory, cluster.UseCPU:
		add("container", in.Container)
		add(map[cluster.Kind]string{cluster.UseMemory: "memory", cluster.UseCPU: "cpu"}[in.Kind], in.Value)
	case cluster.RegistryDown, cluster.RegistryUp:
		return true, nil
	case cluster.LoseImage, cluster.RestoreImage:
		return plain(in.Name), nil
	case cluster.FillMemory, cluster.FillDisk:
		add("node", in.Node)
		add(map[cluster.Kind]string{cluster.FillMemory: "memory", cluster.FillDisk: "disk"}[in.Kind], in.Value)
	case cluster.SlowKubelet:
		add("node", in.Node)
		add("by", in.Value)
	case cluster.Slow:
		whom()
		add("by", in.Value)
	case cluster.Fail:
		if in.Value == "" {
			return plain(in.Component), nil
		}
		whom()
		add("with", in.Value)
	case cluster.Heal:
		whom()
		add("of", in.Value)
	case cluster.Load:
		add("cpu", in.Value)
	case cluster.SetMetric:
		add("metric", in.Metric)
		add("value", in.Value)
	default:
		return nil, fmt.Errorf("%s: a reader's %s cannot be written into a demo's file", in, in.Kind)
	}
	return out, nil
}

// controlsOf are controls of kubectl as YAML.
func controlsOf(controls []scenario.Control) (out []any) {
	for _, c := range controls {
		out = append(out, yaml.MapSlice{{Key: string(c.Kind), Value: yaml.MapSlice{{Key: "examples", Value: c.Examples}}}})
	}
	return out
}
