package customresource

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
)

// defined is the resource of a definition with one version and this schema.
func defined(t *testing.T, schema string) *Resource {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	text := `{"spec":{"group":"example.com","scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` + schema + `}}]},
		"status":{"acceptedNames":{"plural":"things","singular":"thing","kind":"Thing"}}}`
	if err := json.Unmarshal([]byte(text), crd); err != nil {
		t.Fatal(err)
	}
	return New(crd, nil)[0]
}

// TestDecode: what becomes of a body before it is validated, and what is said of it.
func TestDecode(t *testing.T) {
	for _, c := range []struct{ name, schema, body, want, unknown string }{
		{"an unknown field", `{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}}`,
			`{"spec":{"a":"x","b":1},"more":2}`, `{"spec":{"a":"x"}}`, `more spec.b`},
		{"unknown fields that stay", `{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true,` +
			`"properties":{"a":{"type":"object","properties":{}}}}}}`,
			`{"spec":{"a":{"x":1},"b":{"c":1}}}`, `{"spec":{"a":{},"b":{"c":1}}}`, `spec.a.x`},
		{"a map with any values", `{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"integer"}}}}`, `{"m":{"a":1,"b":2}}`,
			`{"m":{"a":1,"b":2}}`, ``},
		{"a default", `{"type":"object","properties":{"spec":{"type":"object","default":{},"properties":{"n":{"type":"integer","default":3}}}}}`, `{}`,
			`{"spec":{"n":3}}`, ``},
		{"null where there is a default", `{"type":"object","properties":{"n":{"type":"integer","default":3},"o":{"type":"integer"},"p":{"type":"integer","nullable":true,"default":4}}}`,
			`{"n":null,"o":null,"p":null}`, `{"n":3,"p":null}`, ``},
		{"numbers", `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"integer"}}}`, `{"a":1.50,"b":2.0}`, `{"a":1.5,"b":2}`, ``},
		{"items", `{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer","default":1}}}}}}`,
			`{"l":[{},{"n":2,"x":true}]}`, `{"l":[{"n":1},{"n":2}]}`, `l[1].x`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := defined(t, c.schema)
			obj, strict, err := r.Decode([]byte(c.body), &r.Kind.GroupVersionKind)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := json.Marshal(obj.Fields); string(got) != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			var unknown []string
			if strict != nil {
				for _, f := range strict.Fields {
					unknown = append(unknown, f.Path)
				}
			}
			if got := strings.Join(unknown, " "); got != c.unknown {
				t.Errorf("unknown: %q, want %q", got, c.unknown)
			}
		})
	}
}

// TestRatcheting: an update is not refused for what was wrong before it.
func TestRatcheting(t *testing.T) {
	loose := defined(t, `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}`)
	tight := defined(t, `{"type":"object","properties":{"a":{"type":"integer","maximum":5},"b":{"type":"integer","maximum":5}}}`)
	decoded := func(body string) *api.Unstructured {
		obj, _, err := loose.Decode([]byte(body), &loose.Kind.GroupVersionKind)
		if err != nil {
			t.Fatal(err)
		}
		return obj
	}
	old := decoded(`{"a":9,"b":1}`)
	if errs := tight.Validate(decoded(`{"a":9,"b":2}`), old); len(errs) > 0 {
		t.Errorf("what has not changed is refused: %v", errs)
	}
	if errs := tight.Validate(decoded(`{"a":9,"b":6}`), old); len(errs) != 1 || errs[0].Field != "b" {
		t.Errorf("a new mistake: %v", errs)
	}
	if errs := tight.Validate(old, nil); len(errs) != 1 || errs[0].Field != "a" {
		t.Errorf("a new object: %v", errs)
	}
}

func TestListTypes(t *testing.T) {
	r := defined(t, `{"type":"object","properties":{"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},`+
		`"map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"integer"}}}}}}`)
	obj, _, err := r.Decode([]byte(`{"set":["a","b","a","a"],"map":[{"k":"x","v":1},{"k":"x","v":2}]}`), &r.Kind.GroupVersionKind)
	if err != nil {
		t.Fatal(err)
	}
	want := `[map[1]: Duplicate value: {"k":"x"}, set[2]: Duplicate value: "a"]`
	if errs := r.Validate(obj, nil).ToAggregate(); errs == nil || errs.Error() != want {
		t.Errorf("%v, want %s", errs, want)
	}
}

