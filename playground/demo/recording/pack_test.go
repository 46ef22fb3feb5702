package recording

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"

	"github.com/andybalholm/brotli"

	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/score"
)

func TestPackedFramesComeBack(t *testing.T) {
	rec := rehearse(3, 400)
	want := File{Header: Header{Version: Version, Demo: "d", First: 3, Marks: []Mark{}}, Frames: NewFilm(rec.Recorder, clusterIn(scene.Wide)).Frames(1)}
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

func TestNewest(t *testing.T) {
	places, want := []int64{0, 1, 2, 1, 5, 5, 6, 0}, []int64{0, -1, -1, 1, -3, 5, -1, 0}
	var write, read newest
	for i, place := range places {
		written := write.write(place)
		if back := read.read(written); written != want[i] || back != place {
			t.Errorf("place %d of %v is written as %d, not %d, and read as %d", i, places, written, want[i], back)
		}
	}
}

// update writes testdata anew.
var update = flag.Bool("update", false, "write testdata anew")

// The fixture is a file and the frames in it: the page reads the same ones (site/widgets/state/recording.test.ts).
func TestFixture(t *testing.T) {
	const name = "testdata/packed.json"
	rec := rehearse(3, 50)
	frames := NewFilm(rec.Recorder, clusterIn(scene.Wide)).Frames(1)
	frames[9].Attrs = append(frames[9].Attrs, "huge", int64(1)<<52, "negative", int64(-7), "is", true)
	frames[10].Line, frames[20].Line = &score.Line{N: 1}, &score.Line{Back: 3, N: 8}
	frames[11].Attrs = append(frames[11].Attrs, "huge", int64(40), "negative", int64(7), "is", false)
	text, err := json.Marshal(map[string]any{"file": File{Header: Header{Version: Version, Demo: "d"}, Frames: frames}, "frames": frames})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if known, err := os.ReadFile(name); err != nil || !bytes.Equal(known, text) {
		t.Errorf("%s is of other frames, or of another form: go test ./playground/demo/recording -update (%v)", name, err)
	}
}

func TestSplit(t *testing.T) {
	frames := make([]Frame, 3000)
	for i := range frames {
		frames[i] = Frame{Event: i + 1, Cause: i, At: int64(i) * 700, Display: int64(i) * 40}
	}
	for _, test := range []struct{ first, first2, rest int }{
		{0, 1 + opening, 2999 - opening},
		{100, 101 + opening, 2899 - opening},
		{2999 - opening - fewest, 3000 - fewest, fewest},
		{3000 - opening - fewest, 3000, 0},
		{2999, 3000, 0},
	} {
		whole := NewFile(Header{Version: Version, Demo: "d", First: test.first, Marks: []Mark{{ID: "late", Frame: 2990}}}, frames)
		first, rest := whole.Split("x.json")
		if len(first.Frames) != test.first2 || (rest == nil) != (test.rest == 0) || (first.Rest == "") != (rest == nil) {
			t.Fatalf("first frame %d: the first part has %d frames, the rest %v, called %q", test.first, len(first.Frames), rest != nil, first.Rest)
		}
		if first.Length != 3000 || first.End != 2999*40 || first.Marks[0].Display != 2990*40 {
			t.Errorf("first frame %d: the first part does not tell of the whole: %+v", test.first, first.Header)
		}
		if rest == nil {
			continue
		}
		if len(rest.Frames) != test.rest {
			t.Errorf("first frame %d: the rest has %d frames, not %d", test.first, len(rest.Frames), test.rest)
		}
		var got File
		read(t, first, &got)
		text, err := json.Marshal(rest)
		if err != nil {
			t.Fatal(err)
		}
		if err := got.Complete(text); err != nil || got.Rest != "" || !reflect.DeepEqual(got.Frames, frames) {
			t.Errorf("first frame %d: the parts do not make the whole again (%v)", test.first, err)
		}
		for _, wrong := range [][2]string{
			{`"demo":"d"`, `"demo":"e"`}, {`"form":4`, `"form":3`}, {`"version":1`, `"version":2`},
			{`"kind":[`, `"kind":[0,`}, {`"gone":[0,`, `"gone":[`},
		} {
			read(t, first, &got)
			if err := got.Complete(bytes.Replace(text, []byte(wrong[0]), []byte(wrong[1]), 1)); err == nil || got.Rest == "" {
				t.Errorf("a rest with %s is taken", wrong[1])
			}
		}
	}
}

func read(t *testing.T, f File, into *File) {
	t.Helper()
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	*into = File{}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
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
		text, err := json.Marshal(File{Frames: NewFilm(rec.Recorder, clusterIn(layout)).Frames(1)})
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
