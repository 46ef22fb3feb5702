package kubectl

import (
	"bytes"
	"encoding/json"
	"fmt"

	"kubewalk/playground/api"
)

// tree is an object as its JSON reads: maps, lists, strings, bools, json.Numbers.
func tree(obj any) map[string]any {
	text, err := api.Encode(obj)
	if err != nil {
		return nil
	}
	var out map[string]any
	if decode(text, &out) != nil {
		return nil
	}
	return out
}

// decode reads JSON and keeps numbers as they are written.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// at follows keys into a tree; nil when there is nothing.
func at(t any, keys ...string) any {
	for _, k := range keys {
		m, ok := t.(map[string]any)
		if !ok {
			return nil
		}
		t = m[k]
	}
	return t
}

// textAt is the text at a path, "" when there is none.
func textAt(t any, keys ...string) string {
	s, _ := at(t, keys...).(string)
	return s
}

// inside is the mapping at a key, which is made when it is missing.
func inside(t map[string]any, key string) map[string]any {
	m, ok := t[key].(map[string]any)
	if !ok {
		m = map[string]any{}
		t[key] = m
	}
	return m
}

// encode writes a tree as JSON, with its keys sorted.
func encode(t any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(t); err != nil {
		panic(fmt.Sprintf("kubectl: a tree that is no JSON: %v", err))
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
