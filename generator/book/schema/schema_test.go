package schema

import (
	"reflect"
	"strings"
	"testing"
)

type leaf struct {
	Name string   `yaml:"name" check:"required" doc:"What it is called."`
	Tags []string `yaml:"tags" pattern:"^[a-z]+$" cure:"use small letters"`
}

type tree struct {
	Count  int             `yaml:"count" check:"min=1"`
	Leaves map[string]leaf `yaml:"leaves"`
	Kind   string          `yaml:"kind" enum:"oak,ash"`
	Old    *bool           `yaml:"old"`
}

func decode(text string) (tree, error) {
	var out tree
	d := &Document{File: "t.yaml", Text: []byte(text)}
	return out, d.Decode(&out)
}

func TestWhatIsRightIsRead(t *testing.T) {
	var got tree
	d := &Document{File: "t.yaml", Text: []byte("base: &b {name: one, tags: [x]}\ncount: 0x10\nleaves: {a: *b}\nold: false\n")}
	err := d.Decode(&got)
	// An anchor has to be below a key that there is; all else is read all the same.
	if err == nil || !strings.Contains(err.Error(), `t.yaml:1: unknown key "base"`) {
		t.Errorf("%v", err)
	}
	if got.Count != 16 || got.Old == nil || *got.Old || len(got.Leaves) != 1 {
		t.Errorf("got %+v", got)
	}
	if p := d.At("leaves[a]", "m", ""); p.Line != 3 {
		t.Errorf("the place of leaves[a] is %v", p)
	}
}

func TestWhatIsWrongIsSaidInItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"count: 0\n":                         "t.yaml:1:8: count has to be 1 or more, and is 0",
		"count: 1.5\n":                       "t.yaml:1:8: count has to be a whole number, and is the number 1.5",
		"kind: aosh\n":                       `t.yaml:1:7: kind "aosh" is unknown (did you mean "ash"?)`,
		"leaves: {a: {}}\n":                  "name is missing (add name: …, what it is called)",
		"leaves:\n  a: {name: x, tags: [A]}": `t.yaml:2:23: tags[0] of leaves[a] cannot be "A" (use small letters)`,
		"leaves: [x]\n":                      "t.yaml:1:9: leaves has to be keys and values, and is a list",
		"leaves: {a: 1}\n":                   "leaves[a] has to be keys and values, and is the number 1 (its keys are name, tags)",
		"<<: {count: 0}\n":                   "t.yaml:1:13: count has to be 1 or more, and is 0",
		"count: *one\n":                      "t.yaml:1:8: alias *one is not defined (there are none yet)",
		"count: 1\n---\ncount: 2\n":          "t.yaml:3:1: a second YAML document begins here",
		"count:\n":                           "count has no value (write one, or remove the key)",
		"leaves: &a {a: *a}\n":               "is missing",
		"leaves:\n  a:\n    x: y\n   b: z\n": "t.yaml:4:4: this line is indented by 3, which matches no line above it (begin it in column 1, 3 or 5)",
	} {
		if _, err := decode(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\ngot  %v\nwant %s", text, err, want)
		}
	}
}

func TestJSONKeepsOrder(t *testing.T) {
	got := string(JSON(reflect.TypeFor[tree](), "Tree"))
	for _, want := range []string{`"minimum": 1`, `"enum": [`, `"pattern": "^[a-z]+$"`, `"additionalProperties": false`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Index(got, `"count"`) > strings.Index(got, `"leaves"`) {
		t.Error("keys are not in the order of the type")
	}
}
