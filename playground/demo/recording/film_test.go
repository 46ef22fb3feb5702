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

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
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
	r.Record(trace.Event{Cause: trace.ID(r.r.Intn(r.Len() + 1)), At: r.at, Component: who, Op: op, Object: ref, Attrs: trace.Attrs(kv...), Deltas: deltas}, 0)
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
	for _, layout := range []scene.Layout{scene.Wide, scene.Narrow} {
		for seed := int64(1); seed <= 4; seed++ {
			rec := rehearse(seed, 700)
			film := NewFilm(rec.Recorder, layout)
			frames := film.Frames(1)
			look := rand.New(rand.NewSource(seed))
			p, undo := picture{}, []Frame{}
			check := func(after int) {
				t.Helper()
				want := stale(scene.At(rec.Recorder, trace.ID(after), layout))
				if got := p.shapes(); !reflect.DeepEqual(got, want) {
					t.Fatalf("layout %s, seed %d: the frames up to event %d do not give its scene: %s", layout, seed, after, firstDifference(got, want))
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
	whole := NewFilm(rehearse(seed, 300).Recorder, scene.Wide).Frames(1)
	r := &rehearsal{Recorder: trace.NewRecorder(trace.All), r: rand.New(rand.NewSource(seed)), rv: 10, names: rehearse(seed, 1).names}
	film := NewFilm(r.Recorder, scene.Wide)
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
	for _, layout := range []scene.Layout{scene.Wide, scene.Narrow} {
		whole := NewFilm(rec, layout).Frames(1)
		for _, from := range []int{2, drawEvery, drawEvery + 1, drawEvery + 2, 700, events, events + 1, events + 5} {
			film := NewFilm(rec, layout)
			same := func(from int) {
				t.Helper()
				want := whole[min(from, events+1)-1:]
				got := film.Frames(from)
				if len(got) != len(want) {
					t.Fatalf("layout %s, seed %d: %d frames from %d on, not %d", layout, seed, len(got), from, len(want))
				}
				for i := range got {
					if !reflect.DeepEqual(got[i], want[i]) {
						t.Fatalf("layout %s, seed %d, from %d: frame %d is\n%+v\nnot\n%+v", layout, seed, from, i, got[i], want[i])
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

// Shapes of one layer do not overlap, nothing is outside, and text fits its box.
func TestNothingOverlaps(t *testing.T) {
	for _, layout := range []scene.Layout{scene.Wide, scene.Narrow} {
		w, h := scene.Size(layout)
		for seed := int64(1); seed <= 3; seed++ {
			rec := rehearse(seed, 500)
			for id := 20; id <= rec.Len(); id += 60 {
				s := scene.At(rec.Recorder, trace.ID(id), layout)
				for i, a := range s.Shapes {
					if a.Kind != scene.Box {
						continue
					}
					if a.X < 0 || a.Y < 0 || a.X+a.W > w || a.Y+a.H > h {
						t.Fatalf("layout %s, seed %d, event %d: %s is outside of the picture: %+v", layout, seed, id, a.ID, a)
					}
					for _, b := range s.Shapes[i+1:] {
						if b.Kind == scene.Box && a.Z == b.Z && a.Role != scene.RoleLabel && b.Role != scene.RoleLabel && a.Role != scene.RoleStore &&
							b.Role != scene.RoleStore &&
							a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
							t.Fatalf("layout %s, seed %d, event %d: two shapes of layer %d overlap:\n%+v\n%+v", layout, seed, id, a.Z, a, b)
						}
					}
				}
			}
		}
	}
}

// Every text fits its box by the conservative estimate, in every language.
func TestTextFits(t *testing.T) {
	for _, layout := range []scene.Layout{scene.Wide, scene.Narrow} {
		font := map[scene.Layout]int{scene.Wide: 12, scene.Narrow: 11}[layout]
		for seed := int64(1); seed <= 2; seed++ {
			rec := rehearse(seed, 400)
			for id := 20; id <= rec.Len(); id += 40 {
				for _, s := range scene.At(rec.Recorder, trace.ID(id), layout).Shapes {
					if s.Kind != scene.Box {
						continue
					}
					for _, lang := range phrase.Languages() {
						title, detail, used := said(t, lang, s.Word, s.Args, s.Title), said(t, lang, s.DetailWord, s.Args, s.Detail), 0
						if s.Mark != "" {
							used = 13
						}
						form := scene.FormOf(s.Role)
						switch {
						case form == scene.FormFrame:
							used += 24
						case form == scene.FormChip:
							used += 12
						}
						width := (max(scene.TextWidth(title, font), scene.TextWidth(detail, font)) + 9) / 10
						if s.H < 30 || form == scene.FormFrame { // side by side
							width = (scene.TextWidth(title, font) + scene.TextWidth(detail, font) + 9) / 10
						}
						if (title+detail != "") && width+used > s.W {
							t.Fatalf("layout %s, seed %d, event %d, %s: %q %q needs %d units, but %s has %d", layout, seed, id, lang, title, detail, width+used,
								s.ID, s.W)
						}
					}
				}
			}
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
		got := mergePatch(parse(c.a), parse(c.b))
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
				NewFilm(rec.Recorder, layout).Frames(1)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/2000, "µs/event")
		})
	}
}
