package diagram

import (
	"slices"
	"strings"
)

func (p *parser) skip(characters string) {
	for p.at < len(p.text) && strings.IndexByte(characters, p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) next(s string) bool {
	if strings.HasPrefix(p.text[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

func (p *parser) comment() { p.at += lineLength(p.text[p.at:]) }

// line skips what is left of a line.
func (p *parser) line() { p.at += lineLength(p.text[p.at:]) }

// rest is what is left of the line, for a message.
func (p *parser) rest() string {
	rest := []rune(strings.TrimSpace(p.text[p.at : p.at+lineLength(p.text[p.at:])]))
	return string(rest[:min(len(rest), 24)])
}

func lineLength(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

// operator reads an arrow.
func (p *parser) operator() string {
	p.skip(" \t")
	i := slices.IndexFunc(operators, p.next)
	if i < 0 {
		return ""
	}
	return operators[i]
}

// path reads names with points between them; empty when there is none.
func (p *parser) path() (path []string, offset int) {
	offset = p.at
	for {
		name := p.name()
		if name == "" {
			return path, offset
		}
		path = append(path, name)
		if !p.next(".") {
			return path, offset
		}
	}
}

// name reads a name, in quotes or up to what has a meaning.
func (p *parser) name() string {
	if s, ok := p.quoted(); ok {
		return s
	}
	start := p.at
	for p.at < len(p.text) && strings.IndexByte(":{};#\n.\"'", p.text[p.at]) < 0 {
		if slices.ContainsFunc(operators, func(o string) bool { return strings.HasPrefix(p.text[p.at:], o) }) {
			break
		}
		p.at++
	}
	return clean(strings.TrimSpace(p.text[start:p.at]))
}

// clean has nothing that XML, which e-books are, forbids.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f || r == 0xfffe || r == 0xffff {
			return 0xfffd
		}
		return r // one that is not UTF-8 is 0xfffd already
	}, s)
}

// value reads a label, in quotes or up to one of the characters. \n is a new line.
func (p *parser) value(end string) string {
	s, ok := p.quoted()
	if !ok {
		start := p.at
		for p.at < len(p.text) && strings.IndexByte(end, p.text[p.at]) < 0 {
			p.at++
		}
		s = clean(strings.TrimSpace(p.text[start:p.at]))
	}
	return strings.ReplaceAll(s, `\n`, "\n")
}

// quoted reads what stands in quotes, on one line. \" is a quote in it.
func (p *parser) quoted() (string, bool) {
	if p.at >= len(p.text) || p.text[p.at] != '"' && p.text[p.at] != '\'' {
		return "", false
	}
	quote := p.text[p.at]
	var b strings.Builder
	for i := p.at + 1; i < len(p.text) && p.text[i] != '\n'; i++ {
		switch c := p.text[i]; {
		case c == quote:
			p.at = i + 1
			return clean(b.String()), true
		case c == '\\' && i+1 < len(p.text) && p.text[i+1] == quote:
			i++
			b.WriteByte(quote)
		default:
			b.WriteByte(c)
		}
	}
	p.wrong(p.at, "quote is not closed", "end it with the same quote, on the same line")
	s := p.text[p.at+1 : p.at+lineLength(p.text[p.at:])]
	p.line()
	return clean(s), true
}
