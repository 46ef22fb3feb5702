package jsonpath

import (
	"encoding/json"
	"strings"
	"testing"
)

const podsJSON = `{"kind":"List","items":[
	{"metadata":{"name":"a","labels":{"app.kubernetes.io/name":"x"}},"spec":{"n":2,"ports":[{"p":80,"t":"TCP"},{"p":443,"t":"UDP"}]},"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Init","status":"False"}]}},
	{"metadata":{"name":"b"},"spec":{"n":10,"ports":[]},"status":{"conditions":[{"type":"Ready","status":"False"}]}}]}`

func TestJSONPath(t *testing.T) {
	var data any
	if err := decode(podsJSON, &data); err != nil {
		t.Fatal(err)
	}
	for template, want := range map[string]string{
		`{.kind}`:                                                  `List`,
		`{.items[*].metadata.name}`:                                `a b`,
		`{.items[0].metadata.name}`:                                `a`,
		`{.items[-1].metadata.name}`:                               `b`,
		`{.items[0:1].metadata.name}`:                              `a`,
		`{.items[0].spec.ports[*].p}`:                              `80 443`,
		`{.items[0].spec}`:                                         `{"n":2,"ports":[{"p":80,"t":"TCP"},{"p":443,"t":"UDP"}]}`,
		`{.items[0].missing}`:                                      ``,
		`name: {.items[0].metadata.name}, {.kind}`:                 `name: a, List`,
		`{range .items[*]}{.metadata.name}={.spec.n}{"\n"}{end}`:   "a=2\nb=10\n",
		`{range.items[*]}{.metadata.name}{end}`:                    "ab",
		`{range$.items[*]}{.metadata.name}{end}`:                   "ab",
		`{.items[*].status.conditions[?(@.type=="Ready")].status}`: `True False`,
		`{.items[?(@.spec.n>5)].metadata.name}`:                    `b`,
		`{.items[?(@.metadata.name!='a')].spec.n}`:                 `10`,
		`{.items[?(@.metadata.labels)].metadata.name}`:             `a`,
		`{.items[0].metadata.labels.app\.kubernetes\.io/name}`:     `x`,
		`{.items[0].metadata.labels['app\.kubernetes\.io/name']}`:  `x`,
		`{..name}`:                                           `a b`,
		`{.items[*]['metadata','spec'].n}`:                   `2 10`,
		`{.items[0,1].spec.n}`:                               `2 10`,
		`{.items[*]['metadata.name','spec.n']}`:              `a b 2 10`,
		`{.items[?(@.spec.ports[0].t)].spec.n}{.items[2:2]}`: `2`,
		`{range .items[*]}{.spec.n};`:                        `2;10;`,
		`{.items[*]['metadata.name']}`:                       "a b",
		`{true} {1}`:                                         "true 1",
		`{.items[0].spec.ports[0]}{.items[1].spec.n}`:        `{"p":80,"t":"TCP"}10`,
		`{$.kind}`: `List`,
		`{range .items[*]}{range .spec.ports[*]}{.t} {end}{end}`: `TCP UDP `,
		`{.kind} {"\t"}|`: "List \t|",
	} {
		j, err := Parse(template)
		if err != nil {
			t.Errorf("%s: %v", template, err)
			continue
		}
		if got, err := j.Execute(data); got != want || err != nil {
			t.Errorf("%s: got %q (%v), want %q", template, got, err, want)
		}
	}
	for template, want := range map[string]string{
		`{end}`:             "not in range, nothing to end",
		`{.items[2].kind}`:  "array index out of bounds: index 2, length 2",
		`{.items[-3].kind}`: "array index out of bounds: index -1, length 2",
		`{.items[0:3]}`:     "array index out of bounds: index 2, length 2",
		`{.items[1:0]}`:     "starting index 1 is greater than ending index 0",
		`{.items[?(@.spec.ports[0].p==80)].kind}`: "array index out of bounds: index 0, length 0",
		`{kind}`:                  "unrecognized identifier kind",
		`{.kind bar}`:             "unrecognized identifier bar",
		`{.items[::0].kind}`:      "step must be > 0",
		`{.items[?(@.spec.n=2)]}`: "unrecognized filter operator =",
		`{.kind[0]}`:              "string is not array or slice",
		`{.items[0].spec[0]}`:     "map[string]interface {} is not array or slice",
		`{.items[*].spec.n[0]}`:   "int64 is not array or slice",
	} {
		j, err := Parse(template)
		if err != nil {
			t.Errorf("%s: %v", template, err)
			continue
		}
		if got, err := j.Execute(data); got != "" || err == nil || err.Error() != want {
			t.Errorf("%s: got %q (%v), want %s", template, got, err, want)
		}
		if _, err := j.Values(data); err != nil {
			t.Errorf("%s has values: %v", template, err)
		}
	}
	for template, want := range map[string]string{
		`{.a`:   "unclosed action",
		`{.a[}`: "unterminated array", `{.a[x]}`: "invalid array index x", `{"a}`: "unterminated quoted string", `{.a[`: "unterminated array",
		`{.a[?(@.b=~"x")]}`: "unrecognized character in action: U+007E '~'", `{.a[?(@.b=="x"||@.c=="y")]}`: "unrecognized character in action: U+007C '|'",
		`{.a["b"]}`: `invalid array index "b"`, `{.a[?(@.b==]}`: "unterminated filter",
	} {
		if _, err := Parse(template); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", template, err, want)
		}
	}
}

// TestTemplatesThatExplode: each .. in a row multiplies what is found.
func TestTemplatesThatExplode(t *testing.T) {
	var data any
	if err := decode(podsJSON, &data); err != nil {
		t.Fatal(err)
	}
	for template, want := range map[string]string{
		"{" + strings.Repeat(".", 60) + "}":                                  "the template leads to more than 1000000 values",
		strings.Repeat("{range ..}", 20) + "a" + strings.Repeat("{end}", 20): "the template leads to more than 1000000 values",
		"{range ..}{range ..}" + strings.Repeat("a", 12_000) + "{end}{end}":  "the template prints more than 1048576 bytes",
	} {
		j, err := Parse(template)
		if err == nil {
			_, err = j.Execute(data)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", template, err, want)
		}
	}
	if _, err := Parse("{" + strings.Repeat(".a", 10_000) + "}"); err == nil || err.Error() != "the template is longer than 16384 bytes" {
		t.Errorf("a long template: %v", err)
	}
}

func FuzzJSONPath(f *testing.F) {
	for _, s := range []string{`{.items[*].metadata.name}`, `{range .items[*]}{.a}{end}`, `{.a[?(@.b=="c")]}`, `{..x}`, `{.a[1:2:3]}`, `{'a'}{"\n"}`, `{.a\.b}`,
		`{$}`, `{@}`} {
		f.Add(s)
	}
	var data any
	if err := decode(podsJSON, &data); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, template string) {
		j, err := Parse(template)
		if err != nil {
			return
		}
		_, err = j.Execute(data)
		if _, also := j.Values(data); err == nil && also != nil {
			t.Errorf("it prints, and has no values: %v", also)
		}
	})
}

func decode(text string, into any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}
