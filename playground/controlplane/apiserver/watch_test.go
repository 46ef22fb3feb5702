package apiserver

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/eventsv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func watchPods(o metav1.ListOptions) *client.Request {
	return &client.Request{Verb: client.Watch, Resource: podsResource, Namespace: "default", List: o}
}

func patchPod(name, patch string) *client.Request {
	return &client.Request{Verb: client.Patch, Resource: podsResource, Namespace: "default", Name: name,
		PatchType: "application/merge-patch+json", Patch: []byte(patch)}
}

// say prints a watch event: "ADDED web".
func say(e client.Event) string {
	if e.Status != nil {
		return fmt.Sprintf("%s %d %s", e.Type, e.Status.Code, e.Status.Message)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s", e.Type, e.Object.GetName()))
}

func (w *world) expect(p *sim.Proc, stream client.Stream, want ...string) []client.Event {
	w.t.Helper()
	var events []client.Event
	for _, text := range want {
		e, ok := stream.Next(p)
		if !ok {
			w.t.Fatalf("the watch ended, want %s", text)
		}
		if say(e) != text {
			w.t.Errorf("watch: got %s, want %s", say(e), text)
		}
		events = append(events, e)
	}
	return events
}

func (w *world) watch(p *sim.Proc, r *client.Request) client.Stream {
	w.t.Helper()
	stream, err := w.s.Watch(p, r)
	if err != nil {
		w.t.Fatalf("watch: %v", err)
	}
	return stream
}

func TestWatchSelector(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) {
		stream := w.watch(p, watchPods(metav1.ListOptions{LabelSelector: "app=web"}))
		created := w.must(p, create(podsResource, newPod("a"))).(*corev1.Pod)
		w.must(p, patchPod("a", `{"metadata":{"labels":{"app":"api"}}}`))
		w.must(p, patchPod("a", `{"metadata":{"labels":{"tier":"x"}}}`)) // not seen: it is out
		w.must(p, patchPod("a", `{"metadata":{"labels":{"app":"web"}}}`))
		w.must(p, bind("a", "node-1"))
		events := w.expect(p, stream, "ADDED a", "DELETED a", "ADDED a", "MODIFIED a")
		if events[0].Object != api.Object(created) {
			t.Error("the event's object is not the stored one")
		}
		left := events[1].Object
		if left.GetLabels()["app"] != "web" || left.GetResourceVersion() <= created.ResourceVersion {
			t.Errorf("an object that left: labels %v, version %s; want the old labels with the new version", left.GetLabels(), left.GetResourceVersion())
		}
		stream.Stop()
		if _, ok := stream.Next(p); ok {
			t.Error("a stopped watch goes on")
		}
	})
	now := w.k.Trace().Now()
	if n := len(now.Cells(trace.CellMessage)) + len(now.Cells(trace.CellWatch)); n > 0 {
		t.Errorf("%d messages and watches are left", n)
	}
}

// TestWatchHasNoGap opens watches from every revision while others write, and compares each with the store's history.
func TestWatchHasNoGap(t *testing.T) {
	w := newWorld(t, trace.Objects)
	start := w.st.Revision()
	w.run(func(p *sim.Proc) {
		p.Fork("writer", 8, func(p *sim.Proc, i int) {
			if i%2 == 1 { // a watcher that starts somewhere in the middle
				p.Sleep(time.Duration(i) * 3 * time.Millisecond)
				from := w.s.caches["pods"].Revision()
				stream := w.watch(p, watchPods(metav1.ListOptions{ResourceVersion: fmt.Sprint(from)}))
				last := from
				for _, want := range w.pods(from, 12) {
					e, _ := stream.Next(p)
					if got := e.Object.GetResourceVersion(); got != fmt.Sprint(want(w)) {
						t.Errorf("watch from %d, after %d: got version %s, want %d", from, last, got, want(w))
					}
					last, _ = store.ParseRevision(e.Object.GetResourceVersion())
				}
				return
			}
			for j := range 6 {
				name := fmt.Sprintf("p-%d-%d", i, j)
				w.must(p, create(podsResource, newPod(name)))
				w.must(p, patchPod(name, `{"metadata":{"labels":{"n":"1"}}}`))
				w.must(p, remove(podsResource, name, metav1.DeleteOptions{}))
			}
		})
	})
	if n := len(w.st.History(start)); n != 4*6*4 {
		t.Errorf("history: got %d commits, want 96", n)
	}
}

