package jsonpath

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestTemplate bounds what brackets inside each other cost.
const longestTemplate = 16 << 10

// Parse reads a template.
func Parse(template string) (*JSONPath, error) {
	if len(template) > longestTemplate {
		return nil, fmt.Errorf("the template is longer than %d bytes", longestTemplate)
	}
	p := &pathParser{text: template}
	nodes, err := p.nodes(false)
	if err != nil {
		return nil, err
	}
	return &JSONPath{nodes, p.stray}, nil
}

type pathParser struct {
	text  string
	depth int
	stray bool // there was an {end} of nothing
}

func (p *pathParser) nodes(inRange bool) ([]node, error) {
	var out []node
	for p.text != "" {
		text, rest, found := strings.Cut(p.text, "{")
		if text != "" {
			out = append(out, node{text: text})
		}
		p.text = rest
		if !found {
			break
		}
		inner, err := p.braces()
		if err != nil {
			return nil, err
		}
		switch trimmed := strings.TrimSpace(inner); {
		case trimmed == "end":
			if inRange {
				return out, nil
			}
			p.stray = true
		case len(trimmed) > len("range") && strings.HasPrefix(trimmed, "range") && strings.IndexByte(" \t.,[]$@", trimmed[len("range")]) >= 0:
			path, err := parsePath(strings.TrimSpace(trimmed[len("range"):]))
			if err != nil {
				return nil, err
			}
			if p.depth++; p.depth > 100 {
				return nil, errors.New("ranges are nested too deeply")
			}
			body, err := p.nodes(true)
			if err != nil {
				return nil, err
			}
			p.depth--
			out = append(out, node{isRange: true, path: path, inner: body})
		default:
			pieces, err := parseInner(trimmed)
			if err != nil {
				return nil, err
			}
			out = append(out, pieces...)
		}
	}
	return out, nil
}

// braces reads up to the closing brace, past those in quotes.
func (p *pathParser) braces() (string, error) {
	quote := byte(0)
	for i := 0; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '}':
			inner := p.text[:i]
			p.text = p.text[i+1:]
			return inner, nil
		}
	}
	switch {
	case strings.LastIndexByte(p.text, '[') > strings.LastIndexByte(p.text, ']'):
		return "", errors.New("unterminated array")
	case quote != 0:
		return "", errors.New("unterminated quoted string")
	}
	return "", errors.New("unclosed action")
}

// parseInner reads what stands in braces: quoted texts and paths, separated by blanks.
func parseInner(s string) ([]node, error) {
	if s == "" { // all of it
		return []node{{isPath: true}}, nil
	}
	var out []node
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		if s[0] == '"' || s[0] == '\'' {
			text, rest, err := quoted(s)
			if err != nil {
				return nil, err
			}
			out, s = append(out, node{text: text}), rest
			continue
		}
		end := pathEnd(s)
		path, err := parsePath(s[:end])
		if err != nil {
			return nil, err
		}
		out, s = append(out, node{path: path, isPath: true}), s[end:]
	}
	return out, nil
}

// pathEnd is where a path ends: at a blank outside of brackets.
func pathEnd(s string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		case (c == ' ' || c == '\t') && depth <= 0:
			return i
		}
	}
	return len(s)
}

func quoted(s string) (text, rest string, err error) {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		if s[i] == '\\' {
			i++
			continue
		}
		if s[i] == quote {
			inner := s[1:i]
			if quote == '\'' {
				inner = strings.ReplaceAll(strings.ReplaceAll(inner, `\'`, "'"), `"`, `\"`)
			}
			text, err := strconv.Unquote(`"` + inner + `"`)
			if err != nil {
				return "", "", fmt.Errorf("unquote error %v", err)
			}
			return text, s[i+1:], nil
		}
	}
	return "", "", errors.New("unterminated quoted string")
}

// parsePath reads .a.b[0]['c'].
func parsePath(s string) ([]step, error) {
	var out []step
	first := true
	for s != "" {
		switch {
		case s[0] == '$' || s[0] == '@':
			if !first {
				return nil, unrecognized(s)
			}
			if s[0] == '$' {
				out = append(out, step{kind: '$'})
			}
			s = s[1:]
		case strings.HasPrefix(s, ".."):
			out, s = append(out, step{kind: '>'}), s[2:]
			if s != "" && s[0] != '.' && s[0] != '[' {
				s = "." + s
			}
		case s[0] == '.':
			name, rest := fieldName(s[1:])
			s = rest
			switch name {
			case "":
			case "*":
				out = append(out, step{kind: '*'})
			default:
				out = append(out, step{kind: '.', name: name})
			}
		case s[0] == '[':
			end := bracketEnd(s)
			if end < 0 {
				return nil, errors.New("unterminated array")
			}
			st, err := parseBracket(s[1:end])
			if err != nil {
				return nil, err
			}
			out, s = append(out, st), s[end+1:]
		case first:
			name, rest := fieldName(s)
			if r, _ := utf8.DecodeRuneInString(s); name == "" || r != '_' && r != '+' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return nil, unrecognized(s)
			}
			out, s = append(out, step{kind: 'i', name: name}), rest
		default:
			return nil, unrecognized(s)
		}
		first = false
	}
	return out, nil
}

