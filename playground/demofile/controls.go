package demofile

import (
	"strings"

	"kubewalk/playground/cluster"
	"kubewalk/playground/scenario"
)

// offers are the keys of a control that say what a reader may do.
var offers = []string{"scale", "delete", "kill-node", "start-node", "drop-watch", "stop", "start"}

// maxReplicas is how far a reader may scale: a page draws each Pod.
const maxReplicas = 500

func (b *builder) control(v value, s *scenario.Scenario) scenario.Control {
	m := v.mapping("a control", "scale: {replicaset: web, min: 0, max: 12}", append([]string{"label"}, offers...)...)
	var c scenario.Control
	if label := m["label"]; label.there() {
		c.Label = b.texts(label, "the label")
	}
	var what []string
	for _, k := range offers {
		if m[k].there() {
			what = append(what, k)
		}
	}
	if len(what) != 1 {
		found := "nothing"
		if len(what) > 1 {
			found = listed(what)
		}
		b.fail(v.key, "a control offers one thing, not %s: %s", found, listed(offers))
		return c
	}
	c.Kind = cluster.Kind(what[0])
	switch offer := m[what[0]]; c.Kind {
	case cluster.Scale:
		b.scaleControl(&c, offer)
	case cluster.Delete:
		var in cluster.Input
		b.object(offer, &in, "{pod: web-*}")
		c.Resource, c.Namespace, c.Name = in.Resource, in.Namespace, in.Name
	case cluster.KillNode, cluster.StartNode:
		c.Targets = b.targets(offer, "node", nodeNames(s))
	case cluster.DropWatch:
		c.Targets = b.targets(offer, "component", s.Cluster.Components())
	case cluster.Stop, cluster.Start:
		c.Targets = b.targets(offer, "component", stoppable(s))
	}
	return c
}

func (b *builder) scaleControl(c *scenario.Control, v value) {
	const example = "{replicaset: web, min: 0, max: 12}"
	var in cluster.Input
	rest := b.object(v, &in, example, "min", "max")
	c.Resource, c.Namespace, c.Name = in.Resource, in.Namespace, in.Name
	known := len(b.problems)
	for _, limit := range []struct {
		key string
		to  *int32
	}{{"min", &c.Min}, {"max", &c.Max}} {
		if n := rest[limit.key]; n.there() {
			*limit.to = int32(n.whole(limit.key, 0, maxReplicas))
		} else {
			b.fail(v.key, "a scale control needs %s, as in %s", limit.key, example)
			return
		}
	}
	if c.Max <= c.Min && len(b.problems) == known {
		b.fail(rest["max"].at, "max %d is not above min %d", c.Max, c.Min)
	}
}

func (b *builder) targets(v value, what string, known []string) []string {
	out := []string{}
	items := v.list("what a control is about", "["+strings.Join(known[:min(len(known), 2)], ", ")+"]")
	for _, item := range items {
		out = append(out, item.oneOf(what, known))
	}
	if items != nil && len(out) == 0 {
		b.fail(v.key, "a control needs at least one %s", what)
	}
	return out
}
