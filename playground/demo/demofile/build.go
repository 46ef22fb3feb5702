package demofile

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/yamltree"
)

// builder makes a scenario of a file's values.
type builder struct {
	*yamltree.Tree
	file      *File
	languages []string // those that every text must be there in
}

func (b *builder) scenario(name string, root value) *scenario.Scenario {
	m := root.mapping(demoForm)
	if len(b.Problems) > 0 && len(m) == 0 {
		return nil
	}
	s := &scenario.Scenario{Name: name, Seed: m["seed"].seed()}
	s.Title = b.needed(root, m, "title", "the title")
	s.Cluster = b.cluster(m["cluster"])
	focusable := append(s.Cluster.Components(), "etcd", "kubelet", scenario.FocusCluster)
	if s.Cluster.Network {
		focusable = append(focusable, "network")
	}
	if slices.Contains(focusable, collector) {
		focusable = append(focusable, "garbage-collector")
	}
	if s.Focus, s.Insides = b.focus(m["focus"], focusable); s.Focus == scenario.FocusCluster {
		s.Focus = ""
	}
	s.Setup = m["setup"].duration("setup", 15*time.Second)
	s.End = s.Setup + m["end"].duration("end", 30*time.Second)
	manifests := b.manifests(m["manifests"])
	for name := range manifests { // order: one is enough
		s.Cluster.Kustomize = s.Cluster.Kustomize || scenario.IsKustomization(name)
	}
	b.steps(s, m["steps"], manifests)
	for _, v := range m["claims"].list("claims", "- {after: up, within: 10s, …}") {
		s.Claims = append(s.Claims, b.claim(v))
	}
	for _, v := range m["marks"].list("marks", "- {id: too-few, after: up, …}") {
		s.Marks = append(s.Marks, b.mark(v, focusable))
	}
	for _, v := range m["controls"].list("controls", "- scale: {replicaset: web, min: 0, max: 12}") {
		s.Controls = append(s.Controls, b.control(v, s, manifests))
	}
	for _, v := range m["whatIf"].list("whatIf", "- {id: forgetful, label: {…}, text: {…}, without-expectations: replicaset-controller}") {
		s.WhatIf = append(s.WhatIf, b.whatIf(v, s))
	}
	for i, v := range m["exercises"].list("exercises", "- {id: five, task: {…}, goal: {…}, answer: […]}") {
		s.Exercises = append(s.Exercises, b.exercise(v, i, s, manifests))
	}
	b.unused(manifests)
	left := yamltree.MaxNodes
	for _, key := range []string{"manifests", "steps", "controls", "exercises"} {
		b.ownImages(m[key], key, &left)
	}
	return s
}

// collector is the component whose graph `focus: garbage-collector` shows.
const collector = "generic-garbage-collector"

// mostInsides is scene.MostInsides, which a test holds it to: files know nothing of pictures.
const mostInsides = 3

// focus reads what the picture shows from inside, or whose insides the picture of the whole cluster shows.
func (b *builder) focus(v value, components []string) (one string, insides []string) {
	component := func(v value) string {
		name := v.Text("a controller")
		if name != "" && !slices.Contains(components, name) {
			b.Fail(v.At, "no component %q runs in this cluster (%s)", name, suggest.Cure(name, components))
		}
		return name
	}
	if !v.There() {
		return "", nil
	}
	if !v.IsList() {
		if one = component(v); one == "garbage-collector" {
			one = collector
		}
		return one, nil
	}
	list := v.list("focus", "[deployment-controller, replicaset-controller]")
	if len(list) > mostInsides {
		b.Fail(list[mostInsides].At, "the picture has room for the internals of %d controllers", mostInsides)
	}
	components = slices.DeleteFunc(slices.Clone(components), func(name string) bool { // they are no controllers
		return name == "kubelet" || name == "etcd" || name == "garbage-collector" || name == scenario.FocusCluster
	})
	for _, item := range list {
		insides = append(insides, component(item))
	}
	return scenario.FocusCluster, insides
}

// or is v's place for what is not there: a message about what is missing in a
// mapping stands at the mapping.
func (v value) or(inner value) value {
	if inner.There() {
		return inner
	}
	return value{yamltree.Value{Tree: v.Tree, At: v.At, Key: v.Key}}
}

// seed reads any number of 64 bits.
func (v value) seed() uint64 {
	if !v.There() {
		return 0
	}
	text := v.Text("seed")
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		v.Wrong("seed", fmt.Sprintf("a whole number from 0 to %d", uint64(1<<64-1)), "")
	}
	return n
}

// needed reads a text that has to stand under a mapping's key, in each of the book's languages.
func (b *builder) needed(v value, m map[string]value, key, what string) map[string]string {
	return b.texts(v.or(m[key]), key, what)
}

// texts reads a text in each of the book's languages; key is what it stands under.
func (b *builder) texts(v value, key, what string) map[string]string {
	m := v.texts(what, "{en: Scale up, ja: スケールアップ}")
	if v.There() && !v.IsMapping() {
		return nil // which has been said
	}
	var missing, example []string
	for _, lang := range b.languages {
		example = append(example, lang+": …")
		if strings.TrimSpace(m[lang]) == "" {
			missing = append(missing, lang)
		}
	}
	switch {
	case len(missing) > 0 && len(missing) == len(b.languages):
		b.Fail(v.Key, "%s is missing (write it as %s: {%s})", what, key, strings.Join(example, ", "))
	default:
		for _, lang := range missing {
			b.Fail(v.Key, "%s is missing in language %q (add %s: … to %s)", what, lang, lang, key)
		}
	}
	if len(b.languages) == 0 {
		return m
	}
	for _, e := range v.entries() {
		if !slices.Contains(b.languages, e.Name) {
			if strings.Contains(e.Name, " ") {
				b.Fail(e.Key, "%q is taken for a language (a comma ends a text between { and }: put the text in quotes)", e.Name)
				continue
			}
			b.Fail(e.Key, "the book has no language %q: it has %s", e.Name, listed(b.languages))
		}
	}
	return m
}

// manifest is one that the file holds.
type manifest struct {
	name string
	at   yamltree.Place
	text json.RawMessage
	used bool
}

func (b *builder) manifests(v value) map[string]*manifest {
	v.open("manifests", "web: {apiVersion: apps/v1, kind: ReplicaSet, …}")
	out := map[string]*manifest{}
	for _, e := range v.entries() {
		m := &manifest{name: e.Name, at: e.Key}
		if path.Clean("/"+e.Name) != "/"+e.Name {
			b.Fail(e.Key, "the name of a manifest is a path, not %q: write one such as base/web", e.Name)
		}
		if text, err := e.JSON(); err != nil || len(text) == 0 || text[0] != '"' && text[0] != '[' { // a text is a file, and a list a JSON patch
			e.open("manifest "+strconv.Quote(e.Name), "{apiVersion: apps/v1, kind: ReplicaSet, …}")
		}
		text, err := e.JSON()
		if err != nil {
			b.Fail(e.Key, "manifest %q: %v", e.Name, err)
		}
		m.text = text
		out[e.Name] = m
	}
	return out
}
