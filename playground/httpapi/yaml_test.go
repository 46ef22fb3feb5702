package httpapi

import (
	encoding "encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/metav1"
)

// TestKeysSetTwice: what a request hears whose YAML has a key twice, and which value counts.
func TestKeysSetTwice(t *testing.T) {
	const body = "\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: one\n  x: two\n  y: z\ndata2:\n- a: 1\n  a: 2\n"
	const found = "yaml: unmarshal errors:\n  line 8: key \"x\" already set in map\n  line 12: key \"a\" already set in map"
	for _, c := range []struct{ query, media, want string }{
		{"?fieldValidation=Strict", "application/yaml", `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ` + found},
		{"?fieldValidation=Strict", "application/apply-patch+yaml", "error strict decoding YAML: " + found},
		{"?fieldValidation=Ignore", "application/yaml", ""},
		{"", "application/yaml", `299 - "line 8: key \"x\" already set in map" 299 - "line 12: key \"a\" already set in map"`},
	} {
		r, w := httptest.NewRequest("POST", "/api/v1/namespaces/default/configmaps"+c.query, nil), httptest.NewRecorder()
		r.Header.Set("Content-Type", c.media)
		out, err := fromYAML(w, r, []byte(body))
		got := strings.Join(w.Header()["Warning"], " ")
		if err != nil {
			got = err.Error()
		} else if string(out) != `{"apiVersion":"v1","data":{"x":"two","y":"z"},"data2":[{"a":2}],"kind":"ConfigMap","metadata":{"name":"a"}}` {
			t.Errorf("%s: %s", c.query, out)
		}
		if got != c.want {
			t.Errorf("%s %s\ngot  %s\nwant %s", c.query, c.media, got, c.want)
		}
	}
}

// What is said of bodies that are not of the kind that they should be: built-in kinds are guessed, custom ones are not. What is quoted is what was sent,
// unless the request wants nothing to be checked.
func TestBodiesWithoutAKind(t *testing.T) {
	s := started(t)
	s.ask(t, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"metadata":{"name":"foos.example.com"},"spec":{"group":"example.com",
		"names":{"plural":"foos","kind":"Foo"},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
		"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`)
	const configMaps, foos = "/api/v1/namespaces/default/configmaps", "/apis/example.com/v1/namespaces/default/foos"
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if code, _, _ := s.ask(t, "GET", foos, ""); code == 200 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the kind is not served")
		}
	}
	const yaml, json = "application/yaml", "application/json"
	unrecognized := "the object provided is unrecognized (must be of type "
	for _, c := range []struct {
		media, path, body string
		code              int
		want              string
	}{
		{yaml, configMaps, "metadata: {name: a}\n", 201, ""},
		{json, configMaps, `{"metadata":{"name":"b"}}`, 201, ""},
		{yaml, foos, "metadata: {name: a}\n", 400, unrecognized + "Foo): Object 'Kind' is missing in 'metadata: {name: a}\n' (6d657461646174613a207b6e616d653a20617d0a)"},
		{json, foos, `{"metadata":{"name":"a"},"b":{"c":"d"}}`, 400,
			unrecognized + `Foo): Object 'Kind' is missing in '{"metadata":{"name":"a"},"b":{"c":"d"}}' ({"metadata":{"name":"a"},"b":{ ...)`},
		{yaml, foos + "?fieldValidation=Ignore", "metadata: {name: a, b: \"<\"}\na: 1\n", 400,
			`Foo in version "v1" cannot be handled as a Foo: Object 'Kind' is missing in '{"a":1,"metadata":{"b":"\u003c","name":"a"}}'`},
		{json, foos + "?fieldValidation=Ignore", `{"metadata":{"name":"a"}, "a":1}`, 400,
			`Foo in version "v1" cannot be handled as a Foo: Object 'Kind' is missing in '{"metadata":{"name":"a"}, "a":1}'`},
		{json, foos, `{"kind":"Foo","metadata":{"name":"a"}}`, 400, "the API version in the data () does not match the expected API version (example.com/v1)"},
		{json, foos, `{"kind":"Foo","apiVersion":"example.com/v1","metadata":{"name":"a"}}`, 201, ""},
		{yaml, configMaps, "- a\n", 400, unrecognized + "ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type " +
			`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" } (2d20610a)`},
		{json, configMaps, "", 400, unrecognized + "ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)"},
		{yaml, configMaps, "apiVersion: a/b/c\n", 400, unrecognized + "ConfigMap): unexpected GroupVersion string: a/b/c (61706956657273696f6e3a20612f622f630a)"},
		{yaml, "/apis/apps/v1/namespaces/default/deployments/d/scale", "a: [", 400, unrecognized + "Scale): error converting YAML to JSON: yaml: line 1: " +
			"sequence end token ']' not found (613a205b)"},
	} {
		method := "POST"
		if strings.HasSuffix(c.path, "/scale") {
			method = "PUT"
		}
		code, text, _ := s.ask(t, method, c.path, c.body, "Content-Type", c.media)
		var status metav1.Status
		if err := encoding.Unmarshal([]byte(text), &status); err != nil || code != c.code || status.Message != c.want {
			t.Errorf("%s %s %q: %d %v\n%s\nwant %d\n%s", c.media, c.path, c.body, code, err, status.Message, c.code, c.want)
		}
	}
}
