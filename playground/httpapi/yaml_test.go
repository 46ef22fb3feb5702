package httpapi

import (
	"net/http/httptest"
	"strings"
	"testing"
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
