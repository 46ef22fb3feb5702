package scene_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/trace"
)

// played is a trace that is made by hand, and the picture after it.
type played struct {
	*trace.Recorder
	layout scene.Layout
}

func play(layout scene.Layout) *played { return &played{trace.NewRecorder(trace.All), layout} }

func (p *played) event(component string, op trace.Op, about trace.Ref, attrs []any, deltas ...trace.Delta) {
	p.Record(trace.Event{Component: component, Op: op, Object: about}, trace.Attrs(attrs...), deltas, 0)
}

func (p *played) start(component string) {
	p.event(component, trace.ComponentStart, trace.Ref{}, nil, trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: component}, "running"))
}

func (p *played) shape(t *testing.T, id string) scene.Shape {
	t.Helper()
	for _, s := range scene.At(p.Recorder, trace.ID(p.Len()), scene.Options{Layout: p.layout, Insides: scene.DefaultInsides}).Shapes {
		if s.ID == id {
			return s
		}
	}
	t.Fatalf("%s is not in the picture of layout %s", id, p.layout)
	return scene.Shape{}
}

// The user's box shows a command as it would be typed, and what is no command
// as what it is, in the reader's language.
func TestTheUsersBoxTellsCommandsFromAccidents(t *testing.T) {
	web := trace.Ref{Resource: "replicasets", Name: "web"}
	manifest := `{"kind":"ReplicaSet","metadata":{"name":"web"}}`
	for _, c := range []struct {
		about        trace.Ref
		attrs        []any
		wide, narrow string
		word         string
	}{
		{web, []any{"kind", "scale", "replicas", 8}, "scale rs/web 8", "scale rs/web 8", ""},
		{trace.Ref{}, []any{"kind", "apply", "manifest", manifest}, "apply -f web.yaml", "apply web.yaml", ""},
		{trace.Ref{Resource: "pods", Name: "web-*"}, []any{"kind", "delete"}, "delete pod/web-*", "delete web-*", ""},
		{trace.Ref{Resource: "pods"}, []any{"kind", "delete", "selector", "app=a"}, "delete po -l app=a", "delete po", ""},
		{trace.Ref{}, []any{"kind", "kill-node", "node", "node-2"}, "✕ node-2", "✕ node-2", "scene.input.kill-node"},
		{trace.Ref{}, []any{"kind", "start-node", "node", "node-2"}, "↑ node-2", "↑ node-2", "scene.input.start-node"},
		{trace.Ref{}, []any{"kind", "drop-watch", "component", "replicaset-controller"}, "↯ replicaset", "↯ replicaset", "scene.input.drop-watch"},
		{trace.Ref{}, []any{"kind", "stop", "component", "kube-scheduler"}, "✕ kube-scheduler", "✕ kube-scheduler", "scene.input.stop"},
	} {
		for layout, want := range map[scene.Layout]string{scene.Wide: c.wide, scene.Narrow: c.narrow} {
			p := play(layout)
			p.event("user", trace.Input, c.about, c.attrs)
			label, box := p.shape(t, "user/command"), p.shape(t, "user")
			if got := strings.TrimSpace(label.Mark + " " + label.Title); got != want {
				t.Errorf("layout %s: %v is shown as %q, not %q", layout, c.attrs, got, want)
			}
			if want := cmp.Or(c.word, "scene.user"); layout == scene.Wide && box.Word != want {
				t.Errorf("%v: the box says %q, want %q", c.attrs, box.Word, want)
			}
			for _, lang := range phrase.Languages() {
				if c.word != "" && phrase.Word(lang, c.word) == "" {
					t.Errorf("%s.json has no %q", lang, c.word)
				}
			}
		}
	}
}

