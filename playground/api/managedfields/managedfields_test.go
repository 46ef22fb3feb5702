package managedfields

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
)

func TestSets(t *testing.T) {
	text := `{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:image":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{}},"k:{\"containerPort\":443,\"protocol\":\"TCP\"}":{".":{}}}}},"f:finalizers":{"v:\"a\"":{},"v:\"b\"":{}}}}`
	s, err := ParseSet(text)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(text, `{".":{}}`, `{}`) // nothing below: nothing to tell apart
	if s.String() != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	paths := strings.Join(s.Paths(), " ")
	if paths != `.metadata.labels .metadata.labels.app .spec.containers[name="web"] .spec.containers[name="web"].image .spec.containers[name="web"].ports[containerPort=80,protocol="TCP"] .spec.containers[name="web"].ports[containerPort=443,protocol="TCP"] .spec.finalizers[="a"] .spec.finalizers[="b"]` {
		t.Errorf("%s", paths)
	}
	other := NewSet([]string{"f:metadata", "f:labels"}, []string{"f:spec", "f:replicas"})
	if got := s.Intersection(other).String(); got != `{"f:metadata":{"f:labels":{}}}` {
		t.Errorf("%s", got)
	}
	if got := other.Difference(s).String(); got != `{"f:spec":{"f:replicas":{}}}` {
		t.Errorf("%s", got)
	}
	if got := s.RecursiveDifference(NewSet([]string{"f:spec"})).String(); got != `{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}` {
		t.Errorf("%s", got)
	}
	if !s.Union(other).Has("f:spec", "f:replicas") || s.Has("f:spec", "f:replicas") {
		t.Error("a union changes its parts")
	}
}

