package score

import (
	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/trace"
)

// Reading is how long a sentence stands at least, ms.
const Reading = 1_200

// A number that grows is counted up one by one as far as fingers go; from there on at most once in a blink, ms.
const (
	fingers = 10
	blink   = 100
)

// Line is the sentence that begins with an event. The zero value says that none does.
type Line struct {
	// Back is how many events earlier the one happened that is told: it may have had to wait.
	Back int `json:"b"`
	// N is how many like events there were since the last input, which the sentence sums up; 1 for one that tells an event alone.
	N int `json:"n"`
}

// sentences chooses what is told in words.
type sentences struct {
	now     told           // what stands
	began   int64          // since when
	counted int64          // when its number was last raised, ms
	waits   [2]told        // what is told next, and what after it
	counts  map[string]int // how many alike there were since the last input
}

// told is one event that is told, or several like it.
type told struct {
	event trace.ID // the last of them; 0 for none
	like  string   // what they have in common, "" when it cannot be summed up
	rank  int
	n     int
}

// How much it matters that an event is told.
const (
	untold   = iota
	detail   // when there is nothing else
	decision // without it the story makes no sense
	outcome  // what the story leads to
	outside  // somebody did something, or something broke
)

func (s *sentences) next(e *trace.Event, quiet bool, now int64) Line {
	it := told{event: e.ID, n: 1}
	if e.Op == trace.Input || s.counts == nil {
		s.counts = map[string]int{}
	}
	if !quiet {
		it.rank, it.like = rank(e), like(e)
	}
	if it.like != "" {
		s.counts[it.like]++
		it.n = s.counts[it.like]
	}
	if e.Op == trace.Input { // whatever stands: it is about something else
		return s.tell(it, e.ID, now)
	}
	isFree := s.now.n == 0 || now >= s.counted+Reading
	switch {
	case it.rank == untold:
	case it.like != "" && it.like == s.now.like && now < s.began+Reading && (it.n <= fingers || now >= s.counted+blink):
		s.now, s.counted = it, now
		return Line{N: it.n}
	case it.rank == detail:
		if isFree && s.waits[0].n == 0 && (s.now.n == 0 || now >= s.counted+2*Reading) {
			return s.tell(it, e.ID, now)
		}
	default:
		s.wait(it)
	}
	if isFree && s.waits[0].n > 0 {
		return s.tell(s.waits[0], e.ID, now)
	}
	return Line{}
}

// wait has something told later: before what matters less, and what is older.
func (s *sentences) wait(it told) {
	a, b := &s.waits[0], &s.waits[1]
	switch {
	case it.like != "" && it.like == a.like:
		*a = it
	case it.rank >= a.rank:
		*a, *b = it, *a
	case it.rank >= b.rank:
		*b = it
	}
}

func (s *sentences) tell(it told, at trace.ID, now int64) Line {
	next := s.waits[1]
	if e := s.waits[0]; e.event != it.event { // it did not wait
		next = told{}
	}
	if next.n == 1 && next.rank <= decision { // too late for that
		next = told{}
	}
	s.now, s.waits = it, [2]told{next}
	s.began, s.counted = now, now
	return Line{Back: int(at - it.event), N: it.n}
}

// like is what events have in common that can be summed up in a sentence.
func like(e *trace.Event) string {
	key := phrase.Of(e)
	if _, ok := phrase.Sum("en", key); !ok {
		return ""
	}
	return key + " " + e.Object.Resource
}

func rank(e *trace.Event) int {
	switch e.Op {
	case trace.Input, trace.ComponentStart, trace.ComponentStop:
		return outside
	case trace.QueueAdd:
		return detail
	case trace.RequestReply:
		if code, _ := e.Get("code").(int64); code == 404 { // kubectl apply looks first whether it is there
			return detail
		}
	case trace.RequestSend, trace.QueueGet, trace.WatchReceive, trace.Summary:
		return detail
	case trace.ContainerExit:
		return outcome
	case trace.StoreCommit:
		if phrase.Of(e) == string(trace.StoreCommit)+".ready" || e.Text("type") == "DELETED" {
			return outcome
		}
		if e.Text("type") == "MODIFIED" && like(e) == "" {
			return detail
		}
	}
	if Decides(e) {
		return decision
	}
	return untold
}

// Decides tells the events without which the story does not make sense.
func Decides(e *trace.Event) bool {
	switch e.Op {
	case trace.Input, trace.ComponentStart, trace.ComponentStop, trace.StoreCommit, trace.StoreCompact,
		trace.SchedulingPop, trace.PodAssume, trace.PodForget, trace.ContainerStart, trace.ContainerKill, trace.ContainerExit:
		return true
	case trace.Log:
		v, _ := e.Get("v").(int64)
		return v <= 2
	case trace.RequestReply:
		code, _ := e.Get("code").(int64)
		return code >= 400
	case trace.QueueAdd:
		return e.Text("outcome") == "dirty"
	case trace.QueueDelay:
		return e.Get("failures") != nil
	}
	return false
}
