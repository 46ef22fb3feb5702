// Package yaml reads as much of YAML as people write in manifests: blocks of keys and lists by their indentation, [a, b] and {a: b}
// in one line, quoted and plain scalars, texts behind | and >, comments, and documents after ---. It refuses anchors, tags and complex
// keys. It is for what scripts print while a cluster runs; what a demo's author writes is read on the host, by a library.
//
// Upstream: sigs.k8s.io/yaml, by its error messages' form.
package yaml

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// ToJSON makes JSON of a text: an object, or a list of them if there are several documents. JSON stays as it is.
func ToJSON(text string) ([]byte, error) {
	if t := strings.TrimSpace(text); strings.HasPrefix(t, "{") && json.Valid([]byte(t)) {
		return []byte(t), nil
	}
	var docs []any
	for _, lines := range documents(text) {
		p := &parser{lines: lines}
		v, err := p.document()
		if err != nil {
			return nil, err
		}
		if v != nil {
			docs = append(docs, v)
		}
	}
	if len(docs) == 1 {
		return json.Marshal(docs[0])
	}
	return json.Marshal(docs)
}

// line is one that is not empty.
type line struct {
	number, indent int
	text           string // without indentation
	raw            string
}

func documents(text string) (out [][]line) {
	now := []line{}
	for i, raw := range strings.Split(text, "\n") {
		if raw == "---" || strings.HasPrefix(raw, "--- ") || raw == "..." {
			out = append(out, now)
			now = nil
			continue
		}
		trimmed := strings.TrimLeft(raw, " ")
		now = append(now, line{i + 1, len(raw) - len(trimmed), strings.TrimRight(trimmed, " \r"), raw})
	}
	return append(out, now)
}

type parser struct {
	lines []line
	at    int
	depth int
}

// deepest is how deep a document may be.
const deepest = 100

type problem struct {
	line int
	what string
}

func (e problem) Error() string { return fmt.Sprintf("yaml: line %d: %s", e.line, e.what) }

// peek is the next line with something in it; nil at the end.
func (p *parser) peek() *line {
	for ; p.at < len(p.lines); p.at++ {
		if l := &p.lines[p.at]; l.text != "" && l.text[0] != '#' {
			return l
		}
	}
	return nil
}

func (p *parser) document() (any, error) {
	l := p.peek()
	if l == nil {
		return nil, nil
	}
	v, err := p.block(l.indent)
	if err != nil {
		return nil, err
	}
	if l := p.peek(); l != nil {
		return nil, problem{l.number, "did not find expected key"}
	}
	return v, nil
}

// block reads what begins in the next line, at that indentation.
func (p *parser) block(indent int) (any, error) {
	if p.depth++; p.depth > deepest {
		return nil, problem{p.peek().number, "exceeded max depth of 100"}
	}
	defer func() { p.depth-- }()
	l := p.peek()
	switch {
	case l.text[0] == '\t':
		return nil, problem{l.number, "found character that cannot start any token"}
	case l.text == "-" || strings.HasPrefix(l.text, "- "):
		return p.list(indent)
	}
	if _, _, ok := splitKey(l.text); ok {
		return p.object(indent)
	}
	p.at++
	return p.inline(l.text, l, indent)
}

