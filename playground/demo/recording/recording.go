// Package recording is the form in which a run reaches a page: what the build
// writes to a file and what the live control plane in the worker sends, frame
// by frame. The page plays both with the same code.
//
// A recording is a list of frames, one for each event of the trace. A frame
// changes the picture by shapes that are set and ids that are gone, so that a
// step either way costs no more than what changed.
package recording

import (
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/score"
)

// Version of the format. A page refuses others.
const Version = 1

// Header opens a recording.
type Header struct {
	Version int          `json:"version"`
	Demo    string       `json:"demo"`
	Seed    uint64       `json:"seed"`
	Epoch   string       `json:"epoch"` // RFC 3339
	Layout  scene.Layout `json:"layout"`
	Width   int          `json:"width"`
	Height  int          `json:"height"`
	Marks   []Mark       `json:"marks"`
	// First is the frame that the player opens at: the last one of the set-up.
	First int `json:"first"`
	// Length and End are how many frames the recording has and when the last one
	// is shown, ms, whatever this file holds of it. A live run has no end yet.
	Length int   `json:"length,omitempty"`
	End    int64 `json:"end,omitempty"`
	// Rest is the name of the file that holds the frames after this file's; ""
	// when it holds all.
	Rest string `json:"rest,omitempty"`
}

// Mark is a moment that the author points at.
type Mark struct {
	ID      string            `json:"id"`
	Frame   int               `json:"frame"`       // index into the frames
	Display int64             `json:"d,omitempty"` // the frame's, in a file: the frame itself may come later
	Caption map[string]string `json:"caption"`     // by language, plain text
}

// File is what a page loads to play a recording: public/demos/DEMO/LAYOUT.json.gz.
// It holds the first frames, or all, packed: see pack.go.
type File struct {
	Header
	Frames []Frame `json:"frames"`
}

// Rest is what a page loads while it plays: public/demos/DEMO/LAYOUT.rest.json.gz.
type Rest struct {
	Demo   string
	After  Frame // the last one of the file before
	Frames []Frame
}

// Frame is one event and what it changes in the picture.
type Frame struct {
	Event   int   `json:"e"` // the event's number: 1, 2, 3 …
	Cause   int   `json:"c,omitempty"`
	At      int64 `json:"at"` // virtual time, µs since the epoch
	Display int64 `json:"d"`  // when it is shown at speed 1, ms since the start: see demo/score
	// Who is the component, Process the process in it.
	Who     string `json:"who"`
	Process string `json:"p,omitempty"`
	Op      string `json:"op" tstype:"Op"`
	Object  string `json:"o,omitempty"` // "pods default/web-x2k9p"
	// Phrase is the key of the sentence that says this event in words; its
	// {names} are filled from Attrs, and {who}, {object}, {name}.
	Phrase string `json:"m"`
	// Attrs are the event's keys and values, in order: [key, value, key, value …].
	// A key that repeats Who or Process does not override them in phrases.
	Attrs []any `json:"a,omitempty" tstype:"(string | number | boolean)[]"`
	Stack int   `json:"s,omitempty"` // index into Details.Stacks
	// Quiet frames change nothing that a reader follows (heartbeats, verbose
	// logs): "step" passes over them, and the log folds them.
	Quiet bool `json:"q,omitempty"`
	// Line is the sentence that begins here while it plays: [how many events back is the one that it
	// tells, how many like it are summed up].
	Line *score.Line `json:"l,omitempty"`

	// Shapes have layers (scene.Shape.Z); within one, order carries no meaning.
	Set  []scene.Shape `json:"set,omitempty"`
	Gone []string      `json:"gone,omitempty"`
}

// Details is what a page loads when a reader opens an event:
// public/demos/DEMO/details.json.gz.
type Details struct {
	// Stacks is the table of call stacks, innermost call first: Stacks[0] is empty.
	Stacks [][]Call `json:"stacks"`
	// Objects are the objects that commits wrote, by event number, as JSON. One
	// that Base names is a JSON merge patch (RFC 7386) on an earlier one.
	Objects map[int]any `json:"objects"`
	// Base tells, by event number, on which event's object the patch is made.
	Base map[int]int `json:"base"`
}

// Call is one frame of a call stack: [file, line, function]. The file is
// relative to the project's root; its text is at public/source/FILE.json.gz.
//
//typescript:type [file: string, line: number, name: string]
type Call [3]any
