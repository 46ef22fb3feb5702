package demofile

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"kubewalk/playground/api/resource"
	"kubewalk/playground/cluster"
	"kubewalk/playground/scenario"
)

// The file's form. Times stay text here, so that a wrong one has a place.
type rawFile struct {
	Title     map[string]string `yaml:"title"`
	Seed      uint64            `yaml:"seed"`
	Cluster   rawCluster        `yaml:"cluster"`
	Setup     string            `yaml:"setup"`
	End       string            `yaml:"end"`
	Manifests map[string]any    `yaml:"manifests"`
	Steps     []rawStep         `yaml:"steps"`
	Claims    []rawClaim        `yaml:"claims"`
	Marks     []rawMark         `yaml:"marks"`
	Controls  []rawControl      `yaml:"controls"`
}

type rawCluster struct {
	Nodes any    `yaml:"nodes"` // a number, or a list of nodes
	Epoch string `yaml:"epoch"`
}

type rawStep struct {
	ID        string         `yaml:"id"`
	At        string         `yaml:"at"`
	Fails     string         `yaml:"fails"`
	Apply     string         `yaml:"apply"`
	Create    string         `yaml:"create"`
	Scale     map[string]any `yaml:"scale"`
	Delete    map[string]any `yaml:"delete"`
	KillNode  string         `yaml:"kill-node"`
	StartNode string         `yaml:"start-node"`
	DropWatch *rawDrop       `yaml:"drop-watch"`
	Stop      string         `yaml:"stop"`
	Start     string         `yaml:"start"`
}

type rawDrop struct {
	Client   string `yaml:"client"`
	Resource string `yaml:"resource"`
}

type rawClaim struct {
	After   string      `yaml:"after"`
	Within  string      `yaml:"within"`
	Stays   bool        `yaml:"stays"`
	Objects *rawObjects `yaml:"objects"`
	Events  *rawMatch   `yaml:"events"`
	Order   []rawMatch  `yaml:"order"`
	Count   any         `yaml:"count"`
}

type rawObjects struct {
	Resource string            `yaml:"resource"`
	Labels   string            `yaml:"labels"`
	Fields   map[string]string `yaml:"fields"`
}

type rawMatch struct {
	Op     string            `yaml:"op"`
	Who    string            `yaml:"who"`
	Object string            `yaml:"object"`
	Attrs  map[string]string `yaml:"attrs"`
}

type rawMark struct {
	ID      string            `yaml:"id"`
	After   string            `yaml:"after"`
	When    *rawMatch         `yaml:"when"`
	Nth     int               `yaml:"nth"`
	At      string            `yaml:"at"`
	Caption map[string]string `yaml:"caption"`
}

type rawControl struct {
	Label     map[string]string `yaml:"label"`
	Scale     map[string]any    `yaml:"scale"`
	Delete    map[string]any    `yaml:"delete"`
	KillNode  []string          `yaml:"kill-node"`
	StartNode []string          `yaml:"start-node"`
	DropWatch []string          `yaml:"drop-watch"`
	Stop      []string          `yaml:"stop"`
	Start     []string          `yaml:"start"`
}

// builder makes a scenario of the file's form and collects what is wrong.
type builder struct {
	file     *File
	problems []Problem
}

func (b *builder) fail(path, format string, args ...any) {
	b.problems = append(b.problems, b.file.at(path, fmt.Sprintf(format, args...)))
}

func (b *builder) duration(path, s string, or time.Duration) time.Duration {
	if s == "" {
		return or
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		b.fail(path, "%q is no duration: write it as 500ms, 12s or 1m30s", s)
	}
	if d < 0 {
		b.fail(path, "duration %v is negative", d)
	}
	return d
}

func (b *builder) texts(path, what string, m map[string]string) map[string]string {
	for _, lang := range b.file.languages {
		if strings.TrimSpace(m[lang]) == "" {
			b.fail(path, "%s is missing in language %q", what, lang)
		}
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		known := len(b.file.languages) == 0
		for _, lang := range b.file.languages {
			known = known || k == lang
		}
		if !known {
			b.fail(path+"."+k, "the book has no language %q: it has %s", k, strings.Join(b.file.languages, ", "))
		}
	}
	return m
}

