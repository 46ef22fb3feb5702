package score

import (
	"fmt"
	"testing"
	"time"

	"kubewalk/playground/trace"
)

// run records events and has them told, each when it happens.
type run struct {
	*trace.Recorder
	score   Score
	at      time.Duration
	message int
	shown   []int64
	lines   []Line
}

func newRun() *run { return &run{Recorder: trace.NewRecorder(trace.All)} }

func (r *run) emit(after time.Duration, op trace.Op, quiet bool, deltas []trace.Delta, kv ...any) int64 {
	r.at += after
	r.Record(trace.Event{At: r.at, Component: "kubelet/node-1", Op: op, Object: trace.Ref{Resource: "pods", Namespace: "default", Name: "web"}},
		trace.Attrs(kv...), deltas, 0)
	display, line := r.score.Next(r.Event(trace.ID(r.Len())), quiet)
	r.shown, r.lines = append(r.shown, display), append(r.lines, line)
	return display
}

func (r *run) step(after time.Duration, op trace.Op, kv ...any) int64 {
	return r.emit(after, op, false, nil, kv...)
}

func (r *run) quiet(after time.Duration) int64 { return r.emit(after, trace.RequestSend, true, nil) }

// send has a message leave, and returns its cell and when it is shown to leave.
func (r *run) send(after time.Duration, label string) (trace.Cell, int64) {
	r.message++
	c := trace.Cell{Kind: trace.CellMessage, Key: fmt.Sprint(r.message)}
	m := trace.Message{Kind: "request", From: "kubelet/node-1", To: "kube-apiserver", Label: label, Good: true, Sent: r.at + after}
	return c, r.emit(after, trace.RequestSend, false, []trace.Delta{trace.Set(c, m)}, "verb", "get", "path", "/api/v1/pods")
}

// receive has a message arrive, and returns when that is shown.
func (r *run) receive(after time.Duration, c trace.Cell) int64 {
	return r.emit(after, trace.RequestReceive, false, []trace.Delta{trace.Unset(c)}, "verb", "get", "path", "/api/v1/pods", "user", "x")
}

func TestAMessageThatIsOneOfAFew(t *testing.T) {
	r := newRun()
	for i := range few {
		c, left := r.send(time.Millisecond, fmt.Sprint("kind", i))
		if took := r.receive(time.Millisecond, c) - left; took < full || took > 1_000 {
			t.Errorf("message %d is under way for %d ms; want %d to 1000", i, took, full)
		}
	}
}

func TestMessagesThatAreUnderWayTogether(t *testing.T) {
	r := newRun()
	var cells []trace.Cell
	for i := range 6 {
		c, _ := r.send(10*time.Microsecond, fmt.Sprint("kind", i))
		cells = append(cells, c)
	}
	var last int64
	for _, c := range cells {
		last = r.receive(time.Millisecond, c)
	}
	if last > 1_000 {
		t.Errorf("six messages that leave together have all arrived after %d ms; want a second at most", last)
	}
}

// Five hundred messages one after the other, each of its own kind, or all of one.
// A machine that loses power loses its kubelet and its containers in one instant of the cluster: a reader sees one go, then the other.
func TestWhatStopsTogetherIsSeenToStop(t *testing.T) {
	r := newRun()
	input := r.step(0, trace.Input)
	kubelet := r.step(0, trace.ComponentStop)
	r.quiet(0)
	runtime := r.step(0, trace.ComponentStop)
	if kubelet-input < 250 || runtime-kubelet < 250 || runtime-input > 1_000 {
		t.Errorf("the power is cut at %d ms, the kubelet stops at %d, the containers at %d; want 250 ms or more between them, a second at most", input, kubelet, runtime)
	}
}

func TestABurstIsOverSoon(t *testing.T) {
	for _, kinds := range []int{1, 500} {
		r := newRun()
		input := r.step(time.Second, trace.Input, "kind", "scale")
		var last int64
		for i := range 500 {
			c, _ := r.send(time.Millisecond, fmt.Sprint("kind", i%kinds))
			last = r.receive(time.Millisecond, c)
		}
		if took := last - input; took > 10_000 {
			t.Errorf("500 messages of %d kinds take %d ms; want 10 s at most", kinds, took)
		}
	}
}

