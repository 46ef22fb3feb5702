// Package score directs how a run is told: when each of its events is shown, and
// which of them are told in a sentence. It is a pure function of the trace.
//
// In a cluster, an answer takes milliseconds and a heartbeat seconds; and an
// action of the reader sets off hundreds of messages. So display time has
// little to do with the cluster's time. A Score is given the events one by one, in
// order, and knows nothing of those to come: a run that is shown while it
// goes on gets the same times as one that is shown afterwards.
//
// # Time
//
// Events keep their order: an event is never shown before the one that precedes it. How much later it is shown is what
// the longest of these asks for:
//
//   - A message arrives when it has been under way for a while. Messages that are
//     under way together take that time together.
//   - An event stands for a moment before the next, the longer the more it decides (stands).
//   - Time in which nothing happens is shortened (silence). A reader sees how long it was.
//
// Quiet events (see scene.Quiet) ask for nothing.
//
// # Passages
//
// What happens is told in passages. One begins with an input, or with what comes after a
// long silence. A passage has a budget of display time. Its first messages are shown at full length, a kind that
// repeats itself is shown shorter every time, and as the budget is spent everything speeds up. So
// what is new is told slowly, a burst is shown as a burst, and the outcome of an
// action is there within seconds, however many messages it takes. An answer to an input ends before eight seconds: each thing
// gets a share of what is left of them at most, so a chain of a hundred messages gets faster and faster. Bursts that the cluster makes apart
// (burst) take some time in it, whatever was spent. When the budget is spent, nothing follows anything else faster than a beat: what would
// is shown with it, so a reader sees bursts instead of a flicker. It is over when nothing happens for two
// seconds of the cluster's, which a reader sees skipped.
//
// # Sentences
//
// A sentence stands for Reading at least. What decides something meanwhile is counted, if it is like the sentence that stands
// ("8 Pods report Ready"); of the rest, the latest is told next, when there is time.
package score

import (
	"strings"
	"time"

	"kubewalk/playground/trace"
)

// Score is how far a run has been told. The zero value has told nothing.
type Score struct {
	at     time.Duration // of the last event that was not quiet
	shown  int64         // when that was shown, ms
	stands int64         // for how long it stands at least
	last   int64         // when the last event of any kind was shown
	owed   int64         // the time of what was shown together since, ms: see gather

	spent     int64                 // of the passage's budget, ms
	inAnswer  bool                  // the passage answers an input
	answered  int64                 // since when, ms
	told      map[string]int        // how many messages and steps of each kind the passage has told
	underWay  map[trace.Cell]voyage // messages
	sent      [few]time.Duration    // when the last messages left that were not quiet
	sends     int
	sentences sentences
}

// voyage is a message under way.
type voyage struct {
	left  int64 // when it was seen to leave, ms
	takes int64 // how long it is under way at least, ms
}

// Lengths of time at speed 1, ms.
const (
	// full is how long a message is under way when it is one of a few.
	full = 600
	// brisk is how long a message is under way at least in the answer to an input when it is one of a few: the chain from "8 replicas" to
	// a container that is Ready is a dozen messages long, and who asked for it wants to see it end.
	brisk = 350
	// leisure is how much of a passage is told without haste.
	leisure = 2_200
	// late is the same in an answer that has gone on for long.
	late = 250
	// few is how many messages may leave within a time of the cluster (near) for each to be one of a few: however
	// much there was before, a reader can follow them.
	few = 4
	// haste is how much more the rest of a passage takes, nearly however long that is: see pace.
	haste = 1_000
	// news is how much longer what comes for the first time is still told so that it can be seen.
	news = 1_700
)

// Next tells when an event is shown at speed 1, in ms since the start, and the sentence that begins there.
func (s *Score) Next(e *trace.Event, quiet bool) (display int64, line Line) {
	display = s.time(e, quiet)
	return display, s.sentences.next(e, quiet, display)
}

