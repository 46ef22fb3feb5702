package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"kubewalk/generator/problem"
)

// fenceAttribute is one of those behind a code block's language:
//
//	```go include=playground/controlplane/workqueue/queue.go#Typed.Get title="Get" mark={3,7-9} mark="dirty" lines
type fenceAttribute struct {
	name   string
	value  string
	form   byte // '"' for a text, '{' for numbers of lines, '=' for a word, 0 for a name alone
	offset int  // in the file
}

// fenceInfo reads a code block's language and attributes. ok is false when
// something is wrong, which it reports.
func (d *Document) fenceInfo(block *ast.FencedCodeBlock) (language string, attributes []fenceAttribute, ok bool) {
	if block.Info == nil {
		return "", nil, true
	}
	segment := block.Info.Segment
	text := segment.Value(d.Chapter.Source)
	ok = true
	for i := 0; i < len(text); {
		if text[i] == ' ' || text[i] == '\t' {
			i++
			continue
		}
		a, next, cure := readFenceAttribute(text, i)
		a.offset = segment.Start + i
		if cure != "" {
			d.wrongAt(a.offset, fmt.Sprintf("attribute %q of a code block", text[i:]), cure)
			return language, attributes, false
		}
		if i == 0 && a.form == 0 {
			language = a.name
		} else {
			attributes = append(attributes, a)
		}
		i = next
	}
	return language, attributes, ok
}

// readFenceAttribute reads name, name=word, name="text" or name={1,3-5}. cure is
// "" when all is well.
func readFenceAttribute(text []byte, i int) (a fenceAttribute, next int, cure string) {
	start := i
	for i < len(text) && text[i] != ' ' && text[i] != '\t' && text[i] != '=' && text[i] != '{' && text[i] != '"' {
		i++
	}
	a.name = string(text[start:i])
	switch {
	case a.name == "" && i < len(text) && text[i] == '{':
		return a, i, "say what the lines are: mark={3,7-9}; or focus, fold, ins, del"
	case a.name == "" && i < len(text) && text[i] == '"':
		return a, i, `say what the text is: title="…"`
	case start == 0 && i < len(text) && text[i] == '{':
		return a, i, "say what the lines are, after a space: " + a.name + " mark={3,7-9}; or focus, fold, ins, del"
	case a.name == "" || i < len(text) && (text[i] == '{' || text[i] == '"'):
		return a, i, `write NAME=VALUE: title="…", mark={3,7-9}`
	case i == len(text) || text[i] != '=':
		return a, i, ""
	}
	if i++; i == len(text) || text[i] == ' ' || text[i] == '\t' {
		return a, i, "write its value right behind the ="
	}
	switch a.form = text[i]; a.form {
	case '"':
		var value strings.Builder
		for i++; i < len(text); i++ {
			if text[i] == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\') {
				i++
			} else if text[i] == '"' {
				a.value = value.String()
				return a, i + 1, ""
			}
			value.WriteByte(text[i])
		}
		return a, i, "close its quotation mark"
	case '{':
		end := strings.IndexByte(string(text[i:]), '}')
		if end < 0 {
			return a, i, "close its brace"
		}
		a.value = string(text[i+1 : i+end])
		return a, i + end + 1, ""
	}
	a.form, start = '=', i
	for i < len(text) && text[i] != ' ' && text[i] != '\t' {
		i++
	}
	a.value = string(text[start:i])
	return a, i, ""
}

// lineNumbers reads "3,7-9" of a block with so many lines. The error is a
// problem.Problem without a place.
func lineNumbers(text string, lines int) (out []int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		from, to, ok := strings.Cut(strings.TrimSpace(part), "-")
		if !ok {
			to = from
		}
		first, err1 := strconv.Atoi(strings.TrimSpace(from))
		last, err2 := strconv.Atoi(strings.TrimSpace(to))
		switch {
		case err1 != nil || err2 != nil || first < 1 || last < first:
			return nil, problem.Problem{Message: fmt.Sprintf("lines {%s}", text), Cure: "write {3}, {3,5} or {3,7-9}; the block's first line is 1"}
		case last > lines:
			return nil, problem.Problem{Message: fmt.Sprintf("lines {%s} of a block that has %d", text, lines),
				Cure: `count the lines that are shown; or name a text that stands in them: mark="…"`}
		}
		for n := first; n <= last; n++ {
			out = append(out, n)
		}
	}
	return out, nil
}