func (p *parser) list(indent int) (any, error) {
	out := []any{}
	for {
		l := p.peek()
		if l == nil || l.indent != indent || l.text != "-" && !strings.HasPrefix(l.text, "- ") {
			return out, nil
		}
		rest := strings.TrimLeft(l.text[1:], " ")
		if rest == "" || rest[0] == '#' {
			p.at++
			v, err := p.below(indent, false)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
			continue
		}
		l.indent += len(l.text) - len(rest) // "- a: 1" is a block that begins behind the dash
		l.text = rest
		v, err := p.block(l.indent)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
}

// below is what stands in the lines below a key or a dash; nil if there is nothing. A list may be as far left as its key.
func (p *parser) below(indent int, key bool) (any, error) {
	l := p.peek()
	if l == nil || l.indent < indent || l.indent == indent && !(key && (l.text == "-" || strings.HasPrefix(l.text, "- "))) {
		return nil, nil
	}
	return p.block(l.indent)
}

func (p *parser) object(indent int) (any, error) {
	out := map[string]any{}
	for {
		l := p.peek()
		if l == nil || l.indent < indent {
			return out, nil
		}
		key, rest, ok := splitKey(l.text)
		if l.indent != indent || !ok {
			return nil, problem{l.number, "could not find expected ':'"}
		}
		if key == "" {
			return nil, problem{l.number, "did not find expected key"}
		}
		name, err := scalar(key, l)
		if err != nil {
			return nil, err
		}
		text := fmt.Sprint(name)
		if _, twice := out[text]; twice {
			return nil, problem{l.number, fmt.Sprintf("key %q already set in map", text)}
		}
		p.at++
		var v any
		if rest == "" || rest[0] == '#' {
			v, err = p.below(indent, true)
		} else {
			v, err = p.inline(rest, l, indent)
		}
		if err != nil {
			return nil, err
		}
		out[text] = v
	}
}

// inline is a value that stands in one line, or begins there.
func (p *parser) inline(text string, l *line, indent int) (any, error) {
	switch text[0] {
	case '|', '>':
		return p.text(text, l, indent)
	case '[', '{':
		f := flow{text: text, line: l}
		for !balanced(f.text) && p.at < len(p.lines) { // it goes on in the next line
			f.text += " " + p.lines[p.at].text
			p.at++
		}
		v, err := f.value(0)
		if err == nil {
			if rest := strings.TrimSpace(f.text[f.at:]); rest != "" && rest[0] != '#' {
				err = problem{l.number, "did not find expected ',' or ']'"}
			}
		}
		return v, err
	}
	return scalar(text, l)
}

// text is a literal (|) or a folded (>) text, with the lines that belong to it.
func (p *parser) text(head string, l *line, indent int) (any, error) {
	head, _, _ = strings.Cut(head, " #")
	if strings.Trim(head[1:], "-+ ") != "" {
		return nil, problem{l.number, "did not find expected comment or line break"}
	}
	var lines []string
	margin := -1
	for ; p.at < len(p.lines); p.at++ {
		l := p.lines[p.at]
		if strings.TrimSpace(l.raw) == "" {
			lines = append(lines, "")
			continue
		}
		if l.indent <= indent {
			break
		}
		if margin < 0 {
			margin = l.indent
		}
		lines = append(lines, l.raw[min(margin, l.indent):])
	}
	end := len(lines)
	for end > 0 && lines[end-1] == "" {
		end--
	}
	separator := "\n"
	if head[0] == '>' {
		separator = " "
	}
	out := strings.Join(lines[:end], separator)
	if !strings.Contains(head, "-") && out != "" {
		out += "\n"
	}
	return out, nil
}

// splitKey parts "key: rest" at its colon.
func splitKey(text string) (key, rest string, ok bool) {
	from := 0
	if text[0] == '"' || text[0] == '\'' {
		end := strings.IndexByte(text[1:], text[0])
		if end < 0 {
			return "", "", false
		}
		from = end + 2
	} else if text[0] == '{' || text[0] == '[' {
		return "", "", false
	}
	for i := from; i < len(text); i++ {
		switch {
		case text[i] == '#' && i > 0 && text[i-1] == ' ':
			return "", "", false
		case text[i] == ':' && (i+1 == len(text) || text[i+1] == ' '):
			return text[:i], strings.TrimLeft(text[i+1:], " "), true
		}
	}
	return "", "", false
}

// scalar is a text, a number, true, false or null.
func scalar(text string, l *line) (any, error) {
	switch text[0] {
	case '"':
		end := closing(text)
		if end < 0 {
			return nil, problem{l.number, "found unexpected end of stream"}
		}
		out, err := strconv.Unquote(text[:end+1])
		if err != nil {
			return nil, problem{l.number, "found unknown escape character"}
		}
		return out, nil
	case '\'':
		end := closing(text)
		if end < 0 {
			return nil, problem{l.number, "found unexpected end of stream"}
		}
		return strings.ReplaceAll(text[1:end], "''", "'"), nil
	case '&', '*', '!', '%', '@', '`':
		return nil, problem{l.number, "found character that cannot start any token: " + text[:1]}
	}
	if i := strings.Index(text, " #"); i >= 0 {
		text = text[:i]
	}
	switch text = strings.TrimRight(text, " "); text {
	case "true", "True":
		return true, nil
	case "false", "False":
		return false, nil
	case "null", "~", "":
		return nil, nil
	}
	if c := text[0]; c == '-' || c >= '0' && c <= '9' {
		base := 10
		if digits := strings.TrimPrefix(text, "-"); len(digits) > 1 && digits[0] == '0' { // 0777, as in YAML 1.1
			base = 8
		}
		if n, err := strconv.ParseInt(text, base, 64); err == nil {
			return n, nil
		}
		if n, err := strconv.ParseFloat(text, 64); err == nil && strings.Trim(text, "-0123456789.") == "" {
			return n, nil
		}
	}
	return text, nil
}

// closing is where a quoted text ends; -1 if it does not.
func closing(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[0] == '"' && text[i] == '\\':
			i++
		case text[i] != text[0]:
		case text[0] == '\'' && i+1 < len(text) && text[i+1] == '\'':
			i++
		default:
			return i
		}
	}
	return -1
}

