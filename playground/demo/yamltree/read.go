package yamltree

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"kubewalk/playground/cluster/suggest"
)

// truths are what helps against other ways to write true and false.
var truths = map[string]string{"true": "write it without quotes: true", "false": "write it without quotes: false",
	"yes": "write true", "on": "write true", "1": "write true", "no": "write false", "off": "write false", "0": "write false"}

// Wrong reports that a value is not what it has to be. The name is what it is called.
func (v Value) Wrong(name, wanted, cure string) {
	v.Cure(v.At, cure, "%s has to be %s, and is %s", name, wanted, v.Is())
}

// Is says what a value is, for whoever expected something else.
func (v Value) Is() string {
	switch v.node.(type) {
	case nil:
		return "nothing"
	case *ast.MappingNode:
		return "keys and values"
	case *ast.SequenceNode:
		return "a list"
	}
	text, ok := v.Scalar()
	switch {
	case !ok:
		return "something else"
	case v.IsText():
		return fmt.Sprintf("the text %q", shortened(text))
	}
	if _, truth := v.node.(*ast.BoolNode); truth {
		return text
	}
	return "the number " + text
}

func shortened(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

// Keys reads a mapping. example shows how it is written; "" when there is none.
func (v Value) Keys(name, example string) []Entry {
	if v.There() && !v.IsMapping() {
		v.Wrong(name, "keys and values", asIn(example))
	}
	return v.Entries()
}

// Unknown reports a key that a mapping cannot have. of is what the mapping is called; ""
// for the whole file.
func (e Entry) Unknown(of, cure string) {
	if of != "" {
		of = " of " + of
	}
	e.Cure(e.Key, cure, "unknown key %q%s", e.Name, of)
}

// List reads a list. example shows how it is written; "" when there is none.
func (v Value) List(name, example string) []Value {
	if v.There() && !v.IsList() {
		cure := asIn(example)
		if cure == "" {
			cure = "begin each entry with a hyphen, or write [a, b]"
		}
		v.Wrong(name, "a list", cure)
	}
	return v.Items()
}

func asIn(example string) string {
	if example == "" {
		return ""
	}
	return "write it as " + example
}

// Text reads a text. Numbers and truth values are texts too, as they stand in the file.
func (v Value) Text(name string) string {
	text, ok := v.Scalar()
	if v.There() && !ok {
		v.Wrong(name, "text", v.asText())
	}
	return text
}

// OnlyText reads a text that a number is not: a title of a year has quotes.
func (v Value) OnlyText(name string) (text string, ok bool) {
	text, isScalar := v.Scalar()
	switch {
	case v.IsText():
		return text, true
	case isScalar:
		v.Wrong(name, "text", fmt.Sprintf("write it in quotes: %q", text))
	default:
		v.Wrong(name, "text", v.asText())
	}
	return "", false
}

// asText helps against a list or keys where one text has to be.
func (v Value) asText() string {
	if items := v.Items(); len(items) == 1 {
		if text, ok := items[0].Scalar(); ok {
			return "write it without brackets: " + shortened(text)
		}
	}
	if v.IsMapping() {
		return "write one text; one that contains a colon and a space has quotes"
	}
	return "write one text"
}

// Whole reads a whole number. Numbers that are too large for what they stand for are
// refused here, with a place.
func (v Value) Whole(name string, from, to int64) (n int64, ok bool) {
	if !v.There() {
		return 0, false
	}
	i, isWhole := v.node.(*ast.IntegerNode)
	if isWhole {
		switch x := i.Value.(type) {
		case int64:
			n, ok = x, true
		case uint64:
			n, ok = int64(x), x <= math.MaxInt64
		}
	}
	if ok && from <= n && n <= to {
		return n, true
	}
	wanted := fmt.Sprintf("a whole number from %d to %d", from, to)
	switch open := to == math.MaxInt64; {
	case !isWhole && open:
		wanted = "a whole number"
	case ok && open:
		wanted = fmt.Sprintf("%d or more", from)
	case open:
		wanted = fmt.Sprintf("%d or less", to)
	}
	if text, _ := v.Scalar(); isWhole {
		v.Fail(v.At, "%s has to be %s, and is %s", name, wanted, text)
	} else {
		cure := ""
		switch text, _ := v.Scalar(); {
		case v.IsText() && text != "" && strings.Trim(strings.TrimPrefix(text, "-"), "0123456789") == "":
			cure = "write it without quotes: " + text
		case !v.IsText() && strings.Contains(text, "."):
			before, _, _ := strings.Cut(text, ".")
			cure = "write it without a fraction, as in " + cmp.Or(before, "1")
		}
		v.Wrong(name, wanted, cure)
	}
	return 0, false
}

// Yes reads true or false.
func (v Value) Yes(name string) bool {
	b, ok := v.node.(*ast.BoolNode)
	if v.There() && !ok {
		cure := ""
		if text, _ := v.Scalar(); v.IsText() || v.IsWhole() {
			cure = cmp.Or(truths[strings.ToLower(text)], "write true, write false, or remove the key")
		}
		v.Wrong(name, "true or false", cure)
	}
	return ok && b.Value
}

// OneOf reads a name out of those that are known. what is what they are called.
func (v Value) OneOf(what string, known []string) string {
	text := v.Text(what)
	if v.There() && !slices.Contains(known, text) {
		v.Cure(v.At, suggest.Cure(text, known), "unknown %s %q", what, text)
	}
	return text
}
