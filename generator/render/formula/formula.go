// Package formula turns formulas in LaTeX into MathML, which browsers and screen
// readers know, in the build: no script and no font goes to the page.
//
// The translator is Temml (https://temml.org, MIT), made for just this; what it
// writes is read again and written anew with the elements and attributes of MathML
// that a page may hold: classes in the place of styles, which the site's policy forbids.
package formula

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode/utf16"

	"kubewalk/generator/diskcache"
	"kubewalk/generator/render/script"
)

// temml.min.js is dist/temml.min.js of the npm package temml 0.13.5.
//
//go:embed temml.min.js
var temml string

const glue = `
function translate(tex, display) {
  try {
    return JSON.stringify({ mathml: temml.renderToString(tex, { displayMode: display, throwOnError: true, trust: false, xml: true, maxExpand: 1000, maxSize: [20, 20] }) });
  } catch (e) {
    return JSON.stringify({ message: e.name === "ParseError" ? e.message : "", position: typeof e.position === "number" ? e.position : -1 });
  }
}`

var library = script.New("temml", temml, glue)

// Formula is one that is ready for a page.
type Formula struct {
	MathML string
	Words  string // in a line of text: "a/b", "x_i"
}

// Error is what is wrong with a formula.
type Error struct {
	Offset  int // in bytes of its LaTeX
	Message string
	Cure    string
}

func (e *Error) Error() string { return e.Message }

type key struct {
	tex     string
	display bool
}

type result struct {
	formula *Formula
	err     *Error
}

var (
	made sync.Map // result by key: the same formula is translated once
	disk diskcache.Cache
)

// Keep has formulas kept in a folder, until the program is another one. It is
// called before the first is translated.
func Keep(dir string) { disk.Dir = dir }

// Render translates a formula; display is one that stands alone. It may be called
// by several goroutines.
func Render(tex string, display bool) (*Formula, *Error) {
	k := key{tex, display}
	if known, ok := made.Load(k); ok {
		return known.(result).formula, known.(result).err
	}
	f, err := new(Formula), (*Error)(nil)
	name := fmt.Sprintf("%t %s", display, tex)
	if !disk.Get("formula", name, f) {
		if f, err = translate(tex, display); err == nil {
			disk.Put("formula", name, f)
		}
	}
	made.Store(k, result{f, err})
	return f, err
}

const cure = "formulas are LaTeX, as https://temml.org/docs/en/supported lists it; for a dollar sign write \\$"

func translate(tex string, display bool) (*Formula, *Error) {
	if strings.TrimSpace(tex) == "" {
		return nil, &Error{0, "formula is empty", "write LaTeX between the dollar signs; for a dollar sign write \\$"}
	}
	out, err := library.Call("translate", tex, display)
	if err != nil {
		return nil, &Error{0, "formula cannot be translated: " + err.Error(), cure}
	}
	var answer struct {
		MathML, Message string
		Position        int
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		panic(err) // the glue above writes it
	}
	if answer.MathML == "" {
		return nil, &Error{byteOffset(tex, answer.Position), "formula: " + message(answer.Message), cure}
	}
	root, wrong := read(answer.MathML)
	if wrong != "" {
		return nil, &Error{0, "formula: " + wrong, cure}
	}
	words := root.words()
	return &Formula{MathML: root.write(tex, words, display), Words: words}, nil
}

// message is Temml's without the place, which the caller knows better.
func message(s string) string {
	s = strings.TrimSpace(strings.TrimPrefix(s, "ParseError:"))
	for _, place := range []string{" at position ", " at end of input"} {
		if i := strings.Index(s, place); i >= 0 {
			s = s[:i]
		}
	}
	if s == "" { // Temml stumbled
		return "incomplete, or something in a wrong place"
	}
	s = strings.TrimSpace(s)
	return strings.ToLower(s[:1]) + s[1:]
}

// byteOffset is where the n-th unit of UTF-16, as JavaScript counts, begins.
func byteOffset(s string, n int) int {
	for i, r := range s {
		if n <= 0 {
			return i
		}
		n -= max(1, utf16.RuneLen(r))
	}
	return max(0, len(strings.TrimRight(s, " \t\n"))-1)
}