// A watch that is gone shows at the wire and at every entry that it fed, until
// the next one opens; what a component watched in an earlier life does not count.
func TestALostWatchShows(t *testing.T) {
	const rc = "replicaset-controller"
	for _, layout := range []scene.Layout{scene.Wide, scene.Narrow} {
		p := play(layout)
		pod := trace.Ref{Resource: "pods", Namespace: "default", Name: "web-x2k9p"}
		watch := func(client string, n int) trace.Cell {
			return trace.Cell{Kind: trace.CellWatch, Owner: client, Key: fmt.Sprint(n)}
		}
		open := func(client, resource string, n int) {
			p.event("kube-apiserver", trace.WatchOpen, trace.Ref{Resource: resource}, []any{"watch", n, "resource", resource, "client", client},
				trace.Set(watch(client, n), resource))
		}
		lose := func(client, resource string, n int) {
			p.event(client, trace.WatchClose, trace.Ref{Resource: resource}, []any{"watch", n, "reason", "connection is lost"}, trace.Unset(watch(client, n)))
		}
		expect := func(when, wire string) {
			t.Helper()
			if got := p.shape(t, "wire/"+rc+"/watch").State; got != wire {
				t.Errorf("layout %s, %s: the wire is %q, not %q", layout, when, got, wire)
			}
		}
		for _, c := range []string{"kube-apiserver", rc, "kube-scheduler", "kubelet/node-1"} {
			p.start(c)
		}
		p.event("etcd", trace.StoreCommit, pod, []any{"revision", int64(7), "type", "ADDED"},
			trace.Set(trace.Cell{Kind: trace.CellObject, Owner: "pods", Key: pod.Key()},
				&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, ResourceVersion: "7"}}))
		p.event(rc, trace.CacheSet, pod, []any{"resource", "pods", "type", "ADDED"},
			trace.Set(trace.Cell{Kind: trace.CellCache, Owner: rc + "/pods", Key: pod.Key()}, "7"))
		expect("before the first watch", "")
		open(rc, "pods", 1)
		open(rc, "replicasets", 2)
		expect("watching", "watching")
		lose(rc, "replicasets", 2)
		expect("another watch is gone", "unwatched")
		if layout == scene.Wide {
			if l := p.shape(t, "component/"+rc); l.DetailWord != "scene.unwatched" || l.Args != "replicasets" {
				t.Errorf("behind the name stands %q %q", l.DetailWord, l.Args)
			}
		} else if l := p.shape(t, "component/"+rc+"/note"); l.Word != "scene.unwatched" || l.Args != "rs" {
			t.Errorf("below the name stands %q %q", l.Word, l.Args)
		}
		lose(rc, "pods", 1)
		expect("cut", "unwatched")
		if layout == scene.Wide {
			if l := p.shape(t, "component/"+rc); l.DetailWord != "scene.unwatched" || l.Args != "pods, replicasets" {
				t.Errorf("behind the name stands %q %q", l.DetailWord, l.Args)
			}
		}
		open(rc, "pods", 3)
		open(rc, "replicasets", 4)
		expect("watching again", "watching")
		lose(rc, "pods", 3)
		p.event(rc, trace.ComponentStop, trace.Ref{}, []any{"reason", "crash"}, trace.Unset(trace.Cell{Kind: trace.CellComponent, Owner: rc}))
		p.start(rc)
		lose(rc, "replicasets", 4)
		if got := p.shape(t, "wire/"+rc+"/watch").State; got != "" {
			t.Errorf("layout %s: a controller that has just started has a wire that is %q", layout, got)
		}
		for _, c := range []string{"kube-scheduler", "kubelet/node-1"} {
			open(c, "pods", 9)
			lose(c, "pods", 9)
			if got := p.shape(t, "wire/"+c).State; got != "unwatched" {
				t.Errorf("layout %s: the wire of %s is %q", layout, c, got)
			}
			if c != "kube-scheduler" {
				continue
			}
			says := p.shape(t, map[scene.Layout]string{scene.Wide: "scheduler/waiting", scene.Narrow: "scheduler/does"}[layout])
			if says.Word != "scene.unwatched" || says.Args != "pods" && says.Args != "po" {
				t.Errorf("layout %s: of the scheduler's lost watch is said %q %q", layout, says.Word, says.Args)
			}
		}
	}
}

