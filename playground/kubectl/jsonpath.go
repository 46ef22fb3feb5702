package kubectl

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// JSONPath is a template such as {.status.conditions[?(@.type=="Ready")].status}
// or {range .items[*]}{.metadata.name}{"\n"}{end}. Fields, indexes, slices,
// wildcards, recursive descent, filters, unions and range are there; functions
// are not (upstream has none either).
// Upstream: k8s.io/client-go/util/jsonpath.
type JSONPath struct{ nodes []node }

// node is a piece of a template: text, a path, or a range.
type node struct {
	text    string
	path    []step
	isPath  bool
	isRange bool
	inner   []node // of a range
}

// step leads from values to values.
type step struct {
	kind   byte // '.' field, '[' index or slice, '*' all, '>' recursive, '?' filter, 'u' union, '$' root
	name   string
	slice  [3]*int
	index  bool // the slice is one index
	filter *filter
	union  [][]step
}

// filter is what stands in [?( )]: a comparison of two sides, or one side that has to be there.
type filter struct {
	left, right []step
	literal     any // when right is no path
	op          string
}

// ParseJSONPath reads a template.
func ParseJSONPath(template string) (*JSONPath, error) {
	p := &pathParser{text: template}
	nodes, err := p.nodes(false)
	if err != nil {
		return nil, err
	}
	return &JSONPath{nodes}, nil
}

