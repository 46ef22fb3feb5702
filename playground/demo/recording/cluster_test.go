package recording_test

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/trace"
)

const web = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web","namespace":"default"},"spec":{"replicas":3,
"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx:1.27"}]}}}}`

// A cluster's own run, not a rehearsal: its frames fold to its scenes, and it
// keeps the budget of a recording, 60 kB for about 2500 events.
func TestOfACluster(t *testing.T) {
	const seed = 23
	c := cluster.New(cluster.DefaultConfig(), seed)
	eight := int32(8)
	for _, in := range []cluster.Input{
		{At: 13 * time.Second, Kind: cluster.Apply, Manifest: json.RawMessage(web)},
		{At: 20 * time.Second, Kind: cluster.Scale, Resource: "replicasets", Namespace: "default", Name: "web", Replicas: &eight},
		{At: 25 * time.Second, Kind: cluster.KillNode, Node: "node-2"},
	} {
		if err := c.Schedule(in); err != nil {
			t.Fatal(err)
		}
	}
	c.RunUntil(40 * time.Second)
	c.Close()
	rec := c.Trace()
	if rec.Len() < 500 {
		t.Fatalf("seed %d: the cluster did only %d things", seed, rec.Len())
	}
	for _, layout := range []scene.Layout{scene.Wide, scene.Narrow} {
		frames := recording.NewFilm(rec, scene.Options{Layout: layout, Insides: scene.DefaultInsides}).Frames(1)
		look := rand.New(rand.NewSource(seed))
		shapes := map[string]scene.Shape{}
		for i, f := range frames {
			for _, s := range f.Set {
				shapes[s.ID] = s
			}
			for _, id := range f.Gone {
				delete(shapes, id)
			}
			if look.Intn(300) != 0 && i != len(frames)-1 {
				continue
			}
			want := scene.At(rec, trace.ID(i+1), scene.Options{Layout: layout, Insides: scene.DefaultInsides}).Shapes
			if len(want) != len(shapes) {
				t.Fatalf("layout %s, seed %d, event %d: %d shapes, not %d", layout, seed, i+1, len(shapes), len(want))
			}
			for _, w := range want {
				if w.Fresh = false; shapes[w.ID] != w {
					t.Fatalf("layout %s, seed %d, event %d:\n got %+v\nwant %+v", layout, seed, i+1, shapes[w.ID], w)
				}
			}
		}
		text, err := json.Marshal(recording.File{Frames: frames})
		if err != nil {
			t.Fatal(err)
		}
		n := brotlied(t, text)
		t.Logf("layout %s: %d events, %d bytes, %d compressed", layout, len(frames), len(text), n)
		if n > len(frames)*24 {
			t.Errorf("layout %s: %d events take %d bytes; the budget is 24 an event", layout, len(frames), n)
		}
	}
	details, err := recording.NewDetails(rec, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	objects := 0
	for id := range rec.Events(1) {
		for _, d := range rec.Event(trace.ID(id + 1)).Deltas {
			if d.Cell.Kind != trace.CellObject || d.New == nil {
				continue
			}
			objects++
			want, _ := json.Marshal(d.New)
			var tree any
			if err := json.Unmarshal(want, &tree); err != nil {
				t.Fatal(err)
			}
			want, _ = json.Marshal(tree)
			if got, _ := json.Marshal(details.Object(id + 1)); !bytes.Equal(got, want) {
				t.Fatalf("seed %d: the patches up to event %d give\n%s\nnot\n%s", seed, id+1, got, want)
			}
		}
	}
	text, err := json.Marshal(details)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("details: %d objects, %d bytes, %d compressed", objects, len(text), brotlied(t, text))
}

func brotlied(t *testing.T, text []byte) int {
	var b bytes.Buffer
	w := brotli.NewWriterLevel(&b, brotli.BestCompression)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}
