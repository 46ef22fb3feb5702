package session_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/session"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func record(t *testing.T, s *scenario.Scenario) *session.Result {
	t.Helper()
	r, err := session.Record(s, scene.Wide, scene.Narrow)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t *testing.T, s *scenario.Scenario, reader ...cluster.Input) *session.Session {
	t.Helper()
	ses, err := session.Open(s, reader, scene.Wide)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ses.Close)
	return ses
}

// text is frames as a page gets them.
func text(t *testing.T, frames []recording.Frame) string {
	t.Helper()
	out, err := json.Marshal(frames)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func printed(t *testing.T, rec *trace.Recorder) string {
	t.Helper()
	var b bytes.Buffer
	if err := rec.Print(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestADemoHoldsWhatItClaims(t *testing.T) {
	r := record(t, small())
	for _, f := range r.Failures {
		t.Error(f)
	}
	bad := small()
	bad.Claims[0].Count = "5"
	bad.Marks[0].Nth = 9
	bad.Steps[1].Fails = "nothing"
	var got []string
	for _, f := range record(t, bad).Failures {
		got = append(got, f.Path)
	}
	if fmt.Sprint(got) != "[steps[1].fails marks[0] claims[0]]" {
		t.Errorf("failures at %v", got)
	}
}

// TestSlicesGiveTheSameFrames is about a page that runs its session bit by bit,
// and asks for what is new.
func TestSlicesGiveTheSameFrames(t *testing.T) {
	whole := record(t, small())
	want := whole.Session.Frames(scene.Wide, 1)
	for _, slice := range []time.Duration{time.Second, 137 * time.Millisecond, 7 * time.Second} {
		ses := open(t, small())
		var got []recording.Frame
		for at := slice; len(got) == 0 || at < small().End+slice; at += slice {
			ses.Run(min(at, small().End))
			got = append(got, ses.Frames(scene.Wide, len(got)+1)...)
		}
		if text(t, got) != text(t, want) {
			t.Errorf("slices of %v give %d frames that are not the recording's %d", slice, len(got), len(want))
		}
		if again := ses.Frames(scene.Wide, 1); text(t, again) != text(t, want) {
			t.Errorf("slices of %v: frames asked for again differ", slice)
		}
	}
}

// TestAReaderStartsFromTheRecording is why a page can play a recording up to the
// moment of a reader's first input: up to there the run is the same.
func TestAReaderStartsFromTheRecording(t *testing.T) {
	whole := record(t, small()).Session.Frames(scene.Wide, 1)
	chance := sim.NewRand(11)
	for range 8 {
		at := chance.Between(0, small().End)
		ses := open(t, small(), cluster.Input{At: at, Kind: cluster.KillNode, Node: "node-1"}, scale(at+time.Second, 1))
		ses.Run(at + 2*time.Second)
		frames := ses.Frames(scene.Wide, 1)
		same := 0
		for same < len(whole) && same < len(frames) && whole[same].At < at.Microseconds() {
			same++
		}
		if same < len(whole) && whole[same].At < at.Microseconds() {
			t.Errorf("input at %v: the run ends at frame %d", at, same)
		}
		if text(t, frames[:same]) != text(t, whole[:same]) {
			t.Errorf("input at %v: the frames before it differ from the recording", at)
		}
		if len(frames) == same {
			t.Errorf("input at %v: it is in no frame", at)
		}
	}
}

func TestTheSameInputsGiveTheSameRun(t *testing.T) {
	run := func(s *scenario.Scenario) (frames, all string) {
		ses := open(t, s, cluster.Input{At: 12 * time.Second, Kind: cluster.Stop, Component: "kube-scheduler"}, scale(13*time.Second, 6),
			cluster.Input{At: 14 * time.Second, Kind: cluster.Start, Component: "kube-scheduler"})
		ses.Run(s.End)
		return text(t, ses.Frames(scene.Wide, 1)), printed(t, ses.Cluster().Trace())
	}
	frames, all := run(small())
	again, allAgain := run(small())
	if frames != again || all != allAgain {
		t.Error("the same seed and inputs gave another run")
	}
	other := small()
	other.Seed++
	if _, different := run(other); different == all {
		t.Error("another seed gave the same run")
	}
}

// TestAScenarioTravelsAsJSON is about what the page hands to the worker.
func TestAScenarioTravelsAsJSON(t *testing.T) {
	before := small()
	packed, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	var after scenario.Scenario
	if err := json.Unmarshal(packed, &after); err != nil {
		t.Fatal(err)
	}
	a, b := record(t, before), record(t, &after)
	if printed(t, a.Session.Cluster().Trace()) != printed(t, b.Session.Cluster().Trace()) {
		t.Error("the scenario that went through JSON runs otherwise")
	}
	for _, l := range []scene.Layout{scene.Wide, scene.Narrow} {
		x, err := a.Files(l)
		if err != nil {
			t.Fatal(err)
		}
		if y, err := b.Files(l); err != nil || len(x) == 0 || !maps.EqualFunc(x, y, bytes.Equal) {
			t.Errorf("layout %s: the scenario that went through JSON gives another file (%v)", l, err)
		}
	}
}

// TestFiles is about a page that plays the first file and adds the rest.
func TestFiles(t *testing.T) {
	short, long := small(), small()
	short.End, long.End = 12*time.Second, 120*time.Second
	for _, s := range []*scenario.Scenario{short, long} {
		r := record(t, s)
		files, err := r.Files(scene.Wide)
		if err != nil {
			t.Fatal(err)
		}
		var got recording.File
		if err := json.Unmarshal(files["wide.json"], &got); err != nil {
			t.Fatal(err)
		}
		want := r.Session.Frames(scene.Wide, 1)
		if got.Length != len(want) || got.End != want[len(want)-1].Display {
			t.Errorf("the first file tells of %d frames, the last at %d ms; there are %d, the last at %d ms", got.Length, got.End, len(want),
				want[len(want)-1].Display)
		}
		for _, m := range got.Marks {
			if m.Display != want[m.Frame].Display {
				t.Errorf("mark %s is at %d ms, its frame at %d ms", m.ID, m.Display, want[m.Frame].Display)
			}
		}
		if s == long {
			if len(files) != 2 || got.Rest != "wide.rest.json" || len(got.Frames) <= got.First || len(got.Frames) >= len(want) {
				t.Fatalf("%d files, %d frames of %d, and the rest in %q", len(files), len(got.Frames), len(want), got.Rest)
			}
			if err := got.Complete(files[got.Rest]); err != nil {
				t.Fatal(err)
			}
		}
		if got.Rest != "" || text(t, got.Frames) != text(t, want) {
			t.Errorf("the files of %v do not give the run's frames", s.End)
		}
	}
}

func TestHeader(t *testing.T) {
	s := small()
	r := record(t, s)
	rec := r.Session.Cluster().Trace()
	for _, l := range []scene.Layout{scene.Wide, scene.Narrow} {
		h := r.Session.Header(l)
		width, height := scene.Size(scene.Options{Layout: l, Insides: scene.DefaultInsides})
		if h.Demo != "demo" || h.Seed != 3 || h.Epoch != "2026-01-15T09:00:00Z" || h.Layout != l || h.Width != width || h.Height != height ||
			h.Version != recording.Version {
			t.Errorf("layout %s: %+v", l, h)
		}
		// First is the last frame of the set-up.
		if events := rec.Events(1); events[h.First].At > s.Setup || events[h.First+1].At <= s.Setup {
			t.Errorf("the first frame to show is %d, at %v; the next is at %v", h.First, events[h.First].At, events[h.First+1].At)
		}
		if len(h.Marks) != 3 {
			t.Fatalf("marks %+v", h.Marks)
		}
		for i, m := range h.Marks {
			id, err := s.Find(s.Marks[i], rec)
			if err != nil || m.ID != s.Marks[i].ID || r.Session.Frames(l, 1)[m.Frame].Event != int(id) || m.Caption["en"] != s.Marks[i].Caption["en"] {
				t.Errorf("mark %+v: the event is %d (%v)", m, id, err)
			}
		}
	}
}

// From a mark with a focus on, the picture shows that: in the recording, and in what a reader makes of it.
func TestAMomentChangesThePicture(t *testing.T) {
	s := small()
	mark := &s.Marks[1]
	mark.Focus = "replicaset-controller"
	for name, ses := range map[string]*session.Session{"the recording": open(t, s), "a branch": open(t, s, scale(15300*time.Millisecond, 8))} {
		ses.Run(s.End)
		rec := ses.Cluster().Trace()
		id, err := s.Find(*mark, rec)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		shapes := map[string]scene.Shape{}
		same := func(at trace.ID, shows scene.Options) {
			t.Helper()
			want := scene.At(rec, at, shows).Shapes
			for _, shape := range want {
				if shape.Fresh = false; shapes[shape.ID] != shape {
					t.Errorf("%s, event %d: %s is %+v, not %+v", name, at, shape.ID, shapes[shape.ID], shape)
				}
			}
			if len(want) != len(shapes) {
				t.Errorf("%s, event %d: %d shapes, not %d", name, at, len(shapes), len(want))
			}
		}
		for i, f := range ses.Frames(scene.Wide, 1) {
			for _, shape := range f.Set {
				shapes[shape.ID] = shape
			}
			for _, gone := range f.Gone {
				delete(shapes, gone)
			}
			switch at := trace.ID(i + 1); at {
			case id - 1:
				same(at, scene.Options{Layout: scene.Wide, Insides: scene.DefaultInsides})
			case id, id + 100, trace.ID(rec.Len()):
				same(at, scene.Options{Layout: scene.Wide, Focus: "replicaset-controller"})
			}
		}
	}
}

func TestHeaderTellsOnlyWhatHasHappened(t *testing.T) {
	ses := open(t, small())
	for _, test := range []struct {
		until time.Duration
		marks string
	}{{0, "[]"}, {9 * time.Second, "[]"}, {12 * time.Second, "[too-few]"}, {15500 * time.Millisecond, "[too-few again]"},
		{24 * time.Second, "[too-few again later]"}} {
		ses.Run(test.until)
		got := []string{}
		for _, m := range ses.Header(scene.Wide).Marks {
			got = append(got, m.ID)
		}
		if fmt.Sprint(got) != test.marks {
			t.Errorf("at %v the marks are %v, want %s", test.until, got, test.marks)
		}
	}
}

func TestOpenRefusesIncompleteInputs(t *testing.T) {
	_, err := session.Open(small(), []cluster.Input{{At: time.Second, Kind: cluster.KillNode}}, scene.Wide)
	if err == nil || err.Error() != `demo "demo": input "kill-node": needs a node` {
		t.Errorf("got %v", err)
	}
}
