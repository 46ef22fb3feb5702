package kubectl

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestYAML is held against what kubectl prints. The page's printer is held to
// the same cases: site/widgets/panels/yaml.test.ts.
func TestYAML(t *testing.T) {
	text, err := os.ReadFile("testdata/yaml.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Value json.RawMessage
		YAML  string
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var v any
		if err := decode(c.Value, &v); err != nil {
			t.Fatal(err)
		}
		if got := yamlText(v); got != c.YAML {
			t.Errorf("%s\ngot\n%s\nwant\n%s", c.Value, got, c.YAML)
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
	for field, want := range map[string]string{"resourceVersion": "Resource Version", "uid": "UID", "clusterIP": "Cluster IP", "apiVersion": "API Version",
		"f:x": "f:x", "name": "Name"} {
		if got := spaced(field); got != want {
			t.Errorf("%s: got %q, want %q", field, got, want)
		}
	}
}
