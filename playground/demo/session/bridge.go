package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf16"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
)

// Bridge is what a page's worker calls: functions by name that take and return
// JSON text. It holds several worlds, each a session under a number that the
// page chooses; every call about one names it as world, 0 without. The zero
// value is ready to use.
//
//	open({world, scenario, inputs, layout, whatIf})  starts a session, in a counterfactual's world or "" → {}
//	run({world, until, pass})         lets virtual time pass    → {now, next, events}, microseconds; next is -1 when nothing is left.
//	                                  now is before until when very much happens: it goes on with the next run.
//	                                  With pass nobody wants the frames so far: the film only follows
//	give({world, input})              does something more       → {}, or {replay: true} when its time has passed there
//	frames({world, from})             frames from an event on   → [frame …]
//	header({world})                   header of the recording   → {…}
//	details({world, events, stacks})  stacks and objects so far → {…}, without those of the first so many
//	managers({world, object})         who manages its fields    → {…}
//	exercise({world, id})             what an attempt has come to → scenario.Progress
//	close({world})                    ends a session, if it is open → {}
//	parse({line, manifests})          a command line, unrun     → {args, manifest}, or {wrong: {at, message, cure}}
//	profiles({text})                  schedulers' profiles      → {profiles}, or {wrong: {at, message}}
//
// The last two need no session; at counts UTF-16 units, as a page does.
// Whatever goes wrong is answered as {error}.
type Bridge struct {
	worlds map[int]*world
}

// world is a session and how it is shown.
type world struct {
	*Session
	layout scene.Layout
}

// Functions are the names that Call knows.
var Functions = []string{"open", "run", "give", "frames", "header", "details", "managers", "exercise", "close", "parse", "profiles"}

// Call calls a function. It does not panic: a panic of the cluster becomes the
// answer, and ends the session, whose state nobody knows.
func (b *Bridge) Call(name string, text []byte) (answer []byte) {
	var to struct{ World int }
	defer func() {
		if r := recover(); r != nil {
			delete(b.worlds, to.World)
			answer = failure(fmt.Sprint(r))
		}
	}()
	var err error
	if len(text) > 0 {
		err = json.Unmarshal(text, &to)
	}
	var result any
	if err == nil {
		result, err = b.call(name, to.World, text)
	}
	if err != nil {
		return failure(name + ": " + err.Error())
	}
	out, err := json.Marshal(result)
	if err != nil {
		return failure(name + ": " + err.Error())
	}
	return out
}

func failure(message string) []byte {
	out, _ := json.Marshal(map[string]string{"error": message}) // a text always can be
	return out
}

func (b *Bridge) call(name string, number int, text []byte) (any, error) {
	switch name {
	case "open":
		return struct{}{}, b.open(number, text)
	case "close":
		b.close(number)
		return struct{}{}, nil
	case "parse":
		return parse(text)
	case "profiles":
		return profiles(text)
	}
	w := b.worlds[number]
	if w == nil {
		return nil, fmt.Errorf("no session is open")
	}
	var in struct {
		Until                int64 // microseconds since the epoch
		Pass                 bool
		Input                cluster.Input
		From, Events, Stacks int
		Object, ID           string
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	switch name {
	case "run":
		return w.run(in.Until, in.Pass)
	case "give":
		done, err := w.Give(in.Input)
		return struct {
			Replay bool `json:"replay,omitempty"`
		}{!done}, err
	case "frames":
		return w.Frames(w.layout, in.From), nil
	case "header":
		return w.Header(w.layout), nil
	case "details":
		return w.Details(in.Events, in.Stacks)
	case "managers":
		return w.Managers(in.Object), nil
	case "exercise":
		return w.Exercise(in.ID)
	}
	return nil, fmt.Errorf("there is no such function")
}

func (b *Bridge) open(number int, text []byte) error {
	var in struct {
		Scenario *scenario.Scenario `json:"scenario"`
		Inputs   []cluster.Input    `json:"inputs"`
		Layout   scene.Layout       `json:"layout"`
		WhatIf   string             `json:"whatIf"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	if in.Scenario == nil {
		return fmt.Errorf("needs a scenario")
	}
	if in.Layout != scene.Wide && in.Layout != scene.Narrow {
		return fmt.Errorf("unknown layout %q: want %q or %q", in.Layout, scene.Wide, scene.Narrow)
	}
	b.close(number)
	var err error
	in.Scenario, err = in.Scenario.World(in.WhatIf)
	if err != nil {
		return err
	}
	s, err := Open(in.Scenario, in.Inputs, in.Layout)
	if err != nil {
		return err
	}
	if b.worlds == nil {
		b.worlds = map[int]*world{}
	}
	b.worlds[number] = &world{s, in.Layout}
	return nil
}

func (b *Bridge) close(number int) {
	if w := b.worlds[number]; w != nil {
		w.Close()
		delete(b.worlds, number)
	}
}

// longestRun is how far virtual time can go: what is beyond it is a mistake.
const longestRun = 365 * 24 * time.Hour

// mostAtOnce is how much may happen in one run: then the page is told how far it
// came, so that it can stop what would never end.
const mostAtOnce = 50_000

func (w *world) run(until int64, pass bool) (any, error) {
	if until < 0 || until > longestRun.Microseconds() {
		return nil, fmt.Errorf("until %d is no time between 0 and a year", until)
	}
	w.cluster.RunFor(time.Duration(until)*time.Microsecond, mostAtOnce)
	if pass {
		w.Pass(w.layout)
	}
	next := int64(-1)
	if at, ok := w.cluster.Next(); ok {
		next = at.Microseconds()
	}
	return map[string]int64{"now": w.cluster.Elapsed().Microseconds(), "next": next, "events": int64(w.cluster.Trace().Len())}, nil
}

// wrong is what is wrong with a command line, and where.
type wrong struct {
	At      int    `json:"at"`
	Message string `json:"message"`
	Cure    string `json:"cure,omitempty"` // the word that was probably meant
}

func parse(text []byte) (any, error) {
	var in struct {
		Line      string                     `json:"line"`
		Manifests map[string]json.RawMessage `json:"manifests"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	args, manifest, err := scenario.ParseCommand(in.Line, in.Manifests)
	var bad *cluster.CommandError
	if errors.As(err, &bad) {
		at := min(bad.At, len(in.Line))
		return map[string]wrong{"wrong": {
			At: units(in.Line[:at]), Message: bad.Message, Cure: scenario.Cure(in.Line, bad),
		}}, nil
	}
	return struct {
		Args     []string        `json:"args"`
		Manifest json.RawMessage `json:"manifest,omitempty"`
	}{args, manifest}, nil
}

// units is a text's length as a page counts it.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

func profiles(text []byte) (any, error) {
	var in struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	if _, err := cluster.ParseProfiles([]byte(in.Text)); err != nil {
		w := wrong{Message: err.Error()}
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			w.At = units(in.Text[:max(0, min(int(syntax.Offset)-1, len(in.Text)))])
		}
		return map[string]wrong{"wrong": w}, nil
	}
	return map[string]json.RawMessage{"profiles": json.RawMessage(in.Text)}, nil
}