func (s *Score) time(e *trace.Event, quiet bool) int64 {
	if quiet { // it gets no time of its own
		if now := s.shown + s.owed + s.silence(e.At-s.at); !s.isHasty() || now-s.shown >= beat {
			s.last, s.owed = max(s.last, now), 0
		}
		return s.last
	}
	gap := e.At - s.at
	if e.Op == trace.Input || s.told == nil {
		s.begin(e.Op == trace.Input)
	} else if gap >= pause {
		s.rest(gap)
	}
	now, isFollowed := max(s.last, s.shown+max(s.stands, s.silence(gap))), false
	for _, d := range e.Deltas {
		if v, ok := s.underWay[d.Cell]; ok && arrives(e.Op) {
			now = max(now, v.left+v.takes)
			isFollowed = isFollowed || v.takes >= late
		}
	}
	if gap < pause && !isFollowed {
		now = s.gather(now)
	} else {
		s.owed = 0
	}
	if gap < pause {
		s.spent += now - s.shown
	}
	stands := stands(e)
	if e.Op == trace.Summary { // no two are alike
		stands = s.hurry(stands, most)
	} else if stands > 0 {
		stands = s.pace(stands, kindOf(e))
	}
	if e.Op == trace.Input || gap >= apart {
		s.answered = now
	}
	s.at, s.shown, s.last = e.At, now, now
	s.stands = s.fit(stands)
	for _, d := range e.Deltas {
		s.send(d, now)
	}
	return now
}

// beat is how far apart things are shown at least when the budget of their passage is spent, ms.
const beat = 250

// isHasty tells whether the budget of the passage is spent.
func (s *Score) isHasty() bool { return s.told != nil && s.spent >= leisure+haste }

// gather is when something is shown that would be at a time: when there is haste, together with what was shown last, until the time that these
// would have taken is a beat. What is told takes as long as before.
func (s *Score) gather(now int64) int64 {
	if !s.isHasty() {
		s.owed = 0
		return now
	}
	s.owed += now - s.last
	if s.owed < beat {
		return s.last
	}
	now, s.owed = s.last+s.owed, 0
	return now
}

// near is within which time of the cluster messages are of one burst.
const near = 500 * time.Millisecond

// begin opens a passage.
func (s *Score) begin(answer bool) {
	s.spent, s.inAnswer, s.told = 0, answer, map[string]int{}
	if s.underWay == nil {
		s.underWay = map[trace.Cell]voyage{}
	}
}

// burst is from which time of the cluster on what comes is no longer the same burst of changes: in an answer the reader sees each of them stand,
// as far as there is room.
const burst = 100 * time.Millisecond

// pause is from where on a silence gives back some of the budget.
const pause = 800 * time.Millisecond

// over is after which silence an answer is over: what comes then is something new.
const over = 20 * time.Second

// rest is a silence inside a passage: what comes after it has some of the budget again, and after a long one all of it.
func (s *Score) rest(gap time.Duration) {
	s.spent = max(0, min(s.spent, leisure+haste)-gap.Milliseconds()/3)
	if s.spent == 0 || gap > over {
		s.begin(s.inAnswer && gap < apart)
	}
}

// send notes which messages leave and which are gone.
func (s *Score) send(d trace.Delta, now int64) {
	if d.Cell.Kind != trace.CellMessage && d.Cell.Kind != trace.CellPacket {
		return
	}
	if d.New == nil {
		delete(s.underWay, d.Cell)
		return
	}
	takes := s.pace(s.length(), messageKind(d.New))
	if s.sends < few || s.at-s.sent[s.sends%few] > near {
		switch {
		case !s.inAnswer:
			takes = full
		case s.spent < leisure+haste+news:
			takes = max(takes, brisk)
		default:
			takes = max(takes, late)
		}
	}
	s.sent[s.sends%few] = s.at
	s.sends++
	s.underWay[d.Cell] = voyage{now, s.fit(takes)}
}

// apart is from which silence on what comes is no longer the answer: a reader sees that time was skipped.
const apart = 2 * time.Second

// An answer takes less than answer, ms, however long its chain of messages: each thing that is told gets a share of what is left at most.
const (
	answer = 7_600
	share  = 10
	least  = 5
)

// fit is how much of a time an answer has room for.
func (s *Score) fit(ms int64) int64 {
	if !s.inAnswer {
		return ms
	}
	return min(ms, max((answer-(s.shown-s.answered))/share, least))
}

