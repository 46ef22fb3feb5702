package demos

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"kubewalk/generator/compressed"
	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/score"
	"kubewalk/playground/trace"
)

// What a reader may be asked to wait for, ms at speed 1.
const (
	longestHold   = 2_000 // with nothing that moves, and nothing that shows that it holds
	longestSkip   = 1_050 // of a silence
	shortest      = 600   // a message that is one of a few is under way
	brisk         = 350   // the same in the answer to an input
	late          = 250   // the same when that has gone on for half of the longest answer
	firstEffect   = 1_000 // after an input
	longestAnswer = 8_000 // until what an input set off has come to rest
	longestSlow   = 12_500
)

// slow are demos with answers that take longer, up to longestSlow, and why.
var slow = map[string]string{
	"anatomy":            "a node is drained, and its Pods follow one another to other nodes",
	"anatomy-node":       "the same, seen from the node",
	"deployment-rollout": "Pods are replaced two at a time, each pair after the one before it is available",
	"kubectl-apply":      "kubectl asks for several objects, one after another",
	"kubelet-start":      "a kubelet lists and watches before it does anything else",
	"kubelet-trouble":    "a probe fails three times before anything comes of it",
	"statefulset-order":  "Pods are made one after another: that is what the chapter is about",
	"who-owns-it":        "controllers write the same object against each other, one message after another",
}

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
	m.inputs(d.Name, frames)
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
func (m *measured) inputs(demo string, frames []recording.Frame) {
	for i := range frames {
		in := &frames[i]
		if in.Op != string(trace.Input) {
			continue
		}
		var effect, outcome, all int64
		last := in
		settled := false
		for j := i + 1; j < len(frames) && frames[j].Op != string(trace.Input); j++ {
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
		most := int64(longestAnswer)
		if slow[demo] != "" {
			most = longestSlow
		}
		m.check(outcome <= most, "event %d: what this input sets off takes %d ms", in.Event, outcome)
	}
}
