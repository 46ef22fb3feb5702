package edition

import (
	"fmt"
	"slices"

	"kubewalk/generator/markdown"
	"kubewalk/generator/problem"
)

// compareExercises demands that a chapter asks the same in every language: what
// a reader has solved counts in all of them.
func (e *edition) compareExercises() {
	for _, p := range e.pages {
		for _, l := range e.book.Site.Languages {
			if other := e.book.Find(l.Code, p.Chapter.Key()); other != nil && other != p.Chapter {
				e.problems.AddError(missing(p.Document, e.page(other).Document))
			}
		}
	}
}

// missing are the exercises of a chapter that it does not have in another language.
func missing(d, other *markdown.Document) error {
	var out problem.List
	for _, x := range d.Exercises {
		same := func(o markdown.Exercise) bool { return o.Name() == x.Name() }
		if !slices.ContainsFunc(other.Exercises, same) {
			out.Add(problem.Problem{File: d.Chapter.File, Line: x.Line, Column: x.Column,
				Message: fmt.Sprintf("exercise %q is missing in language %q", x.Name(), other.Chapter.Language), Cure: "add the block to " + other.Chapter.File})
		}
	}
	return out.Err()
}

// exercisesOf are a chapter's exercises as pages remember them: "DEMO/ID.VERSION".
func (e *edition) exercisesOf(d *markdown.Document) (out []string) {
	for _, x := range d.Exercises {
		if made := e.demos[x.Demo]; made != nil {
			for _, known := range made.Exercises {
				if known.ID == x.ID {
					out = append(out, x.Name()+"."+known.Version)
				}
			}
		}
	}
	return out
}
