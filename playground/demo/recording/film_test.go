package recording

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/trace"
)

// rehearsal is a run without a cluster: random events of every kind that is
// drawn, with cells as the components set them. It reaches corners that a
// cluster reaches rarely: messages to components that are down, Pods on nodes
// that are gone, workers without a queue.
type rehearsal struct {
	*trace.Recorder
	r     *rand.Rand
	at    time.Duration
	rv    int64
	msg   int
	names []string
}

func rehearse(seed int64, events int) *rehearsal {
	r := &rehearsal{Recorder: trace.NewRecorder(trace.All), r: rand.New(rand.NewSource(seed)), rv: 10}
	for i := range 40 {
		r.names = append(r.names, fmt.Sprintf("web-%c%c%c%c%c", 'b'+i%20, 'c'+i/20, 'd'+i%7, 'x', '2'+i%5))
	}
	for r.Len() < events {
		r.step()
	}
	return r
}

var components = []string{"etcd", "kube-apiserver", "kube-scheduler", "replicaset-controller", "node-lifecycle-controller",
	"garbage-collector-controller", "taint-eviction-controller", "kubelet/node-1", "kubelet/node-2", "kubelet/node-3", "containerd/node-1"}

func (r *rehearsal) pick(of ...string) string { return of[r.r.Intn(len(of))] }
func (r *rehearsal) pod() string              { return "default/" + r.names[r.r.Intn(len(r.names))] }
func (r *rehearsal) node() string             { return fmt.Sprintf("node-%d", 1+r.r.Intn(4)) }

func (r *rehearsal) emit(who string, op trace.Op, ref trace.Ref, kv []any, deltas ...trace.Delta) {
	r.at += time.Duration(r.r.Intn(3)*r.r.Intn(4000)) * time.Microsecond
	r.Record(trace.Event{Cause: trace.ID(r.r.Intn(r.Len() + 1)), At: r.at, Component: who, Op: op, Object: ref}, trace.Attrs(kv...), deltas, 0)
}

func cell(kind trace.CellKind, owner, key string) trace.Cell {
	return trace.Cell{Kind: kind, Owner: owner, Key: key}
}

func (r *rehearsal) setOrNot(c trace.Cell, v any) trace.Delta {
	if r.r.Intn(3) == 0 {
		return trace.Unset(c)
	}
	return trace.Set(c, v)
}

func (r *rehearsal) commit(resource, key string, o metav1.Object) {
	r.rv++
	c := cell(trace.CellObject, resource, key)
	typ, d := "ADDED", trace.Set(c, o)
	switch {
	case r.Now()[c] != nil && r.r.Intn(4) == 0:
		typ, d = "DELETED", trace.Unset(c)
	case r.Now()[c] != nil:
		typ = "MODIFIED"
	}
	o.SetResourceVersion(fmt.Sprint(r.rv))
	ns, name, ok := strings.Cut(key, "/")
	if !ok {
		ns, name = "", key
	}
	o.SetName(name)
	o.SetNamespace(ns)
	r.emit("etcd", trace.StoreCommit, trace.Ref{Resource: resource, Namespace: ns, Name: name},
		[]any{"revision", r.rv, "type", typ}, d, trace.Set(cell(trace.CellRevision, "store", ""), r.rv))
}

