package conformance

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	upstreamfield "k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/node"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	nodevalidation "k8s.io/kubernetes/pkg/apis/node/validation"

	"kubewalk/playground/api"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/nodev1"
	"kubewalk/playground/controlplane/apiserver/defaults"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// kind is how both sides judge an object of a kind, and how objects of it look that tests begin with.
type kind struct {
	gvk      schema.GroupVersionKind
	good     []string
	values   []any // that fields are given, besides those of every kind
	upstream func(obj runtime.Object) upstreamfield.ErrorList
	ours     func(obj api.Object) field.ErrorList
}

var kinds = []kind{
	{
		gvk: schema.GroupVersionKind{Group: "node.k8s.io", Version: "v1", Kind: "RuntimeClass"},
		good: []string{`{"metadata":{"name":"a"},"handler":"a","overhead":{"podFixed":{"cpu":"1","memory":"1Gi"}},
			"scheduling":{"nodeSelector":{"a":"b"},"tolerations":[{"key":"a","operator":"Equal","value":"b","effect":"NoExecute","tolerationSeconds":5},{"operator":"Exists"}]}}`},
		values: []any{"Exists", "Equal", "NoSchedule"},
		upstream: func(obj runtime.Object) upstreamfield.ErrorList {
			return nodevalidation.ValidateRuntimeClass(obj.(*node.RuntimeClass))
		},
		ours: func(obj api.Object) field.ErrorList {
			return validation.ValidateRuntimeClass(obj.(*nodev1.RuntimeClass))
		},
	},
}

// anyValue is what every field may be given.
var anyValue = []any{"", "a", "A_b", "a/b", "a b", "-1", "example.com/x", "x.example.com", 0, 1, -1, 100000, true, false, []any{}, map[string]any{}}

// TestValidationIsUpstreams changes good objects at random, a little: both sides refuse the same, in the same words.
func TestValidationIsUpstreams(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.gvk.Kind, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			refused, judged := 0, 0
			for i := range 6000 {
				var tree map[string]any
				if err := json.Unmarshal([]byte(k.good[i%len(k.good)]), &tree); err != nil {
					t.Fatal(err)
				}
				tree["apiVersion"], tree["kind"] = k.gvk.GroupVersion().String(), k.gvk.Kind
				if i >= len(k.good) {
					for range 1 + r.IntN(3) {
						change(r, tree, append(slices.Clone(anyValue), k.values...))
					}
				}
				text, err := json.Marshal(tree)
				if err != nil {
					t.Fatal(err)
				}
				theirs, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), text)
				if err != nil {
					continue // not of the types
				}
				ours, _, err := api.Decode(text, nil)
				if err != nil {
					t.Errorf("%s\nwe cannot read it: %v", text, err)
					continue
				}
				defaults.Set(ours)
				judged++
				want, got := words(k.upstream(theirs)), words(k.ours(ours))
				if i < len(k.good) && len(want) > 0 {
					t.Errorf("%s is not good: %v", text, want)
				}
				if len(want) > 0 {
					refused++
				}
				if !slices.Equal(want, got) {
					t.Fatalf("%s\nupstream %q\nours     %q", text, want, got)
				}
			}
			if judged < 1000 || refused < judged/4 {
				t.Errorf("of %d objects %d were refused: the test hardly tests", judged, refused)
			}
		})
	}
}

// nested is a value that is no plain one: upstream writes its internal types, whose fields have other names.
var nested = regexp.MustCompile(`value: [{\[].*[}\]]`)

// words are the errors in no order. Those about metadata are the registry's.
func words[E error](errs []E) []string {
	var out []string
	for _, err := range errs {
		if text := err.Error(); !strings.HasPrefix(text, "metadata.") {
			out = append(out, nested.ReplaceAllString(text, "value: ..."))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// change gives one field another value, takes it away, or repeats an item.
func change(r *rand.Rand, tree any, values []any) {
	type place struct {
		set    func(v any)
		remove func()
		value  any
	}
	var places []place
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range sortedKeys(v) {
				if depth == 0 && (key == "apiVersion" || key == "kind" || key == "metadata") {
					continue
				}
				places = append(places, place{func(n any) { v[key] = n }, func() { delete(v, key) }, v[key]})
				walk(v[key], depth+1)
			}
		case []any:
			for i := range v {
				places = append(places, place{func(n any) { v[i] = n }, func() { v[i] = v[(i+1)%len(v)] }, v[i]})
				walk(v[i], depth+1)
			}
		}
	}
	walk(tree, 0)
	if len(places) == 0 {
		return
	}
	p := places[r.IntN(len(places))]
	list, isList := p.value.([]any)
	switch n := r.IntN(6); {
	case n == 0:
		p.remove()
	case isList && n < 3 && len(list) > 0:
		p.set(append(slices.Clone(list), list[r.IntN(len(list))]))
	default:
		p.set(values[r.IntN(len(values))])
	}
}

func sortedKeys(m map[string]any) []string {
	var keys []string
	for key := range m { // order: sorted below
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