// balanced tells whether all brackets of a text are closed.
func balanced(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"', '\'':
			n := closing(text[i:])
			if n < 0 {
				return false
			}
			i += n
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
	}
	return depth <= 0
}

// flow reads [a, b] and {a: b}.
type flow struct {
	text string
	at   int
	line *line
}

func (f *flow) skip() byte {
	for f.at < len(f.text) && f.text[f.at] == ' ' {
		f.at++
	}
	if f.at == len(f.text) {
		return 0
	}
	return f.text[f.at]
}

func (f *flow) value(depth int) (any, error) {
	if depth > deepest {
		return nil, problem{f.line.number, "exceeded max depth of 100"}
	}
	switch c := f.skip(); c {
	case '[', '{':
		f.at++
		list, object := []any{}, map[string]any{}
		for {
			switch f.skip() {
			case ']', '}':
				f.at++
				if c == '[' {
					return list, nil
				}
				return object, nil
			case 0:
				return nil, problem{f.line.number, "did not find expected ',' or ']'"}
			case ',':
				f.at++
				continue
			}
			v, err := f.value(depth + 1)
			if err != nil {
				return nil, err
			}
			if c == '[' {
				list = append(list, v)
				continue
			}
			if f.skip() != ':' {
				object[fmt.Sprint(v)] = nil
				continue
			}
			f.at++
			if next := f.skip(); next == ',' || next == '}' {
				object[fmt.Sprint(v)] = nil
				continue
			}
			if object[fmt.Sprint(v)], err = f.value(depth + 1); err != nil {
				return nil, err
			}
		}
	case '"', '\'':
		end := closing(f.text[f.at:])
		if end < 0 {
			return nil, problem{f.line.number, "found unexpected end of stream"}
		}
		text := f.text[f.at : f.at+end+1]
		f.at += end + 1
		return scalar(text, f.line)
	case 0:
		return nil, nil
	}
	from := f.at
	for f.at < len(f.text) && strings.IndexByte(",]}", f.text[f.at]) < 0 && !(f.text[f.at] == ':' && (f.at+1 == len(f.text) || f.text[f.at+1] == ' ')) {
		f.at++
	}
	if f.at == from {
		return nil, problem{f.line.number, "did not find expected node content"}
	}
	return scalar(f.text[from:f.at], f.line)
}