func (r *rehearsal) step() {
	rc := "replicaset-controller"
	switch r.r.Intn(18) {
	case 0:
		c := cell(trace.CellComponent, components[r.r.Intn(len(components))], "")
		if r.Now()[c] == nil {
			r.emit(c.Owner, trace.ComponentStart, trace.Ref{}, nil, trace.Set(c, "running"))
		} else if r.r.Intn(4) == 0 {
			deltas := []trace.Delta{}
			for _, o := range r.Owned(c.Owner) {
				deltas = append(deltas, trace.Unset(o))
			}
			r.emit(c.Owner, trace.ComponentStop, trace.Ref{}, []any{"reason", "killed"}, deltas...)
		}
	case 1, 2, 3:
		p := &corev1.Pod{}
		p.Spec.Containers = []corev1.Container{{Name: "c", Image: "nginx"}}
		if r.r.Intn(2) == 0 {
			p.Spec.NodeName = r.node()
			if r.r.Intn(2) == 0 {
				p.Status.Phase = corev1.PodPhase(r.pick("Running", "Failed", "Succeeded", "Pending"))
				p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionStatus(r.pick("True", "False"))}}
			}
		}
		if r.r.Intn(5) == 0 {
			p.DeletionTimestamp = &metav1.Time{}
		}
		r.commit("pods", r.pod(), p)
	case 4:
		n := &corev1.Node{}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionStatus(r.pick("True", "Unknown"))}}
		r.commit("nodes", r.node(), n)
	case 5:
		o := &appsv1.ReplicaSet{}
		want := int32(r.r.Intn(9))
		o.Spec.Replicas = &want
		o.Status.Replicas = int32(r.r.Intn(9))
		r.commit("replicasets", "default/"+r.pick("web", "api"), o)
	case 6, 7:
		key := r.pod()
		r.emit(rc, trace.CacheSet, trace.Ref{Resource: "pods", Namespace: "default", Name: key[8:]},
			[]any{"resource", "pods", "type", "MODIFIED", "revision", fmt.Sprint(r.rv)},
			r.setOrNot(cell(trace.CellCache, rc+"/pods", key), fmt.Sprint(r.rv)))
	case 8:
		r.emit(rc, trace.QueueAdd, trace.Ref{}, []any{"queue", "replicaset", "key", "default/web", "outcome", "queued"},
			r.setOrNot(cell(trace.CellQueue, "replicaset", "default/"+r.pick("web", "api", "db")),
				trace.QueueItem{Position: r.r.Intn(4) - 1, Dirty: r.r.Intn(2) == 0, Processing: r.r.Intn(2) == 0, Delayed: time.Duration(r.r.Intn(2))}))
	case 9:
		r.emit(rc, trace.QueueGet, trace.Ref{}, []any{"queue", "replicaset", "key", "default/web"},
			trace.Set(cell(trace.CellWorker, rc, fmt.Sprintf("worker-%d", r.r.Intn(5))), r.pick("", "default/web", "default/api")))
	case 10:
		r.emit("kube-scheduler", trace.SchedulingQueue, trace.Ref{}, []any{"from", "", "to", "activeQ", "event", "PodAdd"},
			r.setOrNot(cell(trace.CellScheduling, r.pick("activeQ", "backoffQ", "unschedulablePods", "inFlight"), r.pod()), "why"))
	case 11:
		pod := r.pod()
		r.emit("kube-scheduler", trace.NodeFilter, trace.Ref{}, []any{"node", "node-1", "fits", true},
			trace.Set(cell(trace.CellVerdict, pod, r.node()), r.pick("fits", "score 63", "Insufficient cpu")))
	case 12:
		r.emit("kube-scheduler", trace.PodAssume, trace.Ref{}, []any{"node", "node-1"}, r.setOrNot(cell(trace.CellAssumed, r.node(), r.pod()), true))
	case 13:
		r.emit("containerd/node-1", trace.SandboxStart, trace.Ref{}, []any{"sandbox", "x", "state", "ready"},
			r.setOrNot(cell(trace.CellSandbox, r.node(), r.pod()), "ready"),
			r.setOrNot(cell(trace.CellImage, r.node(), "nginx"), r.pick("pulling", "present")),
			r.setOrNot(cell(trace.CellContainer, r.node(), r.pod()+"/c"), r.pick("created", "running")))
	case 14:
		r.emit("kube-apiserver", trace.WatchOpen, trace.Ref{Resource: "pods"}, []any{"watch", 1, "resource", "pods", "client", rc, "revision", "1"},
			r.setOrNot(cell(trace.CellWatch, components[r.r.Intn(len(components))], fmt.Sprint(r.r.Intn(3))), "pods"))
	default:
		if r.msg > 3 && r.r.Intn(2) == 0 {
			r.emit(rc, trace.WatchReceive, trace.Ref{}, []any{"watch", 1, "type", "ADDED", "revision", "3"},
				trace.Unset(cell(trace.CellMessage, "", fmt.Sprint(1+r.r.Intn(r.msg)))))
			return
		}
		r.msg++
		m := trace.Message{Kind: "watch", From: "kube-apiserver", To: components[r.r.Intn(len(components))], Label: "ADDED " + r.names[0], Good: true,
			Sent: r.at, Arrives: r.at + 2*time.Millisecond}
		if r.r.Intn(2) == 0 {
			m = trace.Message{Kind: "request", From: r.pick("user", "kubectl", rc, "kubelet/node-2"), To: "kube-apiserver", Label: "POST pods", Good: true,
				Sent: r.at, Arrives: r.at + time.Millisecond}
		}
		r.emit(m.From, trace.WatchSend, trace.Ref{}, []any{"watch", 1, "client", m.To, "type", "ADDED", "revision", "3"},
			trace.Set(cell(trace.CellMessage, "", fmt.Sprint(r.msg)), m))
	}
}

