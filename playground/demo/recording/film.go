package recording

import (
	"time"

	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/trace"
)

// Film turns a run's trace into frames, as far as the run has come. It keeps
// what it has turned: asking again costs only what is new. A frame depends on
// the events up to it and on what the pictures show, so a film that is made while the run
// goes on and one that is made afterwards are the same.
//
// Events before the first frame that was ever asked for are passed over: what
// they do to the picture and to the clock is followed, and nothing is drawn.
type Film struct {
	trace  *trace.Recorder
	shows  scene.Options
	stage  *scene.Stage
	passed int // so many events have no frame
	frames []Frame
	clock  clock
}

// NewFilm returns a film of a run.
func NewFilm(rec *trace.Recorder, shows scene.Options) *Film {
	return &Film{trace: rec, shows: shows, stage: scene.NewStage(shows), frames: []Frame{}}
}

// Size is the picture's width and height.
func (f *Film) Size() (width, height int) { return scene.Size(f.shows) }

// Frames returns the frames from an event number on, 1 being the first event.
// The slice must not be changed.
func (f *Film) Frames(from int) []Frame {
	from = max(1, min(from, f.trace.Len()+1))
	if from <= f.passed { // what was passed over is wanted after all
		*f = *NewFilm(f.trace, f.shows)
	}
	if len(f.frames) == 0 && f.passed < from-1 {
		f.pass(from - 1)
	}
	for id := f.passed + len(f.frames) + 1; id <= f.trace.Len(); id++ {
		f.frames = append(f.frames, f.frame(f.trace.Event(trace.ID(id))))
	}
	return f.frames[from-1-f.passed:]
}

// Pass follows what has happened so far without making frames, and forgets those
// that were made: what is asked for next comes after them.
func (f *Film) Pass() {
	f.passed += len(f.frames)
	f.frames = []Frame{}
	if f.passed < f.trace.Len() {
		f.pass(f.trace.Len())
	}
}

// pass moves the stage and the clock over events, up to one.
func (f *Film) pass(to int) {
	for ; f.passed < to; f.passed++ {
		e := f.trace.Event(trace.ID(f.passed + 1))
		f.clock.show(e.At, least(e, f.stage.Apply(e)))
		// A stage whose board is out of date lays it out anew for every message.
		if f.passed%drawEvery == 0 {
			f.stage.Diff()
		}
	}
	f.stage.Diff() // the next frame tells what is different from here
}

// drawEvery is after how many events a film that passes over them draws. With
// 256, passing costs a fifth of filming; with less or much more, a third.
const drawEvery = 256

func (f *Film) frame(e *trace.Event) Frame {
	out := Frame{
		Event: int(e.ID), Cause: int(e.Cause), At: e.At.Microseconds(),
		Who: e.Component, Process: e.Process, Op: string(e.Op), Object: phrase.Object(e.Object),
		Phrase: phrase.Of(e), Stack: int(e.Stack),
	}
	if len(e.Attrs) > 0 {
		out.Attrs = make([]any, 0, 2*len(e.Attrs))
		for _, a := range e.Attrs {
			out.Attrs = append(out.Attrs, a.Key, a.Value)
		}
	}
	out.Quiet = f.stage.Apply(e)
	out.Set, out.Gone = f.stage.Diff()
	out.Display = f.clock.show(e.At, least(e, out.Quiet))
	return out
}

// clock maps virtual time to the time on a reader's watch at speed 1.
//
// In a cluster, an answer takes milliseconds and a heartbeat seconds. So short
// gaps are stretched and long ones shortened, by a curve of straight pieces
// that never falls (see warp); and what a reader follows is given a least time,
// so that things that happen at the same moment are seen one after the other.
// The gap is counted from the last event that is not quiet: heartbeats inside
// a quiet time do not make it longer.
type clock struct {
	at    time.Duration // of the last event that was not quiet
	shown int64         // when that was shown, ms
	hold  int64         // for how long at least
	last  int64         // when the last event of any kind was shown
}

func (c *clock) show(at time.Duration, hold int64) int64 {
	now := max(c.last, c.shown+max(c.hold, warp(at-c.at)))
	if hold == 0 { // quiet: it gets no time of its own
		now = max(c.last, c.shown+warp(at-c.at))
		c.last = now
		return now
	}
	c.at, c.shown, c.hold, c.last = at, now, hold, now
	return now
}

// warp is how many milliseconds a gap is shown for.
//
//	gap     100 µs  1 ms  3 ms  10 ms  100 ms   1 s   10 s   60 s
//	shown    10 ms   100   240    360     520   800   1000   1100
func warp(gap time.Duration) int64 {
	us := gap.Microseconds()
	last := warpCurve[0]
	for _, p := range warpCurve[1:] {
		if us < p.us {
			return last.ms + (us-last.us)*(p.ms-last.ms)/(p.us-last.us)
		}
		last = p
	}
	return last.ms + (us-last.us)/1e6*2 // 2 ms a second from there on
}

var warpCurve = []struct{ us, ms int64 }{
	{0, 0}, {1_000, 100}, {3_000, 240}, {10_000, 360}, {100_000, 520}, {1_000_000, 800}, {10_000_000, 1_000}, {60_000_000, 1_100},
}

// least is how long an event is shown before the next one that counts, in ms.
func least(e *trace.Event, quiet bool) int64 {
	if quiet {
		return 0
	}
	switch e.Op {
	case trace.Input:
		return 400
	case trace.Log, trace.StoreCommit, trace.SchedulingPop, trace.PodAssume:
		return 70
	case trace.QueueAdd, trace.QueueGet, trace.QueueDone, trace.ContainerStart:
		return 40
	case trace.RequestSend, trace.RequestReply, trace.WatchSend:
		return 30
	}
	return 20
}
