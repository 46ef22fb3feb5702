package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/kubectl"
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
//	relayout({world, layout})         its frames are those of another layout, from the first on → {}
//	frames({world, from})             frames from an event on   → [frame …]
//	header({world})                   header of the recording   → {…}
//	details({world, events, stacks})  stacks and objects so far → {…}, without those of the first so many
//	managers({world, object})         who manages its fields    → {…}
//	exercise({world, id})             what an attempt has come to → scenario.Progress
//	close({world})                    ends a session, if it is open → {}
//	parse({line, manifests})          a command line, unrun     → {args, manifest}, or {wrong: {at, message, cure}}; with {larger: true}
//	                                  when the browser's larger build does what this one cannot, as with open and give
//	profiles({text})                  schedulers' profiles      → {profiles}, or {wrong: {at, message}}
//
// The last two need no session; at counts UTF-16 units, as a page does.
// Whatever goes wrong is answered as {error}.
type Bridge struct {
	// Large, if it is set, is called before a session opens and after one has ended or could not be opened: how many are open that begin with a cluster
	// full of objects. A host has to find memory for them.
	Large func(sessions int)

	worlds map[int]*world
}

// world is a session and how it is shown.
type world struct {
	*Session
	layout scene.Layout
}

// Functions are the names that Call knows.
var Functions = []string{"open", "run", "give", "relayout", "frames", "header", "details", "managers", "exercise", "close", "parse", "complete", "profiles", "fields"}

