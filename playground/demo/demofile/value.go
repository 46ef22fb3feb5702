package demofile

import (
	"maps"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/yamltree"
)

// value is something in the file; to what every file's values can be asked come a demo's own words.
type value struct{ yamltree.Value }

// entry is one key of a mapping.
type entry struct {
	Name string
	value
}

// entries are the keys of a mapping; nil for what is no mapping.
func (v value) entries() (out []entry) {
	for _, e := range v.Entries() {
		out = append(out, entry{e.Name, value{e.Value}})
	}
	return out
}

// mapping reads a mapping that may have a form's keys, and no others.
func (v value) mapping(f *form) map[string]value { return v.mappingAs(f.what, f) }

// mappingAs is mapping for a form that messages call something else here.
func (v value) mappingAs(what string, f *form) map[string]value {
	out, known := map[string]value{}, f.names()
	for _, e := range v.Keys(what, f.example) {
		if slices.Contains(known, e.Name) {
			out[e.Name] = value{e.Value}
		} else {
			e.Unknown(what, suggest.Cure(e.Name, known))
		}
	}
	return out
}

// open reads a mapping with any keys. what names it in messages; example shows how
// it is written.
func (v value) open(what, example string) map[string]value {
	out := map[string]value{}
	for _, e := range v.Keys(what, example) {
		out[e.Name] = value{e.Value}
	}
	return out
}

// list reads a list.
func (v value) list(what, example string) (out []value) {
	for _, item := range v.List(what, example) {
		out = append(out, value{item})
	}
	return out
}

// whole reads a whole number; 0 for another one than from to to.
func (v value) whole(what string, from, to int64) int64 {
	n, _ := v.Whole(what, from, to)
	return n
}

// longest is the longest that a demo may last: a reader watches it.
const longest = 24 * time.Hour

// duration reads a duration; or is what it is when it is not there.
func (v value) duration(what string, or time.Duration) time.Duration {
	if !v.There() {
		return or
	}
	return v.parseDuration(what, v.Text(what))
}

func (v value) parseDuration(what, s string) time.Duration {
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		v.Fail(v.At, "%s %q is not a duration: write 500ms, 12s or 1m30s", what, s)
	case d < 0:
		v.Fail(v.At, "%s %s is negative", what, s)
	case d > longest:
		v.Fail(v.At, "%s %s is longer than a day", what, s)
	default:
		return d
	}
	return 0
}

// texts reads texts by key: fields and what they have to be.
func (v value) texts(what, example string) map[string]string {
	if !v.There() {
		return nil
	}
	m := v.open(what, example)
	out := make(map[string]string, len(m))
	for _, k := range sorted(m) {
		out[k] = m[k].Text(what + " " + k)
	}
	return out
}

// conditions reads texts, of which some compare: ">= 3".
func (v value) conditions(what, example string) map[string]string {
	out := v.texts(what, example)
	for _, e := range v.entries() {
		c, ok := scenario.ParseComparison(out[e.Name])
		if ok && !c.Known() && !strings.HasSuffix(c.Than, ">") { // <none> is a text
			v.Fail(e.At, "%s of %s needs a number, a quantity (500m, 1Gi) or a time (5s, 2026-01-01T00:00:05Z), not %q", c.Op, e.Name, c.Than)
		}
	}
	return out
}

func sorted[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// listed is a list in words.
func listed(names []string) string { return strings.Join(names, ", ") }
