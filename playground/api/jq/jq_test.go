package jq

import (
	"encoding/json"
	"strings"
	"testing"
)

const input = `{"items":[{"metadata":{"name":"a","labels":{"team":"red"}},"status":{"phase":"Active"},"n":1},` +
	`{"metadata":{"name":"default"},"status":{"phase":"Active"},"n":2},{"metadata":{"name":"c"},"status":{"phase":"Gone"},"n":10}],"s":"x,y","b":"aGk="}`

func run(t *testing.T, program string) string {
	t.Helper()
	f, err := Parse(program, map[string]any{"who": "me"})
	if err != nil {
		return "error: " + strings.Split(err.Error(), "\n")[0]
	}
	d := json.NewDecoder(strings.NewReader(input))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := f.Run(v)
	var lines []string
	for _, v := range out {
		lines = append(lines, Text(v))
	}
	if err != nil {
		lines = append(lines, "error: "+err.Error())
	}
	return strings.Join(lines, " ")
}

// TestPrograms: what is wanted is what jq 1.6 prints, with -c and -S.
func TestPrograms(t *testing.T) {
	for program, want := range cases {
		if got := run(t, program); got != want {
			t.Errorf("%s gives\n%s, want\n%s", program, got, want)
		}
	}
}

var cases = map[string]string{
	`.items[0].metadata.name`:    `"a"`,
	`.items[].metadata.name`:     `"a" "default" "c"`,
	`.items[-1].n, .["s"], ."s"`: `10 "x,y" "x,y"`,
	`.nothing.at.all, .items[7]`: `null null`,
	`.s.a?, 1`:                   `1`,
	`[.items[] | select(.n > 1 and .status.phase == "Active") | .metadata.name]`:                            `["default"]`,
	`.items[] | select((.metadata.name == "default" | not) and .status.phase == "Active") | .metadata.name`: `"a"`,
	`.items | length, (map(.n) | add), (.[0] | keys)`:                                                       `3 13 ["metadata","n","status"]`,
	`.items[0] | {n, name: .metadata.name, "k": [1, 2]}`:                                                    `{"k":[1,2],"n":1,"name":"a"}`,
	`"\(.s)!\(.items | length)"`:                                                                            `"x,y!3"`,
	`.items[0].metadata.labels | has("team"), has("x")`:                                                     `true false`,
	`.items[0].metadata.labels | to_entries[] | "\(.key)=\(.value)"`:                                        `"team=red"`,
	`.items[1].metadata.labels.team // "none"`:                                                              `"none"`,
	`.s = 1 | .s`: `1`,
	`.items[0].metadata.namespace = "x" | .items[0].metadata`:                                                 `{"labels":{"team":"red"},"name":"a","namespace":"x"}`,
	`.items[].n |= . + 1 | [.items[].n]`:                                                                      `[2,3,11]`,
	`.items[0].metadata |= with_entries(select([.key] | inside(["name", "namespace"]))) | .items[0].metadata`: `{"name":"a"}`,
	`del(.items[0], .items[1], .s) | .items | length`:                                                         `1`,
	`del(.items[].metadata.labels) | .items[0].metadata`:                                                      `{"name":"a"}`,
	`.s | split(",") | join("-") | ., ascii_upcase, startswith("x"), ltrimstr("x-")`:                          `"x-y" "X-Y" true "y"`,
	`.b | @base64d, (@base64d | @base64)`:                                                                     `"hi" "aGk="`,
	`.items | sort_by(.metadata.name) | map(.metadata.name), (map(.n) | sort | reverse | first(.[]))`:         `["a","c","default"] 10`,
	`if .s == "x" then 1 elif .s then 2 else 3 end`:                                                           `2`,
	`[1, 2] == [1, 2.0], {} != [], null < false`:                                                              `true true true`,
	`[.items[].status.phase] | unique, (.[0] | type)`:                                                         `["Active","Gone"] "string"`,
	`1 - 2 * 3, "a" + "b", [1,2] - [1], {a: 1} + {b: 2}`:                                                      `-5 "ab" [2] {"a":1,"b":2}`,
	`empty, $who`:                     `"me"`,
	`.items[0].n, 1.5, -1 | tostring`: `"1" "1.5" "-1"`,
	`.s | tonumber? // "no"`:          `"no"`,
	`.nothing[]`:                      `error: Cannot iterate over null (null)`,
	`.s.a`:                            `error: Cannot index string with string "a"`,
	`.items.a`:                        `error: Cannot index array with string "a"`,
	`.items[0].n[0]`:                  `error: Cannot index number with number`,
	`.s | keys`:                       `error: string ("x,y") has no keys`,
	`1 + "a"`:                         `error: number (1) and string ("a") cannot be added`,
	`error("bad")`:                    `error: bad`,
	`.s | test("x")`:                  `error: test/1 is not defined at <top-level>, line 1:`,
	`nonsense`:                        `error: nonsense/0 is not defined at <top-level>, line 1:`,
	`$x`:                              `error: $x is not defined at <top-level>, line 1:`,
	`.items[`:                         `error: syntax error, unexpected $end (Unix shell quoting issues?) at <top-level>, line 1:`,
	`.a | | .b`:                       `error: syntax error, unexpected '|' (Unix shell quoting issues?) at <top-level>, line 1:`,
}

func FuzzParse(f *testing.F) {
	for program := range cases { // order: seeds
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, program string) {
		if p, err := Parse(program, nil); err == nil && len(program) < 100 {
			_, _ = p.Run(map[string]any{"a": []any{json.Number("1"), "x"}})
		}
	})
}