// picture is what a player holds: shapes by id.
type picture map[string]scene.Shape

func (p picture) apply(f *Frame) (undo Frame) {
	for _, s := range f.Set {
		if old, ok := p[s.ID]; ok {
			undo.Set = append(undo.Set, old)
		} else {
			undo.Gone = append(undo.Gone, s.ID)
		}
		p[s.ID] = s
	}
	for _, id := range f.Gone {
		undo.Set = append(undo.Set, p[id])
		delete(p, id)
	}
	return undo
}

func (p picture) shapes() []scene.Shape {
	out := make([]scene.Shape, 0, len(p))
	for _, s := range p {
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Z != out[j].Z {
			return out[i].Z < out[j].Z
		}
		return out[i].ID < out[j].ID
	})
	return out
}

func stale(s scene.Scene) []scene.Shape {
	for i := range s.Shapes {
		s.Shapes[i].Fresh = false
	}
	return s.Shapes
}

func TestFramesFoldToTheScene(t *testing.T) {
	for _, shows := range pictures() {
		for seed := int64(1); seed <= 4; seed++ {
			rec := rehearse(seed, 700)
			film := NewFilm(rec.Recorder, shows)
			frames := film.Frames(1)
			look := rand.New(rand.NewSource(seed))
			p, undo := picture{}, []Frame{}
			check := func(after int) {
				t.Helper()
				want := stale(scene.At(rec.Recorder, trace.ID(after), shows))
				if got := p.shapes(); !reflect.DeepEqual(got, want) {
					t.Fatalf("%+v, seed %d: the frames up to event %d do not give its scene: %s", shows, seed, after, firstDifference(got, want))
				}
			}
			for i := range frames {
				undo = append(undo, p.apply(&frames[i]))
				if look.Intn(60) == 0 || i == len(frames)-1 {
					check(i + 1)
				}
			}
			for i := len(undo) - 1; i >= 0; i-- {
				p.apply(&undo[i])
				if i > 0 && look.Intn(60) == 0 {
					check(i)
				}
			}
			if len(p) != 0 {
				t.Errorf("before the first event there are %d shapes", len(p))
			}
		}
	}
}

func firstDifference(got, want []scene.Shape) string {
	for i := 0; i < len(got) && i < len(want); i++ {
		if got[i] != want[i] {
			return fmt.Sprintf("\n got %+v\nwant %+v", got[i], want[i])
		}
	}
	return fmt.Sprintf("%d shapes, not %d", len(got), len(want))
}

func TestAFilmThatGrowsIsTheSame(t *testing.T) {
	seed := int64(7)
	whole := NewFilm(rehearse(seed, 300).Recorder, clusterIn(scene.Wide)).Frames(1)
	r := &rehearsal{Recorder: trace.NewRecorder(trace.All), r: rand.New(rand.NewSource(seed)), rv: 10, names: rehearse(seed, 1).names}
	film := NewFilm(r.Recorder, clusterIn(scene.Wide))
	var grown []Frame
	for r.Len() < 300 {
		r.step()
		grown = append(grown, film.Frames(len(grown)+1)...)
	}
	for i := range grown {
		grown[i].Stack, whole[i].Stack = 0, 0
		if !reflect.DeepEqual(grown[i], whole[i]) {
			t.Fatalf("seed %d: frame %d differs when the film is made event by event:\n got %+v\nwant %+v", seed, i, grown[i], whole[i])
		}
	}
}

// What a film passes over it does not draw; what comes then is the same.
func TestAFilmFromTheMiddleIsTheSame(t *testing.T) {
	const seed, events = 9, 900
	rec := rehearse(seed, events).Recorder
	for _, shows := range pictures() {
		whole := NewFilm(rec, shows).Frames(1)
		for _, from := range []int{2, drawEvery, drawEvery + 1, drawEvery + 2, 700, events, events + 1, events + 5} {
			film := NewFilm(rec, shows)
			same := func(from int) {
				t.Helper()
				want := whole[min(from, events+1)-1:]
				got := film.Frames(from)
				if len(got) != len(want) {
					t.Fatalf("%+v, seed %d: %d frames from %d on, not %d", shows, seed, len(got), from, len(want))
				}
				for i := range got {
					if !reflect.DeepEqual(got[i], want[i]) {
						t.Fatalf("%+v, seed %d, from %d: frame %d is\n%+v\nnot\n%+v", shows, seed, from, i, got[i], want[i])
					}
				}
			}
			same(from)
			same(events - 3)
			same(from - 1) // looks further back than what it passed over
			same(1)
		}
	}
}

