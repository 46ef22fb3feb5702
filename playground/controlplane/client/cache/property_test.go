package cache_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"

	"kubewalk/playground/api/corev1"
)

// witness is a handler that knows what may follow what.
type witness struct {
	t    *testing.T
	name string
	have map[string]api.Object
}

func (w *witness) fail(format string, args ...any) {
	w.t.Errorf("%s: "+format, append([]any{w.name}, args...)...)
}

func (w *witness) OnAdd(obj any, initial bool) {
	o := obj.(api.Object)
	if w.have[o.GetName()] != nil {
		w.fail("%s was added twice", version(o))
	}
	w.have[o.GetName()] = o
}

func (w *witness) OnUpdate(old, new any) {
	o, n := old.(api.Object), new.(api.Object)
	if had := w.have[o.GetName()]; had != old {
		w.fail("update from %s, but the last it knew was %v", version(old), had)
	}
	if number(n) < number(o) {
		w.fail("%s went back to %s", version(o), version(n))
	}
	w.have[n.GetName()] = n
}

func (w *witness) OnDelete(obj any) {
	gone, unknown := obj.(cache.DeletedFinalStateUnknown)
	if unknown {
		obj = gone.Obj
	}
	o := obj.(api.Object)
	had := w.have[o.GetName()]
	switch {
	case had == nil:
		w.fail("%s was deleted and is not known", version(o))
	case unknown && had != obj:
		w.fail("the last state of %s is said to be %s", version(had), version(o))
	case number(o) < number(had):
		w.fail("%s was deleted as %s", version(had), version(o))
	}
	delete(w.have, o.GetName())
}

func number(o api.Object) int64 {
	n, _ := strconv.ParseInt(o.GetResourceVersion(), 10, 64)
	return n
}

// TestRandomHistories: whatever happens to objects, connections and history,
// handlers are told a consistent story, and once it is quiet the caches hold
// what the server holds.
func TestRandomHistories(t *testing.T) {
	for seed := uint64(1); seed <= 60; seed++ {
		k, s := world(t, seed)
		chance := k.Rand("test")
		s.MaxLatency = chance.Between(time.Millisecond, 400*time.Millisecond)
		c := k.Start("controller")
		onNode := func(o *metav1.ListOptions) { o.FieldSelector = "spec.nodeName=n1" }
		informers := map[string]cache.SharedIndexInformer{
			"all":  cache.NewSharedIndexInformer(cache.NewListWatch(s, pods, "", nil), &corev1.Pod{}, 0, cache.Indexers{"node": byNode}),
			"node": cache.NewSharedIndexInformer(cache.NewListWatch(s, pods, "", onNode), &corev1.Pod{}, 5*time.Second, nil),
		}
		var witnesses []*witness
		for _, which := range []string{"all", "node"} {
			for i := range 2 {
				w := &witness{t, fmt.Sprintf("seed=%d %s handler %d", seed, which, i), map[string]api.Object{}}
				witnesses = append(witnesses, w)
				informers[which].AddEventHandler(w)
			}
			run(c, informers[which])
		}
		k.Start("user").Go("chaos", func(p *sim.Proc) {
			for range 150 {
				chaos(s, chance)
				p.Sleep(chance.Between(0, 600*time.Millisecond))
			}
			s.Down = false
		})
		k.RunUntil(15 * time.Minute)

		all, node := map[string]string{}, map[string]string{}
		for _, o := range s.Objects("pods") {
			all[o.GetName()] = o.GetResourceVersion()
			if o.(*corev1.Pod).Spec.NodeName == "n1" {
				node[o.GetName()] = o.GetResourceVersion()
			}
		}
		for which, want := range map[string]map[string]string{"all": all, "node": node} {
			if got := versions(informers[which].GetStore().List()); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("seed=%d: informer %s holds %v, the server %v", seed, which, got, want)
			}
		}
		for i, w := range witnesses {
			want := all
			if i >= 2 {
				want = node
			}
			got := map[string]string{}
			for name, o := range w.have {
				got[name] = o.GetResourceVersion()
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s knows %v, the server has %v", w.name, got, want)
			}
		}
		if onIndex, _ := informers["all"].GetIndexer().ByIndex("node", "n1"); fmt.Sprint(versions(onIndex)) != fmt.Sprint(node) {
			t.Errorf("seed=%d: the index by node holds %v, want %v", seed, versions(onIndex), node)
		}
		if t.Failed() {
			t.Fatalf("reproduce with seed=%d", seed)
		}
		k.Close()
	}
}

func versions(items []any) map[string]string {
	out := map[string]string{}
	for _, item := range items {
		o := item.(api.Object)
		out[o.GetName()] = o.GetResourceVersion()
	}
	return out
}

func chaos(s *fake.Server, chance *sim.Rand) {
	name := string(rune('a' + chance.IntN(8)))
	switch chance.IntN(20) {
	default:
		s.Put("pods", pod("default", name, []string{"", "n1", "n2"}[chance.IntN(3)]))
	case 0, 1, 2, 3:
		s.Remove("pods", "default", name)
	case 4: // deleted and made again
		s.Remove("pods", "default", name)
		s.Put("pods", pod("default", name, "n1"))
	case 5:
		s.DropWatches(chance.IntN(3))
	case 6:
		s.Compact()
		s.DropWatches(0)
	case 7:
		s.Down = !s.Down
		s.DropWatches(chance.IntN(3))
	case 8:
		s.SendBookmarks()
	case 9:
		s.Compact()
	}
}

// TestSameSeedSameTrace: two runs of one seed leave the same events.
func TestSameSeedSameTrace(t *testing.T) {
	story := func() string {
		k, s := world(t, 7)
		s.MaxLatency = 50 * time.Millisecond
		c := k.Start("controller")
		informer := cache.NewSharedIndexInformer(cache.NewListWatch(s, pods, "", nil), &corev1.Pod{}, time.Second, cache.Indexers{"node": byNode})
		informer.AddEventHandler(&witness{t, "handler", map[string]api.Object{}})
		run(c, informer)
		k.Start("user").Go("chaos", func(p *sim.Proc) {
			for range 100 {
				chaos(s, k.Rand("test"))
				p.Sleep(k.Rand("test").Between(0, 600*time.Millisecond))
			}
		})
		k.RunUntil(time.Minute)
		var out []string
		for _, e := range k.Trace().Events(1) {
			e.Stack = 0
			for i := range e.Deltas { // objects would print as pointers
				e.Deltas[i].Old, e.Deltas[i].New = trace.String(e.Deltas[i].Old), trace.String(e.Deltas[i].New)
			}
			out = append(out, fmt.Sprintf("%+v", e))
		}
		return fmt.Sprint(out)
	}
	if a, b := story(), story(); a != b {
		t.Error("two runs of seed 7 differ")
	}
}
