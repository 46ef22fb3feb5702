package jq

import (
	"fmt"
	"strings"
)

// operators are those of several bytes, before those that they begin with.
var operators = []string{"//=", "//", "|=", "==", "!=", "<=", ">=", "+="}

func isName(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// next is the token that comes, without taking it: "" at the end.
func (p *parser) next() string {
	for p.at < len(p.text) {
		if strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
			p.at++
		} else if p.text[p.at] == '#' {
			for p.at < len(p.text) && p.text[p.at] != '\n' {
				p.at++
			}
		} else {
			break
		}
	}
	rest := p.text[p.at:]
	if rest == "" {
		return ""
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			return op
		}
	}
	n := 0
	if c := rest[0]; c == '@' || c == '$' || isName(c) {
		number := c >= '0' && c <= '9'
		for n = 1; n < len(rest) && (isName(rest[n]) || number && rest[n] == '.'); n++ {
		}
		return rest[:n]
	}
	return rest[:1]
}

func (p *parser) take() string {
	t := p.next()
	p.at += len(t)
	return t
}

func (p *parser) accept(token string) bool {
	if p.next() != token {
		return false
	}
	p.at += len(token)
	return true
}

func (p *parser) expect(token string) error {
	if !p.accept(token) {
		return p.unexpected()
	}
	return nil
}

// unexpected is jq's complaint of a token that does not belong there.
func (p *parser) unexpected() error {
	what := "$end"
	if t := p.next(); t != "" {
		what = "'" + t + "'"
		if isName(t[0]) {
			what = "IDENT"
		}
	}
	return fmt.Errorf("syntax error, unexpected %s (Unix shell quoting issues?) at <top-level>, line 1:\n%s", what, p.text)
}
