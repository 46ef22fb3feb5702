// Package jsonpath leads from an object to what is somewhere inside it, as kubectl and the columns of custom resources do.
package jsonpath

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// JSONPath is a template such as {.status.conditions[?(@.type=="Ready")].status}
// or {range .items[*]}{.metadata.name}{"\n"}{end}. Fields, indexes, slices,
// wildcards, recursive descent, filters, unions and range are there; functions
// are not (upstream has none either).
// Upstream: k8s.io/client-go/util/jsonpath.
type JSONPath struct {
	nodes []node
	stray bool // there is an {end} of nothing
}

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
	kind   byte // '.' field, '[' index or slice, '*' all, '>' recursive, '?' filter, 'u' union, '$' root, 'i' a word
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

// mostValues is how many values a template may go through, and mostText how many
// bytes it may print: each .. in a row has a value be found once more on every way
// to it. Upstream has no such bounds: it goes on until its memory is full.
const mostValues, mostText = 1_000_000, 1 << 20

var (
	errTooManyValues = fmt.Errorf("the template leads to more than %d values", mostValues)
	errTooMuchText   = fmt.Errorf("the template prints more than %d bytes", mostText)
)

// execution is a template that is being filled in.
type execution struct {
	root any
	left int // of mostValues; < 0 when there were more
	text strings.Builder
	bad  error // the first index that a list does not have
}

func (x *execution) failure() error {
	switch {
	case x.left < 0:
		return errTooManyValues
	case x.text.Len() > mostText:
		return errTooMuchText
	}
	return nil
}

// Execute fills in a template. What is missing is nothing, but an index that a list
// does not have is an error, as is what leads to more than there is room for.
func (j *JSONPath) Execute(data any) (string, error) {
	x := &execution{root: data, left: mostValues}
	if j.stray {
		return "", errors.New("not in range, nothing to end")
	}
	x.run(j.nodes, data)
	if x.bad != nil {
		return "", x.bad
	}
	return x.text.String(), x.failure()
}

// Find are the values that the template's paths lead to, or the error that Execute has.
func (j *JSONPath) Find(data any) ([]any, error) {
	x := &execution{root: data, left: mostValues}
	out, err := j.values(x, data)
	if x.bad != nil {
		return nil, x.bad
	}
	return out, err
}

// Values are what the template's paths lead to; an index that a list does not have leads nowhere.
func (j *JSONPath) Values(data any) ([]any, error) {
	return j.values(&execution{root: data, left: mostValues}, data)
}

func (j *JSONPath) values(x *execution, data any) (out []any, err error) {
	for _, n := range j.nodes {
		if n.isPath {
			out = append(out, x.walk(n.path, []any{data})...)
		}
	}
	return out, x.failure()
}

func (x *execution) run(nodes []node, data any) {
	for _, n := range nodes {
		if x.left--; x.failure() != nil {
			return
		}
		switch {
		case n.isRange:
			for _, v := range x.walk(n.path, []any{data}) {
				x.run(n.inner, v)
			}
		case n.isPath:
			for i, v := range x.walk(n.path, []any{data}) {
				if i > 0 {
					x.text.WriteByte(' ')
				}
				if x.text.WriteString(Text(v)); x.failure() != nil {
					return
				}
			}
		default:
			x.text.WriteString(n.text)
		}
	}
}