// pods returns functions that find the nth Pod commit after a revision, once it has happened.
func (w *world) pods(after int64, n int) []func(*world) int64 {
	out := make([]func(*world) int64, n)
	for i := range out {
		out[i] = func(w *world) int64 {
			seen := 0
			for _, e := range w.st.History(after) {
				if e.Key.Resource == "pods" {
					if seen == i {
						return e.Revision
					}
					seen++
				}
			}
			return -1
		}
	}
	return out
}

func TestWatchTooOld(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) {
		first := w.must(p, create(podsResource, newPod("a"))).(*corev1.Pod)
		for i := range 300 { // the window holds 100 events at first, and grows because they are fresh
			w.must(p, patchPod("a", fmt.Sprintf(`{"metadata":{"labels":{"n":"%d"}}}`, i)))
		}
		w.expect(p, w.watch(p, watchPods(metav1.ListOptions{ResourceVersion: first.ResourceVersion})), "MODIFIED a")
		for i := range 300 {
			p.Sleep(time.Second)
			w.must(p, patchPod("a", fmt.Sprintf(`{"metadata":{"labels":{"n":"%d"}}}`, i)))
		}
		stream := w.watch(p, watchPods(metav1.ListOptions{ResourceVersion: first.ResourceVersion}))
		e, _ := stream.Next(p)
		if want := fmt.Sprintf("ERROR 410 too old resource version: %s (", first.ResourceVersion); !strings.HasPrefix(say(e), want) ||
			!apierrors.IsResourceExpired(apierrors.FromStatus(e.Status)) {
			t.Errorf("got %s, want %s", say(e), want)
		}
		if _, ok := stream.Next(p); ok {
			t.Error("the watch goes on after its error")
		}
		// A restarted server remembers nothing from before.
		last := w.st.Current(key(podsResource, "a")).GetResourceVersion()
		before := w.st.Revision()
		w.s.component.Stop("restart")
		w.s.Start(w.k.Start("kube-apiserver"))
		e, _ = w.watch(p, watchPods(metav1.ListOptions{ResourceVersion: fmt.Sprint(before - 1)})).Next(p)
		if want := fmt.Sprintf("ERROR 410 too old resource version: %d (%d)", before-1, before); say(e) != want {
			t.Errorf("after a restart: got %s, want %s", say(e), want)
		}
		w.expect(p, w.watch(p, watchPods(metav1.ListOptions{ResourceVersion: "0"})), "ADDED a")
		if w.st.Current(key(podsResource, "a")).GetResourceVersion() != last {
			t.Error("the restart changed an object")
		}
	})
}

func TestWatchList(t *testing.T) {
	w := newWorld(t, trace.All)
	yes := true
	w.run(func(p *sim.Proc) {
		for _, name := range []string{"b", "a"} {
			w.must(p, create(podsResource, newPod(name)))
		}
		p.Sleep(time.Second)
		stream := w.watch(p, watchPods(metav1.ListOptions{SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersionMatch: "NotOlderThan"}))
		events := w.expect(p, stream, "ADDED a", "ADDED b", "BOOKMARK")
		mark := events[2].Object
		if mark.GetAnnotations()["k8s.io/initial-events-end"] != "true" || mark.GetResourceVersion() != fmt.Sprint(w.st.Revision()) {
			t.Errorf("bookmark: %v of %s", mark.GetAnnotations(), mark.GetResourceVersion())
		}
		at := p.Now()
		w.expect(p, stream, "BOOKMARK")
		if waited := p.Now() - at; waited < 59*time.Second || waited > 61*time.Second {
			t.Errorf("the next bookmark came after %v, want a minute", waited)
		}
		_, err := w.s.Watch(p, watchPods(metav1.ListOptions{SendInitialEvents: &yes}))
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan") {
			t.Errorf("got %v", err)
		}
	})
}

