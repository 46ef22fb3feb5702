package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

type world struct {
	*testing.T
	k *sim.Kernel
	s *Store
}

func newWorld(t *testing.T) *world {
	k := sim.New(7, time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	return &world{t, k, New(k.Start("etcd"), DefaultOptions())}
}

// run executes bodies as processes, all from the same moment on.
func (w *world) run(bodies ...func(p *sim.Proc)) {
	w.Helper()
	c, done := w.k.Start("tester"), 0
	for _, body := range bodies {
		c.Go("main", func(p *sim.Proc) { body(p); done++ })
	}
	w.k.RunUntil(w.k.Elapsed() + time.Minute)
	if done != len(bodies) {
		w.Fatalf("%d of %d processes hang", len(bodies)-done, len(bodies))
	}
}

func cm(namespace, name, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: "u-" + "1"}, Data: map[string]string{"v": value}}
}

func at(namespace, name string) Key { return Key{"configmaps", namespace, name} }

// set is an update that writes a value.
func set(value string) func(api.Object) (api.Object, error) {
	return func(current api.Object) (api.Object, error) {
		next := current.DeepCopyObject().(*corev1.ConfigMap)
		next.Data["v"] = value
		return next, nil
	}
}

func values(list []api.Object) string {
	var out []string
	for _, obj := range list {
		out = append(out, fmt.Sprintf("%s/%s=%s@%s", obj.GetNamespace(), obj.GetName(), obj.(*corev1.ConfigMap).Data["v"], obj.GetResourceVersion()))
	}
	return strings.Join(out, " ")
}