// The newest write is the newest that is no heartbeat; the revision counts all.
func TestTheNewestWriteIsNoHeartbeat(t *testing.T) {
	p := play(scene.Wide)
	commit := func(revision int64, kind string, about trace.Ref, o any) {
		p.event("etcd", trace.StoreCommit, about, []any{"revision", revision, "type", kind},
			trace.Set(trace.Cell{Kind: trace.CellRevision, Owner: "store"}, revision),
			trace.Set(trace.Cell{Kind: trace.CellObject, Owner: about.Resource, Key: about.Key()}, o))
	}
	want := func(revision, newest string) {
		t.Helper()
		if l := p.shape(t, "store/revision"); l.Word != "scene.revision" || l.Args != revision {
			t.Errorf("the store is at %q %q, not %q", l.Word, l.Args, revision)
		}
		if l := p.shape(t, "revision"); l.Title != newest {
			t.Errorf("the newest write is %q, not %q", l.Title, newest)
		}
	}
	lease := trace.Ref{Resource: "leases", Namespace: "kube-node-lease", Name: "node-1"}
	commit(5, "ADDED", trace.Ref{Resource: "pods", Namespace: "default", Name: "a"}, &corev1.Pod{})
	want("5", "ADDED po/a")
	commit(6, "MODIFIED", lease, &coordinationv1.Lease{})
	commit(7, "MODIFIED", lease, &coordinationv1.Lease{})
	want("7", "ADDED po/a")
	commit(8, "MODIFIED", trace.Ref{Resource: "pods", Namespace: "default", Name: "web-5f6c7-x2k9p"}, &corev1.Pod{})
	want("8", "MODIFIED x2k9p")
	commit(9, "ADDED", trace.Ref{Resource: "secrets", Namespace: "a", Name: "db"}, &corev1.Secret{})
	want("9", "ADDED a/db")
	commit(10, "ADDED", trace.Ref{Resource: "secrets", Namespace: "orders", Name: "db"}, &corev1.Secret{})
	want("10", "ADDED orders/db")
}

// Where the control plane is still to be started, a controller's place is there, so that no wire ends in nothing.
func TestAControllerThatIsStillToStart(t *testing.T) {
	const panel = "component/replicaset-controller"
	p := play(scene.Wide)
	p.start("kube-apiserver")
	if got := p.shape(t, panel); got.State != "unstarted" || got.DetailWord != "scene.unstarted" {
		t.Errorf("it is %q, and says %q", got.State, got.DetailWord)
	}
	p.start("replicaset-controller")
	if got := p.shape(t, panel); got.State != "running" || got.DetailWord != "" {
		t.Errorf("it runs, and is %q, and says %q", got.State, got.DetailWord)
	}
}

// A machine is in the picture as soon as kubeadm runs on it, with the phase in which it is; from its Node on it says what kubectl says.
func TestAMachineShowsWhatKubeadmDoes(t *testing.T) {
	p := play(scene.Wide)
	p.start("kube-apiserver")
	p.start("kubeadm/node-1")
	say := func(line string) {
		p.event("kubeadm/node-1", trace.Log, trace.Ref{}, []any{"message", line})
	}
	say(`[certs] Generating "ca" certificate and key`)
	if got := p.shape(t, "node/node-1"); got.Detail != "kubeadm certs" || got.State != "not-ready" {
		t.Errorf("the machine is %s, and says %q", got.State, got.Detail)
	}
	p.start("kubelet/node-1")
	say("[kubelet-check] The kubelet is healthy after 500ms")
	say("Your Kubernetes control-plane has initialized successfully!")
	if got := p.shape(t, "node/node-1").Detail; got != "kubeadm kubelet-check" {
		t.Errorf("it says %q", got)
	}
	p.event("kubeadm/node-1", trace.ComponentStop, trace.Ref{}, nil, trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: "kubeadm/node-1"}, nil))
	if got := p.shape(t, "node/node-1").Detail; got != "NotReady" {
		t.Errorf("kubeadm has ended, and it says %q", got)
	}
}