// In the answer to an input the messages of a chain get shorter, but not too short to follow.
func TestAnAnswerOfManySteps(t *testing.T) {
	r := newRun()
	r.step(time.Second, trace.Input, "kind", "scale")
	for i := range 8 {
		c, left := r.send(time.Millisecond, fmt.Sprint("kind", i))
		took := r.receive(time.Millisecond, c) - left
		if i == 0 && took < full || i < few && took < brisk || took < late || took > full {
			t.Errorf("message %d of an answer is under way for %d ms; want %d to %d", i, took, late, full)
		}
	}
}

func TestSilence(t *testing.T) {
	for _, gap := range []time.Duration{2 * time.Second, 10 * time.Second, time.Minute, time.Hour, 24 * time.Hour} {
		r := newRun()
		before := r.step(0, trace.QueueAdd, "outcome", "queued", "queue", "q", "key", "k")
		var inside int64
		for range 10 { // heartbeats take no time of their own
			inside = r.quiet(gap / 20)
		}
		after := r.step(gap/2, trace.StoreCommit, "revision", 1, "type", "ADDED")
		if took := after - before; took < 300 || took > 1_000 {
			t.Errorf("%v in which nothing happens are shown for %d ms; want 300 to 1000", gap, took)
		}
		if inside < before || inside > after {
			t.Errorf("%v: a heartbeat at %d is not between %d and %d", gap, inside, before, after)
		}
	}
	for gap, last := time.Duration(0), int64(0); gap < 2*time.Hour; gap += gap/50 + 50*time.Microsecond {
		if got := silence(gap); got < last {
			t.Fatalf("%v is shown for %d ms, and a shorter gap for %d", gap, got, last)
		} else {
			last = got
		}
	}
}

// The table in the comment of silence.
func TestSilences(t *testing.T) {
	for gap, want := range map[time.Duration]int64{0: 0, time.Millisecond: 0, 10 * time.Millisecond: 20, 100 * time.Millisecond: 120, time.Second: 400,
		10 * time.Second: 800, time.Minute: 1_000, time.Hour: 1_000} {
		if got := silence(gap); got != want {
			t.Errorf("%v is shown for %d ms, want %d", gap, got, want)
		}
	}
}

func TestTimeNeverGoesBack(t *testing.T) {
	r := newRun()
	var open []trace.Cell
	for i := range 3_000 {
		switch i * 7919 % 11 {
		case 0:
			r.step(time.Duration(i%5)*time.Second, trace.Input, "kind", "scale")
		case 1, 2, 3:
			c, _ := r.send(time.Duration(i%900)*time.Microsecond, fmt.Sprint(i%30))
			open = append(open, c)
		case 4, 5, 6:
			if len(open) > 0 {
				r.receive(time.Duration(i%700)*time.Microsecond, open[0])
				open = open[1:]
			}
		case 7:
			r.quiet(time.Duration(i%3000) * time.Millisecond)
		default:
			r.step(time.Duration(i%40)*time.Millisecond, trace.StoreCommit, "revision", i, "type", "MODIFIED")
		}
	}
	for i := 1; i < len(r.shown); i++ {
		if r.shown[i] < r.shown[i-1] {
			t.Fatalf("event %d is shown at %d ms, before event %d at %d", i+1, r.shown[i], i, r.shown[i-1])
		}
	}
}

// ready is a sentence that can be summed up.
func (r *run) ready(after time.Duration) int64 {
	return r.step(after, trace.ContainerStart, "container", "web")
}

func TestLikeEventsAreSummedUp(t *testing.T) {
	r := newRun()
	r.step(0, trace.Input, "kind", "scale")
	r.step(time.Second, trace.ComponentStart)
	for range 8 {
		r.ready(10 * time.Millisecond)
	}
	var last Line
	for range 10 { // there is time
		r.quiet(2 * time.Second)
		r.step(2*time.Second, trace.CacheDelete, "resource", "pods", "revision", 1)
	}
	for _, l := range r.lines {
		if l.N > 0 {
			last = l
		}
	}
	if last.N != 8 {
		t.Errorf("the last sentence is %+v; want one that sums up 8 events: %v", last, r.lines)
	}
}