func TestRevisions(t *testing.T) {
	w := newWorld(t)
	w.run(func(p *sim.Proc) {
		for _, key := range []Key{at("b", "x"), at("a", "y"), at("a", "x")} {
			if _, err := w.s.Create(p, key, cm(key.Namespace, key.Name, "1")); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.s.Create(p, at("a", "x"), cm("a", "x", "2")); err != ErrExists {
			t.Errorf("a taken key: got %v", err)
		}
		before := w.s.Current(at("a", "x"))
		if _, err := w.s.GuaranteedUpdate(p, at("a", "x"), set("2")); err != nil {
			t.Fatal(err)
		}
		if before.(*corev1.ConfigMap).Data["v"] != "1" || before.GetResourceVersion() != "4" {
			t.Error("an update changed the object that readers hold")
		}
		if _, err := w.s.GuaranteedUpdate(p, at("a", "x"), set("2")); err != nil || w.s.Revision() != 5 {
			t.Errorf("an update that changes nothing: revision %d, %v; want 5", w.s.Revision(), err)
		}
		if _, err := w.s.Delete(p, at("b", "x"), Preconditions{UID: "other"}, nil); err == nil ||
			!strings.Contains(err.Error(), "UID in precondition: other, UID in object meta: u-1") {
			t.Errorf("another UID: got %v", err)
		}
		last, err := w.s.Delete(p, at("b", "x"), Preconditions{UID: "u-1"}, nil)
		if err != nil || last.GetResourceVersion() != "6" {
			t.Errorf("deleted: version %s, %v; want 6", last.GetResourceVersion(), err)
		}
		for revision, want := range map[int64]string{
			0: "a/x=2@5 a/y=1@3",
			5: "a/x=2@5 a/y=1@3 b/x=1@2",
			4: "a/x=1@4 a/y=1@3 b/x=1@2",
			2: "b/x=1@2",
			1: "",
		} {
			list, _, err := w.s.List(p, "configmaps", "", revision)
			if got := values(list); got != want || err != nil {
				t.Errorf("list at %d: got %q, %v, want %q", revision, got, err, want)
			}
		}
		if list, _, _ := w.s.List(p, "configmaps", "a", 4); values(list) != "a/x=1@4 a/y=1@3" {
			t.Errorf("list of a namespace at 4: got %q", values(list))
		}
		if _, _, err := w.s.List(p, "configmaps", "", 99); err != ErrFutureRevision {
			t.Errorf("list of the future: got %v", err)
		}
		if _, err := w.s.Get(p, at("b", "x")); err != ErrNotFound {
			t.Errorf("get after delete: got %v", err)
		}
	})
}

// TestConflict lets two write at once: the slower one is asked again with what the faster one wrote.
func TestConflict(t *testing.T) {
	w := newWorld(t)
	if _, err := w.s.Create(nil, at("a", "x"), cm("a", "x", "")); err != nil {
		t.Fatal(err)
	}
	asked := 0
	write := func(letter string) func(p *sim.Proc) {
		return func(p *sim.Proc) {
			_, err := w.s.GuaranteedUpdate(p, at("a", "x"), func(current api.Object) (api.Object, error) {
				asked++
				return set(current.(*corev1.ConfigMap).Data["v"] + letter)(current)
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
	w.run(write("a"), write("b"), write("c"))
	got := w.s.Current(at("a", "x")).(*corev1.ConfigMap).Data["v"]
	if len(got) != 3 || asked <= 3 {
		t.Errorf("three writers left %q after asking %d times, want three letters and more than three", got, asked)
	}
}

func TestWatchAndCompact(t *testing.T) {
	w := newWorld(t)
	w.run(func(p *sim.Proc) {
		var seen []string
		collect := func(e Event) { seen = append(seen, fmt.Sprintf("%d %s %s", e.Revision, e.Type, e.Key.Ref().Key())) }
		w.s.Create(p, at("a", "x"), cm("a", "x", "1"))
		w.s.GuaranteedUpdate(p, at("a", "x"), set("2"))
		watcher, err := w.s.Watch(2, collect)
		if err != nil {
			t.Fatal(err)
		}
		w.s.Delete(p, at("a", "x"), Preconditions{}, nil)
		w.s.Create(p, at("a", "y"), cm("a", "y", "1"))
		watcher.Stop()
		w.s.Create(p, at("a", "z"), cm("a", "z", "1"))
		if got, want := strings.Join(seen, ", "), "3 MODIFIED a/x, 4 DELETED a/x, 5 ADDED a/y"; got != want {
			t.Errorf("watch from 2: got %s, want %s", got, want)
		}
		w.s.Compact(4)
		if _, err := w.s.Watch(3, collect); err != ErrCompacted {
			t.Errorf("watch from 3 after compacting 4: got %v", err)
		}
		if _, _, err := w.s.List(p, "configmaps", "", 3); err != ErrCompacted {
			t.Errorf("list of 3 after compacting 4: got %v", err)
		}
		if list, _, err := w.s.List(p, "configmaps", "", 4); values(list) != "" || err != nil {
			t.Errorf("list of 4: got %q, %v, want nothing", values(list), err)
		}
		if _, err := w.s.Watch(4, func(Event) {}); err != nil {
			t.Errorf("watch from 4: got %v", err)
		}
		w.s.Compact(99)
		if w.s.Compacted() != 4 {
			t.Errorf("compacted the future: %d", w.s.Compacted())
		}
	})
}

// TestEtcdRestarts checks that what was committed survives, and that nothing is written meanwhile.
func TestEtcdRestarts(t *testing.T) {
	w := newWorld(t)
	w.run(func(p *sim.Proc) {
		w.s.Create(p, at("a", "x"), cm("a", "x", "1"))
		n := 0
		if _, err := w.s.Watch(w.s.Revision(), func(Event) { n++ }); err != nil {
			t.Fatal(err)
		}
		w.s.etcd.Stop("crash")
		p.SetDeadline(p.Now() + 10*time.Second)
		start := p.Now()
		if _, err := w.s.Create(p, at("a", "y"), cm("a", "y", "1")); err != ErrDeadlineExceeded || p.Now()-start != 10*time.Second {
			t.Errorf("a write without etcd: got %v after %v", err, p.Now()-start)
		}
		p.SetDeadline(0)
		w.k.After(time.Second, func() { w.s.Start(w.k.Start("etcd")) })
		if obj, err := w.s.Get(p, at("a", "x")); err != nil || obj.GetResourceVersion() != "2" {
			t.Errorf("after the restart: %v, %v", obj, err)
		}
		w.s.Create(p, at("a", "y"), cm("a", "y", "1"))
		if n != 1 {
			t.Errorf("the watch saw %d events, want 1", n)
		}
	})
}

// TestStateIsTheFold folds the trace and compares it with the store.
// Who has given up waiting for etcd is not woken when it is there again.
func TestWhoGaveUpIsNotWoken(t *testing.T) {
	w := newWorld(t)
	w.run(func(p *sim.Proc) {
		w.s.etcd.Stop("crash")
		p.SetDeadline(p.Now() + time.Second)
		if _, err := w.s.Get(p, at("a", "x")); err != ErrDeadlineExceeded {
			t.Errorf("a read without etcd: %v", err)
		}
		w.k.After(time.Second, func() { w.s.Start(w.k.Start("etcd")) })
		if start := p.Now(); p.ParkFor(30*time.Second) || p.Now()-start != 30*time.Second {
			t.Errorf("woken after %v", p.Now()-start)
		}
		if !w.s.connection.up {
			t.Error("etcd is not there again")
		}
	})
}

func TestStateIsTheFold(t *testing.T) {
	w := newWorld(t)
	w.run(func(p *sim.Proc) {
		for i := range 20 {
			name := fmt.Sprint("c", i%5)
			switch i % 3 {
			case 0:
				w.s.Create(p, at("a", name), cm("a", name, fmt.Sprint(i)))
			case 1:
				w.s.GuaranteedUpdate(p, at("a", name), set(fmt.Sprint(i)))
			case 2:
				w.s.Delete(p, at("a", name), Preconditions{}, nil)
			}
		}
		state := w.k.Trace().Now()
		var shown []api.Object
		for _, cell := range state.Cells(trace.CellObject) {
			shown = append(shown, state[cell].(api.Object))
		}
		stored := w.s.At("configmaps", "", w.s.Revision())
		if values(shown) != values(stored) || len(stored) == 0 {
			t.Errorf("the trace shows %q, the store holds %q", values(shown), values(stored))
		}
		if got := state[trace.Cell{Kind: trace.CellRevision, Owner: "store"}]; got != any(w.s.Revision()) {
			t.Errorf("the trace shows revision %v, the store is at %d", got, w.s.Revision())
		}
	})
}

// TestFull is a database at its quota: what puts nothing is let through.
func TestFull(t *testing.T) {
	w := newWorld(t)
	w.run(func(p *sim.Proc) {
		key := Key{"pods", "default", "a"}
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "default"}}
		if _, err := w.s.Create(p, key, pod); err != nil {
			t.Fatal(err)
		}
		w.s.SetFull(true)
		if _, err := w.s.Create(p, Key{"pods", "default", "b"}, &corev1.Pod{}); err != errNoSpace {
			t.Errorf("create: %v, want %v", err, errNoSpace)
		}
		label := func(obj api.Object) (api.Object, error) {
			obj = obj.DeepCopyObject()
			obj.SetLabels(map[string]string{"a": "b"})
			return obj, nil
		}
		if _, err := w.s.GuaranteedUpdate(p, key, label); err != errNoSpace {
			t.Errorf("update: %v, want %v", err, errNoSpace)
		}
		if _, err := w.s.Get(p, key); err != nil {
			t.Errorf("get: %v", err)
		}
		if _, err := w.s.Delete(p, key, Preconditions{}, nil); err != nil {
			t.Errorf("delete: %v", err)
		}
	})
}

// A table is what a map would be, in the order of its keys, whatever came, went and came back before it was read.
func TestTable(t *testing.T) {
	chance := newWorld(t).k.Rand("test")
	table, want := NewTable(0), map[Key]api.Object{}
	for step := range 5000 {
		key := at(fmt.Sprint("ns-", chance.IntN(3)), fmt.Sprint("name-", chance.IntN(40)))
		var obj api.Object
		if chance.IntN(2) == 0 {
			obj = cm(key.Namespace, key.Name, fmt.Sprint(step))
		}
		table.Set(key, obj)
		if want[key] = obj; obj == nil {
			delete(want, key)
		}
		if chance.IntN(50) == 0 {
			table = table.Clone()
		}
		if chance.IntN(20) > 0 {
			continue
		}
		for _, namespace := range []string{"", "ns-0", "ns-1", "ns-2", "ns-3"} {
			list := []api.Object{}
			for key, obj := range want { // sorted below
				if namespace == "" || key.Namespace == namespace {
					list = append(list, obj)
				}
			}
			slices.SortFunc(list, func(a, b api.Object) int {
				return cmp.Or(strings.Compare(a.GetNamespace(), b.GetNamespace()), strings.Compare(a.GetName(), b.GetName()))
			})
			if got := table.List(namespace); !slices.Equal(got, list) || table.Len() != len(want) {
				t.Fatalf("step %d, namespace %q: %s, want %s (%d objects, want %d)", step, namespace, values(got), values(list), table.Len(), len(want))
			}
		}
	}
}
