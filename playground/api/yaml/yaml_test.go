package yaml

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	reference "github.com/goccy/go-yaml"
)

func TestToJSON(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a: 1", `{"a":1}`},
		{"a: 0755\nb: 0\nc: -7", `{"a":493,"b":0,"c":-7}`},
		{"a:\n  b: x # why\n  c: 'it''s'\nd: \"q: \\\"z\\\"\"", `{"a":{"b":"x","c":"it's"},"d":"q: \"z\""}`},
		{"- a\n- b: 1\n  c: 2\n-\n  - x", `["a",{"b":1,"c":2},["x"]]`},
		{"k:\n- a\n- b\nl: {x: [1, 2], y: , z}", `{"k":["a","b"],"l":{"x":[1,2],"y":null,"z":null}}`},
		{"t: |\n  one\n    two\n\n  three\nu: >-\n  a\n  b", `{"t":"one\n  two\n\nthree\n","u":"a b"}`},
		{"a: true\nb: null\nc: 1.5\nd: 10.0.0.1\ne: v1", `{"a":true,"b":null,"c":1.5,"d":"10.0.0.1","e":"v1"}`},
		{"a: 1\n---\nb: 2\n", `[{"a":1},{"b":2}]`},
		{"x: [\n  a,\n  b\n]\ny: 1", `{"x":["a","b"],"y":1}`},
		{`{"a": [1, {"b": null}]}`, `{"a": [1, {"b": null}]}`},
		{"# nothing\n", `null`},
	} {
		got, err := ToJSON(c.text)
		if err != nil || string(got) != c.want {
			t.Errorf("%q is %s (%v), want %s", c.text, got, err, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\n  b: 2":                    "line 2: could not find expected ':'",
		"a: 1\na: 2":                      `line 2: key "a" already set in map`,
		"a: \"x":                          "line 1: found unexpected end of stream",
		"a: &x 1":                         "line 1: found character that cannot start any token: &",
		"a: [1, 2":                        "line 1: did not find expected ',' or ']'",
		"\ta: 1":                          "line 1: found character that cannot start any token",
		"a:\n  : 1":                       "line 2: did not find expected key",
		"- :":                             "line 1: did not find expected key",
		"a: 1\nb":                         "line 2: could not find expected ':'",
		"a: [" + strings.Repeat("[", 200): "exceeded max depth",
	} {
		if _, err := ToJSON(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestAsTheLibrary: the demos' files are manifests that people have written.
func TestAsTheLibrary(t *testing.T) {
	names, err := filepath.Glob("../../../content/demos/*.yaml")
	if err != nil || len(names) < 20 {
		t.Fatal(names, err)
	}
	read := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ToJSON(string(text))
		if err != nil {
			continue // it may refuse, and must not misread
		}
		read++
		want, err := reference.YAMLToJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s is read otherwise", name)
		}
	}
	if read < len(names)/2 {
		t.Errorf("it read %d of %d", read, len(names))
	}
}

func FuzzToJSON(f *testing.F) {
	f.Add("a: 1\nb: [x, {y: z}]\nc: |\n  t\n")
	f.Fuzz(func(t *testing.T, text string) {
		if out, err := ToJSON(text); err == nil && !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
	})
}