// Call calls a function. It does not panic: a panic of the cluster becomes the
// answer, and ends the session, whose state nobody knows.
func (b *Bridge) Call(name string, text []byte) (answer []byte) {
	var to struct{ World int }
	defer func() {
		if r := recover(); r != nil {
			delete(b.worlds, to.World)
			b.large()
			answer = failure(fmt.Sprint(r))
		}
	}()
	var err error
	if len(text) > 0 {
		err = json.Unmarshal(text, &to)
	}
	var result any
	if err == nil {
		result, err = b.call(name, text)
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

func (b *Bridge) call(name string, text []byte) (any, error) {
	switch name {
	case "open":
		return with(b.open, text)
	case "run":
		return with(b.run, text)
	case "give":
		return with(b.give, text)
	case "relayout":
		return with(b.relayout, text)
	case "frames":
		return with(b.frames, text)
	case "header":
		return with(b.header, text)
	case "details":
		return with(b.details, text)
	case "managers":
		return with(b.managers, text)
	case "exercise":
		return with(b.exercise, text)
	case "close":
		return with(b.close, text)
	case "parse":
		return with(b.parse, text)
	case "complete":
		return with(b.complete, text)
	case "profiles":
		return with(b.profiles, text)
	case "fields":
		return with(b.fields, text)
	}
	return nil, fmt.Errorf("there is no such function")
}

// with calls a function with its argument read from JSON.
func with[Argument, Answer any](function func(Argument) (Answer, error), text []byte) (Answer, error) {
	var in Argument
	if err := json.Unmarshal(text, &in); err != nil {
		var none Answer
		return none, err
	}
	return function(in)
}

// of is the world that a page names.
func (b *Bridge) of(number int) (*world, error) {
	if w := b.worlds[number]; w != nil {
		return w, nil
	}
	return nil, errors.New("no session is open")
}

func (b *Bridge) open(in openArgument) (openAnswer, error) {
	if in.Scenario == nil {
		return openAnswer{}, errors.New("needs a scenario")
	}
	if err := known(in.Layout); err != nil {
		return openAnswer{}, err
	}
	b.end(in.World)
	told, err := in.Scenario.World(in.WhatIf)
	if err != nil {
		return openAnswer{}, err
	}
	b.large(told)
	s, err := Open(told, in.Inputs, in.Layout)
	if err != nil {
		b.large()
		return openAnswer{}, err
	}
	if b.worlds == nil {
		b.worlds = map[int]*world{}
	}
	b.worlds[in.World] = &world{s, in.Layout}
	larger := slices.ContainsFunc(in.Inputs, cluster.NeedsLarger) ||
		slices.ContainsFunc(told.Steps, func(s scenario.Step) bool { return cluster.NeedsLarger(s.Input) })
	return openAnswer{Larger: larger}, nil
}

func known(l scene.Layout) error {
	if l != scene.Wide && l != scene.Narrow {
		return fmt.Errorf("unknown layout %q: want %q or %q", l, scene.Wide, scene.Narrow)
	}
	return nil
}

// relayout draws what a session has done, and what it does from now on, in another layout: a run does not depend on how it is drawn.
func (b *Bridge) relayout(in relayoutArgument) (nothing, error) {
	w, err := b.of(in.World)
	if err == nil {
		err = known(in.Layout)
	}
	if err != nil {
		return nothing{}, err
	}
	w.Relayout(w.layout, in.Layout)
	w.layout = in.Layout
	return nothing{}, nil
}

func (b *Bridge) close(in worldArgument) (nothing, error) {
	b.end(in.World)
	return nothing{}, nil
}

func (b *Bridge) end(number int) {
	if w := b.worlds[number]; w != nil {
		w.Close()
		delete(b.worlds, number)
		b.large()
	}
}

// large counts the sessions that are open, and some more, for the host.
func (b *Bridge) large(more ...*scenario.Scenario) {
	if b.Large == nil {
		return
	}
	n := 0
	for _, w := range b.worlds { // order: a sum
		more = append(more, w.scenario)
	}
	for _, s := range more {
		if s.Cluster.Preload != nil {
			n++
		}
	}
	b.Large(n)
}

// longestRun is how far virtual time can go: what is beyond it is a mistake.
const longestRun = 365 * 24 * time.Hour

// mostAtOnce is how much may happen in one run: then the page is told how far it
// came, so that it can stop what would never end.
const mostAtOnce = 50_000

func (b *Bridge) run(in runArgument) (runAnswer, error) {
	w, err := b.of(in.World)
	if err != nil {
		return runAnswer{}, err
	}
	if in.Until < 0 || in.Until > longestRun.Microseconds() {
		return runAnswer{}, fmt.Errorf("until %d is no time between 0 and a year", in.Until)
	}
	w.cluster.RunFor(time.Duration(in.Until)*time.Microsecond, mostAtOnce)
	if in.Pass {
		w.Pass(w.layout)
	}
	next := int64(-1)
	if at, ok := w.cluster.Next(); ok {
		next = at.Microseconds()
	}
	return runAnswer{Now: w.cluster.Elapsed().Microseconds(), Next: next, Events: w.cluster.Trace().Len()}, nil
}

func (b *Bridge) give(in giveArgument) (giveAnswer, error) {
	w, err := b.of(in.World)
	if err != nil {
		return giveAnswer{}, err
	}
	done, err := w.Give(in.Input)
	return giveAnswer{Replay: !done, Larger: cluster.NeedsLarger(in.Input)}, err
}

func (b *Bridge) frames(in framesArgument) ([]recording.Frame, error) {
	w, err := b.of(in.World)
	if err != nil {
		return nil, err
	}
	return w.Frames(w.layout, in.From), nil
}

func (b *Bridge) header(in worldArgument) (recording.Header, error) {
	w, err := b.of(in.World)
	if err != nil {
		return recording.Header{}, err
	}
	return w.Header(w.layout), nil
}

func (b *Bridge) details(in detailsArgument) (*recording.Details, error) {
	w, err := b.of(in.World)
	if err != nil {
		return nil, err
	}
	return w.Details(in.Events, in.Stacks)
}

func (b *Bridge) managers(in managersArgument) (*recording.Managers, error) {
	w, err := b.of(in.World)
	if err != nil {
		return nil, err
	}
	return w.Managers(in.Object), nil
}

func (b *Bridge) exercise(in exerciseArgument) (*scenario.Progress, error) {
	w, err := b.of(in.World)
	if err != nil {
		return nil, err
	}
	return w.Exercise(in.ID)
}

func (*Bridge) parse(in parseArgument) (parseAnswer, error) {
	words, wrong := cluster.ParseCommand(in.Line)
	answer, err := parsed(in)
	answer.Larger = wrong == nil && cluster.NeedsLarger(cluster.Input{Kind: cluster.Command, Args: words, Manifest: answer.Manifest})
	return answer, err
}

func parsed(in parseArgument) (parseAnswer, error) {
	args, manifest, err := scenario.ParseCommand(in.Line, in.Manifests, in.Texts)
	var bad *cluster.CommandError
	if errors.As(err, &bad) {
		at := min(bad.At, len(in.Line))
		answer := wrong{At: units(in.Line[:at]), Message: bad.Message}
		if !strings.Contains(bad.Message, "Did you mean") { // kubectl says it by itself
			answer.Cure = scenario.Cure(in.Line, bad)
		}
		return parseAnswer{Wrong: &answer}, nil
	}
	edits, lastApplied := kubectl.Edited(args)
	return parseAnswer{Args: args, Manifest: manifest, Edits: edits, LastApplied: lastApplied}, nil
}

func (*Bridge) complete(in completeArgument) (completeAnswer, error) {
	c := kubectl.Complete(in.Line)
	return completeAnswer{units(in.Line[:c.From]), c.Words, c.Resource, c.Prefix, c.Namespace}, nil
}

func (*Bridge) fields(in fieldsArgument) (fieldsAnswer, error) {
	if fields := kubectl.FieldsOf(in.APIVersion, in.Kind); fields != nil {
		return fieldsAnswer{Fields: fields}, nil
	}
	return fieldsAnswer{Kinds: kubectl.KindNames()}, nil
}

// units is a text's length as a page counts it.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

func (*Bridge) profiles(in profilesArgument) (profilesAnswer, error) {
	if _, err := cluster.ParseProfiles([]byte(in.Text)); err != nil {
		w := &wrong{Message: err.Error()}
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			w.At = units(in.Text[:max(0, min(int(syntax.Offset)-1, len(in.Text)))])
		}
		return profilesAnswer{Wrong: w}, nil
	}
	return profilesAnswer{Profiles: json.RawMessage(in.Text)}, nil
}
