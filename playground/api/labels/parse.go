package labels

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/selection"
	"kubewalk/playground/api/validate"
)

// Parse reads a selector as kubectl's --selector takes it: "app=web,tier in (a,b),!old,weight>3". The result is
// ordered by key. Upstream: apimachinery/pkg/labels/selector.go, Parse; the grammar is in its comment.
func Parse(selector string) (Selector, error) {
	reqs, err := parse(selector)
	if err != nil {
		return nil, err
	}
	return newAll(reqs), nil
}

func parse(selector string) ([]Requirement, error) {
	p := parser{tokens: lex(selector)}
	var reqs []Requirement
	for {
		switch tok := p.peek(); tok.kind {
		case identifier, '!':
			r, err := p.requirement()
			if err != nil {
				return nil, fmt.Errorf("unable to parse requirement: %v", err)
			}
			reqs = append(reqs, *r)
			switch next := p.next(); next.kind {
			case end:
				return reqs, nil
			case ',':
				if after := p.peek(); after.kind != identifier && after.kind != '!' {
					return nil, after.expected(": identifier after ','")
				}
			default:
				return nil, next.expected(": ',' or 'end of string'")
			}
		case end:
			return reqs, nil
		default:
			return nil, tok.expected(": !, identifier, or 'end of string'")
		}
	}
}

// token is an identifier, a symbol of one character (its kind is the character), or a longer symbol or keyword.
type token struct {
	kind rune
	text string
}

const (
	end         = 0
	identifier  = 'a'
	doubleEqual = 'E'
	notEqual    = 'N'
	keywordIn   = 'i'
	keywordNot  = 'n'
)

func (t token) expected(what string) error {
	return fmt.Errorf("found '%s', expected%s", t.text, what)
}

const (
	symbols = "=!(),><"
	blanks  = " \t\r\n"
)

// lex ends with a token of kind end. A zero byte ends the text too, but is swallowed right behind a token: an accident of
// upstream's lexer, kept so that both refuse the same.
func lex(s string) []token {
	var list []token
	for {
		s = strings.TrimLeft(s, blanks)
		switch {
		case s == "" || s[0] == 0:
			return append(list, token{kind: end})
		case strings.HasPrefix(s, "=="):
			list, s = append(list, token{doubleEqual, "=="}), s[2:]
		case strings.HasPrefix(s, "!="):
			list, s = append(list, token{notEqual, "!="}), s[2:]
		case strings.IndexByte(symbols, s[0]) >= 0:
			list, s = append(list, token{rune(s[0]), s[:1]}), s[1:]
		default:
			n := strings.IndexAny(s, symbols+blanks+"\x00")
			if n < 0 {
				n = len(s)
			}
			kind := rune(identifier)
			switch s[:n] {
			case "in":
				kind = keywordIn
			case "notin":
				kind = keywordNot
			}
			list, s = append(list, token{kind, s[:n]}), s[n:]
		}
		s = strings.TrimPrefix(s, "\x00")
	}
}

type parser struct{ tokens []token }

// peek and next see keywords as identifiers, since a label may be called "in"; operator is what nextOperator wants.
func (p *parser) peek() token {
	t := p.tokens[0]
	if t.kind == keywordIn || t.kind == keywordNot {
		t.kind = identifier
	}
	return t
}

func (p *parser) next() token {
	t := p.peek()
	p.nextOperator()
	return t
}

func (p *parser) nextOperator() token {
	t := p.tokens[0]
	if t.kind != end {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *parser) requirement() (*Requirement, error) {
	key := p.next()
	absent := key.kind == '!'
	if absent {
		key = p.next()
	}
	if key.kind != identifier {
		return nil, key.expected(": identifier")
	}
	if msgs := validate.IsLabelKey(key.text); len(msgs) > 0 {
		return nil, errors.New(invalidValue("<nil>", strconv.Quote(key.text), strings.Join(msgs, "; ")))
	}
	if absent {
		return NewRequirement(key.text, selection.DoesNotExist, []string{})
	}
	if t := p.peek(); t.kind == end || t.kind == ',' {
		return NewRequirement(key.text, selection.Exists, []string{})
	}
	op, err := p.operator()
	if err != nil {
		return nil, err
	}
	parse := p.value
	if op == selection.In || op == selection.NotIn {
		parse = p.values
	}
	values, err := parse()
	if err != nil {
		return nil, err
	}
	slices.Sort(values)
	return NewRequirement(key.text, op, slices.Compact(values))
}

func (p *parser) operator() (selection.Operator, error) {
	switch t := p.nextOperator(); t.kind {
	case keywordIn:
		return selection.In, nil
	case keywordNot:
		return selection.NotIn, nil
	case '=':
		return selection.Equals, nil
	case doubleEqual:
		return selection.DoubleEquals, nil
	case notEqual:
		return selection.NotEquals, nil
	case '>':
		return selection.GreaterThan, nil
	case '<':
		return selection.LessThan, nil
	default:
		return "", t.expected(": " + strings.Join(operators, ", "))
	}
}

// values reads "(a,b)". Nothing between commas or parentheses is the empty value.
func (p *parser) values() ([]string, error) {
	if t := p.next(); t.kind != '(' {
		return nil, fmt.Errorf("found '%s' expected: '('", t.text)
	}
	switch t := p.peek(); t.kind {
	case ')':
		p.next()
		return []string{""}, nil
	case identifier, ',':
	default:
		return nil, t.expected(": ',', ')' or identifier")
	}
	var list []string
	for {
		switch t := p.next(); t.kind {
		case identifier:
			list = append(list, t.text)
			switch after := p.peek(); after.kind {
			case ',':
			case ')':
				p.next()
				return list, nil
			default:
				return nil, after.expected(": ',' or ')'")
			}
		case ',':
			after := p.peek().kind
			if len(list) == 0 || after == ',' || after == ')' {
				list = append(list, "")
			}
			if after == ')' {
				p.next()
				return list, nil
			}
		default:
			return nil, t.expected(": ',', or identifier")
		}
	}
}

// value reads what follows "=": nothing is the empty value.
func (p *parser) value() ([]string, error) {
	if t := p.peek(); t.kind == end || t.kind == ',' {
		return []string{""}, nil
	}
	t := p.next()
	if t.kind != identifier {
		return nil, t.expected(": identifier")
	}
	return []string{t.text}, nil
}
