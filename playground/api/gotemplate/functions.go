package gotemplate

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// function is one that templates may call.
type function struct {
	fixed int  // how many arguments it takes, or at least
	more  bool // it takes more
	text  bool // the first is a text
	do    func(args []value) (value, error)
}

// functions are those of text/template, and kubectl's two. Upstream: funcs.go, builtins; cli-runtime pkg/printers/template.go.
var functions = map[string]function{
	"and": {fixed: 1, more: true}, "or": {fixed: 1, more: true}, "call": {fixed: 1, more: true},
	"not":      {fixed: 1, do: func(a []value) (value, error) { return of(!a[0].inside().truth()), nil }},
	"len":      {fixed: 1, do: length},
	"index":    {fixed: 1, more: true, do: index},
	"slice":    {fixed: 1, more: true, do: slice},
	"print":    {more: true, do: func(a []value) (value, error) { return of(fmt.Sprint(plain(a)...)), nil }},
	"println":  {more: true, do: func(a []value) (value, error) { return of(fmt.Sprintln(plain(a)...)), nil }},
	"printf":   {fixed: 1, more: true, text: true, do: printf},
	"html":     {more: true, do: escaper(html)},
	"js":       {more: true, do: escaper(js)},
	"urlquery": {more: true, do: escaper(urlquery)},
	"eq":       {fixed: 1, more: true, do: func(a []value) (value, error) { return yes(eq(a)) }},
	"ne": {fixed: 2, do: func(a []value) (value, error) {
		is, err := eq(a)
		return yes(!is, err)
	}},
	"lt": {fixed: 2, do: func(a []value) (value, error) { return yes(lt(a)) }},
	"le": {fixed: 2, do: func(a []value) (value, error) { return yes(le(a)) }},
	"gt": {fixed: 2, do: func(a []value) (value, error) {
		is, err := le(a)
		return yes(err == nil && !is, err)
	}},
	"ge": {fixed: 2, do: func(a []value) (value, error) {
		is, err := lt(a)
		return yes(err == nil && !is, err)
	}},
	"exists":       {fixed: 1, more: true, do: exists},
	"base64decode": {fixed: 1, text: true, do: base64decode},
}

func yes(is bool, err error) (value, error) { return of(is), err }

// plain are the values as fmt takes them.
func plain(values []value) (out []any) {
	for _, v := range values {
		out = append(out, v.v)
	}
	return out
}

func printf(a []value) (value, error) { return of(fmt.Sprintf(a[0].v.(string), plain(a[1:])...)), nil }

func length(a []value) (value, error) {
	if a[0].boxed && a[0].v == nil {
		return value{}, errors.New("len of nil pointer")
	}
	switch v := a[0].v.(type) {
	case string:
		return of(len(v)), nil
	case []any:
		return of(len(v)), nil
	case map[string]any:
		return of(len(v)), nil
	case nil:
		return value{}, errors.New("reflect: call of reflect.Value.Type on zero Value")
	}
	return value{}, fmt.Errorf("len of type %s", a[0].inside().typeName())
}

// position is an argument as the index of a list of that capacity.
func position(v value, capacity int) (int, error) {
	v = v.inside()
	var x int64
	switch n := v.v.(type) {
	case int:
		x = int64(n)
	case int64:
		x = n
	case nil:
		return 0, errors.New("cannot index slice/array with nil")
	default:
		return 0, fmt.Errorf("cannot index slice/array with type %s", v.typeName())
	}
	if x < 0 || x > int64(capacity) {
		return 0, fmt.Errorf("index out of range: %d", x)
	}
	return int(x), nil
}

func index(a []value) (value, error) {
	item := a[0].inside()
	if !item.valid {
		return value{}, errors.New("index of untyped nil")
	}
	for _, by := range a[1:] {
		by = by.inside()
		if item.v == nil {
			return value{}, errors.New("index of nil pointer")
		}
		switch list := item.v.(type) {
		case []any:
			x, err := position(by, len(list))
			if err != nil {
				return value{}, err
			}
			if x == len(list) {
				return value{}, errors.New("reflect: slice index out of range")
			}
			item = boxed(list[x])
		case string:
			x, err := position(by, len(list))
			if err != nil {
				return value{}, err
			}
			if x == len(list) {
				return value{}, errors.New("reflect: string index out of range")
			}
			item = of(list[x])
		case map[string]any:
			key, ok := by.v.(string)
			if !by.valid {
				return value{}, errors.New("value is nil; should be of type string")
			}
			if !ok {
				return value{}, fmt.Errorf("value has type %s; should be string", by.typeName())
			}
			item = boxed(list[key])
		default:
			return value{}, fmt.Errorf("can't index item of type %s", item.typeName())
		}
	}
	return item, nil
}