func (b *builder) scenario(name string, raw *rawFile) *scenario.Scenario {
	s := &scenario.Scenario{Name: name, Seed: raw.Seed}
	s.Title = b.texts("title", "the title", raw.Title)
	s.Cluster = b.cluster(&raw.Cluster)
	s.Setup = b.duration("setup", raw.Setup, 15*time.Second)
	s.End = s.Setup + b.duration("end", raw.End, 30*time.Second)
	b.steps(s, raw)
	for i := range raw.Claims {
		s.Claims = append(s.Claims, b.claim(fmt.Sprintf("claims[%d]", i), &raw.Claims[i]))
	}
	for i := range raw.Marks {
		s.Marks = append(s.Marks, b.mark(fmt.Sprintf("marks[%d]", i), &raw.Marks[i]))
	}
	for i := range raw.Controls {
		s.Controls = append(s.Controls, b.control(fmt.Sprintf("controls[%d]", i), &raw.Controls[i]))
	}
	return s
}

func (b *builder) cluster(raw *rawCluster) cluster.Config {
	c := cluster.DefaultConfig()
	if raw.Epoch != "" {
		t, err := time.Parse(time.RFC3339, raw.Epoch)
		if err != nil {
			b.fail("cluster.epoch", "%q is no time: write it as 2026-11-21T09:00:00Z", raw.Epoch)
		}
		c.Epoch = t
	}
	switch nodes := raw.Nodes.(type) {
	case nil:
	case uint64:
		if nodes > 1000 {
			b.fail("cluster.nodes", "%d nodes are too many for a page: 1000 at most", nodes)
			return c
		}
		c.Nodes = cluster.NumberedNodes(int(nodes))
	case []any:
		c.Nodes = nil
		seen := map[string]bool{}
		for i, n := range nodes {
			node := b.node(fmt.Sprintf("cluster.nodes[%d]", i), n)
			if seen[node.Name] {
				b.fail(fmt.Sprintf("cluster.nodes[%d]", i), "two nodes are called %q", node.Name)
			}
			seen[node.Name] = true
			c.Nodes = append(c.Nodes, node)
		}
	default:
		b.fail("cluster.nodes", "nodes is a number, or a list such as [{name: node-1, cpu: 4, memory: 8Gi, pods: 110}]")
	}
	return c
}

func (b *builder) node(path string, v any) cluster.Node {
	n := cluster.NumberedNodes(1)[0]
	m, ok := v.(map[string]any)
	if !ok {
		b.fail(path, "a node is written as {name: node-1, cpu: 4, memory: 8Gi, pods: 110}")
		return n
	}
	n.Name = ""
	for _, k := range sorted(m) {
		text := fmt.Sprint(m[k])
		switch k {
		case "name":
			n.Name = text
		case "cpu", "memory":
			if _, err := resource.ParseQuantity(text); err != nil {
				b.fail(path+"."+k, "%q is no quantity: write 4, 500m or 8Gi", text)
			}
			if k == "cpu" {
				n.CPU = text
			} else {
				n.Memory = text
			}
		case "pods":
			p, ok := m[k].(uint64)
			if !ok || p == 0 || p > 1000 {
				b.fail(path+".pods", "pods is a number from 1 to 1000")
			}
			n.Pods = int(p)
		case "labels":
			labels, ok := m[k].(map[string]any)
			if !ok {
				b.fail(path+".labels", "labels are written as {zone: a}")
			}
			n.Labels = map[string]string{}
			for lk, lv := range labels {
				n.Labels[lk] = fmt.Sprint(lv)
			}
		default:
			b.fail(path+"."+k, "a node has no %q: it has name, cpu, memory, pods and labels", k)
		}
	}
	if n.Name == "" {
		b.fail(path, "a node needs a name")
	}
	return n
}

