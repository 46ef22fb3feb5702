package cache_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

var pods = api.GroupVersionResource{Version: "v1", Resource: "pods"}

func world(t *testing.T, seed uint64) (*sim.Kernel, *fake.Server) {
	k := sim.New(seed, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	return k, fake.NewServer(k)
}

func run(c *sim.Component, informer cache.SharedIndexInformer) {
	c.Go("informer/pods", informer.Run)
}

// diary is a handler that writes down what it is told.
type diary struct {
	kernel *sim.Kernel
	lines  []string
}

func (d *diary) note(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf("%v ", d.kernel.Elapsed().Round(100*time.Millisecond))+fmt.Sprintf(format, args...))
}

func version(obj any) string {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return "unknown(" + gone.Key + " last " + version(gone.Obj) + ")"
	}
	o := obj.(api.Object)
	return o.GetName() + "@" + o.GetResourceVersion()
}

func (d *diary) OnAdd(obj any, initial bool) { d.note("add %s initial=%v", version(obj), initial) }
func (d *diary) OnUpdate(old, new any)       { d.note("update %s to %s", version(old), version(new)) }
func (d *diary) OnDelete(obj any)            { d.note("delete %s", version(obj)) }

func (d *diary) expect(t *testing.T, want string) {
	t.Helper()
	if got := strings.Join(d.lines, "\n"); got != strings.TrimSpace(want) {
		t.Errorf("the handler was told\n%s\nwant\n%s", got, strings.TrimSpace(want))
	}
}

func TestListWatchDropRelist(t *testing.T) {
	k, s := world(t, 1)
	s.Put("pods", pod("default", "old", "")) // 2
	s.Put("pods", pod("default", "doomed", ""))
	c := k.Start("controller")
	informer := cache.NewSharedIndexInformer(cache.NewListWatch(s, pods, "", nil), &corev1.Pod{}, 0, nil)
	d := &diary{kernel: k}
	registration, _ := informer.AddEventHandler(d)
	run(c, informer)
	if informer.HasSynced() || registration.HasSynced() {
		t.Error("synced before the first list")
	}
	at := func(seconds int, do func()) { k.After(time.Duration(seconds)*time.Second, do) }
	at(1, func() { s.Put("pods", pod("default", "new", "")) }) // 4
	at(2, func() { s.Put("pods", pod("default", "new", "n1")) })
	at(3, func() { s.Remove("pods", "default", "new") })
	at(4, func() { s.DropWatches(0) }) // the connection breaks: watch again from where it was
	at(5, func() { s.Put("pods", pod("default", "old", "n1")) })
	at(6, func() { // the server is away for longer than its history reaches back
		s.DropWatches(0)
		s.Down = true
		s.Remove("pods", "default", "doomed")
		s.Put("pods", pod("default", "missed", ""))
		s.Put("pods", pod("default", "missed", "n2"))
		s.Compact()
	})
	at(20, func() { s.Down = false })
	k.RunUntil(3 * time.Minute)
	if !informer.HasSynced() || !registration.HasSynced() {
		t.Error("never synced")
	}
	// Added, then changed, deleted, changed after the drop; and what the list
	// after the outage tells: vanished first, then everything, changed or not.
	lines := d.lines[:6]
	if got := strings.Join(lines, "\n"); got != strings.TrimSpace(`
0s add doomed@3 initial=true
0s add old@2 initial=true
1s add new@4 initial=false
2s update new@4 to new@5
3s delete new@6
5s update old@2 to old@7`) {
		t.Errorf("got\n%s", got)
	}
	var rest []string
	for _, l := range d.lines[6:] {
		_, what, _ := strings.Cut(l, " ")
		rest = append(rest, what)
	}
	if got := strings.Join(rest, "\n"); got != strings.TrimSpace(`
delete unknown(default/doomed last doomed@3)
add missed@10 initial=false
update old@7 to old@7`) {
		t.Errorf("after the outage got\n%s", got)
	}
	if got := names(informer.GetStore().List()); got != "default/missed default/old" {
		t.Errorf("the cache holds %s", got)
	}
	if got := informer.LastSyncResourceVersion(); got != "10" {
		t.Errorf("last sync resource version %s", got)
	}
	var cells []string
	for _, cell := range k.Trace().Now().Cells(trace.CellCache) {
		cells = append(cells, fmt.Sprintf("%s %s %v", cell.Owner, cell.Key, k.Trace().Now()[cell]))
	}
	if got := strings.Join(cells, ", "); got != "controller/pods default/missed 10, controller/pods default/old 7" {
		t.Errorf("the trace shows %s", got)
	}
	lists := 0
	for _, r := range s.Requests {
		if strings.HasPrefix(r, "list") {
			lists++
		}
	}
	if lists != 2 {
		t.Errorf("%d lists: %v", lists, s.Requests)
	}
}

