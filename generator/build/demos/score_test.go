package demos

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/generator/build/compressed"
	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/score"
	"kubewalk/playground/demo/session"
	"kubewalk/playground/trace"
)

// What a reader may be asked to wait for, ms at speed 1.
const (
	longestHold   = 2_000 // with nothing that moves, and nothing that shows that it holds
	longestSkip   = 1_050 // of a silence
	shortest      = 600   // a message that is one of a few is under way
	brisk         = 350   // the same in the answer to an input
	late          = 250   // the same when that has gone on for half of the longest answer; after hasty there is no such time
	hasty         = 5_000
	firstEffect   = 1_000 // after an input
	longestAnswer = 8_000 // until what an input set off has come to rest
)

// TestScores reads the finished recordings: with -v it prints what their scores are like.
func TestScores(t *testing.T) {
	made, err := book()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%-28s %7s %6s %6s %8s %7s  %s", "demo", "length", "hold", "skip", "sentence", "message", "each input: first effect, outcome, until the next input")
	for _, d := range made {
		m := measure(t, d)
		t.Logf("%-28s %7d %6d %6d %8d %7d  %s", d.Name, m.length, m.hold, m.skip, m.sentence, m.message, strings.Join(m.answers, " · "))
		for _, what := range m.wrong {
			t.Errorf("%s: %s", d.Name, what)
		}
	}
}

// measured is what a score is like, in ms at speed 1; the shortest are 0 when there is none.
type measured struct {
	length   int64
	hold     int64 // the longest
	skip     int64 // the longest silence
	sentence int64 // the shortest
	message  int64 // the shortest of those that are one of a few
	answers  []string
	wrong    []string
}

func (m *measured) check(ok bool, format string, args ...any) {
	if !ok {
		m.wrong = append(m.wrong, fmt.Sprintf(format, args...))
	}
}

func measure(t *testing.T, d *Demo) *measured {
	file := recordingOf(t, d, scene.Wide)
	frames := file.Frames[file.First:]
	m := &measured{length: frames[len(frames)-1].Display - frames[0].Display}
	m.holds(frames)
	m.messages(file)
	m.sentences(frames)
	m.inputs(frames)
	return m
}

func recordingOf(t *testing.T, d *Demo, l scene.Layout) recording.File {
	t.Helper()
	read := func(name string) []byte {
		text, err := compressed.Gunzip(d.Files[name+compressed.Ext])
		if err != nil {
			t.Fatalf("%s: %s: %v", d.Name, name, err)
		}
		return text
	}
	var file recording.File
	if err := json.Unmarshal(read(string(l)+".json"), &file); err != nil {
		t.Fatalf("%s: %v", d.Name, err)
	}
	if file.Rest != "" {
		if err := file.Complete(read(file.Rest)); err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
	}
	return file
}

// silence is from where on a time in which nothing happens is shown as one that is skipped, µs: see site/widgets/state/pace.ts.
const silence = 2_000_000

// holds are times in which nothing is shown to happen and nothing is under way.
func (m *measured) holds(frames []recording.Frame) {
	arrives := arrivals(frames)
	busy := frames[0].Display // until then something moves
	last := &frames[0]
	for i := range frames {
		f := &frames[i]
		if f.Quiet {
			continue
		}
		switch still := f.Display - max(last.Display, busy); {
		case f.At-last.At >= silence:
			m.skip = max(m.skip, f.Display-last.Display)
			m.check(f.Display-last.Display <= longestSkip, "event %d: %d s of silence are skipped in %d ms", f.Event, (f.At-last.At)/1e6, f.Display-last.Display)
		default:
			m.hold = max(m.hold, still)
			m.check(still <= longestHold, "event %d: before it everything stands still for %d ms", f.Event, still)
		}
		last = f
		for _, s := range f.Set {
			if s.Kind == scene.Packet {
				busy = max(busy, arrives[s.ID])
			}
		}
	}
}

// arrivals are when messages are shown to arrive.
func arrivals(frames []recording.Frame) map[string]int64 {
	out := map[string]int64{}
	for i := range frames {
		for _, id := range frames[i].Gone {
			out[id] = frames[i].Display
		}
	}
	return out
}

// few is how many messages leave within half a second of the cluster's time on either side of one that is one of a few.
const few = 4