func TestWatchEnds(t *testing.T) {
	w := newWorld(t, trace.All)
	two := int64(2)
	w.run(func(p *sim.Proc) {
		timed := w.watch(p, watchPods(metav1.ListOptions{TimeoutSeconds: &two}))
		if _, ok := timed.Next(p); ok || p.Now() < 2*time.Second || p.Now() > 3*time.Second {
			t.Errorf("a watch for 2 s: open %v at %v", ok, p.Now())
		}
		dropped := w.watch(p, watchPods(metav1.ListOptions{}))
		if n := w.s.CloseWatches("tester", "nodes"); n != 0 {
			t.Errorf("closed %d watches of nodes, want none", n)
		}
		w.must(p, create(podsResource, newPod("a")))
		w.k.After(10*time.Millisecond, func() {
			if n := w.s.CloseWatches("tester", "pods"); n != 1 {
				t.Errorf("closed %d watches of Pods, want 1", n)
			}
		})
		w.expect(p, dropped, "ADDED a")
		if _, ok := dropped.Next(p); ok {
			t.Error("a dropped watch goes on")
		}
		orphan := w.watch(p, watchPods(metav1.ListOptions{}))
		w.expect(p, orphan, "ADDED a")
		w.k.After(10*time.Millisecond, func() { w.s.component.Stop("crash") })
		if _, ok := orphan.Next(p); ok {
			t.Error("a watch outlives its server")
		}
	})
	now := w.k.Trace().Now()
	if n := len(now.Cells(trace.CellMessage)) + len(now.Cells(trace.CellWatch)); n > 0 {
		t.Errorf("%d messages and watches are left", n)
	}
	for _, e := range w.k.Trace().Events(1) {
		if e.Component == sim.User {
			t.Errorf("#%d %s is said to be the user's doing", e.ID, e.Op)
		}
	}
}

// TestWatcherDies checks that nothing is sent to the dead, and that nothing of them stays in the picture.
func TestWatcherDies(t *testing.T) {
	w := newWorld(t, trace.All)
	mortal := w.k.Start("mortal")
	mortal.Go("main", func(p *sim.Proc) {
		stream, _ := w.s.Watch(p, watchPods(metav1.ListOptions{}))
		stream.Next(p)
		stream.Next(p)
		t.Error("a dead process got an event")
	})
	w.run(func(p *sim.Proc) {
		p.Sleep(20 * time.Millisecond)
		w.must(p, create(podsResource, newPod("a")))
		p.Sleep(20 * time.Millisecond)
		mortal.Stop("killed")
		w.must(p, create(podsResource, newPod("b")))
		p.Sleep(20 * time.Millisecond)
	})
	if w.s.CloseWatches("mortal", "") > 0 {
		t.Error("the server still holds the watch")
	}
	now := w.k.Trace().Now()
	if n := len(now.Cells(trace.CellMessage)) + len(now.Cells(trace.CellWatch)); n > 0 {
		t.Errorf("%d messages and watches are left", n)
	}
}

func TestCompactor(t *testing.T) {
	w := newWorld(t, trace.All)
	w.run(func(p *sim.Proc) {
		w.must(p, create(podsResource, newPod("a")))
		then := w.st.Revision()
		p.Sleep(11 * time.Minute)
		if w.st.Compacted() != then {
			t.Errorf("compacted to %d, want %d", w.st.Compacted(), then)
		}
		if _, err := w.st.Watch(then-1, func(store.Event) {}); err != store.ErrCompacted {
			t.Errorf("a watch of etcd from a compacted revision: got %v", err)
		}
	})
}

// TestEventsAreOne writes an Event in one group and reads it in the other.
func TestEventsAreOne(t *testing.T) {
	w := newWorld(t, trace.All)
	events := api.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}
	core := api.GroupVersionResource{Version: "v1", Resource: "events"}
	w.run(func(p *sim.Proc) {
		stream := w.watch(p, &client.Request{Verb: client.Watch, Resource: events})
		e := &eventsv1.Event{ObjectMeta: metav1.ObjectMeta{Name: "e", Namespace: "default"}, Note: "Successfully assigned", Reason: "Scheduled",
			Regarding: corev1.ObjectReference{Kind: "Pod", Name: "web"}, Series: &eventsv1.EventSeries{Count: 2}}
		made := w.must(p, create(events, e)).(*eventsv1.Event)
		if made.Note != e.Note || made.Kind != "Event" || made.APIVersion != "events.k8s.io/v1" {
			t.Errorf("created: %+v", made)
		}
		l := w.must(p, &client.Request{Verb: client.List, Resource: core,
			List: metav1.ListOptions{FieldSelector: "involvedObject.name=web,reason=Scheduled"}}).(*corev1.EventList)
		if len(l.Items) != 1 || l.Items[0].Message != e.Note || l.Items[0].Series.Count != 2 {
			t.Errorf("in the core group: %+v", l.Items)
		}
		got := w.expect(p, stream, "ADDED e")
		if _, ok := got[0].Object.(*eventsv1.Event); !ok {
			t.Errorf("the watch delivers %T", got[0].Object)
		}
		w.must(p, &client.Request{Verb: client.Patch, Resource: events, Namespace: "default", Name: "e", PatchType: "application/merge-patch+json",
			Patch: []byte(`{"series":{"count":3}}`)})
		p.Sleep(62 * time.Minute)
		if w.st.Current(key(core, "e")) != nil {
			t.Error("an Event outlives its hour")
		}
	})
}