func slice(a []value) (value, error) {
	item := a[0].inside()
	if !item.valid {
		return value{}, errors.New("slice of untyped nil")
	}
	if len(a) > 4 {
		return value{}, fmt.Errorf("too many slice indexes: %d", len(a)-1)
	}
	text, isText := item.v.(string)
	list, isList := item.v.([]any)
	switch {
	case isText && len(a) == 4:
		return value{}, errors.New("cannot 3-index slice a string")
	case !isText && !isList:
		return value{}, fmt.Errorf("can't slice item of type %s", item.typeName())
	}
	at := [3]int{0, len(text) + len(list)}
	for i, by := range a[1:] {
		x, err := position(by, len(text)+len(list))
		if err != nil {
			return value{}, err
		}
		at[i] = x
	}
	for i := range max(len(a)-2, 1) {
		if at[i] > at[i+1] {
			return value{}, fmt.Errorf("invalid slice index: %d > %d", at[i], at[i+1])
		}
	}
	if isText {
		return of(text[at[0]:at[1]]), nil
	}
	return of(list[at[0]:at[1]]), nil
}

// kind is what can be compared with each other. Upstream: funcs.go, basicKind.
func kind(v value) string {
	switch v.v.(type) {
	case bool:
		return "bool"
	case string:
		return "string"
	case int, int64, uint8:
		return "int"
	case float64:
		return "float"
	}
	return ""
}

func whole(v any) int64 {
	switch v := v.(type) {
	case int:
		return int64(v)
	case uint8:
		return int64(v)
	}
	return v.(int64)
}

func eq(a []value) (bool, error) {
	if len(a) == 1 {
		return false, errors.New("missing argument for comparison")
	}
	first := a[0].inside()
	for _, other := range a[1:] {
		other = other.inside()
		k, same := kind(first), false
		switch {
		case k != kind(other):
			if first.valid && other.valid {
				return false, fmt.Errorf("incompatible types for comparison: %v and %v", first.typeName(), other.typeName())
			}
		case k == "int":
			same = whole(first.v) == whole(other.v)
		case k != "":
			same = first.v == other.v
		case !first.valid || !other.valid:
			same = first.valid == other.valid
		case first.typeName() != other.typeName():
			return false, fmt.Errorf("non-comparable types %s: %v, %s: %v", first, first.typeName(), other.typeName(), other)
		default:
			return false, fmt.Errorf("non-comparable type %s: %v", other, other.typeName())
		}
		if same {
			return true, nil
		}
	}
	return false, nil
}

var errBadComparison = errors.New("invalid type for comparison")

func lt(a []value) (bool, error) {
	x, y := a[0].inside(), a[1].inside()
	k := kind(x)
	switch {
	case k == "" || kind(y) == "":
		return false, errBadComparison
	case k != kind(y):
		return false, fmt.Errorf("incompatible types for comparison: %v and %v", x.typeName(), y.typeName())
	case k == "bool":
		return false, errBadComparison
	case k == "int":
		return whole(x.v) < whole(y.v), nil
	case k == "float":
		return x.v.(float64) < y.v.(float64), nil
	}
	return x.v.(string) < y.v.(string), nil
}

func le(a []value) (bool, error) {
	if is, err := lt(a); is || err != nil {
		return is, err
	}
	return eq(a)
}

// exists tells whether index would find something. Upstream: cli-runtime pkg/printers/jsonpath.go.
func exists(a []value) (value, error) {
	item := a[0].v
	for _, by := range a[1:] {
		switch list := item.(type) {
		case []any:
			x, err := position(by, len(list)-1)
			if err != nil {
				return of(false), nil
			}
			item = list[x]
		case string:
			x, err := position(by, len(list)-1)
			if err != nil {
				return of(false), nil
			}
			item = list[x]
		case map[string]any:
			key, ok := by.v.(string)
			if !ok && by.v != nil {
				return of(false), nil
			}
			item = list[key]
		default:
			return of(false), nil
		}
	}
	return of(item != nil || len(a) == 1), nil
}

func base64decode(a []value) (value, error) {
	data, err := base64.StdEncoding.DecodeString(a[0].v.(string))
	if err != nil {
		return value{}, fmt.Errorf("base64 decode failed: %v", err)
	}
	return of(string(data)), nil
}

// escaper escapes what its arguments are printed as. Upstream: funcs.go, evalArgs.
func escaper(escape func(string) string) func([]value) (value, error) {
	return func(a []value) (value, error) {
		if len(a) == 1 {
			if text, ok := a[0].v.(string); ok {
				return of(escape(text)), nil
			}
		}
		all := plain(a)
		for i, v := range a {
			if v.v == nil {
				all[i] = "<no value>"
			}
		}
		return of(escape(fmt.Sprint(all...))), nil
	}
}

func html(text string) string {
	return strings.NewReplacer("\x00", "\uFFFD", `"`, "&#34;", "'", "&#39;", "&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

func js(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case strings.ContainsRune(`\'"`, r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case strings.ContainsRune("<>&=", r) || r < ' ':
			fmt.Fprintf(&b, "\\u%04X", r)
		case r < unicode.MaxASCII || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "\\u%04X", r)
		}
	}
	return b.String()
}

func urlquery(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		switch {
		case c == ' ':
			b.WriteByte('+')
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.~", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
