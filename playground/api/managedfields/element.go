package managedfields

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// fieldElement is the element of a path for a field of a struct or map.
func fieldElement(name string) string { return "f:" + name }

// keyElement is the element for an element of a list, by the values of its keys.
func keyElement(keys map[string]any) string {
	names := make([]string, 0, len(keys))
	for name := range keys { // order: sorted below
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	b.WriteString("k:{")
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(name))
		b.WriteByte(':')
		b.WriteString(scalar(keys[name]))
	}
	b.WriteByte('}')
	return b.String()
}

// valueElement is the element for an element of a list that is a set.
func valueElement(v any) string { return "v:" + scalar(v) }

// scalar writes a JSON value.
func scalar(v any) string {
	if s, ok := v.(string); ok {
		return quote(s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return string(b)
}

// canonical checks an element of fieldsV1, and brings it into our form.
// Upstream: fieldpath/serialize-pe.go, DeserializePathElement.
func canonical(e string) (string, error) {
	kind, rest, ok := strings.Cut(e, ":")
	if !ok {
		return "", fmt.Errorf("key must be 2 characters long: %v", e)
	}
	switch kind {
	case "f":
		return e, nil
	case "v", "i":
		var v any
		if err := decode(rest, &v); err != nil {
			return "", err
		}
		return kind + ":" + scalar(v), nil
	case "k":
		var keys map[string]any
		if err := decode(rest, &keys); err != nil {
			return "", err
		}
		return keyElement(keys), nil
	}
	return "", fmt.Errorf("unknown key type: %v", kind)
}

func decode(text string, into any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// rank orders the kinds of elements. Upstream: fieldpath/element.go, PathElement.Compare.
const ranks = "fkvi"

// less orders elements as upstream: fields, then keys, then values; numbers by amount.
func less(a, b string) bool {
	if a[0] != b[0] {
		return strings.IndexByte(ranks, a[0]) < strings.IndexByte(ranks, b[0])
	}
	if a[0] == 'f' {
		return a < b
	}
	for len(a) > 0 && len(b) > 0 {
		x, y := number(a), number(b)
		if x > 0 && y > 0 && (x != y || a[:x] != b[:y]) {
			if x != y {
				return x < y
			}
			return a[:x] < b[:y]
		}
		if a[0] != b[0] {
			return a[0] < b[0]
		}
		a, b = a[1:], b[1:]
	}
	return len(a) < len(b)
}

// number is the length of the digits with which s begins.
func number(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// pathString writes a path as messages do. Upstream: fieldpath/path.go, Path.String.
func pathString(path []string) string {
	var b strings.Builder
	for _, e := range path {
		switch kind, rest := e[0], e[2:]; kind {
		case 'f':
			b.WriteString("." + rest)
		case 'k':
			var keys map[string]any
			if decode(rest, &keys) != nil {
				panic("managedfields: bad path element " + e)
			}
			var list []string
			for name, v := range keys { // order: sorted below
				list = append(list, name+"="+scalar(v))
			}
			sort.Strings(list)
			b.WriteString("[" + strings.Join(list, ",") + "]")
		case 'v':
			b.WriteString("[=" + rest + "]")
		default:
			b.WriteString("[" + rest + "]")
		}
	}
	return b.String()
}
