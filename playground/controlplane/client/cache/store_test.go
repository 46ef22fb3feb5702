package cache_test

import (
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client/cache"
)

func pod(namespace, name, node string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: corev1.PodSpec{NodeName: node}}
}

func names(objs []any) string {
	var out []string
	for _, o := range objs {
		key, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(o)
		out = append(out, key)
	}
	return strings.Join(out, " ")
}

func byNode(obj any) ([]string, error) {
	if n := obj.(*corev1.Pod).Spec.NodeName; n != "" {
		return []string{n}, nil
	}
	return nil, nil
}

func TestIndexer(t *testing.T) {
	x := cache.NewIndexer(cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc, "node": byNode})
	for _, p := range []*corev1.Pod{pod("b", "z", "n1"), pod("a", "y", "n2"), pod("a", "x", "")} {
		if err := x.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when, all, a, n1, n2, values string) {
		t.Helper()
		inA, _ := x.ByIndex(cache.NamespaceIndex, "a")
		on1, _ := x.ByIndex("node", "n1")
		on2, _ := x.Index("node", pod("", "", "n2"))
		got := []string{names(x.List()), names(inA), names(on1), names(on2), strings.Join(x.ListIndexFuncValues("node"), " ")}
		if want := []string{all, a, n1, n2, values}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %q, want %q", when, got, want)
		}
	}
	check("added", "a/x a/y b/z", "a/x a/y", "b/z", "a/y", "n1 n2")
	x.Update(pod("a", "x", "n1"))
	check("bound", "a/x a/y b/z", "a/x a/y", "a/x b/z", "a/y", "n1 n2")
	x.Delete(pod("a", "y", ""))
	check("deleted", "a/x b/z", "a/x", "a/x b/z", "", "n1")
	x.Delete(cache.ExplicitKey("nobody"))
	x.Replace([]any{pod("a", "w", "n2"), pod("b", "z", "")}, "7")
	check("replaced", "a/w b/z", "a/w", "", "a/w", "n2")

	if err := x.AddIndexers(cache.Indexers{"node": byNode}); err == nil {
		t.Error("an index was added twice")
	}
	x.AddIndexers(cache.Indexers{"initial": func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Name[:1]}, nil }})
	if keys, _ := x.IndexKeys("initial", "z"); fmt.Sprint(keys) != "[b/z]" {
		t.Errorf("an index that was added late holds %v", keys)
	}
	if _, err := x.ByIndex("nonesuch", ""); err == nil {
		t.Error("an index that does not exist answers")
	}
}

func TestKeys(t *testing.T) {
	for _, c := range []struct{ key, namespace, name, err string }{
		{"web", "", "web", ""},
		{"default/web", "default", "web", ""},
		{"a/b/c", "", "", `unexpected key format: "a/b/c"`},
	} {
		namespace, name, err := cache.SplitMetaNamespaceKey(c.key)
		if namespace != c.namespace || name != c.name || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: %q %q %v", c.key, namespace, name, err)
		}
	}
	if _, err := cache.MetaNamespaceKeyFunc(7); err == nil {
		t.Error("7 has a key")
	}
}

// The index by namespace is the order of the keys: it finds what a scan finds, in every state of the chunks.
func TestNamespacesAreRangesOfKeys(t *testing.T) {
	x := cache.NewIndexer(cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	namespaces := []string{"", "a", "a-b", "a0", "aa", "b"}
	check := func() {
		t.Helper()
		for _, namespace := range append(namespaces, "0", "c") {
			var want []any
			for _, obj := range x.List() {
				if obj.(*corev1.Pod).Namespace == namespace {
					want = append(want, obj)
				}
			}
			got, err := x.ByIndex(cache.NamespaceIndex, namespace)
			keys, _ := x.IndexKeys(cache.NamespaceIndex, namespace)
			if err != nil || names(got) != names(want) || strings.Join(keys, " ") != names(want) {
				t.Fatalf("%d objects, namespace %q: %d found and %d keys, want %d (%v)", len(x.List()), namespace, len(got), len(keys), len(want), err)
			}
		}
	}
	check()
	for i := range 3000 {
		namespace := namespaces[i*31%1009%6]
		x.Add(pod(namespace, fmt.Sprint("p", i*7919%3000), ""))
		if i%5 == 0 {
			x.Delete(pod(namespace, fmt.Sprint("p", i*7919%3000), ""))
		}
		if i%171 == 0 {
			check()
		}
	}
	check()
	if got := strings.Join(x.ListIndexFuncValues(cache.NamespaceIndex), ","); got != ",a,a-b,a0,aa,b" {
		t.Errorf("namespaces: %s", got)
	}
}