// pictures are the views, in both layouts.
func pictures() (out []scene.Options) {
	for _, l := range []scene.Layout{scene.Wide, scene.Narrow} {
		out = append(out, clusterIn(l), scene.Options{Layout: l}, scene.Options{Layout: l, Level: trace.Objects},
			scene.Options{Layout: l, Insides: []string{"replicaset-controller", "endpointslice-controller"}},
			scene.Options{Layout: l, Insides: []string{"generic-garbage-collector", "deployment-controller", "replicaset-controller"}})
		for _, focus := range []string{"replicaset-controller", "deployment-controller", "kube-scheduler",
			scene.FocusStore, scene.FocusCollector, scene.FocusRequest, scene.FocusNetwork, scene.FocusKubelet} {
			out = append(out, scene.Options{Layout: l, Focus: focus})
		}
		out = append(out, moving(l))
	}
	return out
}

// moving is a picture that goes from the whole cluster to one part, to another, and back.
func moving(l scene.Layout) scene.Options {
	commits := func(e *trace.Event) bool { return e.Op == trace.StoreCommit }
	o := clusterIn(l)
	o.Moves = []scene.Move{
		{Focus: "replicaset-controller", Nth: 12, Matches: commits},
		{Focus: scene.FocusStore, Nth: 30, Matches: commits},
		{Focus: scene.FocusKubelet, Nth: 45, Matches: commits},
		{Insides: scene.DefaultInsides, Nth: 60, Matches: commits},
	}
	return o
}

// mostSlides is how many shapes the page lets move at once: site/widgets/picture/draw.ts.
const mostSlides = 120

// A picture goes to another view in one frame, in which the page lets everything move. What both views have is the same shape, in its new place.
func TestThePictureMovesToAnotherView(t *testing.T) {
	for _, l := range []scene.Layout{scene.Wide, scene.Narrow} {
		shows := moving(l)
		for i, rec := range ran()[:2] {
			frames, now := NewFilm(rec, shows).Frames(1), picture{}
			at, commits := 0, 0
			for j := range frames {
				before := picture{}
				for id, s := range now {
					before[id] = s
				}
				now.apply(&frames[j])
				m := shows.Moves[min(at, len(shows.Moves)-1)]
				if !m.Matches(rec.Event(trace.ID(j + 1))) {
					continue
				}
				if commits++; commits != m.Nth {
					continue
				}
				at++
				if n := len(frames[j].Set) + len(frames[j].Gone); n > mostSlides {
					t.Errorf("layout %s, run %d: going to %q changes %d shapes", l, i, m.Focus, n)
				}
				both := 0
				for id, s := range before {
					if other, ok := now[id]; ok {
						if both++; other.Kind != s.Kind {
							t.Errorf("layout %s, run %d: %s becomes a %s", l, i, id, other.Kind)
						}
					}
				}
				if both < 3 {
					t.Errorf("layout %s, run %d: only %d shapes move to the view of %q", l, i, both, m.Focus)
				}
			}
			if at != len(shows.Moves) {
				t.Errorf("layout %s, run %d: the picture moved %d times, not %d", l, i, at, len(shows.Moves))
			}
		}
	}
}

