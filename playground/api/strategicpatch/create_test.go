package strategicpatch

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/sim"
)

var deploymentType = reflect.TypeFor[appsv1.Deployment]()

// What kubectl apply sends, by the three documents that it has.
func TestCreateThreeWayMergePatch(t *testing.T) {
	spec := func(s string) string { return `{"spec":{"template":{"spec":` + s + `}}}` }
	for _, c := range []struct{ name, original, modified, current, want string }{
		{"nothing", `{"spec":{"replicas":1}}`, `{"spec":{"replicas":1}}`, `{"spec":{"replicas":1,"paused":true}}`, `{}`},
		{"a value", `{"spec":{"replicas":1}}`, `{"spec":{"replicas":2}}`, `{"spec":{"replicas":1}}`, `{"spec":{"replicas":2}}`},
		{"what drifted comes back", `{"spec":{"replicas":1}}`, `{"spec":{"replicas":1}}`, `{"spec":{"replicas":7}}`, `{"spec":{"replicas":1}}`},
		{"what was applied goes", `{"spec":{"replicas":1,"paused":true}}`, `{"spec":{"replicas":1}}`, `{"spec":{"replicas":1,"paused":true}}`,
			`{"spec":{"paused":null}}`},
		{"what others set stays", `{"metadata":{"labels":{"a":"1"}}}`, `{"metadata":{"labels":{"a":"1"}}}`, `{"metadata":{"labels":{"a":"1","b":"2"}}}`, `{}`},
		{"an image", spec(`{"containers":[{"name":"web","image":"a"}]}`), spec(`{"containers":[{"name":"web","image":"b"}]}`),
			spec(`{"containers":[{"name":"web","image":"a","imagePullPolicy":"Always"}]}`),
			spec(`{"$setElementOrder/containers":[{"name":"web"}],"containers":[{"image":"b","name":"web"}]}`)},
		{"a container goes, another comes", spec(`{"containers":[{"name":"a"},{"name":"b"}]}`), spec(`{"containers":[{"name":"b"},{"name":"c"}]}`),
			spec(`{"containers":[{"name":"a"},{"name":"b"},{"name":"injected"}]}`),
			spec(`{"$setElementOrder/containers":[{"name":"b"},{"name":"c"}],"containers":[{"name":"c"},{"$patch":"delete","name":"a"}]}`)},
		{"a strategy", `{"spec":{"strategy":{"type":"RollingUpdate"}}}`, `{"spec":{"strategy":{"type":"Recreate"}}}`,
			`{"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%"}}}}`,
			`{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}`},
		{"a volume of another kind", spec(`{"volumes":[{"name":"v","emptyDir":{}}]}`), spec(`{"volumes":[{"name":"v","hostPath":{"path":"/x"}}]}`),
			spec(`{"volumes":[{"name":"v","emptyDir":{}}]}`),
			spec(`{"$setElementOrder/volumes":[{"name":"v"}],"volumes":[{"$retainKeys":["hostPath","name"],"emptyDir":null,"hostPath":{"path":"/x"},"name":"v"}]}`)},
		{"finalizers", `{"metadata":{"finalizers":["a","b"]}}`, `{"metadata":{"finalizers":["b","c"]}}`, `{"metadata":{"finalizers":["a","b"]}}`,
			`{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"$setElementOrder/finalizers":["b","c"],"finalizers":["c"]}}`},
	} {
		got, err := CreateThreeWayMergePatch([]byte(c.original), []byte(c.modified), []byte(c.current), deploymentType, true)
		if err != nil || string(got) != c.want {
			t.Errorf("%s:\ngot  %s %v\nwant %s", c.name, got, err, c.want)
		}
	}
	_, err := CreateThreeWayMergePatch([]byte(`{"spec":{"replicas":1}}`), []byte(`{"spec":{"replicas":2}}`), []byte(`{"spec":{"replicas":3}}`), deploymentType,
		false)
	if err == nil {
		t.Error("a change that somebody else made is overwritten without being asked to")
	}
}