// Text is a value as a template prints it: JSON, but texts bare.
func Text(v any) string {
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

func (x *execution) walk(path []step, values []any) []any {
	for _, st := range path {
		var next []any
		if st.kind == 'u' { // each path from all values. Upstream: jsonpath.go, evalUnion.
			for _, u := range st.union {
				next = append(next, x.walk(u, values)...)
			}
			values = next
			continue
		}
		for _, v := range values {
			before := len(next)
			next = x.from(st, next, v)
			if x.left -= 1 + len(next) - before; x.left < 0 {
				return nil
			}
		}
		values = next
	}
	return values
}

// from adds what the step leads to from one value.
func (x *execution) from(st step, out []any, v any) []any {
	list, isList := v.([]any)
	m, isMap := v.(map[string]any)
	switch st.kind {
	case '$':
		return append(out, x.root)
	case 'i':
		if n := json.Number(st.name); strings.Trim(st.name, "0123456789+-.") == "" {
			return append(out, n)
		}
		if st.name == "true" || st.name == "false" {
			return append(out, st.name == "true")
		}
		x.wrong("unrecognized identifier %s", st.name)
	case '.':
		if inner, ok := m[st.name]; ok && isMap && inner != nil {
			out = append(out, inner)
		}
	case '*':
		if isList {
			return append(out, list...)
		}
		for _, k := range slices.Sorted(maps.Keys(m)) {
			out = append(out, m[k])
		}
	case '[':
		if !isList {
			if v != nil {
				x.wrong("%s is not array or slice", goType(v))
			}
			return out
		}
		return append(out, x.cut(st, list)...)
	case '?':
		for _, item := range list {
			if x.left < 0 {
				break
			}
			if x.holds(st.filter, item) {
				out = append(out, item)
			}
		}
	case '>':
		out = append(out, v)
		for _, item := range list {
			out = x.from(st, out, item)
		}
		for _, k := range slices.Sorted(maps.Keys(m)) {
			out = x.from(st, out, m[k])
		}
	}
	return out
}

// wrong keeps the first error.
func (x *execution) wrong(format string, args ...any) {
	if x.bad == nil {
		x.bad = fmt.Errorf(format, args...)
	}
}

// goType is what Go calls the type of a value in upstream's trees.
func goType(v any) string {
	if n, ok := v.(json.Number); ok {
		if _, err := n.Int64(); err != nil {
			return "float64"
		}
		return "int64"
	}
	return fmt.Sprintf("%T", v)
}

// cut is one element, or some of a list. Upstream: client-go util/jsonpath/jsonpath.go, evalArray.
func (x *execution) cut(st step, list []any) []any {
	n := len(list)
	bound := func(p *int, otherwise int) int {
		if p == nil {
			return otherwise
		}
		if *p < 0 {
			return *p + n
		}
		return *p
	}
	from := bound(st.slice[0], 0)
	to, by := bound(st.slice[1], n), 1
	if st.index {
		to = from + 1
	}
	if st.slice[2] != nil {
		by = *st.slice[2]
	}
	switch {
	case from == to:
		return nil
	case from >= n || from < 0:
		x.wrong("array index out of bounds: index %d, length %d", from, n)
	case to > n || to < 0:
		x.wrong("array index out of bounds: index %d, length %d", to-1, n)
	case from > to:
		x.wrong("starting index %d is greater than ending index %d", from, to)
	case by <= 0:
		x.wrong("step must be > 0")
	}
	var out []any
	for i := max(0, from); i < min(to, n) && by > 0; i += by {
		out = append(out, list[i])
	}
	return out
}

func (x *execution) holds(f *filter, item any) bool {
	bad := x.bad
	left := x.walk(f.left, []any{item})
	if f.op == "exists" {
		x.bad = bad // whatever kept it from being there
		return len(left) > 0
	}
	right := []any{f.literal}
	if f.right != nil {
		right = x.walk(f.right, []any{item})
	}
	if len(left) == 0 || len(right) == 0 {
		return f.op == "!=" && len(left) != len(right)
	}
	n := Compare(left[0], right[0])
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
	case ">=":
		return n >= 0
	}
	x.wrong("unrecognized filter operator %s", f.op)
	return false
}

// Compare orders numbers as numbers and everything else as text.
func Compare(a, b any) int {
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
	return strings.Compare(Text(a), Text(b))
}

var errUnexpectedPath = errors.New("unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'")

// Relaxed makes a template of a path that was typed without braces or dot: as
// --sort-by and custom columns take it.
// Upstream: kubectl pkg/cmd/get/customcolumn.go, RelaxedJSONPathExpression.
func Relaxed(path string) (string, error) {
	if path == "" {
		return "{}", nil
	}
	inner, ok := strings.CutPrefix(path, "{")
	if ok {
		if inner, ok = strings.CutSuffix(inner, "}"); !ok {
			return "", errUnexpectedPath
		}
	}
	if strings.ContainsAny(inner, "{}") {
		return "", errUnexpectedPath
	}
	return "{." + strings.TrimPrefix(inner, ".") + "}", nil
}