// unrecognized is that nothing begins as s does.
func unrecognized(s string) error {
	r, _ := utf8.DecodeRuneInString(s)
	return fmt.Errorf("unrecognized character in action: %#U", r)
}

// fieldName reads a field's name; a dot in it is written \.
func fieldName(s string) (name, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i+1 < len(s) {
				i++
				b.WriteByte(s[i])
			}
		case '.', '[', ' ', ')', '=', '!', '<', '>', ',', '\t':
			return b.String(), s[i:]
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

func bracketEnd(s string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func parseBracket(s string) (step, error) {
	s = strings.TrimSpace(s)
	if inner, ok := strings.CutPrefix(s, "?("); ok {
		inner, ok = strings.CutSuffix(inner, ")")
		if !ok {
			return step{}, errors.New("unterminated filter")
		}
		f, err := parseFilter(strings.TrimSpace(inner))
		return step{kind: '?', filter: f}, err
	}
	if s == "*" {
		return step{kind: '*'}, nil
	}
	if parts := splitOutside(s, ','); len(parts) > 1 {
		u := step{kind: 'u'}
		for _, part := range parts {
			path, err := parseUnited(strings.TrimSpace(part))
			if err != nil {
				return step{}, err
			}
			u.union = append(u.union, path)
		}
		return u, nil
	}
	if len(s) > 1 && s[0] == '\'' && strings.IndexByte(s[1:], '\'') == len(s)-2 { // a path, too: see parseUnited
		path, err := parsePath("." + s[1:len(s)-1])
		return step{kind: 'u', union: [][]step{path}}, err
	}
	st := step{kind: '['}
	parts := strings.Split(s, ":")
	if len(parts) > 3 || s == "" {
		return step{}, fmt.Errorf("invalid array index %s", s)
	}
	for i, part := range parts {
		if part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil {
			return step{}, fmt.Errorf("invalid array index %s", s)
		}
		st.slice[i] = &n
	}
	st.index = len(parts) == 1
	return st, nil
}

// parseUnited reads one path of a union, in which a quoted text is a path too: ['metadata.name','status.phase'].
// Upstream: client-go util/jsonpath/parser.go, parseArray.
func parseUnited(s string) ([]step, error) {
	if s != "" && (s[0] == '\'' || s[0] == '"') {
		inner, rest, err := quoted(s)
		if err != nil || rest != "" {
			return nil, fmt.Errorf("invalid array index %s", s)
		}
		return parsePath("." + inner)
	}
	st, err := parseBracket(s)
	return []step{st}, err
}

func splitOutside(s string, sep byte) []string {
	var out []string
	quote, from := byte(0), 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == sep:
			out, from = append(out, s[from:i]), i+1
		}
	}
	return append(out, s[from:])
}

func parseFilter(s string) (*filter, error) {
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		if c := s[i]; quote != 0 {
			if c == quote {
				quote = 0
			}
			continue
		} else if c == '"' || c == '\'' {
			quote = c
			continue
		}
		if op := s[i : len(s)-len(strings.TrimLeft(s[i:], "!<>="))]; op != "" && i > 0 {
			left, err := parsePath(strings.TrimSpace(s[:i]))
			if err != nil {
				return nil, err
			}
			f := &filter{left: left, op: op}
			right := strings.TrimSpace(s[i+len(op):])
			switch {
			case right == "":
				return nil, fmt.Errorf("filter %q has nothing to compare with", s)
			case right[0] == '@':
				f.right, err = parsePath(right)
			case right[0] == '"' || right[0] == '\'':
				var rest string
				if f.literal, rest, err = quoted(right); err == nil && strings.TrimSpace(rest) != "" {
					err = unrecognized(strings.TrimSpace(rest))
				}
			case right == "true" || right == "false":
				f.literal = right == "true"
			case strings.IndexByte("+-0123456789", right[0]) < 0:
				f.right, err = parsePath(right)
			default:
				f.literal = json.Number(right)
				_, err = strconv.ParseFloat(right, 64)
			}
			return f, err
		}
	}
	left, err := parsePath(s)
	return &filter{left: left, op: "exists"}, err
}