// document makes a random part of a Deployment.
func document(r *sim.Rand) []byte {
	word := func(n int) string { return string(rune('a' + r.IntN(n))) }
	labels := func() map[string]any {
		out := map[string]any{}
		for range r.IntN(3) {
			out[word(4)] = word(3)
		}
		return out
	}
	named := func(n int, each func() map[string]any) []any {
		out, seen := []any{}, map[string]bool{}
		for range r.IntN(n) {
			if name := word(5); !seen[name] {
				seen[name] = true
				item := each()
				item["name"] = name
				out = append(out, item)
			}
		}
		return out
	}
	var finalizers []any
	for _, f := range []string{"x/a", "x/b", "x/c"} {
		if r.IntN(2) == 0 {
			finalizers = append(finalizers, f)
		}
	}
	env := func() map[string]any { return map[string]any{"value": word(4)} }
	container := func() map[string]any {
		c := map[string]any{"image": word(3)}
		if r.IntN(2) == 0 {
			c["env"] = named(4, env)
		}
		if r.IntN(3) == 0 {
			c["command"] = []any{word(3), word(3)}
		}
		if r.IntN(3) == 0 {
			c["resources"] = map[string]any{"limits": labels()}
		}
		return c
	}
	volume := func() map[string]any {
		if r.IntN(2) == 0 {
			return map[string]any{"emptyDir": map[string]any{}}
		}
		return map[string]any{"hostPath": map[string]any{"path": word(3)}}
	}
	doc := map[string]any{
		"metadata": map[string]any{"labels": labels()},
		"spec": map[string]any{
			"replicas": r.IntN(3),
			"template": map[string]any{"spec": map[string]any{"containers": named(4, container), "volumes": named(3, volume), "nodeSelector": labels()}},
		},
	}
	if finalizers != nil {
		doc["metadata"].(map[string]any)["finalizers"] = finalizers
	}
	if r.IntN(2) == 0 {
		doc["spec"].(map[string]any)["strategy"] = map[string]any{"type": word(2)}
	}
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return text
}

// sameDocument compares documents: an empty list and none are the same thing to a program.
func sameDocument(a, b []byte) bool {
	return fmt.Sprint(canonical(a)) == fmt.Sprint(canonical(b))
}

// canonical leaves out what is empty.
func canonical(text []byte) any {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		panic(err)
	}
	return pruned(v)
}

func pruned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, w := range v {
			if p := pruned(w); p != nil || k == "emptyDir" {
				out[k] = p
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		var out []any
		for _, w := range v {
			out = append(out, pruned(w))
		}
		if len(out) == 0 {
			return nil
		}
		return out
	}
	return v
}

// A patch made of two documents turns the first into the second.
func TestTwoWayTurnsOneIntoTheOther(t *testing.T) {
	for seed := range uint64(800) {
		r := sim.NewRand(seed)
		a, b := document(r), document(r)
		patch, err := CreateTwoWayMergePatch(a, b, deploymentType)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := StrategicMergePatch(a, patch, deploymentType)
		if err != nil || !sameDocument(got, b) {
			t.Fatalf("seed %d: %v\nfrom  %s\nto    %s\npatch %s\ngot   %s", seed, err, a, b, patch, got)
		}
	}
}

// A patch of three documents brings about what is asked for, and its like made again asks for nothing.
func TestThreeWayIsDoneOnce(t *testing.T) {
	for seed := range uint64(800) {
		r := sim.NewRand(seed)
		original, modified, current := document(r), document(r), document(r)
		patch, err := CreateThreeWayMergePatch(original, modified, current, deploymentType, true)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := StrategicMergePatch(current, patch, deploymentType)
		if err != nil {
			t.Fatalf("seed %d: %v\npatch %s\non %s", seed, err, patch, current)
		}
		again, err := CreateThreeWayMergePatch(modified, modified, got, deploymentType, true)
		if err != nil || string(again) != "{}" {
			t.Fatalf("seed %d: %v\noriginal %s\nmodified %s\ncurrent  %s\npatch    %s\ngot      %s\nagain    %s", seed, err, original, modified, current, patch,
				got, again)
		}
	}
}

func FuzzStrategicMergePatch(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"spec":{"containers":[{"name":"a"}]}}`, `{"spec":{"containers":[{"name":"b"}]}}`},
		{`{"spec":{"containers":[{"name":"a"}]}}`, `{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a","$patch":"delete"}]}}`},
		{`{"metadata":{"finalizers":["a"]}}`, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"$retainKeys":["x"]}}`},
		{`{"spec":{"containers":null}}`, `{"spec":{"containers":[null]}}`}, {`{"spec":5}`, `{"spec":{"containers":[[]]}}`}, {`null`, `{"$patch":"replace"}`},
	} {
		f.Add(seed[0], seed[1])
	}
	pod := reflect.TypeFor[corev1.Pod]()
	f.Fuzz(func(t *testing.T, document, patch string) {
		if got, err := StrategicMergePatch([]byte(document), []byte(patch), pod); err == nil && !json.Valid(got) {
			t.Errorf("%s", got)
		}
		// Whatever a document is, what becomes of two of them can be said again.
		made, err := CreateTwoWayMergePatch([]byte(document), []byte(patch), pod)
		if err == nil && !json.Valid(made) {
			t.Errorf("%s", made)
		}
		_, _ = CreateThreeWayMergePatch([]byte(patch), []byte(document), []byte(patch), pod, false)
	})
}
