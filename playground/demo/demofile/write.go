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
	if s.Cluster.Devices {
		about = append(about, yaml.MapItem{Key: "devices", Value: true})
	}
	if s.Cluster.Network {
		about = append(about, yaml.MapItem{Key: "network", Value: true})
	}
	if s.Cluster.NetworkPolicies {
		about = append(about, yaml.MapItem{Key: "networkPolicies", Value: true})
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
		step, err := stepOf(st, s.Setup)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	controls := controlsOf(s.Controls)
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
	return out.Bytes(), reads(s, out.Bytes())
}

// reads fails when a file is not read as a scenario: when it has what the file cannot tell, or lasts longer than a demo may.
func reads(s *scenario.Scenario, file []byte) error {
	again, problems := Parse(s.Name, s.Name+".yaml", file, nil)
	if len(problems) > 0 {
		return problems[0]
	}
	got, err := comparableJSON(again.Scenario)
	if err != nil {
		return err
	}
	if want, err := comparableJSON(s); err != nil || !bytes.Equal(got, want) {
		return errors.Join(errors.New("the scenario has what its file cannot tell"), err)
	}
	return nil
}

// comparableJSON is a scenario as JSON, without what depends on the manifests that a file happens to have.
func comparableJSON(s *scenario.Scenario) ([]byte, error) {
	c := *s
	c.Manifests = nil
	return json.Marshal(&c)
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
	add("connection", in.Connection)
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

// plain is a text without quotation marks, unless it needs them: lines that begin or end with a space, nothing but ends of lines, and signs
// that nobody sees.
func plain(text string) any {
	if text != "" && strings.Trim(text, "\n") == "" {
		return quoted(text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != line || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return quoted(text)
		}
	}
	return text
}