// Sentences stand for as long as it takes to read them, unless an input cuts in.
func TestSentencesStand(t *testing.T) {
	r := newRun()
	for i := range 2_000 {
		switch {
		case i%400 == 0:
			r.step(3*time.Second, trace.Input, "kind", "scale")
		case i%3 == 0:
			r.ready(20 * time.Millisecond)
		default:
			r.step(30*time.Millisecond, trace.Log, "message", fmt.Sprint("Message ", i%7), "v", 1)
		}
	}
	began, told, n := int64(-Reading), 0, 0
	for i, l := range r.lines {
		if l.N == 0 {
			continue
		}
		isSame := l.N > n && l.N > 1 && l.Back == 0 // it counts on
		if e := r.Event(trace.ID(i + 1)); e.Op != trace.Input && !isSame && r.shown[i]-began < Reading {
			t.Fatalf("event %d: the sentence before stands for %d ms only", i+1, r.shown[i]-began)
		}
		if told++; l.Back > i {
			t.Fatalf("event %d tells what was %d events before", i+1, l.Back)
		}
		began, n = r.shown[i], l.N
	}
	if told < 10 {
		t.Errorf("%d sentences in %d ms", told, r.shown[len(r.shown)-1])
	}
}

func BenchmarkScore(b *testing.B) {
	r := newRun()
	for i := range 10_000 {
		c, _ := r.send(time.Millisecond, fmt.Sprint("kind", i%20))
		r.receive(time.Millisecond, c)
	}
	b.ResetTimer()
	for range b.N {
		var s Score
		for id := 1; id <= r.Len(); id++ {
			s.Next(r.Event(trace.ID(id)), false)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(r.Len()), "ns/event")
}

// In a long answer that has little of its budget left, bursts of changes that the cluster makes apart still take time, and none flickers: what is
// shown is shown together, or a beat apart.
func TestHasteIsShownInBeats(t *testing.T) {
	r := newRun()
	r.step(time.Second, trace.Input, "kind", "scale")
	var before int64
	for i := range 40 {
		c, _ := r.send(time.Millisecond, fmt.Sprint("kind", i))
		before = r.receive(time.Millisecond, c)
	}
	began, beats := before, 0
	for n := range 12 {
		for i := range 10 {
			after := time.Millisecond
			if i == 0 {
				after = 200 * time.Millisecond
			}
			r.quiet(after / 2)
			shown := r.step(after/2, trace.StoreCommit, "revision", 10*n+i, "type", "MODIFIED")
			if shown != before {
				beats++
				if shown-before < beat {
					t.Errorf("change %d of burst %d is shown %d ms after the one before; want 0, or %d at least", i, n, shown-before, beat)
				}
			}
			before = shown
		}
	}
	if beats < 2 || before-began < 600 {
		t.Errorf("12 bursts, 200 ms apart, are shown as %d in %d ms; want 2 in 600 at least", beats, before-began)
	}
	if before > answer+1_400 {
		t.Errorf("the answer ends after %d ms", before)
	}
}

// A message that a reader is to follow takes its time, also among what is shown together.
func TestAMessageAmongBeats(t *testing.T) {
	r := newRun()
	for i := range 60 {
		c, _ := r.send(time.Millisecond, fmt.Sprint("kind", i))
		r.receive(time.Millisecond, c)
	}
	for i := range 3 {
		r.step(300*time.Millisecond, trace.StoreCommit, "revision", i, "type", "MODIFIED")
		c, left := r.send(300*time.Millisecond, "kind0")
		r.step(time.Millisecond, trace.StoreCommit, "revision", i, "type", "MODIFIED")
		if took := r.receive(time.Millisecond, c) - left; took < full {
			t.Errorf("message %d is under way for %d ms; want %d at least", i, took, full)
		}
	}
}