// ran are rehearsals, and at 0 a cluster's own run.
func ran() []*trace.Recorder {
	c := cluster.New(cluster.DefaultConfig(), 23)
	eight, two := int32(8), int32(2)
	for _, in := range []cluster.Input{
		{At: 13 * time.Second, Kind: cluster.Apply, Manifest: json.RawMessage(webReplicaSet)},
		{At: 20 * time.Second, Kind: cluster.Scale, Resource: "replicasets", Namespace: "default", Name: "web", Replicas: &eight},
		{At: 25 * time.Second, Kind: cluster.KillNode, Node: "node-2"},
		{At: 30 * time.Second, Kind: cluster.Scale, Resource: "replicasets", Namespace: "default", Name: "web", Replicas: &two},
	} {
		if err := c.Schedule(in); err != nil {
			panic(err)
		}
	}
	c.RunUntil(40 * time.Second)
	c.Close()
	d := cluster.New(cluster.DefaultConfig(), 24)
	lost := strings.Replace(lostConfigMap, "lost", "a-configmap-with-a-rather-long-name", 1)
	for _, in := range []cluster.Input{
		{At: 13 * time.Second, Kind: cluster.Apply, Manifest: json.RawMessage(webDeployment)},
		{At: 20 * time.Second, Kind: cluster.Delete, Resource: "deployments", Name: "web", Cascade: "foreground"},
		{At: 26 * time.Second, Kind: cluster.Create, Manifest: json.RawMessage(lostConfigMap)},
		{At: 27 * time.Second, Kind: cluster.Create, Manifest: json.RawMessage(lost)},
		{At: 28 * time.Second, Kind: cluster.Apply, Manifest: json.RawMessage(webDeployment)},
		{At: 34 * time.Second, Kind: cluster.Delete, Resource: "deployments", Name: "web", Cascade: "orphan"},
		{At: 36 * time.Second, Kind: cluster.Stop, Component: scene.FocusCollector},
		{At: 37 * time.Second, Kind: cluster.Start, Component: scene.FocusCollector},
	} {
		if err := d.Schedule(in); err != nil {
			panic(err)
		}
	}
	d.RunUntil(40 * time.Second)
	d.Close()
	return []*trace.Recorder{c.Trace(), d.Trace(), rehearse(1, 500).Recorder, rehearse(2, 500).Recorder, rehearse(3, 500).Recorder}
}

const webDeployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":9,"selector":{"matchLabels":{"app":"web"}},
"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx:1.27"}]}}}}`

const lostConfigMap = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"lost","namespace":"default","ownerReferences":[
{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"00000000-0000-4000-8000-000000000000"}]}}`