func TestWhyAHandlerRuns(t *testing.T) {
	k, s := world(t, 1)
	c := k.Start("controller")
	informer := cache.NewSharedIndexInformer(cache.NewListWatch(s, pods, "", nil), &corev1.Pod{}, 0, nil)
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { k.Logger().Info("told") }})
	run(c, informer)
	k.After(time.Second, func() { s.Put("pods", pod("default", "a", "")) })
	k.RunUntil(2 * time.Second)
	rec := k.Trace()
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Text("message") != "told" {
			continue
		}
		if e.Process != "handler/pods" {
			t.Errorf("it ran in process %q", e.Process)
		}
		var chain []string
		for e.Cause != 0 {
			e = rec.Event(e.Cause)
			chain = append(chain, string(e.Op)+" "+e.Text("type"))
		}
		if got := strings.Join(chain, " < "); got != "cache.set ADDED < watch.receive ADDED < store.commit ADDED" {
			t.Errorf("it ran because of %s", got)
		}
		return
	}
	t.Error("the handler did not run")
}

func TestBookmarksMoveTheWatchOn(t *testing.T) {
	k, s := world(t, 1)
	c := k.Start("controller")
	tweak := func(o *metav1.ListOptions) { o.FieldSelector = "spec.nodeName=n1" }
	informer := cache.NewSharedIndexInformer(cache.NewListWatch(s, pods, "", tweak), &corev1.Pod{}, 0, nil)
	run(c, informer)
	k.After(time.Second, func() {
		for i := range 5 { // none of its business
			s.Put("pods", pod("default", fmt.Sprint("p", i), "n2"))
		}
		s.SendBookmarks()
	})
	k.After(2*time.Second, func() {
		s.Compact()
		s.DropWatches(0)
	})
	k.RunUntil(time.Minute)
	if got := strings.Join(s.Requests, ", "); got != "list pods , watch pods from 1, watch pods from 6" {
		t.Errorf("requests: %s", got)
	}
}

func TestFilteringHandler(t *testing.T) {
	k, s := world(t, 1)
	c := k.Start("controller")
	informer := cache.NewSharedIndexInformer(cache.NewListWatch(s, pods, "", nil), &corev1.Pod{}, 0, nil)
	d := &diary{kernel: k}
	informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool { return obj.(*corev1.Pod).Spec.NodeName == "n1" },
		Handler:    d,
	})
	run(c, informer)
	for i, node := range []string{"", "n1", "n1", "n2", "n1"} {
		k.After(time.Duration(i+1)*time.Second, func() { s.Put("pods", pod("default", "a", node)) })
	}
	k.After(6*time.Second, func() { s.Remove("pods", "default", "a") })
	k.RunUntil(time.Minute)
	d.expect(t, `
2s add a@3 initial=false
3s update a@3 to a@4
4s delete a@4
5s add a@6 initial=false
6s delete a@7`)
}

func TestResyncAndLateHandlers(t *testing.T) {
	k, s := world(t, 1)
	s.Put("pods", pod("default", "a", ""))
	c := k.Start("controller")
	informer := cache.NewSharedIndexInformer(cache.NewListWatch(s, pods, "", nil), &corev1.Pod{}, 0, nil)
	resynced, never, late := &diary{kernel: k}, &diary{kernel: k}, &diary{kernel: k}
	informer.AddEventHandlerWithResyncPeriod(resynced, 10*time.Second)
	informer.AddEventHandler(never)
	run(c, informer)
	var handle cache.ResourceEventHandlerRegistration
	k.After(15*time.Second, func() {
		c.Run(func() { handle, _ = informer.AddEventHandler(late) })
		if handle.HasSynced() {
			t.Error("a late handler has synced before it was told anything")
		}
	})
	k.After(22*time.Second, func() { informer.RemoveEventHandler(handle) })
	k.After(23*time.Second, func() { s.Put("pods", pod("default", "b", "")) })
	k.RunUntil(25 * time.Second)
	resynced.expect(t, "0s add a@2 initial=true\n10s update a@2 to a@2\n20s update a@2 to a@2\n23s add b@3 initial=false")
	never.expect(t, "0s add a@2 initial=true\n23s add b@3 initial=false")
	late.expect(t, "15s add a@2 initial=true")
	if !handle.HasSynced() {
		t.Error("the late handler never synced")
	}
}

