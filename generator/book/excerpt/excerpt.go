// Package excerpt takes pieces out of source files by what they are called, so
// that a book shows the code that runs, and fails when that is gone:
//
//	replica_set.go                       all of the file
//	replica_set.go#Controller.sync       a function, method, type, field, variable or constant of a Go file
//	replica_set.go#region:slow-start     the lines between // region slow-start and // endregion, of any file
//	replica_set.go#Controller.sync:3-12  some of its lines, counted from its first
//
// A declaration comes without its doc comment, unless it is asked for. What all
// lines are indented by is taken off.
package excerpt

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"kubewalk/generator/problem"
)

// Reference is where an excerpt is.
type Reference struct {
	File        string // below the project's root, with slashes
	Symbol      string // "Controller.sync"; "" for none
	Region      string // "" for none
	First, Last int    // lines of it, from 1; 0 is from the beginning, or to the end
}

// Excerpt is a piece of a file.
type Excerpt struct {
	Reference
	Text    string // with an end to each line
	Numbers []int  // of its lines, in the file
	Doc     string // the declaration's comment, as text; "" for none
}

// Lines is how many lines it has.
func (e *Excerpt) Lines() int { return len(e.Numbers) }

const form = "write FILE#SYMBOL, FILE#region:NAME or FILE, from the root of the project; add :3-12 for only some of its lines"

// Parse reads a reference. The error is a problem.Problem without a place.
func Parse(text string) (r Reference, err error) {
	file, what, hasWhat := strings.Cut(text, "#")
	if !fs.ValidPath(file) || file == "." || strings.Contains(file, `\`) {
		return r, wrong(form, "%q is not a file of the project", file)
	}
	for part := range strings.SplitSeq(file, "/") {
		if strings.HasPrefix(part, ".") {
			return r, wrong("such files are not for readers: they may hold passwords, or a repository's history", "%q has a name that begins with a dot", file)
		}
	}
	r.File = file
	if !hasWhat {
		return r, nil
	}
	region, isRegion := strings.CutPrefix(what, "region:")
	if name, numbers, ok := strings.Cut(region, ":"); ok {
		if r.First, r.Last, err = lineRange(numbers); err != nil {
			return r, err
		}
		region = name
	}
	if region == "" {
		return r, wrong(form, "%q names nothing in the file", text)
	}
	if r.Symbol = region; isRegion {
		r.Symbol, r.Region = "", region
	}
	return r, nil
}

// String is the reference as it is written.
func (r Reference) String() string {
	out := r.File
	switch {
	case r.Region != "":
		out += "#region:" + r.Region
	case r.Symbol != "":
		out += "#" + r.Symbol
	}
	switch {
	case r.First == 0:
	case r.First == r.Last:
		out += fmt.Sprintf(":%d", r.First)
	default:
		out += fmt.Sprintf(":%d-%d", r.First, r.Last)
	}
	return out
}

// lineRange reads "3-12" or "3".
func lineRange(text string) (first, last int, err error) {
	from, to, ok := strings.Cut(text, "-")
	if !ok {
		to = from
	}
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil || first < 1 {
		return 0, 0, wrong("write :3-12, or :3 for one line; the first is 1", "%q is not a range of lines", text)
	}
	if last < first {
		return 0, 0, wrong(fmt.Sprintf("write %d-%d", last, first), "lines %s are in the wrong order", text)
	}
	return first, last, nil
}

// Of takes the excerpt out of its file's text. With doc a declaration's comment
// is part of it. The error is a problem.Problem without a place.
func Of(r Reference, text []byte, doc bool) (*Excerpt, error) {
	all := strings.SplitAfter(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	if last := len(all) - 1; all[last] == "" {
		all = all[:last]
	} else {
		all[last] += "\n"
	}
	e := &Excerpt{Reference: r}
	first, last := 1, len(all) // lines of the file, both included
	var err error
	switch {
	case r.Region != "":
		first, last, err = region(r, all)
	case r.Symbol != "":
		first, last, e.Doc, err = symbol(r, text, doc)
	}
	if err != nil {
		return nil, err
	}
	if r.First > 0 {
		if n := last - first + 1; r.Last > n {
			return nil, wrong(fmt.Sprintf("write a range up to %d", n), "%s has %d lines, and no line %d",
				Reference{File: r.File, Symbol: r.Symbol, Region: r.Region}, n, r.Last)
		}
		first, last = first+r.First-1, first+r.Last-1
	}
	for n := first; n <= last; n++ { // the ends of regions are not shown
		if marker(all[n-1]) == "" {
			e.Numbers = append(e.Numbers, n)
		}
	}
	blank := func(n int) bool { return strings.TrimSpace(all[n-1]) == "" }
	for len(e.Numbers) > 0 && blank(e.Numbers[0]) {
		e.Numbers = e.Numbers[1:]
	}
	for len(e.Numbers) > 0 && blank(e.Numbers[len(e.Numbers)-1]) {
		e.Numbers = e.Numbers[:len(e.Numbers)-1]
	}
	if len(e.Numbers) == 0 {
		return nil, wrong("put something between its ends, or name another", "%s is empty", r)
	}
	var shown []string
	for _, n := range e.Numbers {
		shown = append(shown, all[n-1])
	}
	e.Text = dedent(shown)
	return e, nil
}

// dedent takes off what all lines begin with.
func dedent(lines []string) string {
	common, begun := "", false
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if !begun {
			common, begun = indent, true
		}
		for !strings.HasPrefix(indent, common) {
			common = common[:len(common)-1]
		}
	}
	var out strings.Builder
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			line = "\n"
		}
		out.WriteString(strings.TrimPrefix(line, common))
	}
	return out.String()
}

func wrong(cure, format string, args ...any) error {
	return problem.Problem{Message: fmt.Sprintf(format, args...), Cure: cure}
}
