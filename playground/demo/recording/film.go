package recording

import (
	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/score"
	"kubewalk/playground/trace"
)

// Film turns a run's trace into frames, as far as the run has come. It keeps
// what it has turned: asking again costs only what is new. A frame depends on
// the events up to it and on what the pictures show, so a film that is made while the run
// goes on and one that is made afterwards are the same.
//
// Events before the first frame that was ever asked for are passed over: what
// they do to the picture and to the score is followed, and nothing is drawn.
type Film struct {
	trace   *trace.Recorder
	shows   scene.Options
	picture *scene.Picture
	passed  int // so many events have no frame
	frames  []Frame
	score   score.Score
}

// NewFilm returns a film of a run.
func NewFilm(rec *trace.Recorder, shows scene.Options) *Film {
	return &Film{trace: rec, shows: shows, picture: scene.NewPicture(shows), frames: []Frame{}}
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

// pass moves the stage and the score over events, up to one.
func (f *Film) pass(to int) {
	for ; f.passed < to; f.passed++ {
		e := f.trace.Event(trace.ID(f.passed + 1))
		f.score.Next(e, f.picture.Apply(e))
		// A stage whose board is out of date lays it out anew for every message.
		if f.passed%drawEvery == 0 {
			f.picture.Diff()
		}
	}
	f.picture.Diff() // the next frame tells what is different from here
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
	out.Quiet = f.picture.Apply(e)
	out.Set, out.Gone = f.picture.Diff()
	var line score.Line
	if out.Display, line = f.score.Next(e, out.Quiet); line.N > 0 {
		out.Line = &line
	}
	return out
}
