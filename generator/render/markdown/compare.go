package markdown

import (
	"fmt"
	"slices"

	"kubewalk/generator/problem"
)

// What a chapter has in every language: whoever reads it in one has the same
// demos before them, the same figures proved, the same exercises, and finds the
// same section behind an address.

// outlined is a heading of any level.
type outlined struct {
	level     int
	id, title string
	offset    int
}

// placed is something with a name that stands in a chapter.
type placed struct {
	name   string
	offset int
}

// Compare demands that a translation has what the chapter in the first language
// has. The error is what differs, at the place of what the other lacks.
func Compare(first, other *Document) error {
	var out problem.List
	lacking(&out, first, other, "demo %q", "add the block", false, func(d *Document) []placed { return d.shown })
	lacking(&out, first, other, "exercise %q", "add the block", false, func(d *Document) (all []placed) {
		for _, x := range d.Exercises {
			all = append(all, placed{x.Name(), x.offset})
		}
		return all
	})
	lacking(&out, first, other, "claim %q", "say it there as well", true, func(d *Document) (all []placed) {
		for _, c := range d.Claims {
			all = append(all, placed{c.Destination(), c.offset})
		}
		return all
	})
	lacking(&out, first, other, "include %q", "show it", false, func(d *Document) []placed { return d.includes })
	if out.Len() == 0 {
		ordered(&out, first, other, "demo %q", first.shown, other.shown)
	}
	compareOutlines(&out, first, other)
	return out.Err()
}

// lacking tells what stands in one of two chapters and not in the other. What may
// stand there several times has to do so as often.
func lacking(out *problem.List, first, other *Document, what, cure string, repeated bool, of func(*Document) []placed) {
	for _, pair := range [][2]*Document{{first, other}, {other, first}} {
		has, lacks := pair[0], pair[1]
		left := map[string]int{}
		for _, p := range of(lacks) {
			left[p.name]++
		}
		for _, p := range of(has) {
			if left[p.name]--; left[p.name] < 0 {
				message := fmt.Sprintf(what, p.name) + fmt.Sprintf(" is missing in language %q", lacks.Chapter.Language)
				if repeated && left[p.name] < -1 {
					continue // the first one says it
				}
				out.Add(has.problemAt(p.offset, message, cure+" in "+lacks.Chapter.File))
			}
		}
	}
}

// ordered demands that what both have comes in the same order.
func ordered(out *problem.List, first, other *Document, what string, a, b []placed) {
	for i := range min(len(a), len(b)) {
		if a[i].name != b[i].name {
			out.Add(other.problemAt(b[i].offset, fmt.Sprintf(what, b[i].name)+fmt.Sprintf(" does not match "+what+" in %s", a[i].name, first.Chapter.File),
				"keep the same order in every language"))
			return
		}
	}
}

func compareOutlines(out *problem.List, first, other *Document) {
	a, b := first.outline, other.outline
	same := func(x, y outlined) bool { return x.id == y.id }
	if slices.EqualFunc(a, b, same) {
		return
	}
	if len(a) == len(b) && slices.EqualFunc(a, b, func(x, y outlined) bool { return x.level == y.level }) && !permuted(a, b) {
		for i := range a {
			if !same(a[i], b[i]) {
				out.Add(other.problemAt(b[i].offset, fmt.Sprintf("heading %q has the anchor %q, and %q in %s", b[i].title, b[i].id, a[i].id,
					first.Chapter.File),
					fmt.Sprintf("write {#%s} after it: an address leads to the same section in every language", a[i].id)))
			}
		}
		return
	}
	names := func(all []outlined) (out []placed) {
		for _, h := range all {
			out = append(out, placed{h.id, h.offset})
		}
		return out
	}
	before := out.Len()
	lacking(out, first, other, "heading with the anchor %q", "add it, or write {#anchor} behind the heading that it is,", false,
		func(d *Document) []placed { return names(d.outline) })
	if out.Len() == before {
		ordered(out, first, other, "heading with the anchor %q", names(a), names(b))
	}
}

// permuted tells that two outlines have the same anchors.
func permuted(a, b []outlined) bool {
	ids := func(all []outlined) (out []string) {
		for _, h := range all {
			out = append(out, h.id)
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(ids(a), ids(b))
}

func (d *Document) problemAt(offset int, message, cure string) problem.Problem {
	line, column := problem.Place(d.Chapter.Source, offset)
	return problem.Problem{File: d.Chapter.File, Line: line, Column: column, Message: message, Cure: cure}
}
