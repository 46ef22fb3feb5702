package demofile

import (
	"encoding/json"
	"strings"

	"kubewalk/playground/api/resource"
	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
)

// offers are the keys of a control that say what a reader may do. Those that a step
// has as well, and that are written as there, stand in doings.
var offers = offerKeys()

func offerKeys() (out []key) {
	own := map[string]key{
		"scale":      may("scale", of(scaleControlForm), "[a slider](#scale-control) for an object's replicas"),
		"delete":     may("delete", of(deleteControlForm), "[a button](#delete-control) that deletes an object, or one of `web-*`"),
		"kill-node":  may("kill-node", listOf(text), "a list of nodes that readers can switch off"),
		"start-node": may("start-node", listOf(text), "a list of nodes that readers can switch on"),
		"drop-watch": may("drop-watch", listOf(text), "a list of components whose watches readers can break"),
		"stop":       may("stop", listOf(text), "a list of components that readers can kill"),
		"start":      may("start", listOf(text), "a list of components that readers can start"),
		"kubectl":    may("kubectl", of(kubectlForm), "[a command line](#kubectl-control)"),
		"load":       may("load", of(loadControlForm), "[a slider](#load-control) for a CPU load"),
	}
	for _, d := range doings {
		switch one, ok := own[d.key]; {
		case ok:
			out = append(out, one)
		case !d.authors:
			out = append(out, may(d.key, d.is, d.doc))
		}
	}
	return append(out, may("profiles", shape{json: object{"type": "object", "additionalProperties": profiles.json}},
		"lists of scheduler profiles to choose from, each under a name of your choice: `{default: [], packing: [{pluginConfig: […]}]}`"))
}

// maxReplicas is how far a reader may scale: a page draws each Pod.
const maxReplicas = 10000

// maxLoad is the largest load that a slider reaches, in thousandths of a CPU.
const maxLoad = 1_000_000

func (b *builder) control(v value, s *scenario.Scenario, manifests map[string]*manifest) scenario.Control {
	m := v.mapping(controlForm)
	var c scenario.Control
	if label := m["label"]; label.There() {
		c.Label = b.texts(label, "label", "the label")
	}
	var what, known []string
	for _, k := range offers {
		known = append(known, k.name)
		if m[k.name].There() {
			what = append(what, k.name)
		}
	}
	if len(what) != 1 {
		found := "nothing"
		if len(what) > 1 {
			found = listed(what)
		}
		if len(what) > 0 || !v.hasUnknown(m) { // else the key that is misspelt says what the control offers
			b.Fail(v.Key, "a control offers one thing, not %s: %s", found, listed(known))
		}
		return c
	}
	c.Kind = cluster.Kind(what[0])
	if what[0] == "profiles" {
		c.Kind = cluster.Reconfigure
	}
	switch offer := m[what[0]]; c.Kind {
	case cluster.Scale:
		b.scaleControl(&c, offer)
	case cluster.Delete:
		var in cluster.Input
		b.object(offer, &in, deleteControlForm)
		c.Resource, c.Namespace, c.Name = in.Resource, in.Namespace, in.Name
	case cluster.KillNode, cluster.StartNode:
		c.Targets = b.targets(offer, "node", nodeNames(s))
	case cluster.DropWatch:
		c.Targets = b.targets(offer, "component", s.Cluster.Components())
	case cluster.Stop, cluster.Start:
		c.Targets = b.targets(offer, "component", stoppable(s))
	case cluster.Command:
		b.commandControl(&c, offer, s, manifests)
	case cluster.Reconfigure:
		b.profilesControl(&c, offer)
	case cluster.Load:
		b.loadControl(&c, offer)
	default:
		b.deedControl(&c, offer, s)
	}
	return c
}

