package recording

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/andybalholm/brotli"

	"kubewalk/playground/scene"
)

func TestPackedFramesComeBack(t *testing.T) {
	rec := rehearse(3, 400)
	want := File{Header: Header{Version: Version, Demo: "d", First: 3, Marks: []Mark{}}, Frames: NewFilm(rec.Recorder, scene.Wide).Frames(1)}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got File
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	// Attributes come back as JSON's numbers, so the two are compared as text.
	for i := range want.Frames {
		a, _ := json.Marshal(want.Frames[i])
		b, _ := json.Marshal(got.Frames[i])
		if !bytes.Equal(a, b) {
			t.Fatalf("frame %d of seed 3 comes back as\n%s\nnot\n%s", i, b, a)
		}
	}
	if got.First != 3 || got.Demo != "d" {
		t.Errorf("the header comes back as %+v", got.Header)
	}
	if _, err := json.Marshal(File{Frames: want.Frames[1:]}); err == nil {
		t.Error("frames without the first one were packed: nobody could tell their numbers")
	}
}

// Compressed is the size of a file as it travels.
func compressed(t testing.TB, text []byte) int {
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

// A rehearsal compresses worse than a cluster's run: what it does follows from
// nothing. The budget of a real demo is 24 bytes an event.
func TestSize(t *testing.T) {
	const events, budget = 600, 36
	rec := rehearse(5, events)
	for _, layout := range []scene.Layout{scene.Wide, scene.Narrow} {
		text, err := json.Marshal(File{Frames: NewFilm(rec.Recorder, layout).Frames(1)})
		if err != nil {
			t.Fatal(err)
		}
		n := compressed(t, text)
		t.Logf("layout %s: %d events, %d bytes, %d compressed, %d an event", layout, events, len(text), n, n/events)
		if n > events*budget {
			t.Errorf("layout %s: a compressed event takes %d bytes, more than %d", layout, n/events, budget)
		}
	}
}