func TestTransform(t *testing.T) {
	k, s := world(t, 1)
	s.Put("pods", pod("default", "a", "n1"))
	c := k.Start("controller")
	informer := cache.NewSharedIndexInformer(cache.NewListWatch(s, pods, "", nil), &corev1.Pod{}, 0, nil)
	informer.SetTransform(func(obj any) (any, error) {
		slim := obj.(*corev1.Pod).DeepCopy()
		slim.Spec = corev1.PodSpec{}
		return slim, nil
	})
	run(c, informer)
	k.After(time.Second, func() { s.Put("pods", pod("default", "b", "n1")) })
	k.RunUntil(2 * time.Second)
	for _, obj := range informer.GetStore().List() {
		if n := obj.(*corev1.Pod).Spec.NodeName; n != "" {
			t.Errorf("%s was not transformed", version(obj))
		}
	}
	if err := informer.SetTransform(nil); err == nil {
		t.Error("a transform was set on a running informer")
	}
	if n := len(informer.GetStore().List()); n != 2 {
		t.Errorf("%d objects", n)
	}
}

func TestAWatchThatIsRefusedIsTriedAgainWithoutAList(t *testing.T) {
	k, s := world(t, 1)
	c := k.Start("controller")
	refusals := 0
	s.React = func(r *client.Request) (client.Result, bool, error) {
		if r.Verb == client.Watch && refusals < 3 {
			refusals++
			return nil, true, apierrors.NewTooManyRequests("later", 1)
		}
		return nil, false, nil
	}
	informer := cache.NewSharedIndexInformer(cache.NewListWatch(s, pods, "", nil), &corev1.Pod{}, 0, nil)
	run(c, informer)
	k.RunUntil(20 * time.Second) // at the worst 2 × (0.8 + 1.6 + 3.2) s
	if got := strings.Join(s.Requests, ", "); got != "list pods , watch pods from 1, watch pods from 1, watch pods from 1, watch pods from 1" {
		t.Errorf("requests: %s", got)
	}
	var pauses []time.Duration
	var last time.Duration
	for i := range k.Trace().Len() {
		if e := k.Trace().Event(trace.ID(i + 1)); e.Text("message") == "Watch failed - backing off" {
			pauses = append(pauses, e.At-last)
			last = e.At
		}
	}
	for i, least := range []time.Duration{800 * time.Millisecond, 1600 * time.Millisecond} {
		if d := pauses[i+1]; d < least || d > 2*least+10*time.Millisecond {
			t.Errorf("pause %d is %v, want from %v to twice that", i, d, least)
		}
	}
}

func TestAWatchThatEndsAtOnceIsNotOpenedAtOnce(t *testing.T) {
	k, s := world(t, 1)
	c := k.Start("controller")
	informer := cache.NewSharedIndexInformer(cache.NewListWatch(s, pods, "", nil), &corev1.Pod{}, 0, nil)
	run(c, informer)
	for i := range 10000 {
		k.After(time.Duration(i)*10*time.Millisecond, func() { s.DropWatches(0) })
	}
	k.RunUntil(100 * time.Second)
	if n := len(s.Requests); n > 20 {
		t.Errorf("%d requests in 100 s to a server that closes every watch", n)
	}
}

func TestWaitForCacheSync(t *testing.T) {
	k, s := world(t, 1)
	s.MinLatency, s.MaxLatency = 30*time.Millisecond, 30*time.Millisecond
	c := k.Start("controller")
	informer := cache.NewSharedIndexInformer(cache.NewListWatch(s, pods, "", nil), &corev1.Pod{}, 0, nil)
	run(c, informer)
	var synced time.Duration
	c.Go("main", func(p *sim.Proc) {
		if !cache.WaitForNamedCacheSync(p, "ReplicaSet", informer.HasSynced) {
			t.Error("not synced")
		}
		synced = p.Now()
	})
	k.RunUntil(time.Second)
	if synced != 100*time.Millisecond {
		t.Errorf("synced at %v; the list came at 60ms, the next look is at 100ms", synced)
	}
}
