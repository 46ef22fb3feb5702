// Package jq is as much of jq 1.6 as hooks and small scripts need: paths (.a.b, ."a-b", .[0], .[], ?), pipes and commas, texts with \(…),
// numbers, arrays and objects, comparisons, and/or/not, //, sums, if, = and |=, and the functions in the table. The rest is refused with
// jq's words. Arguments of functions are filters; variables are those of --arg, $ENV is absent, and so are regular expressions.
//
// Simplified: the keys of an object come in the order of their names; numbers are those of float64.
//
// Upstream: github.com/jqlang/jq, src/parser.y and src/builtin.jq.
package jq

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Filter is a program.
type Filter struct{ run node }

// Parse reads a program. args are variables, by name.
func Parse(text string, args map[string]any) (*Filter, error) {
	p := &parser{text: text, args: args}
	n, err := p.pipe()
	if err == nil && p.next() != "" {
		err = p.unexpected()
	}
	if err != nil {
		return nil, err
	}
	return &Filter{n}, nil
}

// mostOut is how many values a filter may give.
const mostOut = 100_000

// Run gives a value of JSON to the filter, as encoding/json decodes it. What came before an error is returned, too.
func (f *Filter) Run(v any) (out []any, err error) {
	err = f.run(item{v: v}, func(i item) error {
		if out = append(out, i.v); len(out) > mostOut {
			return errors.New("the output is too long")
		}
		return nil
	})
	return out, err
}

// Text is a value as JSON in one line.
func Text(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// item is a value, and how it was come to from the input: only what has a path can be assigned to.
type item struct {
	v    any
	path []any
	no   bool // it is no part of the input
}

func made(v any) item { return item{v: v, no: true} }

func (i item) at(key, v any) item {
	return item{v: v, path: append(slices.Clip(i.path), key), no: i.no}
}

type node func(in item, out func(item) error) error

func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

// shown is a value in an error, which is short.
func shown(v any) string {
	text := Text(v)
	if len(text) > 11 {
		text = text[:8] + "..."
	}
	return kind(v) + " (" + text + ")"
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	case float64:
		return n, true
	case int64:
		return float64(n), true
	}
	return 0, false
}

func truth(v any) bool { return v != nil && v != false }

