// Package highlight colours source code as HTML spans with classes. The colours
// are in site/styles/code.css; there are few of them, on purpose.
package highlight

import (
	"html"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// Plain is the language of text without colours; so is "".
const Plain = "text"

// Known tells whether code in that language can be coloured.
func Known(language string) bool {
	return language == "" || language == Plain || lexers.Get(language) != nil
}

// Lines returns the code's lines as HTML, without line ends. Everything that
// is not a span of ours is escaped.
func Lines(language, code string) []string {
	code = strings.TrimSuffix(strings.ReplaceAll(code, "\r\n", "\n"), "\n")
	if language == "go" {
		if lines, ok := golang(code); ok {
			return exactly(lines, code)
		}
	}
	return byChroma(language, code)
}

func byChroma(language, code string) []string {
	lexer := lexers.Fallback
	if language != "" && language != Plain {
		if found := lexers.Get(language); found != nil {
			lexer = chroma.Coalesce(found)
		}
	}
	tokens, err := lexer.Tokenise(nil, code)
	if err != nil { // a lexer that gives up: the text is what matters
		return strings.Split(html.EscapeString(code), "\n")
	}
	var w lineWriter
	for _, token := range tokens.Tokens() {
		w.token(class(token.Type), token.Value)
	}
	return exactly(w.finish(), code)
}

// exactly makes the lines those of the code: lexers add or swallow blank ones at
// the end.
func exactly(lines []string, code string) []string {
	want := strings.Count(code, "\n") + 1
	for len(lines) < want {
		lines = append(lines, "")
	}
	return lines[:want]
}

// lineWriter makes lines of tokens, some of which go over several.
type lineWriter struct {
	lines []string
	line  strings.Builder
}

func (w *lineWriter) token(class, text string) {
	for {
		part, rest, more := strings.Cut(text, "\n")
		switch {
		case part == "":
		case class == "" || strings.TrimSpace(part) == "":
			w.line.WriteString(html.EscapeString(part))
		default:
			w.line.WriteString(`<span class="`)
			w.line.WriteString(class)
			w.line.WriteString(`">`)
			w.line.WriteString(html.EscapeString(part))
			w.line.WriteString(`</span>`)
		}
		if !more {
			return
		}
		w.lines = append(w.lines, w.line.String())
		w.line.Reset()
		text = rest
	}
}

func (w *lineWriter) finish() []string {
	if rest := w.line.String(); rest != "" || len(w.lines) == 0 {
		w.lines = append(w.lines, rest)
	}
	return w.lines
}

// class is the class of a kind of token; "" is text.
func class(t chroma.TokenType) string {
	switch {
	case t == chroma.KeywordType || t == chroma.NameClass || t == chroma.NameBuiltin:
		return "hl-type"
	case t.InCategory(chroma.Keyword):
		return "hl-keyword"
	case t == chroma.NameFunction || t == chroma.NameFunctionMagic:
		return "hl-function"
	case t == chroma.NameTag || t == chroma.NameAttribute:
		return "hl-key"
	case t.InSubCategory(chroma.LiteralString):
		return "hl-string"
	case t.InCategory(chroma.Literal):
		return "hl-number"
	case t.InCategory(chroma.Comment):
		return "hl-comment"
	case t == chroma.GenericInserted:
		return "hl-inserted"
	case t == chroma.GenericDeleted:
		return "hl-deleted"
	case t == chroma.GenericPrompt:
		return "hl-prompt"
	case t == chroma.GenericOutput:
		return "hl-output"
	}
	return ""
}
