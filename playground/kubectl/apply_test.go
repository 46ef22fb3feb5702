package kubectl

import (
	"encoding/json"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

// TestThreeWay is what apply changes, given what is there, what was applied
// last, and what is applied now. The annotation is left out of the patches.
func TestThreeWay(t *testing.T) {
	const live = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web","namespace":"default","uid":"u","labels":{"a":"1","kept":"by others"}},
		"spec":{"replicas":5,"minReadySeconds":3,"selector":{"matchLabels":{"app":"web"}},
		"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx","terminationMessagePath":"/dev/termination-log"}]}}}}`
	for _, test := range []struct{ name, last, manifest, want string }{
		{"nothing new", `{}`, `{"metadata":{"name":"web"},"spec":{"replicas":5}}`, `{}`},
		{"a value", `{}`, `{"spec":{"replicas":3}}`, `{"spec":{"replicas":3}}`},
		{"a new key", `{}`, `{"metadata":{"labels":{"b":"2"}}}`, `{"metadata":{"labels":{"b":"2"}}}`},
		{"a key that is gone", `{"metadata":{"labels":{"a":"1"}}}`, `{"metadata":{"labels":{}}}`, `{"metadata":{"labels":{"a":null}}}`},
		{"a mapping that is gone", `{"spec":{"replicas":5,"minReadySeconds":3}}`, `{"spec":{"replicas":5}}`, `{"spec":{"minReadySeconds":null}}`},
		{"what others wrote stays", `{"metadata":{"labels":{"a":"1"}}}`, `{"metadata":{"labels":{"a":"2"}}}`, `{"metadata":{"labels":{"a":"2"}}}`},
		{"replicas left to others", `{"spec":{"minReadySeconds":3}}`, `{"spec":{"minReadySeconds":4}}`, `{"spec":{"minReadySeconds":4}}`},
		{"defaults in a list are no difference", `{}`, `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx"}]}}}}`, `{}`},
		{"a list is replaced whole", `{}`, `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx:2"}]}}}}`, `{"spec":{"template":{"spec":{"containers":[{"image":"nginx:2","name":"web"}]}}}}`},
		{"a longer list", `{}`, `{"spec":{"template":{"spec":{"containers":[{"name":"web"},{"name":"b"}]}}}}`, `{"spec":{"template":{"spec":{"containers":[{"name":"web"},{"name":"b"}]}}}}`},
		{"last applied is nonsense", `[`, `{"spec":{"replicas":3}}`, `{"spec":{"replicas":3}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			rs := &appsv1.ReplicaSet{}
			if err := json.Unmarshal([]byte(live), rs); err != nil {
				t.Fatal(err)
			}
			rs.Annotations = map[string]string{LastApplied: test.last}
			var manifest map[string]any
			if err := json.Unmarshal([]byte(test.manifest), &manifest); err != nil {
				t.Fatal(err)
			}
			patch, err := threeWay(rs, manifest, []byte(test.manifest))
			if err != nil {
				t.Fatal(err)
			}
			if got := withoutAnnotation(t, patch); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func withoutAnnotation(t *testing.T, patch []byte) string {
	t.Helper()
	tree := map[string]any{}
	if patch != nil {
		if err := json.Unmarshal(patch, &tree); err != nil {
			t.Fatal(err)
		}
	}
	if meta, ok := tree["metadata"].(map[string]any); ok {
		if delete(meta, "annotations"); len(meta) == 0 {
			delete(tree, "metadata")
		}
	}
	out, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestFirst is about delete web-*: the oldest that is not going already.
func TestFirst(t *testing.T) {
	pod := func(name string, age time.Duration, going bool) api.Object {
		p := &corev1.Pod{}
		p.Name = name
		p.CreationTimestamp = metav1.Time{Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(-age)}
		if going {
			p.DeletionTimestamp = &p.CreationTimestamp
		}
		return p
	}
	pods := []api.Object{
		pod("web-c", time.Minute, false), pod("web-b", time.Hour, false), pod("web-a", time.Hour, false),
		pod("web-z", 2*time.Hour, true), pod("api-a", 3*time.Hour, false),
	}
	for prefix, want := range map[string]string{"web-": "web-a", "web-c": "web-c", "": "api-a", "db-": "", "web-z": ""} {
		if got := first(pods, prefix); got != want {
			t.Errorf("first(%q) = %q, want %q", prefix, got, want)
		}
	}
}

// TestRead is what kubectl says of a manifest before any request.
func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		`{`:              `error: error parsing STDIN: error converting YAML to JSON: unexpected end of JSON input`,
		`{}`:             `error: error validating "STDIN": error validating data: kind not set; if you choose to ignore these errors, turn validation off with --validate=false`,
		`{"kind":"Pod"}`: `error: error validating "STDIN": error validating data: apiVersion not set; if you choose to ignore these errors, turn validation off with --validate=false`,
		`{"kind":"Pdo","apiVersion":"v1","metadata":{"name":"a"}}`: "error: resource mapping not found for name: \"a\" namespace: \"\" from \"STDIN\": no matches for kind \"Pdo\" in version \"v1\"\nensure CRDs are installed first",
	} {
		if _, err := read([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string][2]string{
		`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`:                        {"default", "a"},
		`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"shop"}}`:     {"shop", "a"},
		`{"kind":"Pod","apiVersion":"v1","metadata":{"generateName":"a-"}}`:               {"default", "a-"},
		`{"kind":"Node","apiVersion":"v1","metadata":{"name":"a","namespace":"ignored"}}`: {"", "a"},
	} {
		if m, err := read([]byte(text)); err != nil || m.namespace != want[0] || m.name != want[1] {
			t.Errorf("%s: %+v, %v", text, m, err)
		}
	}
}
