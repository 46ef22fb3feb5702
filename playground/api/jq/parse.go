package jq

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type parser struct {
	text  string
	at    int
	args  map[string]any
	depth int
}

// deepest is how deep brackets may be nested.
const deepest = 200

func (p *parser) pipe() (node, error) {
	if p.depth++; p.depth > deepest {
		return nil, errors.New("the program is nested too deeply")
	}
	defer func() { p.depth-- }()
	left, err := p.comma()
	if err != nil || !p.accept("|") {
		return left, err
	}
	right, err := p.pipe()
	if err != nil {
		return nil, err
	}
	return piped(left, right), nil
}

func piped(left, right node) node {
	return func(in item, out func(item) error) error {
		return left(in, func(i item) error { return right(i, out) })
	}
}

func (p *parser) comma() (node, error) {
	left, err := p.alternative()
	for err == nil && p.accept(",") {
		a := left
		var b node
		b, err = p.alternative()
		left = func(in item, out func(item) error) error {
			if err := a(in, out); err != nil {
				return err
			}
			return b(in, out)
		}
	}
	return left, err
}

func (p *parser) alternative() (node, error) {
	left, err := p.assignment()
	if err != nil || !p.accept("//") {
		return left, err
	}
	right, err := p.alternative()
	if err != nil {
		return nil, err
	}
	return func(in item, out func(item) error) error {
		some := false
		err := left(in, func(i item) error {
			if !truth(i.v) {
				return nil
			}
			some = true
			return out(i)
		})
		if some {
			return err
		}
		return right(in, out)
	}, nil
}

func (p *parser) assignment() (node, error) {
	left, err := p.or()
	op := p.next()
	if err != nil || op != "=" && op != "|=" && op != "+=" {
		return left, err
	}
	p.take()
	right, err := p.alternative()
	if err != nil {
		return nil, err
	}
	return func(in item, out func(item) error) error {
		all, err := paths(left, in.v)
		if err != nil {
			return err
		}
		assign := func(value func(old any) (any, bool, error)) error {
			v := in.v
			for _, i := range all {
				to, ok, err := value(i.v)
				if err != nil {
					return err
				}
				if v, err = set(v, i.path, to, !ok); err != nil {
					return err
				}
			}
			return out(made(v))
		}
		if op == "|=" {
			return assign(func(old any) (any, bool, error) { return first(right, made(old)) })
		}
		return right(in, func(i item) error {
			return assign(func(old any) (any, bool, error) {
				if op == "=" {
					return i.v, true, nil
				}
				v, err := binary("+", old, i.v)
				return v, true, err
			})
		})
	}, nil
}

func (p *parser) or() (node, error) { return p.logic("or", p.and, true) }

func (p *parser) and() (node, error) { return p.logic("and", p.comparison, false) }

// logic is and, or or: the right side counts unless the left one has decided.
func (p *parser) logic(op string, inner func() (node, error), decides bool) (node, error) {
	left, err := inner()
	for err == nil && p.accept(op) {
		a := left
		var b node
		b, err = inner()
		left = func(in item, out func(item) error) error {
			return a(in, func(i item) error {
				if truth(i.v) == decides {
					return out(made(decides))
				}
				return b(in, func(j item) error { return out(made(truth(j.v))) })
			})
		}
	}
	return left, err
}

func (p *parser) comparison() (node, error) {
	return p.operators(p.sum, "==", "!=", "<=", ">=", "<", ">")
}

func (p *parser) sum() (node, error) { return p.operators(p.product, "+", "-") }

func (p *parser) product() (node, error) { return p.operators(p.postfix, "*", "/") }

func (p *parser) operators(inner func() (node, error), ops ...string) (node, error) {
	left, err := inner()
	for err == nil {
		op := ""
		for _, o := range ops {
			if p.next() == o {
				op = p.take()
				break
			}
		}
		if op == "" {
			break
		}
		a := left
		var b node
		b, err = inner()
		left = func(in item, out func(item) error) error {
			return b(in, func(j item) error {
				return a(in, func(i item) error {
					v, err := binary(op, i.v, j.v)
					if err != nil {
						return err
					}
					return out(made(v))
				})
			})
		}
	}
	return left, err
}

func value(v any) node { return func(_ item, out func(item) error) error { return out(made(v)) } }