func (m *measured) messages(file recording.File) {
	frames := file.Frames // the first one after the set-up may answer an input before it
	arrives := arrivals(frames)
	type message struct {
		f     *recording.Frame
		id    string
		input int64 // when that was shown which it answers; -1 for none
	}
	var all []message
	var sent []int64 // when messages left, µs of the cluster; a view of one part does not draw all of them
	known := map[string]bool{}
	input, before := int64(-1), int64(0)
	for i := range frames {
		f := &frames[i]
		if f.Quiet {
			continue
		}
		if f.Op == string(trace.Input) {
			input = f.Display
		} else if f.At-before > 20_000_000 {
			input = -1
		}
		before = f.At
		if strings.HasSuffix(f.Op, ".send") || f.Op == string(trace.RequestReply) {
			sent = append(sent, f.At)
		}
		for _, s := range f.Set {
			if s.Kind == scene.Packet && !known[s.ID] && i >= file.First && s.State != "quiet" {
				known[s.ID] = true
				all = append(all, message{f, s.ID, input})
			}
		}
	}
	for _, a := range all {
		to, ok := arrives[a.id]
		if !ok {
			continue // it is on its way when the recording ends
		}
		near := 0
		for _, at := range sent {
			if at > a.f.At-500_000 && at < a.f.At+500_000 {
				near++
			}
		}
		if near > few {
			continue
		}
		took := to - a.f.Display
		if m.message == 0 || took < m.message {
			m.message = took
		}
		least := int64(shortest)
		switch since := a.f.Display - a.input; {
		case a.input >= 0 && since > hasty:
			least = 0
		case a.input >= 0 && since > longestAnswer/2:
			least = late
		case a.input >= 0:
			least = brisk
		}
		m.check(took >= least, "event %d: a message that is one of a few is under way for %d ms; it should be %d", a.f.Event, took, least)
	}
}

func (m *measured) sentences(frames []recording.Frame) {
	var began int64
	n := 0 // what stands sums up so many
	for i := range frames {
		f := &frames[i]
		if f.Line == nil {
			continue
		}
		counts := f.Line.N > n && n > 0 && f.Line.Back == 0 && f.Line.N > 1
		if n > 0 && !counts && f.Op != string(trace.Input) {
			stood := f.Display - began
			if m.sentence == 0 || stood < m.sentence {
				m.sentence = stood
			}
			m.check(stood >= score.Reading, "event %d: the sentence before it stands for %d ms", f.Event, stood)
		}
		began, n = f.Display, f.Line.N
	}
}

// inputs tells how long what each input sets off takes: until the first effect, until nothing happens for a while, and until the next input.
func (m *measured) inputs(frames []recording.Frame) {
	for i := range frames {
		if frames[i].Op == string(trace.Input) {
			m.answer(frames[i:])
		}
	}
}

func (m *measured) answer(frames []recording.Frame) {
	var effect, outcome, all int64
	in, last, settled := &frames[0], &frames[0], false
	for j := 1; j < len(frames) && frames[j].Op != string(trace.Input); j++ {
		f := &frames[j]
		if f.Quiet {
			continue
		}
		all = f.Display - in.Display
		if effect == 0 {
			effect = all
		}
		if settled = settled || f.At-last.At >= silence; !settled {
			outcome = all
		}
		last = f
	}
	m.answers = append(m.answers, fmt.Sprintf("%d %d %d", effect, outcome, all))
	m.check(effect <= firstEffect, "event %d: the first effect of this input is shown after %d ms", in.Event, effect)
	m.check(outcome <= longestAnswer, "event %d: what this input sets off takes %d ms", in.Event, outcome)
}

