package demofile

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/goccy/go-yaml"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/yamltree"
	"kubewalk/playground/trace"
)

// Write gives the file of a scenario that came about on a port: Parse reads the same scenario from it. The scenario has a name, a title,
// a seed, a cluster of numbered or hollow nodes, times, steps that are requests, and a kubectl control. Write fails for one that has
// anything else, or that is longer than a demo may be.
func Write(s *scenario.Scenario) ([]byte, error) {
	about := yaml.MapSlice{{Key: "nodes", Value: len(s.Cluster.Nodes)}}
	if h := s.Cluster.HollowNodes; h != nil {
		about = append(about, yaml.MapItem{Key: "hollowNodes", Value: yaml.MapSlice{{Key: "count", Value: h.Count}}})
	}
	if s.Cluster.Authorization != "" {
		about = append(about, yaml.MapItem{Key: "authorization", Value: s.Cluster.Authorization})
	}
	if s.Cluster.CEL {
		about = append(about, yaml.MapItem{Key: "cel", Value: true})
	}
	if s.Cluster.AllKinds {
		about = append(about, yaml.MapItem{Key: "allKinds", Value: true})
	}
	if s.Cluster.Network {
		about = append(about, yaml.MapItem{Key: "network", Value: true})
	}
	if s.Cluster.Metrics {
		about = append(about, yaml.MapItem{Key: "metrics", Value: true})
	}
	about = append(about, yaml.MapItem{Key: "epoch", Value: s.Cluster.Epoch.Format(time.RFC3339)})
	if s.Cluster.Trace == trace.Objects {
		about = append(about, yaml.MapItem{Key: "trace", Value: "objects"})
	}
	var steps []yaml.MapSlice
	for _, st := range s.Steps {
		step := yaml.MapSlice{{Key: "at", Value: (st.At - s.Setup).String()}, {Key: string(st.Kind), Value: requestOf(st.Input)}}
		if st.Fails != "" {
			step = append(step, yaml.MapItem{Key: "fails", Value: plain(st.Fails)})
		}
		steps = append(steps, step)
	}
	var controls []any
	for _, c := range s.Controls {
		controls = append(controls, yaml.MapSlice{{Key: string(c.Kind), Value: yaml.MapSlice{{Key: "examples", Value: c.Examples}}}})
	}
	var out bytes.Buffer
	// Blank lines are between the parts, and keys stand in this order.
	for _, part := range []yaml.MapSlice{
		{{Key: "title", Value: s.Title}, {Key: "seed", Value: s.Seed}, {Key: "cluster", Value: about},
			{Key: "setup", Value: s.Setup.String()}, {Key: "end", Value: (s.End - s.Setup).String()}},
		{{Key: "steps", Value: steps}},
		{{Key: "controls", Value: controls}},
	} {
		if len(part) == 1 && reflect.ValueOf(part[0].Value).Len() == 0 {
			continue
		}
		text, err := yaml.MarshalWithOptions(part, yaml.IndentSequence(true), yaml.UseLiteralStyleIfMultiline(true))
		if err != nil {
			return nil, err
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		out.Write(text)
	}
	again, problems := Parse(s.Name, s.Name+".yaml", out.Bytes(), nil)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	read, err := json.Marshal(again.Scenario)
	if err != nil {
		return nil, err
	}
	if wanted, err := json.Marshal(s); err != nil || !bytes.Equal(read, wanted) {
		return nil, errors.Join(errors.New("the scenario has what its file cannot tell"), err)
	}
	return out.Bytes(), nil
}

// requestOf is what stands under a step's api-request or request.
func requestOf(in cluster.Input) (out yaml.MapSlice) {
	add := func(key string, value any) {
		if text, is := value.(string); !is || text != "" {
			out = append(out, yaml.MapItem{Key: key, Value: value})
		}
	}
	if in.Kind == cluster.Ask {
		add("url", in.URL)
		add("from", in.From)
		add("method", in.Method)
		add("body", plain(in.Body))
		return out
	}
	add("method", in.Method)
	add("path", in.URL)
	add("contentType", in.ContentType)
	add("as", in.As)
	if len(in.AsGroups) > 0 {
		add("asGroups", in.AsGroups)
	}
	add("agent", in.Agent)
	add("body", body(in.Body))
	return out
}

// body is a body as YAML, its keys in their order, if the parser reads the same from that; otherwise it is the text.
func body(text string) any {
	if text == "" {
		return text
	}
	if text[0] != '{' && text[0] != '[' {
		return plain(text)
	}
	var v any
	if err := yaml.UnmarshalWithOptions([]byte(text), &v, yaml.UseOrderedMap()); err != nil {
		return quoted(text)
	}
	written, err := yaml.MarshalWithOptions(v, yaml.IndentSequence(true), yaml.UseLiteralStyleIfMultiline(true))
	if err != nil {
		return quoted(text)
	}
	tree := yamltree.Parse(string(written), 0)
	if again, err := tree.Root.JSON(); err != nil || len(tree.Problems) > 0 || string(again) != text {
		return quoted(text)
	}
	return v
}

// quoted is a text between quotation marks, in one line.
type quoted string

// MarshalYAML implements yaml.BytesMarshaler.
func (q quoted) MarshalYAML() ([]byte, error) { return json.Marshal(string(q)) }

// plain is a text without quotation marks, unless it needs them: lines that begin or end with a space, and signs that nobody sees.
func plain(text string) any {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != line || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return quoted(text)
		}
	}
	return text
}