func identity(in item, out func(item) error) error { return out(in) }

// postfix is a term with what follows it: .a, [0], [], ?.
func (p *parser) postfix() (node, error) {
	n, err := p.term()
	for err == nil {
		switch {
		case p.next() == "." && p.at+1 < len(p.text) && (isName(p.text[p.at+1]) || p.text[p.at+1] == '"' || p.text[p.at+1] == '['):
			p.take()
			if p.next() != "[" {
				n, err = p.field(n)
			}
		case p.accept("["):
			n, err = p.brackets(n)
		case p.accept("?"):
			inner := n
			n = func(in item, out func(item) error) error {
				var wrong error
				err := inner(in, func(i item) error {
					wrong = out(i)
					return wrong
				})
				if wrong != nil {
					return wrong
				}
				_ = err // is what ? drops
				return nil
			}
		default:
			return n, nil
		}
	}
	return n, err
}

// field is the name behind a dot.
func (p *parser) field(of node) (node, error) {
	if p.next() == "\"" {
		key, err := p.str()
		return indexed(of, key), err
	}
	name := p.take()
	if name == "" || !isName(name[0]) || name[0] >= '0' && name[0] <= '9' {
		p.at -= len(name)
		return nil, p.unexpected()
	}
	return indexed(of, value(name)), nil
}

func indexed(of, key node) node {
	return func(in item, out func(item) error) error {
		return of(in, func(i item) error {
			return key(in, func(k item) error {
				found, err := index(i, k.v)
				if err != nil {
					return err
				}
				return out(found)
			})
		})
	}
}

func (p *parser) brackets(of node) (node, error) {
	if p.accept("]") {
		return piped(of, each), nil
	}
	key, err := p.pipe()
	if err == nil {
		err = p.expect("]")
	}
	return indexed(of, key), err
}

func (p *parser) term() (node, error) {
	t := p.take()
	switch {
	case t == ".":
		if p.at < len(p.text) && (isName(p.text[p.at]) || p.text[p.at] == '"') {
			return p.field(identity)
		}
		return identity, nil
	case t == "\"":
		p.at--
		return p.str()
	case t == "(":
		n, err := p.pipe()
		if err == nil {
			err = p.expect(")")
		}
		return n, err
	case t == "[":
		if p.accept("]") {
			return value([]any{}), nil
		}
		n, err := p.pipe()
		if err == nil {
			err = p.expect("]")
		}
		return func(in item, out func(item) error) error {
			list, err := collect(n, in)
			if err != nil {
				return err
			}
			return out(made(list))
		}, err
	case t == "{":
		return p.object()
	case t == "-":
		n, err := p.postfix()
		return func(in item, out func(item) error) error {
			return n(in, func(i item) error {
				v, err := binary("-", float64(0), i.v)
				if err != nil {
					return err
				}
				return out(made(v))
			})
		}, err
	case t == "if":
		return p.conditional()
	case t == "true", t == "false":
		return value(t == "true"), nil
	case t == "null":
		return value(nil), nil
	case t == "empty":
		return func(item, func(item) error) error { return nil }, nil
	case t != "" && t[0] >= '0' && t[0] <= '9':
		n, err := strconv.ParseFloat(t, 64)
		if err != nil {
			p.at -= len(t)
			return nil, p.unexpected()
		}
		return value(n), nil
	case strings.HasPrefix(t, "$") && len(t) > 1:
		v, ok := p.args[t[1:]]
		if !ok {
			return nil, fmt.Errorf("%s is not defined at <top-level>, line 1:\n%s", t, p.text)
		}
		return value(v), nil
	case t != "" && (isName(t[0]) || t[0] == '@'):
		return p.call(t)
	}
	p.at -= len(t)
	return nil, p.unexpected()
}

