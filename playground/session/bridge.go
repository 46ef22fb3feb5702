package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf16"

	"kubewalk/playground/cluster"
	"kubewalk/playground/scenario"
	"kubewalk/playground/scene"
)

// Bridge is what a page's worker calls: functions by name that take and return
// JSON text. It holds one session at a time. The zero value is ready to use.
//
//	open({scenario, inputs, layout})  starts a session          → {}
//	run({until})                      lets virtual time pass    → {now, next}, microseconds; next is -1 when nothing is left
//	frames({from})                    frames from an event on   → [frame …]
//	header()                          header of the recording   → {…}
//	details()                         stacks and objects so far → {…}
//	parse({line, manifests})          a command line, unrun     → {args, manifest}, or {wrong: {at, message, cure}}
//	profiles({text})                  schedulers' profiles      → {profiles}, or {wrong: {at, message}}
//
// These two need no session; at counts UTF-16 units, as a page does.
// Whatever goes wrong is answered as {error}.
type Bridge struct {
	session *Session
	layout  scene.Layout
}

// Functions are the names that Call knows.
var Functions = []string{"open", "run", "frames", "header", "details", "parse", "profiles"}

// Call calls a function. It does not panic: a panic of the cluster becomes the
// answer, and ends the session, whose state nobody knows.
func (b *Bridge) Call(name string, text []byte) (answer []byte) {
	defer func() {
		if r := recover(); r != nil {
			b.session = nil
			answer = failure(fmt.Sprint(r))
		}
	}()
	result, err := b.call(name, text)
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

func (b *Bridge) call(name string, text []byte) (any, error) {
	if name == "open" {
		return struct{}{}, b.open(text)
	}
	switch name {
	case "parse":
		return parse(text)
	case "profiles":
		return profiles(text)
	}
	if b.session == nil {
		return nil, fmt.Errorf("no session is open")
	}
	switch name {
	case "run":
		return b.run(text)
	case "frames":
		var in struct {
			From int `json:"from"`
		}
		if err := json.Unmarshal(text, &in); err != nil {
			return nil, err
		}
		return b.session.Frames(b.layout, in.From), nil
	case "header":
		return b.session.Header(b.layout), nil
	case "details":
		return b.session.Details()
	}
	return nil, fmt.Errorf("there is no such function")
}

func (b *Bridge) open(text []byte) error {
	var in struct {
		Scenario *scenario.Scenario `json:"scenario"`
		Inputs   []cluster.Input    `json:"inputs"`
		Layout   scene.Layout       `json:"layout"`
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
	if b.session != nil {
		b.session.Close()
		b.session = nil
	}
	s, err := Open(in.Scenario, in.Inputs, in.Layout)
	if err != nil {
		return err
	}
	b.session, b.layout = s, in.Layout
	return nil
}

// longestRun is how far virtual time can go: what is beyond it is a mistake.
const longestRun = 365 * 24 * time.Hour

func (b *Bridge) run(text []byte) (any, error) {
	var in struct {
		Until int64 `json:"until"` // microseconds since the epoch
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	if in.Until < 0 || in.Until > longestRun.Microseconds() {
		return nil, fmt.Errorf("until %d is no time between 0 and a year", in.Until)
	}
	b.session.Run(time.Duration(in.Until) * time.Microsecond)
	next := int64(-1)
	if at, ok := b.session.cluster.Next(); ok {
		next = at.Microseconds()
	}
	return map[string]int64{"now": b.session.cluster.Elapsed().Microseconds(), "next": next}, nil
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