// opened is one of the book's demos, with when its exercises begin; no picture of it is made.
func opened(t *testing.T, name string) *scenario.Scenario {
	t.Helper()
	path := filepath.Join("../../../content/demos", name+".yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, problems := demofile.Parse(name, path, text, []string{"en", "ja"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	author, err := session.Open(f.Scenario, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer author.Close()
	author.Run(f.Scenario.End)
	if failures := f.Scenario.Settle(author.Cluster().Trace()); len(failures) > 0 {
		t.Fatal(failures)
	}
	return f.Scenario
}

// acted are the frames from a reader's first input on.
func acted(t *testing.T, s *scenario.Scenario, inputs []cluster.Input) (run *session.Session, frames []recording.Frame) {
	t.Helper()
	run, err := session.Open(s, inputs, scene.Wide)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(run.Close)
	run.Run(inputs[len(inputs)-1].At + 30*time.Second)
	frames = run.Frames(scene.Wide, 1)
	first := slices.IndexFunc(frames, func(f recording.Frame) bool {
		return f.Op == string(trace.Input) && f.At >= inputs[0].At.Microseconds()
	})
	if first < 0 {
		t.Fatal("the input is not in the recording")
	}
	return run, frames[first:]
}

// TestWhoScalesSeesThePodsReady: from three to eight as the third Pod runs, as the first thing that most readers do.
func TestWhoScalesSeesThePodsReady(t *testing.T) {
	s := opened(t, "replicaset-scale")
	running := s.Exercises[slices.IndexFunc(s.Exercises, func(x scenario.Exercise) bool { return x.From == "running" })]
	eight := int32(8)
	_, frames := acted(t, s, []cluster.Input{{At: running.Begin + time.Microsecond, Kind: cluster.Scale,
		Resource: "replicasets", Namespace: "default", Name: "web", Replicas: &eight}})
	m := &measured{}
	m.answer(frames)
	ready := 0
	var last int64
	for _, f := range frames {
		if f.Phrase == "store.commit.ready" && strings.HasPrefix(f.Object, "pods ") {
			ready++
			last = f.Display - frames[0].Display
		}
	}
	t.Logf("%d Pods report Ready, the last after %d ms; %v", ready, last, m.answers)
	if ready < 5 || last > longestAnswer {
		t.Errorf("%d Pods report Ready, the last after %d ms", ready, last)
	}
	for _, what := range m.wrong {
		t.Error(what)
	}
}

// TestTheToursExerciseIsSolvedInSeconds: the right move at once.
func TestTheToursExerciseIsSolvedInSeconds(t *testing.T) {
	s := opened(t, "replicaset-scale")
	x := s.Exercise("five")
	run, frames := acted(t, s, x.Inputs(x.Answer))
	progress, err := run.Exercise(x.ID)
	if err != nil || progress.Solved == nil {
		t.Fatalf("%+v is not solved (%v)", progress, err)
	}
	solved := frames[slices.IndexFunc(frames, func(f recording.Frame) bool { return f.At > progress.Solved.At })-1]
	took := solved.Display - frames[0].Display
	t.Logf("solved after %d ms", took)
	if took > 10_000 {
		t.Errorf("solved after %d ms", took)
	}
}

// How fast a technical text is read, a minute: words of English, characters of Japanese.
const (
	wordsAMinute      = 230
	charactersAMinute = 500
)

// TestTheTourTakesTheFiveMinutesItPromises: reading it, watching the demo from its beginning to where the reader takes over, and waiting for
// what each action sets off: another size, a Pod deleted, a node without power, another size from a moment before, the exercise.
func TestTheTourTakesTheFiveMinutesItPromises(t *testing.T) {
	made, err := book()
	if err != nil {
		t.Fatal(err)
	}
	file := recordingOf(t, made[slices.IndexFunc(made, func(d *Demo) bool { return d.Name == "replicaset-scale" })], scene.Wide)
	running := file.Marks[slices.IndexFunc(file.Marks, func(m recording.Mark) bool { return m.ID == "running" })]
	watching := time.Duration(running.Display-file.Frames[file.First].Display+5*longestAnswer) * time.Millisecond
	for _, lang := range phrase.Languages() {
		text, err := os.ReadFile(filepath.Join("../../../content", lang, "start", "tour.md"))
		if err != nil {
			t.Fatal(err)
		}
		_, article, _ := strings.Cut(string(text)[3:], "\n---\n")
		article = notRead.ReplaceAllString(article, "")
		reading := time.Duration(len(strings.Fields(article))) * time.Minute / wordsAMinute
		if lang == "ja" {
			reading = time.Duration(len([]rune(strings.Join(strings.Fields(article), "")))) * time.Minute / charactersAMinute
		}
		t.Logf("%s: %v of reading, %v of watching", lang, reading.Round(time.Second), watching.Round(time.Second))
		if reading+watching > 5*time.Minute {
			t.Errorf("%s: the tour takes %v", lang, reading+watching)
		}
	}
}

// notRead is what a page does not show of its Markdown: blocks of code, and where links lead.
var notRead = regexp.MustCompile("(?s:```.*?```)|\\]\\((?:<[^>]*>|[^)]*)\\)|\\{#[a-z-]*\\}|:::\\w*")