// Every list that merges has a type that says by what its elements are told apart.
func TestTypes(t *testing.T) {
	ts := NewTypes()
	pod := ts.Of(reflect.TypeFor[corev1.Pod]())
	for _, c := range []struct {
		path string
		want string
	}{
		{"f:spec f:containers", "map by name"}, {"f:spec f:containers k f:ports", "map by containerPort,protocol"},
		{"f:spec f:containers k f:command", "atomic list"}, {"f:spec f:nodeSelector", "atomic map"}, {"f:spec f:containers k f:resources f:limits", "map"},
		{"f:spec f:containers k f:resources f:limits f:cpu", "atomic "}, {"f:metadata f:finalizers", "set"}, {"f:spec f:tolerations", "atomic list"},
		{"f:spec f:topologySpreadConstraints", "map by topologyKey,whenUnsatisfiable"}, {"f:metadata f:ownerReferences", "map by uid"},
		{"f:spec f:imagePullSecrets", "map by name"}, {"f:spec f:affinity f:nodeAffinity f:requiredDuringSchedulingIgnoredDuringExecution", "atomic map"},
		{"f:status f:startTime", "atomic "}, {"f:metadata f:labels f:anything", "string"},
	} {
		typ := pod
		for _, e := range strings.Fields(c.path) {
			typ = typ.below(e)
		}
		got := typ.what
		switch {
		case typ.keys != nil:
			got = "map by " + strings.Join(typ.keys, ",")
		case typ.set:
			got = "set"
		case typ.atomic:
			got = "atomic " + typ.what
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
	}
	// The schema of schemas contains itself.
	if nested := ts.Of(reflect.TypeFor[appsv1.Deployment]()); nested.fields["spec"].fields["template"].fields["spec"] == nil {
		t.Error("a Deployment has no Pods")
	}
}

// config makes a random configuration of a Deployment.
func config(r *sim.Rand) map[string]any {
	word := func(n int) string { return string(rune('a' + r.IntN(n))) }
	spec := map[string]any{}
	if r.IntN(2) == 0 {
		spec["replicas"] = json.Number(fmt.Sprint(r.IntN(3)))
	}
	if r.IntN(3) == 0 {
		spec["paused"] = r.IntN(2) == 0
	}
	seen := map[string]bool{}
	var containers []any
	for range r.IntN(4) {
		name := word(4)
		if seen[name] {
			continue
		}
		seen[name] = true
		c := map[string]any{"name": name}
		if r.IntN(2) == 0 {
			c["image"] = word(3)
		}
		if r.IntN(2) == 0 {
			c["command"] = []any{word(2)}
		}
		if r.IntN(3) == 0 {
			c["ports"] = []any{map[string]any{"containerPort": json.Number("80")}}
		}
		if r.IntN(3) == 0 {
			c["env"] = []any{map[string]any{"name": word(3), "value": word(2)}}
		}
		containers = append(containers, c)
	}
	if containers != nil {
		spec["template"] = map[string]any{"spec": map[string]any{"containers": containers}}
	}
	labels := map[string]any{}
	for range r.IntN(3) {
		labels[word(4)] = word(2)
	}
	tree := map[string]any{"metadata": map[string]any{"name": "web"}}
	if len(spec) > 0 {
		tree["spec"] = spec
	}
	if len(labels) > 0 {
		tree["metadata"].(map[string]any)["labels"] = labels
	}
	if r.IntN(2) == 0 {
		tree["metadata"].(map[string]any)["finalizers"] = []any{"x/" + word(3)}
	}
	return tree
}

// What holds after any sequence of applies: each applier has what it said last, unless somebody forced it away; applying again
// changes nothing; nobody has what is not there; and what nobody has of what was applied is gone.
func TestApplyHolds(t *testing.T) {
	typ := NewTypes().Of(reflect.TypeFor[appsv1.Deployment]())
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	none := &Set{}
	for seed := range uint64(60) {
		r := sim.NewRand(seed)
		var live any = map[string]any{}
		var ms Managers
		for step := range 8 {
			m := Manager{Name: string(rune('a' + r.IntN(3))), APIVersion: "apps/v1"}
			c := config(r)
			fail := func(format string, args ...any) {
				t.Fatalf("seed %d, step %d, %s applies %s: %s", seed, step, m.Name, Text(c), fmt.Sprintf(format, args...))
			}
			if r.IntN(3) == 0 { // somebody updates instead
				next := typ.merge(live, c, true, true)
				m.Operation = metav1.ManagedFieldsOperationUpdate
				ms = ms.Update(typ, live, next, m, none, at)
				live = next
				continue
			}
			next, owners, conflicts := ms.Apply(typ, live, c, m, none, false, at)
			if conflicts != nil {
				for _, conflict := range conflicts {
					if owner := ms.find(conflict.Manager); owner == nil || !owner.Fields.Has(conflict.path...) {
						fail("conflict over %s with %s, who doesn't have it", conflict.Path, conflict.Manager)
					}
				}
				next, owners, conflicts = ms.Apply(typ, live, c, m, none, true, at)
				if conflicts != nil {
					fail("forced, and in conflict: %s", conflicts.Message())
				}
			}
			if d := typ.compare(c, typ.merge(next, c, true, true)); !d.modified.Empty() {
				fail("the result differs from what was applied: %s", d.modified)
			}
			if d := typ.compare(next, typ.merge(next, c, true, true)); !d.modified.Empty() || !d.added.Empty() {
				fail("it is not so: %s %s in %s", d.modified, d.added, Text(next))
			}
			again, same, conflicts := owners.Apply(typ, next, c, m, none, false, at)
			if conflicts != nil || string(Text(again)) != string(Text(next)) || fmt.Sprint(describe(same)) != fmt.Sprint(describe(owners)) {
				fail("applied again: %v\n%s\n%s\n%v\n%v", conflicts, Text(next), Text(again), describe(owners), describe(same))
			}
			has := typ.toFieldSet(next).ensureNamedFieldsAreMembers(typ)
			for _, o := range owners {
				if o.Operation == metav1.ManagedFieldsOperationApply {
					if gone := o.Fields.Difference(has); !gone.Empty() {
						fail("%s has what is not there: %s", o.Name, gone)
					}
				}
				decoded, err := ParseSet(o.Fields.String())
				if err != nil || decoded.String() != o.Fields.String() {
					fail("%s: %v", o.Fields, err)
				}
			}
			live, ms = next, owners
		}
	}
}

func describe(ms Managers) []string {
	var out []string
	for _, e := range ms.Entries() {
		out = append(out, e.Manager+" "+string(e.Operation)+" "+e.FieldsV1.GetRawString())
	}
	return out
}

// Only ten may update an object before the oldest become one.
func TestAncientChanges(t *testing.T) {
	typ := NewTypes().Of(reflect.TypeFor[corev1.ConfigMap]())
	var ms Managers
	var live any = map[string]any{"data": map[string]any{}}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 14 {
		next := typ.merge(live, map[string]any{"data": map[string]any{fmt.Sprint("k", i): "v"}}, true, true)
		m := Manager{fmt.Sprint("m", i), metav1.ManagedFieldsOperationUpdate, "v1", ""}
		ms = ms.Update(typ, live, next, m, &Set{}, at.Add(time.Duration(i)*time.Second))
		live = next
	}
	entries := ms.Entries()
	if len(entries) != 10 || entries[0].Manager != "ancient-changes" || !strings.Contains(entries[0].FieldsV1.GetRawString(), `"f:k4"`) {
		t.Errorf("%d: %v", len(entries), describe(ms))
	}
}

func FuzzParseSet(f *testing.F) {
	for _, seed := range []string{`{"f:a":{}}`, `{"k:{\"b\":1,\"a\":\"x\"}":{".":{},"f:y":{}}}`, `{"v:1":{},"i:0":{}}`, `{".":{}}`, `{"x":1}`,
		`{"f:a":{"f:b":{}},"f:a":{}}`, `[]`, ``} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSet(text)
		if err != nil {
			return
		}
		again, err := ParseSet(s.String())
		if err != nil || again.String() != s.String() {
			t.Errorf("%q becomes %s, and then %v %s", text, s, err, again)
		}
		_ = s.Paths()
	})
}