const webReplicaSet = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},
"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx:1.27"}]}}}}`

// each looks at some moments of a run.
func each(rec *trace.Recorder, shows scene.Options, look func(id int, s scene.Scene)) {
	stage := scene.NewPicture(shows)
	for id := 1; id <= rec.Len(); id++ {
		if stage.Apply(rec.Event(trace.ID(id))); id%37 == 0 {
			look(id, stage.Scene())
		}
	}
}

// Shapes of one layer do not overlap, nothing is outside, and text fits its box.
func TestNothingOverlaps(t *testing.T) {
	runs := ran()
	for _, shows := range pictures() {
		w, h := scene.Size(shows)
		if shows.Layout == scene.Wide && (w > 800 || h > 520) || shows.Layout == scene.Narrow && (w > 360 || h > 404) {
			t.Errorf("%+v: %d × %d is more than fits beside the text", shows, w, h)
		}
		for seed, rec := range runs {
			each(rec, shows, func(id int, s scene.Scene) {
				if s.Width != w || s.Height != h {
					t.Fatalf("%+v, seed %d, event %d: the picture is %d × %d, not %d × %d", shows, seed, id, s.Width, s.Height, w, h)
				}
				for i, a := range s.Shapes {
					if a.Kind != scene.Box {
						continue
					}
					if a.X < 0 || a.Y < 0 || a.X+a.W > w || a.Y+a.H > h {
						t.Fatalf("%+v, seed %d, event %d: %s is outside of the picture: %+v", shows, seed, id, a.ID, a)
					}
					for _, b := range s.Shapes[i+1:] {
						if b.Kind == scene.Box && a.Z == b.Z &&
							a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
							t.Fatalf("%+v, seed %d, event %d: two shapes of layer %d overlap:\n%+v\n%+v", shows, seed, id, a.Z, a, b)
						}
					}
				}
			})
		}
	}
}

// fonts are the sizes of a shape's title and its other texts, and how much room its sides and its mark take.
func fonts(shows scene.Options, s *scene.Shape) (title, detail, sides, mark int) {
	switch scene.FormOf(s) {
	case scene.FormPanel:
		if s.Role == scene.RoleUser || s.Role == scene.RoleMinor {
			return 14, 14, 28, 20
		}
		return 17, 14, 28, 20
	case scene.FormText:
		if s.Role == scene.RoleDifference {
			return 17, 14, 0, 18
		}
		if s.Role == scene.RoleDestination && s.State == "now" {
			return 17, 14, 0, 18
		}
		return 14, 14, 0, 18
	case scene.FormNumber:
		return map[scene.Layout]int{scene.Wide: 36, scene.Narrow: 32}[shows.Layout], 14, 0, 0
	case scene.FormTile:
		if s.Mark == "" {
			return 14, 14, 6, 0
		}
		return 14, 14, 16, 17
	case scene.FormPill:
		return 14, 14, 16, 0
	}
	panic("no form of a view: " + string(scene.FormOf(s)))
}

// Every text fits its box by the conservative estimate, in every language, and in
// the views of one part none is cut, and none is smaller than can be read.
func TestTextFits(t *testing.T) {
	runs := ran()
	for _, shows := range pictures() {
		for seed, rec := range runs {
			each(rec, shows, func(id int, sc scene.Scene) {
				for _, s := range sc.Shapes {
					if s.Title != "" || s.Detail != "" || s.Word != "" {
						if s.Form == "" {
							t.Fatalf("%+v, seed %d, event %d: %s has small type", shows, seed, id, s.ID)
						}
						if strings.Contains(s.Title+s.Detail, "…") {
							t.Fatalf("%+v, seed %d, event %d: %s is cut: %q %q", shows, seed, id, s.ID, s.Title, s.Detail)
						}
					}
					if s.Kind != scene.Box && s.Form == "" {
						continue
					}
					for _, lang := range phrase.Languages() {
						title, detail := said(t, lang, s.Word, s.Args, s.Title), said(t, lang, s.DetailWord, s.Args, s.Detail)
						large, small, used, mark := fonts(shows, &s)
						if s.Mark != "" {
							used += mark
						}
						form := scene.FormOf(&s)
						inTitle, inDetail := scene.TextWidth(title, large), scene.TextWidth(detail, small)
						width := (max(inTitle, inDetail) + 9) / 10
						if form != scene.FormNumber && (s.H < 30 || form == scene.FormFrame || form == scene.FormPanel) { // side by side
							width = (inTitle + inDetail + 9) / 10
						}
						if (title+detail != "") && width+used > s.W {
							t.Fatalf("%+v, seed %d, event %d, %s: %q %q needs %d units, but %s has %d", shows, seed, id, lang, title, detail, width+used,
								s.ID, s.W)
						}
					}
				}
			})
		}
	}
}

// said is what stands in a place of a box: a phrase, filled, or the text.
func said(t *testing.T, lang, key, args, text string) string {
	if key == "" {
		return text
	}
	template := phrase.Word(lang, key)
	if template == "" {
		t.Fatalf("%s.json has no %q, which a shape asks for", lang, key)
	}
	named := map[string]string{}
	for i, a := range strings.Split(args, "|") {
		named[strconv.Itoa(i+1)] = a
	}
	for _, name := range phrase.Names(template) {
		if named[name] == "" {
			t.Fatalf("%s.json: %q asks for {%s}, but the shape has %q", lang, key, name, args)
		}
	}
	return phrase.Fill(template, named)
}

func TestMergePatches(t *testing.T) {
	parse := func(s string) (m map[string]any) {
		if err := json.Unmarshal([]byte(s), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, c := range []struct{ a, b, patch string }{
		{`{"a":1}`, `{"a":1}`, `{}`},
		{`{"a":1,"b":{"c":[1],"d":2}}`, `{"b":{"c":[1,2],"d":2},"e":"x"}`, `{"a":null,"b":{"c":[1,2]},"e":"x"}`},
		{`{"a":{"b":1}}`, `{"a":"x"}`, `{"a":"x"}`},
		{`{"a":"x"}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`},
	} {
		got := api.MergePatch(parse(c.a), parse(c.b))
		if text, _ := json.Marshal(got); string(text) != c.patch {
			t.Errorf("from %s to %s: %s, not %s", c.a, c.b, text, c.patch)
		}
		if !reflect.DeepEqual(merge(parse(c.a), got), parse(c.b)) {
			t.Errorf("the patch %s on %s does not give %s", c.patch, c.a, c.b)
		}
	}
}

func BenchmarkFilm(b *testing.B) {
	for _, layout := range []scene.Layout{scene.Wide, scene.Narrow} {
		b.Run(string(layout), func(b *testing.B) {
			rec := rehearse(1, 2000)
			b.ResetTimer()
			for range b.N {
				NewFilm(rec.Recorder, clusterIn(layout)).Frames(1)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/2000, "µs/event")
		})
	}
}

// clusterIn is the picture of the whole cluster.
func clusterIn(l scene.Layout) scene.Options {
	return scene.Options{Layout: l, Insides: scene.DefaultInsides}
}
