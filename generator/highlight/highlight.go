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
	lexer := lexers.Fallback
	if language != "" && language != Plain {
		if found := lexers.Get(language); found != nil {
			lexer = chroma.Coalesce(found)
		}
	}
	code = strings.TrimSuffix(strings.ReplaceAll(code, "\r\n", "\n"), "\n")
	tokens, err := lexer.Tokenise(nil, code)
	if err != nil { // a lexer that gives up: the text is what matters
		return strings.Split(html.EscapeString(code), "\n")
	}
	var lines []string
	var line strings.Builder
	for _, token := range tokens.Tokens() {
		class := class(token.Type)
		for i, part := range strings.Split(token.Value, "\n") {
			if i > 0 {
				lines = append(lines, line.String())
				line.Reset()
			}
			if part == "" {
				continue
			}
			if class == "" || strings.TrimSpace(part) == "" {
				line.WriteString(html.EscapeString(part))
				continue
			}
			line.WriteString(`<span class="` + class + `">` + html.EscapeString(part) + `</span>`)
		}
	}
	if rest := line.String(); rest != "" || len(lines) == 0 {
		lines = append(lines, rest)
	}
	// Lexers add or swallow blank lines at the end; the code decides.
	want := strings.Count(code, "\n") + 1
	for len(lines) < want {
		lines = append(lines, "")
	}
	return lines[:want]
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
