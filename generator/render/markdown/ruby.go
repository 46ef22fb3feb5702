package markdown

import (
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// rubies are readings above words, as in DenDenMarkdown:
//
//	{調整|ちょうせい}    one reading of a word
//	{調整|ちょう|せい}   one of each character
//
// Braces with anything else stay what they are: a word has a Chinese character,
// or its reading is in kana. \{ is a brace, too, and so is one in `code`. In a table, where a
// bar parts the cells, write \| for it.
func rubies(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(rubyParser{d}, 450)))
		m.Renderer().AddOptions(render(kindRuby, renderRuby))
	})
}

// ruby is a word with its readings: one of the whole, or one of each character.
type ruby struct {
	ast.BaseInline
	word     string
	readings []string
}

var kindRuby = ast.NewNodeKind("Ruby")

func (*ruby) Kind() ast.NodeKind { return kindRuby }

func (n *ruby) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"word": n.word, "readings": strings.Join(n.readings, "|")}, nil)
}

// inWords leaves the readings out: a search for the word finds it, once.
func (n *ruby) inWords([]byte) string { return n.word }

type rubyParser struct{ d *Document }

func (rubyParser) Trigger() []byte { return []byte{'{'} }

func (p rubyParser) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	_, inTable := parent.(*extensionast.TableCell)
	parts, length := braces(line, inTable)
	if len(parts) < 2 || parts[0] == "" {
		return nil
	}
	kana := true
	for _, reading := range parts[1:] {
		kana = kana && isKana(reading)
	}
	if !kana && !strings.ContainsFunc(parts[0], func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return nil
	}
	n := &ruby{word: parts[0], readings: parts[1:]}
	if count := utf8.RuneCountInString(n.word); len(n.readings) > 1 && count != len(n.readings) {
		p.d.wrongAt(segment.Start, fmt.Sprintf("%d readings of the %d characters of %q", len(n.readings), count, n.word),
			"write one of the whole word, {調整|ちょうせい}, or one of each character, {調整|ちょう|せい}; for a brace write \\{")
	}
	for _, reading := range n.readings {
		if reading == "" {
			p.d.wrongAt(segment.Start, fmt.Sprintf("empty reading of %q", n.word), "write it after |, or remove |; for a brace write \\{")
		}
	}
	block.Advance(length)
	return n
}

// braces splits {a|b|c} at the start of a line; length is up to and with the brace that closes.
func braces(line []byte, inTable bool) (parts []string, length int) {
	var part []byte
	for i := 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && inTable && i+1 < len(line) && line[i+1] == '|': // the bar follows
		case c == '\\' && i+1 < len(line) && util.IsPunct(line[i+1]):
			i++
			part = append(part, line[i])
		case c == '|':
			parts, part = append(parts, strings.TrimSpace(string(part))), nil
		case c == '}':
			return append(parts, strings.TrimSpace(string(part))), i + 1
		case c == '{' || c == '\n' || c == '`':
			return nil, 0
		default:
			part = append(part, c)
		}
	}
	return nil, 0
}

func isKana(s string) bool {
	for _, r := range s {
		if !unicode.In(r, unicode.Hiragana, unicode.Katakana) && r != 'ー' && r != '・' && r != ' ' && r != '　' {
			return false
		}
	}
	return true
}

// renderRuby has parentheses for browsers without ruby.
func renderRuby(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ruby)
	words := []string{n.word}
	if len(n.readings) > 1 {
		words = strings.Split(n.word, "")
	}
	_, _ = w.WriteString("<ruby>")
	for i, word := range words {
		fmt.Fprintf(w, "%s<rp>（</rp><rt>%s</rt><rp>）</rp>", html.EscapeString(word), html.EscapeString(n.readings[i]))
	}
	_, _ = w.WriteString("</ruby>")
	return ast.WalkContinue, nil
}