func (p *parser) call(name string) (node, error) {
	if p.next() != "(" {
		if f, ok := simple[name]; ok {
			return func(in item, out func(item) error) error {
				v, err := f(in.v)
				if err != nil {
					return err
				}
				return out(made(v))
			}, nil
		}
		return nil, p.undefined(name, 0)
	}
	p.take()
	arg, err := p.pipe()
	if err != nil {
		return nil, err
	}
	if p.next() == ";" {
		return nil, p.undefined(name, 2)
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	if f, ok := withFilter[name]; ok {
		return f(arg), nil
	}
	f, ok := withValue[name]
	if !ok {
		return nil, p.undefined(name, 1)
	}
	return func(in item, out func(item) error) error {
		return arg(in, func(i item) error {
			v, err := f(in.v, i.v)
			if err != nil {
				return err
			}
			return out(made(v))
		})
	}, nil
}

func (p *parser) undefined(name string, arity int) error {
	return fmt.Errorf("%s/%d is not defined at <top-level>, line 1:\n%s", name, arity, p.text)
}

func (p *parser) conditional() (node, error) {
	cond, err := p.pipe()
	if err == nil {
		err = p.expect("then")
	}
	if err != nil {
		return nil, err
	}
	then, err := p.pipe()
	if err != nil {
		return nil, err
	}
	otherwise := node(identity)
	switch {
	case p.accept("elif"):
		if otherwise, err = p.conditional(); err != nil {
			return nil, err
		}
	case p.accept("else"):
		if otherwise, err = p.pipe(); err != nil {
			return nil, err
		}
		fallthrough
	default:
		if err := p.expect("end"); err != nil {
			return nil, err
		}
	}
	return func(in item, out func(item) error) error {
		return cond(in, func(i item) error {
			if truth(i.v) {
				return then(in, out)
			}
			return otherwise(in, out)
		})
	}, nil
}

// object is {a, b: .x, "c": 1, (.k): 2}.
func (p *parser) object() (node, error) {
	type entry struct{ key, value node }
	var entries []entry
	for !p.accept("}") {
		if len(entries) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		var e entry
		var err error
		switch t := p.next(); {
		case t == "\"":
			e.key, err = p.str()
			e.value = indexed(identity, e.key)
		case t == "(":
			e.key, err = p.term()
		case t != "" && isName(t[0]):
			p.take()
			e.key = value(t)
			e.value = indexed(identity, e.key)
		default:
			return nil, p.unexpected()
		}
		if err != nil {
			return nil, err
		}
		if p.accept(":") {
			if e.value, err = p.alternative(); err != nil {
				return nil, err
			}
		} else if e.value == nil {
			return nil, p.unexpected()
		}
		entries = append(entries, e)
	}
	return func(in item, out func(item) error) error {
		var fill func(n int, object map[string]any) error
		fill = func(n int, object map[string]any) error {
			if n == len(entries) {
				return out(made(copied(object)))
			}
			return entries[n].key(in, func(k item) error {
				key, ok := k.v.(string)
				if !ok {
					return fmt.Errorf("Object keys must be strings")
				}
				return entries[n].value(in, func(v item) error {
					object[key] = v.v
					return fill(n+1, object)
				})
			})
		}
		return fill(0, map[string]any{})
	}, nil
}

func copied(object map[string]any) map[string]any {
	out := make(map[string]any, len(object))
	for key, v := range object { // order: a copy
		out[key] = v
	}
	return out
}

// str is a text, in which \(…) stands for what a filter gives.
func (p *parser) str() (node, error) {
	p.take()
	var parts []node
	var now strings.Builder
	flush := func() {
		parts = append(parts, value(now.String()))
		now.Reset()
	}
	for {
		if p.at >= len(p.text) {
			return nil, p.unexpected()
		}
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			flush()
			if len(parts) == 1 {
				return parts[0], nil
			}
			return joined(parts), nil
		case c != '\\':
			now.WriteByte(c)
		case p.at < len(p.text) && p.text[p.at] == '(':
			flush()
			p.at++
			n, err := p.pipe()
			if err == nil {
				err = p.expect(")")
			}
			if err != nil {
				return nil, err
			}
			parts = append(parts, n)
		case p.at < len(p.text) && strings.IndexByte(`"\/nt`, p.text[p.at]) >= 0:
			now.WriteByte(map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'n': '\n', 't': '\t'}[p.text[p.at]])
			p.at++
		default:
			return nil, fmt.Errorf("Invalid escape at line 1, column %d (while parsing '%s')", p.at, p.text)
		}
	}
}

func joined(parts []node) node {
	return func(in item, out func(item) error) error {
		var fill func(n int, before string) error
		fill = func(n int, before string) error {
			if n == len(parts) {
				return out(made(before))
			}
			return parts[n](in, func(i item) error { return fill(n+1, before+text(i.v)) })
		}
		return fill(0, "")
	}
}
