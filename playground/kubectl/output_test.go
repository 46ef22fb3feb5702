package kubectl

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

const podsJSON = `{"kind":"List","items":[
	{"metadata":{"name":"a","labels":{"app.kubernetes.io/name":"x"}},"spec":{"n":2,"ports":[{"p":80,"t":"TCP"},{"p":443,"t":"UDP"}]},"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Init","status":"False"}]}},
	{"metadata":{"name":"b"},"spec":{"n":10,"ports":[]},"status":{"conditions":[{"type":"Ready","status":"False"}]}}]}`

func TestJSONPath(t *testing.T) {
	var data any
	if err := decode([]byte(podsJSON), &data); err != nil {
		t.Fatal(err)
	}
	for template, want := range map[string]string{
		`{.kind}`:                                                  `List`,
		`{.items[*].metadata.name}`:                                `a b`,
		`{.items[0].metadata.name}`:                                `a`,
		`{.items[-1].metadata.name}`:                               `b`,
		`{.items[5].metadata.name}`:                                ``,
		`{.items[0:1].metadata.name}`:                              `a`,
		`{.items[0].spec.ports[*].p}`:                              `80 443`,
		`{.items[0].spec}`:                                         `{"n":2,"ports":[{"p":80,"t":"TCP"},{"p":443,"t":"UDP"}]}`,
		`{.items[0].missing}`:                                      ``,
		`name: {.items[0].metadata.name}, {.kind}`:                 `name: a, List`,
		`{range .items[*]}{.metadata.name}={.spec.n}{"\n"}{end}`:   "a=2\nb=10\n",
		`{.items[*].status.conditions[?(@.type=="Ready")].status}`: `True False`,
		`{.items[?(@.spec.n>5)].metadata.name}`:                    `b`,
		`{.items[?(@.metadata.name!='a')].spec.n}`:                 `10`,
		`{.items[?(@.spec.ports[0].p==80)].metadata.name}`:         `a`,
		`{.items[?(@.metadata.labels)].metadata.name}`:             `a`,
		`{.items[0].metadata.labels.app\.kubernetes\.io/name}`:     `x`,
		`{.items[0].metadata.labels['app.kubernetes.io/name']}`:    `x`,
		`{..name}`:                         `a b`,
		`{.items[*]['metadata','spec'].n}`: `2 10`,
		`{.items[0,1].spec.n}`:             `2 10`,
		`{$.kind}`:                         `List`,
		`{range .items[*]}{range .spec.ports[*]}{.t} {end}{end}`: `TCP UDP `,
		`{.kind} {"\t"}|`: "List \t|",
	} {
		j, err := ParseJSONPath(template)
		if err != nil {
			t.Errorf("%s: %v", template, err)
			continue
		}
		if got := j.Execute(data); got != want {
			t.Errorf("%s: got %q, want %q", template, got, want)
		}
	}
	for template, want := range map[string]string{
		`{.a`: "unclosed action", `{range .a}`: "unexpected end of the range", `{end}`: "not in range, nothing to end",
		`{.a[}`: "unterminated array", `{.a[x]}`: "invalid array index x", `{"a}`: "unclosed action", `{.a[?(@.b==]}`: "unterminated filter",
	} {
		if _, err := ParseJSONPath(template); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", template, err, want)
		}
	}
}

func FuzzJSONPath(f *testing.F) {
	for _, s := range []string{`{.items[*].metadata.name}`, `{range .items[*]}{.a}{end}`, `{.a[?(@.b=="c")]}`, `{..x}`, `{.a[1:2:3]}`, `{'a'}{"\n"}`, `{.a\.b}`, `{$}`, `{@}`} {
		f.Add(s)
	}
	var data any
	if err := decode([]byte(podsJSON), &data); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, template string) {
		if j, err := ParseJSONPath(template); err == nil && len(template) < 200 {
			j.Execute(data)
		}
	})
}