// length is for how long a message of a new kind is under way: less in the middle of a long answer.
func (s *Score) length() int64 {
	if !s.inAnswer {
		return full
	}
	return max(brisk, full-max(0, s.spent-full)/4)
}

// pace is how much of a time something of a kind gets: all of it for the first, less for every further one in a passage,
// and less the more of the budget is spent.
func (s *Score) pace(ms int64, kind string) int64 {
	n := s.told[kind]
	s.told[kind]++
	if n == 0 && s.spent < leisure+haste+news { // whatever was told before, this is new
		least := ms / 2
		if ms >= brisk { // a message
			least = late
		}
		return max(s.hurry(ms, most), least)
	}
	if n > 1 {
		ms = max(ms*2/int64(n*n), min(ms, 10))
	}
	return s.hurry(ms, most)
}

// hurry is how much is left of a time, the more of the budget is spent the less, down to a part of it.
func (s *Score) hurry(ms, part int64) int64 {
	if behind := s.spent - leisure; behind > 0 {
		return max(ms*max(0, haste-behind)/haste, ms/part)
	}
	return ms
}

// What is left when the budget is spent: of what happens, and of the time in between, so that what goes on for long goes on evenly.
const (
	most   = 50
	steady = 12
)

// arrives tells the ops that are the end of a way: a message arrives, or is lost there.
func arrives(op trace.Op) bool {
	switch op {
	case trace.RequestReceive, trace.RequestDone, trace.WatchReceive, trace.NetReceive, trace.NetDrop:
		return true
	}
	return false
}

// messageKind tells apart what a reader would call different messages.
func messageKind(v any) string {
	switch m := v.(type) {
	case trace.Message:
		return m.Kind + " " + class(m.From) + " " + class(m.To) + " " + first(m.Label)
	case trace.Packet:
		return "packet " + first(m.Label)
	}
	return ""
}

// kindOf tells apart what a reader would call different steps.
func kindOf(e *trace.Event) string {
	kind := string(e.Op) + " " + class(e.Component) + " " + e.Object.Resource
	switch e.Op {
	case trace.Log:
		return kind + " " + e.Text("message")
	case trace.StoreCommit:
		return kind + " " + e.Text("type")
	}
	return kind
}

// class is a component without its node: kubelets are alike.
func class(component string) string {
	name, _, _ := strings.Cut(component, "/")
	return name
}

func first(label string) string {
	word, _, _ := strings.Cut(label, " ")
	return word
}

// stands is how long an event stands at least before the next, ms.
func stands(e *trace.Event) int64 {
	switch e.Op {
	case trace.Input, trace.Summary:
		return 300
	case trace.ComponentStop: // a machine that loses power loses one program after another
		return 350
	case trace.StoreCommit, trace.ComponentStart, trace.ContainerStart, trace.ContainerExit, trace.ContainerKill:
		return 120
	case trace.Log, trace.SchedulingPop, trace.PodAssume, trace.QueueGet, trace.NetTranslate:
		return 90
	case trace.QueueAdd, trace.QueueDone, trace.QueueDelay, trace.NodeFilter, trace.NodeScore, trace.CacheSet, trace.CacheDelete:
		return 50
	}
	return 0
}

// silence is how many milliseconds a time is shown for in which nothing happens: less in a burst, and in an answer.
func (s *Score) silence(gap time.Duration) int64 {
	still := silence(gap)
	if gap < pause && !(s.inAnswer && gap >= burst) {
		still = s.hurry(still, steady)
	}
	if gap < apart {
		still = s.fit(still)
	}
	return still
}

// silence is how many milliseconds a time is shown for in which nothing happens.
//
//	gap     1 ms  10 ms  100 ms   1 s   10 s   60 s
//	shown      0     20     120   400    800   1000
func silence(gap time.Duration) int64 {
	us := gap.Microseconds()
	last := silences[0]
	for _, p := range silences[1:] {
		if us < p.us {
			return last.ms + (us-last.us)*(p.ms-last.ms)/(p.us-last.us)
		}
		last = p
	}
	return last.ms
}

var silences = []struct{ us, ms int64 }{
	{0, 0}, {1_000, 0}, {10_000, 20}, {100_000, 120}, {1_000_000, 400}, {10_000_000, 800}, {60_000_000, 1_000},
}