type pathParser struct {
	text  string
	depth int
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
			if !inRange {
				return nil, errors.New("not in range, nothing to end")
			}
			return out, nil
		case strings.HasPrefix(trimmed, "range "):
			path, err := parsePath(strings.TrimSpace(trimmed[len("range "):]))
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
	if inRange {
		return nil, errors.New("unexpected end of the range")
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
	return "", errors.New("unclosed action")
}

// parseInner reads what stands in braces: quoted texts and paths, separated by blanks.
func parseInner(s string) ([]node, error) {
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
				return nil, fmt.Errorf("unrecognized character in action: U+%04X %q", s[0], s[0])
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
			if name == "" {
				return nil, fmt.Errorf("unrecognized character in action: U+%04X %q", s[0], s[0])
			}
			out, s = append(out, step{kind: '.', name: name}), rest
		default:
			return nil, fmt.Errorf("unrecognized character in action: U+%04X %q", s[0], s[0])
		}
		first = false
	}
	return out, nil
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
			st, err := parseBracket(part)
			if err != nil {
				return step{}, err
			}
			u.union = append(u.union, []step{st})
		}
		return u, nil
	}
	if s != "" && (s[0] == '\'' || s[0] == '"') {
		name, rest, err := quoted(s)
		if err != nil || rest != "" {
			return step{}, fmt.Errorf("invalid array index %s", s)
		}
		return step{kind: '.', name: name}, nil
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
		for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
			if !strings.HasPrefix(s[i:], op) {
				continue
			}
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
				f.literal, _, err = quoted(right)
			case right == "true" || right == "false":
				f.literal = right == "true"
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

// Execute fills in a template. What is missing is nothing.
func (j *JSONPath) Execute(data any) string {
	var b strings.Builder
	run(&b, j.nodes, data, data)
	return b.String()
}

// Values are what the template's paths lead to.
func (j *JSONPath) Values(data any) (out []any) {
	for _, n := range j.nodes {
		if n.isPath {
			out = append(out, walk(n.path, []any{data}, data)...)
		}
	}
	return out
}

func run(b *strings.Builder, nodes []node, data, root any) {
	for _, n := range nodes {
		switch {
		case n.isRange:
			for _, v := range walk(n.path, []any{data}, root) {
				run(b, n.inner, v, root)
			}
		case n.isPath:
			for i, v := range walk(n.path, []any{data}, root) {
				if i > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(plainText(v))
			}
		default:
			b.WriteString(n.text)
		}
	}
}

// plainText is a value as a template prints it: JSON, but texts bare.
func plainText(v any) string {
	switch v := v.(type) {
	case nil:
		return "<nil>"
	case string:
		return v
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

func walk(path []step, values []any, root any) []any {
	for _, st := range path {
		var next []any
		for _, v := range values {
			next = st.from(next, v, root)
		}
		values = next
	}
	return values
}

// from adds what the step leads to from one value.
func (st step) from(out []any, v, root any) []any {
	list, isList := v.([]any)
	m, isMap := v.(map[string]any)
	switch st.kind {
	case '$':
		return append(out, root)
	case '.':
		if inner, ok := m[st.name]; ok && isMap && inner != nil {
			out = append(out, inner)
		}
	case '*':
		if isList {
			return append(out, list...)
		}
		for _, k := range sortedKeys(m) {
			out = append(out, m[k])
		}
	case '[':
		if !isList {
			return out
		}
		return append(out, st.cut(list)...)
	case '?':
		for _, item := range list {
			if st.filter.holds(item, root) {
				out = append(out, item)
			}
		}
	case 'u':
		for _, u := range st.union {
			out = append(out, walk(u, []any{v}, root)...)
		}
	case '>':
		out = append(out, v)
		for _, item := range list {
			out = st.from(out, item, root)
		}
		for _, k := range sortedKeys(m) {
			out = st.from(out, m[k], root)
		}
	}
	return out
}

// cut is one element, or some of a list.
func (st step) cut(list []any) []any {
	bound := func(p *int, otherwise int) int {
		if p == nil {
			return otherwise
		}
		if *p < 0 {
			return *p + len(list)
		}
		return *p
	}
	from := bound(st.slice[0], 0)
	if st.index {
		if from < 0 || from >= len(list) {
			return nil
		}
		return list[from : from+1]
	}
	to, by := min(bound(st.slice[1], len(list)), len(list)), 1
	if st.slice[2] != nil {
		by = *st.slice[2]
	}
	var out []any
	for i := max(0, from); i < to && by > 0; i += by {
		out = append(out, list[i])
	}
	return out
}

func (f *filter) holds(item, root any) bool {
	left := walk(f.left, []any{item}, root)
	if f.op == "exists" {
		return len(left) > 0
	}
	right := []any{f.literal}
	if f.right != nil {
		right = walk(f.right, []any{item}, root)
	}
	if len(left) == 0 || len(right) == 0 {
		return f.op == "!=" && len(left) != len(right)
	}
	n := compareValues(left[0], right[0])
	switch f.op {
	case "==":
		return n == 0
	case "!=":
		return n != 0
	case "<":
		return n < 0
	case "<=":
		return n <= 0
	case ">":
		return n > 0
	}
	return n >= 0
}

// compareValues orders numbers as numbers and everything else as text.
func compareValues(a, b any) int {
	x, xok := a.(json.Number)
	y, yok := b.(json.Number)
	if xok && yok {
		m, _ := x.Float64()
		n, _ := y.Float64()
		switch {
		case m < n:
			return -1
		case m > n:
			return 1
		}
		return 0
	}
	return strings.Compare(plainText(a), plainText(b))
}

// relaxed makes a template of a path that was typed without braces or dot: as
// --sort-by and custom columns take it.
// Upstream: kubectl pkg/cmd/get/customcolumn.go, RelaxedJSONPathExpression.
func relaxed(path string) (string, error) {
	if path == "" {
		return "{}", nil
	}
	inner, ok := strings.CutPrefix(path, "{")
	if ok {
		if inner, ok = strings.CutSuffix(inner, "}"); !ok {
			return "", fmt.Errorf("unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'")
		}
	}
	return "{." + strings.TrimPrefix(inner, ".") + "}", nil
}

// sortBy puts things into the order of what a path leads to in each.
func sortBy[T any](things []T, path string, of func(T) any) error {
	template, err := relaxed(path)
	if err != nil {
		return err
	}
	j, err := ParseJSONPath(template)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	key := func(t T) any {
		if v := j.Values(of(t)); len(v) > 0 {
			return v[0]
		}
		return nil
	}
	slices.SortStableFunc(things, func(a, b T) int {
		x, y := key(a), key(b)
		switch {
		case x == nil && y == nil:
			return 0
		case x == nil:
			return -1
		case y == nil:
			return 1
		}
		return compareValues(x, y)
	})
	return nil
}