// compare orders values as jq does: null, false, true, numbers, texts, arrays, objects.
func compare(a, b any) int {
	rank := func(v any) int {
		if v == true {
			return 2
		}
		return map[string]int{"null": 0, "boolean": 1, "number": 3, "string": 4, "array": 5, "object": 6}[kind(v)]
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	switch x := a.(type) {
	case string:
		return strings.Compare(x, b.(string))
	case []any:
		return slices.CompareFunc(x, b.([]any), compare)
	case map[string]any:
		y := b.(map[string]any)
		keys := slices.Sorted(maps.Keys(x))
		if d := slices.Compare(keys, slices.Sorted(maps.Keys(y))); d != 0 {
			return d
		}
		for _, key := range keys {
			if d := compare(x[key], y[key]); d != 0 {
				return d
			}
		}
		return 0
	}
	f, isNumber := number(a)
	g, _ := number(b)
	switch {
	case !isNumber || f == g:
		return 0
	case f < g:
		return -1
	}
	return 1
}

// index is .[key].
func index(in item, key any) (item, error) {
	switch v := in.v.(type) {
	case nil:
		if _, ok := number(key); ok || kind(key) == "string" {
			return in.at(key, nil), nil
		}
	case map[string]any:
		if k, ok := key.(string); ok {
			return in.at(k, v[k]), nil
		}
	case []any:
		if f, ok := number(key); ok {
			n := int(f)
			if n < 0 {
				n += len(v)
			}
			if n < 0 || n >= len(v) {
				return in.at(float64(n), nil), nil
			}
			return in.at(float64(n), v[n]), nil
		}
	}
	if text, ok := key.(string); ok {
		return item{}, fmt.Errorf("Cannot index %s with string %q", kind(in.v), text)
	}
	return item{}, fmt.Errorf("Cannot index %s with %s", kind(in.v), kind(key))
}

// each is .[].
func each(in item, out func(item) error) error {
	switch v := in.v.(type) {
	case []any:
		for i, element := range v {
			if err := out(in.at(float64(i), element)); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if err := out(in.at(key, v[key])); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("Cannot iterate over %s", shown(in.v))
}

// set returns a copy of a value in which what is at the path is another one; gone deletes it.
func set(v any, path []any, to any, gone bool) (any, error) {
	if len(path) == 0 {
		return to, nil
	}
	inner, err := index(item{v: v}, path[0])
	if err != nil {
		return nil, err
	}
	last := gone && len(path) == 1
	if !last {
		if to, err = set(inner.v, path[1:], to, gone); err != nil {
			return nil, err
		}
	}
	if key, ok := path[0].(string); ok {
		object, _ := v.(map[string]any)
		if object = maps.Clone(object); object == nil {
			object = map[string]any{}
		}
		if object[key] = to; last {
			delete(object, key)
		}
		return object, nil
	}
	f, _ := number(path[0])
	list, n := []any(nil), int(f)
	if l, ok := v.([]any); ok {
		list = slices.Clone(l)
	}
	switch {
	case n < 0 || n > 10_000:
		return nil, errors.New("Out of bounds array index")
	case last && n < len(list):
		return slices.Delete(list, n, n+1), nil
	case last:
		return v, nil
	}
	for len(list) <= n {
		list = append(list, nil)
	}
	list[n] = to
	return list, nil
}

// paths are those that a filter comes to.
func paths(n node, v any) (out []item, err error) {
	err = n(item{v: v}, func(i item) error {
		if i.no {
			return fmt.Errorf("Invalid path expression with result %s", shown(i.v))
		}
		out = append(out, i)
		return nil
	})
	return out, err
}

// first is the first value of a filter.
func first(n node, in item) (v any, ok bool, err error) {
	stop := errors.New("enough")
	err = n(in, func(i item) error {
		v, ok = i.v, true
		return stop
	})
	if errors.Is(err, stop) {
		err = nil
	}
	return v, ok, err
}

func collect(n node, in item) ([]any, error) {
	out := []any{}
	err := n(in, func(i item) error {
		out = append(out, i.v)
		return nil
	})
	return out, err
}

// binary is an operator between two values.
func binary(op string, a, b any) (any, error) {
	x, isX := number(a)
	y, isY := number(b)
	both := isX && isY
	switch op {
	case "==":
		return compare(a, b) == 0, nil
	case "!=":
		return compare(a, b) != 0, nil
	case "<":
		return compare(a, b) < 0, nil
	case "<=":
		return compare(a, b) <= 0, nil
	case ">":
		return compare(a, b) > 0, nil
	case ">=":
		return compare(a, b) >= 0, nil
	case "+":
		switch {
		case a == nil:
			return b, nil
		case b == nil:
			return a, nil
		case both:
			return x + y, nil
		case kind(a) == "string" && kind(b) == "string":
			return a.(string) + b.(string), nil
		case kind(a) == "array" && kind(b) == "array":
			return slices.Concat([]any{}, a.([]any), b.([]any)), nil
		case kind(a) == "object" && kind(b) == "object":
			out := maps.Clone(a.(map[string]any))
			maps.Copy(out, b.(map[string]any))
			return out, nil
		}
		return nil, fmt.Errorf("%s and %s cannot be added", shown(a), shown(b))
	case "-":
		if both {
			return x - y, nil
		}
		if kind(a) == "array" && kind(b) == "array" {
			return slices.DeleteFunc(slices.Clone(a.([]any)), func(v any) bool {
				return slices.ContainsFunc(b.([]any), func(w any) bool { return compare(v, w) == 0 })
			}), nil
		}
		return nil, fmt.Errorf("%s and %s cannot be subtracted", shown(a), shown(b))
	case "*":
		if both {
			return x * y, nil
		}
		return nil, fmt.Errorf("%s and %s cannot be multiplied", shown(a), shown(b))
	}
	if !both {
		return nil, fmt.Errorf("%s and %s cannot be divided", shown(a), shown(b))
	}
	if y == 0 {
		return nil, fmt.Errorf("%s and %s cannot be divided because the divisor is zero", shown(a), shown(b))
	}
	return x / y, nil
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return Text(v)
}
