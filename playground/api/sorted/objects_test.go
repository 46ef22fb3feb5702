package sorted_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/sorted"
)

func pod(namespace, name string) *corev1.Pod {
	p := &corev1.Pod{}
	p.Namespace, p.Name = namespace, name
	return p
}

func keys(objects *sorted.Objects) []string {
	var out []string
	objects.Each(func(item *sorted.Item) { out = append(out, item.Key()) })
	return out
}

// Objects are what a map would be, in the order of its keys, whatever comes and goes, in whatever order, many or few.
func TestObjectsAreAsAMap(t *testing.T) {
	for _, names := range []int{3, 40, 3000} {
		chance := rand.New(rand.NewPCG(1, uint64(names)))
		var objects sorted.Objects
		want := map[string]api.Object{}
		inNamespace := func(namespace string) []string {
			var out []string
			for key := range want { // sorted below
				if in, _, _ := strings.Cut(key, "/"); in == namespace {
					out = append(out, key)
				}
			}
			slices.Sort(out)
			return out
		}
		check := func(step int) {
			t.Helper()
			if got, all := keys(&objects), slices.Sorted(maps.Keys(want)); !slices.Equal(got, all) || objects.Len() != len(all) {
				t.Fatalf("of %d, step %d: %v, want %v (%d)", names, step, got, all, objects.Len())
			}
			for _, namespace := range []string{"team", "team-a", "team.b", "t", "none"} {
				if got, all := keys(objects.In(namespace)), inNamespace(namespace); !slices.Equal(got, all) || objects.In(namespace).Len() != len(all) {
					t.Fatalf("of %d, step %d: in %s %v, want %v", names, step, namespace, got, all)
				}
			}
			for key, obj := range want {
				if item := objects.Find(key); item == nil || item.Object != obj {
					t.Fatalf("of %d, step %d: %s is not found", names, step, key)
				}
			}
		}
		for step := range 20_000 {
			// "team-a/x" comes before "team/x": a slash is behind the hyphen and the full stop.
			namespace := []string{"team", "team-a", "team.b", "t"}[chance.IntN(4)]
			name := fmt.Sprintf("name-%d", chance.IntN(names))
			key := sorted.Key(namespace, name)
			item := objects.Get(namespace, name)
			if (item != nil) != (want[key] != nil) {
				t.Fatalf("of %d, step %d: %s: %v, want %v", names, step, key, item, want[key])
			}
			switch obj := pod(namespace, name); {
			case chance.IntN(2) == 0:
				objects.Cut(namespace, name)
				delete(want, key)
			case item != nil:
				item.Object = obj
				want[key] = obj
			default:
				objects.Put(obj)
				want[key] = obj
			}
			if step%(names*5) == 0 {
				check(step)
			}
		}
		check(-1)
		before := keys(&objects)
		clone := objects.Clone()
		for _, key := range before {
			namespace, name, _ := strings.Cut(key, "/")
			objects.Cut(namespace, name)
		}
		if got := keys(clone); !slices.Equal(got, before) || objects.Len() != 0 || keys(&objects) != nil || len(objects.Namespaces()) != 0 {
			t.Errorf("of %d: the clone has %d, want %d; the original has %d", names, len(got), len(before), objects.Len())
		}
	}
}

// What has no namespace has a name for its key.
func TestObjectsWithoutNamespace(t *testing.T) {
	var objects sorted.Objects
	objects.Reserve(2)
	for _, name := range []string{"node-2", "node-10", "node-1"} {
		objects.Put(pod("", name))
	}
	if got, want := keys(&objects), []string{"node-1", "node-10", "node-2"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if objects.Find("node-10") == nil || objects.Find("default/node-10") != nil || !slices.Equal(objects.Namespaces(), []string{""}) {
		t.Errorf("node-10 is not found where it is; namespaces %q", objects.Namespaces())
	}
}

// Items that are shared change together.
func TestItemsAreShared(t *testing.T) {
	var all, some sorted.Objects
	item := all.Put(pod("default", "a"))
	some.Share(item)
	after := pod("default", "a")
	all.Get("default", "a").Object = after
	if some.Get("default", "a").Object != after {
		t.Error("the change is not seen")
	}
	some.Cut("default", "a")
	if all.Len() != 1 || some.Len() != 0 {
		t.Errorf("%d and %d are left, want 1 and 0", all.Len(), some.Len())
	}
}

// Names in order, as from a list, leave no room between them.
func BenchmarkPut(b *testing.B) {
	pods := make([]api.Object, 150_000)
	for i := range pods {
		pods[i] = pod("default", fmt.Sprintf("app-%06d", i))
	}
	b.ReportAllocs()
	for b.Loop() {
		var objects sorted.Objects
		objects.Reserve(len(pods))
		for _, p := range pods {
			objects.Put(p)
		}
	}
}
