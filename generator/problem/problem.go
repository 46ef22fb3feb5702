// Package problem is what the generator says when something that a person
// wrote is wrong: where it is (file, line, column), what is wrong, and the cure.
//
// Every package of the generator reports through it, so that a terminal, the
// overlay of the development server and an editor that parses "file:line:col:"
// all show the same thing. Problems are collected, not stopped at: an author
// sees all of them at once.
package problem

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Problem is one thing that is wrong. It is an error.
type Problem struct {
	File    string `json:"file"`             // relative to the project, with slashes
	Line    int    `json:"line,omitempty"`   // from 1; 0 when the whole file is meant
	Column  int    `json:"column,omitempty"` // from 1, in characters
	Message string `json:"message"`          // lower case, subject first, with the value
	Cure    string `json:"cure,omitempty"`   // what to do about it
}

func (p Problem) Error() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
			if p.Column > 0 {
				fmt.Fprintf(&b, ":%d", p.Column)
			}
		}
		b.WriteString(": ")
	}
	b.WriteString(p.Message)
	if p.Cure != "" {
		b.WriteString(" (" + p.Cure + ")")
	}
	return b.String()
}

// List is a set of problems; the zero value is ready to use.
type List struct{ items []Problem }

// Add adds a problem.
func (l *List) Add(p Problem) { l.items = append(l.items, p) }

// AddError adds an error: as the problems it holds, or as a problem without a place.
func (l *List) AddError(err error) {
	if err != nil {
		l.items = append(l.items, Of(err)...)
	}
}

// Len is the number of problems.
func (l *List) Len() int { return len(l.items) }

// Err returns the problems as an error, sorted by place and each once; nil when there are none.
func (l *List) Err() error {
	if len(l.items) == 0 {
		return nil
	}
	items := slices.Clone(l.items)
	slices.SortStableFunc(items, func(a, b Problem) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	items = slices.Compact(items)
	for i, p := range items {
		// The first character of a file: its line says as much, and nobody takes it
		// for what a place looks like when it is not known.
		if p.Line == 1 && p.Column == 1 {
			items[i].Column = 0
		}
	}
	return Errors(items)
}

// Errors are several problems as one error, one a line.
type Errors []Problem

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Of returns the problems that an error holds. An error of another kind is one
// problem without a place.
func Of(err error) []Problem {
	var list Errors
	if errors.As(err, &list) {
		return list
	}
	var one Problem
	if errors.As(err, &one) {
		return []Problem{one}
	}
	if err == nil {
		return nil
	}
	return []Problem{{Message: err.Error()}}
}

// Place turns an offset in bytes into line and column, both from 1. Columns
// count characters, as editors do.
func Place(text []byte, offset int) (line, column int) {
	offset = max(0, min(offset, len(text)))
	before := text[:offset]
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}
