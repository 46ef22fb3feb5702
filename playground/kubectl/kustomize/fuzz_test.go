package kustomize

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// shown stands for a writer of YAML.
func shown(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// The operations "copy" of a JSON patch are bounded by whoever has an API server, in all programs.
func init() { jsonpatch.AccumulatedCopySizeLimit = 3 << 20 }

// Whatever a reader writes is built or refused, twice in the same way, and what is built is not much larger than what was written.
func FuzzBuild(f *testing.F) {
	for _, s := range []string{
		`{"resources": ["a.yaml", "../base"], "namePrefix": "p-", "namespace": "n", "commonLabels": {"a": "b"}}`,
		`{"patches": [{"patch": "- op: add\n  path: /data\n  value: {}\n", "target": {"kind": "C.*"}}, {"path": "a.yaml"}], "resources": ["a.yaml"]}`,
		`{"resources": ["a.yaml"], "replacements": [{"source": {"name": "a"}, "targets": [{"select": {}, "fieldPaths": ["data.*", "data.[a=b].c"], "options": {"create": true}}]}]}`,
		`{"configMapGenerator": [{"name": "a", "files": ["t.txt"], "envs": ["t.txt"], "behavior": "merge"}], "components": ["../base"], "images": [{"name": "a"}]}`,
		`{"patchesStrategicMerge": ["a: [b"], "replicas": [{"name": "a", "count": 1}], "sortOptions": {"order": "fifo"}}`,
	} {
		f.Add(s, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "b"}}`, `{"resources": ["../over"]}`)
	}
	f.Fuzz(func(t *testing.T, over, object, base string) {
		build := func() (*Result, error) {
			return Build(map[string]json.RawMessage{"over/kustomization.yaml": json.RawMessage(over), "over/a.yaml": json.RawMessage(object),
				"base/kustomization.yaml": json.RawMessage(base), "over/t.txt": json.RawMessage(shown(object))}, "over", shown)
		}
		r, err := build()
		again, err2 := build()
		first, second := shown(r.Objects), shown(again.Objects)
		if fmt.Sprint(err) != fmt.Sprint(err2) || first != second {
			t.Fatalf("%v, then %v:\n%s\n%s", err, err2, first, second)
		}
		if most := 64<<20 + 1000*(len(over)+len(object)+len(base)); len(first) > most {
			t.Fatalf("%d bytes of %d", len(first), len(over)+len(object)+len(base))
		}
	})
}

// Folders that name each other twice do not take for ever.
func TestManyFolders(t *testing.T) {
	files := map[string]json.RawMessage{}
	const depth = 40
	for i := range depth {
		files[fmt.Sprintf("f%d/kustomization.yaml", i)] = json.RawMessage(fmt.Sprintf(`{"resources": ["../f%d", "../f%d"]}`, i+1, i+1))
	}
	files["f40/kustomization.yaml"] = json.RawMessage(`{"namePrefix": "a-"}`)
	_, err := Build(files, "f0", shown)
	if err == nil || !strings.HasSuffix(err.Error(), "a kustomization of more than 200 folders is too large") {
		t.Errorf("got %.300v", err)
	}
}

// What is fetched, and the fields that are absent, are refused by name.
func TestWhatIsAbsent(t *testing.T) {
	for _, c := range []struct{ kustomization, want string }{
		{`{"helmCharts": [{"name": "a"}]}`, `the field "helmCharts" of a kustomization is absent here`},
		{`{"vars": []}`, `the field "vars" of a kustomization is absent here`},
		{`{"resources": ["https://example.com/a.yaml"]}`, "what is not on this machine is absent here: https://example.com/a.yaml"},
		{`{"components": ["github.com/a/b"]}`, `accumulating components: loader.New "what is not on this machine is absent here: github.com/a/b"`},
	} {
		_, err := Build(map[string]json.RawMessage{"kustomization.yaml": json.RawMessage(c.kustomization)}, ".", shown)
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: got %v", c.kustomization, err)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "web", true}, {"web", "web", true}, {"web", "webs", false}, {"w.*", "web", true}, {".*", "", true}, {"a|web", "web", true}, {"we?b", "wb", true},
		{"we+b", "weeeb", true}, {"we+b", "wb", false}, {`w\.b`, "web", false}, {`w\.b`, "w.b", true}, {"w.*b.*", "web-b", true}, {"*", "*", true},
		{strings.Repeat("a*", 50) + "b", strings.Repeat("a", 200), false},
	} {
		if got := matches(c.pattern, c.text); got != c.want {
			t.Errorf("%q and %q: got %v", c.pattern, c.text, got)
		}
	}
}