// TestYAML is held against what kubectl prints.
func TestYAML(t *testing.T) {
	for _, test := range []struct{ json, want string }{
		{`{}`, "{}\n"},
		{`{"b":1,"a":"x","c":[],"d":{},"e":null,"f":true,"g":1.5}`, "a: x\nb: 1\nc: []\nd: {}\ne: null\nf: true\ng: 1.5\n"},
		{`{"spec":{"containers":[{"name":"a","image":"nginx:1.27"},{"name":"b"}],"words":["x","y"]}}`,
			"spec:\n  containers:\n  - image: nginx:1.27\n    name: a\n  - name: b\n  words:\n  - x\n  - \"y\"\n"},
		{`{"a":[[1,2],[]],"b":[{"c":[{"d":1}]}]}`, "a:\n- - 1\n  - 2\n- []\nb:\n- c:\n  - d: 1\n"},
		{`{"yes":"yes","no":"true","n":"123","f":"1.5","e":"1e3","empty":"","tilde":"~","null":"null","date":"2026-01-15T09:00:00Z","base60":"1:30","oct":"0o7"}`,
			"base60: \"1:30\"\ndate: \"2026-01-15T09:00:00Z\"\ne: \"1e3\"\nempty: \"\"\nf: \"1.5\"\n\"n\": \"123\"\n\"no\": \"true\"\n\"null\": \"null\"\noct: \"0o7\"\ntilde: \"~\"\n\"yes\": \"yes\"\n"},
		{`{"a":"x: y","b":"x #y","c":"-x","d":"- x","e":"*x","f":"it's","g":"'q'","h":"a:","i":"@x","j":"10.0.0.1","k":"50%","l":"%a","m":"a\tb","o":"é"}`,
			"a: 'x: y'\nb: 'x #y'\nc: -x\nd: '- x'\ne: '*x'\nf: it's\ng: '''q'''\nh: 'a:'\ni: '@x'\nj: 10.0.0.1\nk: 50%\nl: '%a'\nm: \"a\\tb\"\no: é\n"},
		{`{"a":"one\ntwo\n","b":"one\ntwo","c":"one\n\n"}`, "a: |\n  one\n  two\nb: |-\n  one\n  two\nc: |+\n  one\n\n"},
		{`{"message":"0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) were unschedulable. no new claims to deallocate."}`,
			"message: '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) were\n  unschedulable. no new claims to deallocate.'\n"},
		{`{"a10":1,"a9":2,"b":3}`, "a9: 2\na10: 1\nb: 3\n"},
	} {
		var v any
		if err := decode([]byte(test.json), &v); err != nil {
			t.Fatal(err)
		}
		if got := yamlText(v); got != test.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", test.json, got, test.want)
		}
	}
}

func TestColumns(t *testing.T) {
	got := columns([][]string{{"NAME", "READY"}, {"web-123456", "1/1"}, {"é", "x"}})
	if want := "NAME         READY\nweb-123456   1/1\né            x\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestLastApplied is what apply remembers: the manifest without the annotation, with its namespace.
func TestLastApplied(t *testing.T) {
	var m map[string]any
	if err := json.Unmarshal([]byte(`{"kind":"A","metadata":{"name":"x","annotations":{"a":"b","`+LastApplied+`":"old"}}}`), &m); err != nil {
		t.Fatal(err)
	}
	whole := string(setLastApplied(m))
	if !strings.Contains(whole, `"`+LastApplied+`":"{\"kind\":\"A\",\"metadata\":{\"annotations\":{\"a\":\"b\"},\"name\":\"x\"}}\n"`) {
		t.Error(whole)
	}
	if got := sortedKeys(inside(inside(m, "metadata"), "annotations")); !reflect.DeepEqual(got, []string{"a", LastApplied}) {
		t.Error(got)
	}
}

func TestSpaced(t *testing.T) {
	for field, want := range map[string]string{"resourceVersion": "Resource Version", "uid": "UID", "clusterIP": "Cluster IP", "apiVersion": "API Version", "f:x": "f:x", "name": "Name"} {
		if got := spaced(field); got != want {
			t.Errorf("%s: got %q, want %q", field, got, want)
		}
	}
}