func (b *builder) steps(s *scenario.Scenario, raw *rawFile) {
	previous := s.Setup
	used := map[string]bool{}
	for i := range raw.Steps {
		r := &raw.Steps[i]
		path := fmt.Sprintf("steps[%d]", i)
		st := scenario.Step{ID: r.ID, Fails: r.Fails}
		if rest, ok := strings.CutPrefix(r.At, "+"); ok {
			st.At = previous + b.duration(path+".at", rest, 0)
		} else {
			st.At = s.Setup + b.duration(path+".at", r.At, 0)
		}
		previous = st.At
		what := 0
		set := func(k cluster.Kind) { st.Kind = k; what++ }
		if r.Apply != "" {
			set(cluster.Apply)
			st.Manifest = b.manifest(path, ".apply", r.Apply, raw, used)
		}
		if r.Create != "" {
			set(cluster.Create)
			st.Manifest = b.manifest(path, ".create", r.Create, raw, used)
		}
		if r.Scale != nil {
			set(cluster.Scale)
			b.object(path+".scale", r.Scale, &st.Input, "replicas")
		}
		if r.Delete != nil {
			set(cluster.Delete)
			b.object(path+".delete", r.Delete, &st.Input, "grace")
		}
		if r.KillNode != "" {
			set(cluster.KillNode)
			st.Node = b.knownNode(path+".kill-node", s, r.KillNode)
		}
		if r.StartNode != "" {
			set(cluster.StartNode)
			st.Node = b.knownNode(path+".start-node", s, r.StartNode)
		}
		if r.DropWatch != nil {
			set(cluster.DropWatch)
			st.Component = b.knownComponent(path+".drop-watch.client", s, r.DropWatch.Client)
			st.Resource = r.DropWatch.Resource
		}
		if r.Stop != "" {
			set(cluster.Stop)
			st.Component = b.knownComponent(path+".stop", s, r.Stop)
		}
		if r.Start != "" {
			set(cluster.Start)
			st.Component = b.knownComponent(path+".start", s, r.Start)
		}
		if what != 1 {
			b.fail(path, "a step does one thing, not %d: apply, create, scale, delete, kill-node, start-node, drop-watch, stop or start", what)
		}
		s.Steps = append(s.Steps, st)
	}
	for _, name := range sorted(raw.Manifests) {
		if !used[name] {
			b.fail("manifests."+name, "manifest %q is never applied", name)
		}
	}
}

func (b *builder) manifest(step, field, name string, raw *rawFile, used map[string]bool) json.RawMessage {
	v, ok := raw.Manifests[name]
	if !ok {
		b.fail(step+field, "unknown manifest %q%s", name, scenario.DidYouMean(name, sorted(raw.Manifests)))
		return nil
	}
	used[name] = true
	b.file.where[step+".manifest"] = "manifests." + name
	// Straight from the text, so that numbers and the order of keys stay.
	node := b.file.node("manifests." + name)
	text, err := yaml.YAMLToJSON([]byte(node.String()))
	if err == nil && !json.Valid(text) {
		err = fmt.Errorf("it is no JSON object")
	}
	if err != nil {
		if text, err = json.Marshal(v); err != nil {
			b.fail("manifests."+name, "manifest %q cannot be written as JSON: %v", name, err)
			return nil
		}
	}
	return json.RawMessage(strings.TrimSpace(string(text)))
}

// object reads {replicaset: web, namespace: shop, replicas: 8}: the key that is
// none of the others is the resource.
func (b *builder) object(path string, m map[string]any, in *cluster.Input, number string) {
	in.Namespace = "default"
	for _, k := range sorted(m) {
		switch k {
		case "namespace":
			in.Namespace = fmt.Sprint(m[k])
		case number:
			n, ok := wholeNumber(m[k])
			if !ok {
				b.fail(path+"."+k, "%v is no whole number", m[k])
			}
			if number == "replicas" {
				r := int32(n)
				in.Replicas = &r
			} else {
				in.Grace = &n
			}
		default:
			if in.Resource != "" {
				b.fail(path+"."+k, "unknown field %q: %s is named already", k, in.Resource)
			}
			r, ok := cluster.ResourceFor(k)
			if !ok {
				b.fail(path+"."+k, "the server doesn't have a resource type %q", k)
			}
			in.Resource, in.Name = r, fmt.Sprint(m[k])
		}
	}
}