// TestListsInJSON: a list of custom objects has the form of every list.
func TestListsInJSON(t *testing.T) {
	list := api.NewUnstructuredList(nil)
	list.APIVersion, list.Kind, list.ResourceVersion = "example.com/v1", "WidgetList", "7"
	for _, want := range []string{
		`{"apiVersion":"example.com/v1","items":[],"kind":"WidgetList","metadata":{"resourceVersion":"7"}}`,
		`{"apiVersion":"example.com/v1","items":[{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":1}],"kind":"WidgetList","metadata":{"resourceVersion":"7"}}`,
	} {
		text, err := json.Marshal(list)
		if err != nil || string(text) != want {
			t.Errorf("%v\ngot  %s\nwant %s", err, text, want)
		}
		u := api.NewUnstructured(nil)
		u.APIVersion, u.Kind, u.Name, u.Fields = "example.com/v1", "Widget", "a", map[string]any{"spec": 1}
		list.SetItems([]api.Object{u})
	}
}

// TestLargeLists: each of very many items is found by its keys, and looked up among very many values; and nobody reads a gigabyte of errors.
func TestLargeLists(t *testing.T) {
	list := func(n int, text string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = strings.ReplaceAll(text, "#", strconv.Itoa(i))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	const many = 20_000
	r := defined(t, `{"type":"object","properties":{"one":{"type":"array","items":{"type":"object","properties":{"e":{"enum":`+list(many, `"e#"`)+`}}}},`+
		`"map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","n"],"items":{"type":"object",`+
		`"properties":{"k":{"type":"string"},"n":{"type":"integer"},"v":{"type":"integer","maximum":1}}}}}}`)
	decoded := func(body string) *api.Unstructured {
		obj, _, err := r.Decode([]byte(body), &r.Kind.GroupVersionKind)
		if err != nil {
			t.Fatal(err)
		}
		return obj
	}
	began := time.Now()
	old := decoded(`{"one":` + list(many, `{"e":"e#"}`) + `,"map":` + list(many, `{"k":"a","n":#,"v":2}`) + `}`)
	if errs := r.Validate(decoded(`{"one":`+list(many+1, `{"e":"e#"}`)+`,"map":`+list(many+1, `{"k":"a","n":#,"v":2}`)+`}`), old); len(errs) != 2 ||
		errs[0].Field != "map[20000].v" || errs[1].Field != "one[20000].e" {
		t.Errorf("%d errors: %.300v", len(errs), errs)
	}
	if errs := r.Validate(decoded(`{"map":[{"k":"b","n":1,"v":2},{"k":"a","n":1,"v":3},{"k":"a","n":2,"v":2}]}`), old); len(errs) != 2 ||
		errs[0].Field != "map[0].v" || errs[1].Field != "map[1].v" {
		t.Errorf("%v", errs)
	}
	errs, said := r.Validate(decoded(`{"one":`+list(many, `{"e":"f#"}`)+`}`), nil), 0
	for _, e := range errs {
		said += len(e.Detail)
	}
	if len(errs) == 0 || said > 2*mostSaid {
		t.Errorf("%d errors of %d bytes", len(errs), said)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it takes %v", took)
	}
}

// An embedded object says what it is.
func TestEmbeddedResources(t *testing.T) {
	r := defined(t, `{"type":"object","properties":{"one":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}}`)
	for text, want := range map[string]string{
		`{"one":{"apiVersion":"v1","kind":"Pod"}}`: "",
		`{}`:                   "",
		`{"one":{"spec":{}}}`:  "[one.apiVersion: Required value: must not be empty, one.kind: Required value: must not be empty]",
		`{"one":{"kind":"P"}}`: "one.apiVersion: Required value: must not be empty",
	} {
		obj, _, err := r.Decode([]byte(text), &r.Kind.GroupVersionKind)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if errs := r.Validate(obj, nil).ToAggregate(); errs != nil {
			got = errs.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
