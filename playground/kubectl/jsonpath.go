package kubectl

import (
	"encoding/json"
	"fmt"
	"slices"
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