// commandControl reads {examples: [get pods, apply -f web]}.
func (b *builder) commandControl(c *scenario.Control, v value, s *scenario.Scenario, manifests map[string]*manifest) {
	m := v.mapping(kubectlForm)
	items := m["examples"].list("examples", "[get pods, apply -f web]")
	if v.IsMapping() && len(items) == 0 && len(b.Problems) == 0 {
		b.Fail(v.Key, "a kubectl control needs examples, as in %s", kubectlForm.example)
	}
	s.Manifests = map[string]json.RawMessage{}
	for name, known := range manifests { // order: into a map
		s.Manifests[name] = known.text
	}
	for _, item := range items {
		line := strings.TrimPrefix(item.Text("a command line"), "kubectl ")
		args, _, err := scenario.ParseCommand(line, s.Manifests, nil)
		if err != nil {
			b.badCommand(item, line, err)
			continue
		}
		for _, name := range scenario.NeededManifests(args, s.Manifests) {
			manifests[name].used = true
		}
		c.Examples = append(c.Examples, line)
	}
}

// profilesControl reads {default: [], packing: [{pluginConfig: […]}]}.
func (b *builder) profilesControl(c *scenario.Control, v value) {
	const example = "{default: [], packing: [{schedulerName: default-scheduler, pluginConfig: […]}]}"
	v.open("a profiles control", example)
	for _, e := range v.entries() {
		c.Profiles = append(c.Profiles, scenario.Profiles{Name: e.Name, Profiles: b.profiles(e.value)})
	}
	if v.IsMapping() && len(c.Profiles) == 0 {
		b.Fail(v.Key, "a profiles control needs a choice, as in %s", example)
	}
}

// loadControl reads {deployment: web, max: 4000m}: a slider from nothing up.
func (b *builder) loadControl(c *scenario.Control, v value) {
	in := cluster.Input{Kind: cluster.Load}
	rest := b.object(v, &in, loadControlForm)
	c.Resource, c.Namespace, c.Name = in.Resource, in.Namespace, in.Name
	a := &action{builder: b, Input: &in, value: v}
	known := len(b.Problems)
	q, err := resource.ParseQuantity(a.quantity(rest["max"], "max", loadControlForm.example))
	if err != nil || len(b.Problems) > known {
		return // which has been said
	}
	if milli := q.MilliValue(); milli < 1 || milli > maxLoad {
		b.Fail(rest["max"].At, "max is an amount from 1m to %d, not %s", maxLoad/1000, q.String())
	} else {
		c.Max = int32(milli)
	}
}

// deedControl reads what is written as in a step, and happens at a click.
func (b *builder) deedControl(c *scenario.Control, v value, s *scenario.Scenario) {
	in := cluster.Input{Kind: c.Kind}
	for _, d := range doings {
		if d.key == string(c.Kind) {
			d.read(&action{builder: b, Input: &in, value: v, scenario: s})
		}
	}
	c.Resource, c.Namespace, c.Name = in.Resource, in.Namespace, in.Name
	c.Node, c.Component, c.Container, c.Value, c.Metric, c.URL, c.From = in.Node, in.Component, in.Container, in.Value, in.Metric, in.URL, in.From
}

func (b *builder) scaleControl(c *scenario.Control, v value) {
	var in cluster.Input
	rest := b.object(v, &in, scaleControlForm)
	c.Resource, c.Namespace, c.Name = in.Resource, in.Namespace, in.Name
	known := len(b.Problems)
	for _, limit := range []struct {
		key string
		to  *int32
	}{{"min", &c.Min}, {"max", &c.Max}} {
		if n := rest[limit.key]; n.There() {
			*limit.to = int32(n.whole(limit.key, 0, maxReplicas))
		} else {
			b.Fail(v.Key, "a scale control needs %s, as in %s", limit.key, scaleControlForm.example)
			return
		}
	}
	if c.Max <= c.Min && len(b.Problems) == known {
		b.Fail(rest["max"].At, "max %d is not above min %d", c.Max, c.Min)
	}
}

func (b *builder) targets(v value, what string, known []string) []string {
	out := []string{}
	items := v.list("what a control is about", "["+strings.Join(known[:min(len(known), 2)], ", ")+"]")
	for _, item := range items {
		out = append(out, item.OneOf(what, known))
	}
	if v.IsList() && len(items) == 0 {
		b.Fail(v.Key, "a control needs at least one %s", what)
	}
	return out
}