func wholeNumber(v any) (int64, bool) {
	switch v := v.(type) {
	case uint64:
		return int64(v), v < 1<<31
	case int64:
		return v, v > -1<<31 && v < 1<<31
	}
	return 0, false
}

func (b *builder) knownNode(path string, s *scenario.Scenario, name string) string {
	var names []string
	for _, n := range s.Cluster.Nodes {
		names = append(names, n.Name)
		if n.Name == name {
			return name
		}
	}
	b.fail(path, "unknown node %q%s", name, scenario.DidYouMean(name, names))
	return name
}

func (b *builder) knownComponent(path string, s *scenario.Scenario, name string) string {
	names := s.Cluster.Components()
	for _, n := range names {
		if n == name {
			return name
		}
	}
	b.fail(path, "unknown component %q%s", name, scenario.DidYouMean(name, names))
	return name
}

func (b *builder) claim(path string, r *rawClaim) scenario.Claim {
	c := scenario.Claim{After: r.After, Within: b.duration(path+".within", r.Within, 0), Stays: r.Stays}
	if r.Count != nil {
		c.Count = fmt.Sprint(r.Count)
	}
	if r.Objects != nil {
		c.Objects = &scenario.Objects{Resource: r.Objects.Resource, Labels: r.Objects.Labels, Fields: r.Objects.Fields}
		if plural, ok := cluster.ResourceFor(r.Objects.Resource); !ok {
			b.fail(path+".objects.resource", "the server doesn't have a resource type %q", r.Objects.Resource)
		} else {
			c.Objects.Resource = plural
		}
	}
	if r.Events != nil {
		m := scenario.Match(*r.Events)
		c.Events = &m
	}
	for _, m := range r.Order {
		c.Order = append(c.Order, scenario.Match(m))
	}
	return c
}

func (b *builder) mark(path string, r *rawMark) scenario.Mark {
	m := scenario.Mark{ID: r.ID, After: r.After, Nth: r.Nth, At: b.duration(path+".at", r.At, 0)}
	m.Caption = b.texts(path+".caption", fmt.Sprintf("the caption of mark %q", r.ID), r.Caption)
	if r.When != nil {
		w := scenario.Match(*r.When)
		m.When = &w
	}
	return m
}

func (b *builder) control(path string, r *rawControl) scenario.Control {
	c := scenario.Control{Label: r.Label}
	what := 0
	set := func(k cluster.Kind, targets []string) { c.Kind, c.Targets = k, targets; what++ }
	if r.Scale != nil {
		set(cluster.Scale, nil)
		for _, limit := range []string{"min", "max"} {
			n, ok := wholeNumber(r.Scale[limit])
			if !ok || n < 0 || n > 500 {
				b.fail(path+".scale."+limit, "a scale control needs %s, from 0 to 500", limit)
			}
			if limit == "min" {
				c.Min = int32(n)
			} else {
				c.Max = int32(n)
			}
			delete(r.Scale, limit)
		}
		if c.Max <= c.Min {
			b.fail(path+".scale.max", "max %d is not above min %d", c.Max, c.Min)
		}
		var in cluster.Input
		b.object(path+".scale", r.Scale, &in, "replicas")
		c.Resource, c.Namespace, c.Name = in.Resource, in.Namespace, in.Name
	}
	if r.Delete != nil {
		set(cluster.Delete, nil)
		var in cluster.Input
		b.object(path+".delete", r.Delete, &in, "grace")
		c.Resource, c.Namespace, c.Name = in.Resource, in.Namespace, in.Name
	}
	for _, t := range []struct {
		kind    cluster.Kind
		targets []string
	}{
		{cluster.KillNode, r.KillNode}, {cluster.StartNode, r.StartNode}, {cluster.DropWatch, r.DropWatch},
		{cluster.Stop, r.Stop}, {cluster.Start, r.Start},
	} {
		if t.targets != nil {
			set(t.kind, t.targets)
		}
	}
	if what != 1 {
		b.fail(path, "a control offers one thing, not %d: scale, delete, kill-node, start-node, drop-watch, stop or start", what)
	}
	return c
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
