// Package highlight colours source code: as tokens with classes, or as HTML spans with them. The
// colours are in site/styles/code.css; there are few of them, on purpose.
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

// Token is a piece of a line that has one class. Text without colour has the class "".
type Token struct{ Class, Text string }

// Lines returns the code's lines as HTML, without line ends. Everything that
// is not a span of ours is escaped.
func Lines(language, code string) []string {
	var b strings.Builder
	tokens := Tokens(language, code)
	lines := make([]string, len(tokens))
	for i, line := range tokens {
		b.Reset()
		for _, token := range line {
			if token.Class == "" {
				b.WriteString(html.EscapeString(token.Text))
				continue
			}
			b.WriteString(`<span class="`)
			b.WriteString(token.Class)
			b.WriteString(`">`)
			b.WriteString(html.EscapeString(token.Text))
			b.WriteString(`</span>`)
		}
		lines[i] = b.String()
	}
	return lines
}

// Tokens returns the code's lines as what they consist of, without line ends. A line is never two tokens without colour in a row.
func Tokens(language, code string) [][]Token {
	code = strings.TrimSuffix(strings.ReplaceAll(code, "\r\n", "\n"), "\n")
	if language == "go" {
		if lines, ok := golang(code); ok {
			return exactly(lines, code)
		}
	}
	return byChroma(language, code)
}

func byChroma(language, code string) [][]Token {
	lexer := lexers.Fallback
	if language != "" && language != Plain {
		if found := lexers.Get(language); found != nil {
			lexer = chroma.Coalesce(found)
		}
	}
	tokens, err := lexer.Tokenise(nil, code)
	if err != nil { // a lexer that gives up: the text is what matters
		tokens = chroma.Literator(chroma.Token{Type: chroma.Text, Value: code})
	}
	var w lineWriter
	for _, token := range tokens.Tokens() {
		w.token(class(token.Type), token.Value)
	}
	return exactly(w.finish(), code)
}

// exactly makes the lines those of the code: lexers add or swallow blank ones at
// the end.
func exactly(lines [][]Token, code string) [][]Token {
	want := strings.Count(code, "\n") + 1
	for len(lines) < want {
		lines = append(lines, nil)
	}
	return lines[:want]
}

// lineWriter makes lines of tokens, some of which go over several.
type lineWriter struct {
	lines [][]Token
	line  []Token
}

func (w *lineWriter) token(class, text string) {
	for {
		part, rest, more := strings.Cut(text, "\n")
		if strings.TrimSpace(part) == "" {
			w.add("", part)
		} else {
			w.add(class, part)
		}
		if !more {
			return
		}
		w.lines, w.line = append(w.lines, w.line), nil
		text = rest
	}
}

func (w *lineWriter) add(class, text string) {
	last := len(w.line) - 1
	switch {
	case text == "":
	case class == "" && last >= 0 && w.line[last].Class == "":
		w.line[last].Text += text
	default:
		w.line = append(w.line, Token{class, text})
	}
}

func (w *lineWriter) finish() [][]Token {
	if w.line != nil || len(w.lines) == 0 {
		w.lines = append(w.lines, w.line)
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
