package demofile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/cluster"
	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/demo/scenario"
)

func (b *builder) steps(s *scenario.Scenario, v value, manifests map[string]*manifest) {
	previous := s.Setup
	for i, item := range v.list("steps", "- {id: up, at: 15s, scale: {replicaset: web, replicas: 8}}") {
		m := item.mapping(stepForm)
		st := scenario.Step{ID: m["id"].Text("id"), Fails: m["fails"].Text("fails"), Prints: m["prints"].oneOrMore("prints")}
		st.At = m["at"].moment(s.Setup, previous)
		previous = st.At
		if name := b.action(&st.Input, item, m, s, manifests); name != "" {
			b.file.where[fmt.Sprintf("steps[%d].manifest", i)] = "manifests." + name
		}
		s.Steps = append(s.Steps, st)
	}
	if v.There() && len(s.Steps) == 0 { // it is no list, which has been said
		allUsed(manifests)
	}
}

// allUsed is for when nobody can know which manifests are applied, because something else is wrong, which has been said.
func allUsed(manifests map[string]*manifest) {
	for _, m := range manifests { // order: all of them are marked
		m.used = true
	}
}

// hasUnknown tells whether a mapping has a key that its form, which was read into m, does not know.
func (v value) hasUnknown(m map[string]value) bool {
	return slices.ContainsFunc(v.entries(), func(e entry) bool { _, known := m[e.Name]; return !known })
}

// unused reports manifests that nobody applies: no step, and no example of a
// command line for readers.
func (b *builder) unused(manifests map[string]*manifest) {
	for _, name := range sorted(manifests) {
		if m := manifests[name]; !m.used {
			b.Fail(m.at, "manifest %q is never applied: remove it, or add a step {apply: %s}", name, name)
		}
	}
}

// moment reads a time: since the end of the setup, or, behind a +, since the step before.
func (v value) moment(setup, previous time.Duration) time.Duration {
	text := v.Text("at")
	if rest, ok := strings.CutPrefix(text, "+"); ok {
		return previous + v.parseDuration("at", rest)
	}
	if text == "" {
		return setup
	}
	return setup + v.parseDuration("at", text)
}

// action reads what a step does into its input, and returns the name of the
// manifest that it applies or creates.
func (b *builder) action(in *cluster.Input, step value, m map[string]value, s *scenario.Scenario, manifests map[string]*manifest) (applied string) {
	var what []doing
	for _, d := range doings {
		if m[d.key].There() {
			what = append(what, d)
		}
	}
	if len(what) != 1 {
		found := "nothing"
		if len(what) > 1 {
			var keys []string
			for _, d := range what {
				keys = append(keys, d.key)
			}
			found = listed(keys)
		}
		if len(what) > 0 || !step.hasUnknown(m) { // else the key that is misspelt says what the step does
			b.Fail(step.Key, "a step does one thing, not %s: %s", found, listed(does()))
		} else {
			allUsed(manifests)
		}
		for _, k := range []string{"apply", "create"} {
			if used := manifests[m[k].Text(k)]; used != nil {
				used.used = true // one mistake is enough
			}
		}
		return ""
	}
	d := what[0]
	in.Kind = cluster.Kind(d.key)
	if m["manifest"].There() && in.Kind != cluster.Command {
		b.Fail(m["manifest"].Key, "only a step with kubectl has a manifest of its own: name one under manifests")
	}
	return d.read(&action{builder: b, Input: in, value: m[d.key], step: m, scenario: s, manifests: manifests})
}

func nodeNames(s *scenario.Scenario) (names []string) {
	for _, n := range s.Cluster.Nodes {
		names = append(names, n.Name)
	}
	return append(names, s.Cluster.HollowNames()...)
}

// stoppable are the components that can be stopped and started by themselves.
func stoppable(s *scenario.Scenario) []string {
	return slices.DeleteFunc(s.Cluster.Components(), func(name string) bool { return !cluster.CanStop(name) })
}

// resource reads what a person calls a resource, and returns its plural.
func (v value) resource() string {
	if !v.There() {
		return ""
	}
	name := v.Text("resource")
	plural, ok := cluster.ResourceFor(name)
	if !ok {
		v.Fail(v.At, "the server doesn't have a resource type %q%s", name, nearResource(name))
	}
	return plural
}

func nearResource(name string) string {
	var known []string
	for _, k := range api.Kinds() {
		known = append(known, k.Singular, k.Resource)
	}
	if near := suggest.Nearest(name, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// object reads {replicaset: web, namespace: shop, replicas: 8}: the key that is
// none of the others is the resource. It returns the others.
func (b *builder) object(v value, in *cluster.Input, f *form) map[string]value {
	m, others := v.open(f.what, f.example), f.names()
	in.Namespace = "default"
	rest := map[string]value{}
	for _, e := range v.entries() {
		switch {
		case e.Name == "namespace":
			in.Namespace = e.Text("namespace")
		case slices.Contains(others, e.Name):
			rest[e.Name] = e.value
		case in.Resource != "":
			b.Fail(e.Key, "unknown key %q: %s is named already", e.Name, in.Resource)
		default:
			plural, ok := cluster.ResourceFor(e.Name)
			if !ok {
				b.Fail(e.Key, "the server doesn't have a resource type %q%s", e.Name, nearResource(e.Name))
				plural = e.Name // so that the next one is not taken for it
			}
			in.Resource, in.Name = plural, e.Text("the name")
			if !e.There() || in.Name == "" {
				b.Fail(e.Key, "%s needs a name, as in %s", e.Name, f.example)
			}
		}
	}
	if in.Resource == "" && len(m) > 0 {
		b.Fail(v.Key, "the object is missing, as in %s", f.example)
	}
	return rest
}
