package session

import (
	"encoding/json"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/kubectl"
)

// functions are those of Bridge, with what each takes and answers as JSON. The page's TypeScript is generated of them.
type functions interface {
	open(openArgument) (openAnswer, error)
	run(runArgument) (runAnswer, error)
	give(giveArgument) (giveAnswer, error)
	relayout(relayoutArgument) (nothing, error)
	frames(framesArgument) ([]recording.Frame, error)
	header(worldArgument) (recording.Header, error)
	details(detailsArgument) (*recording.Details, error)
	managers(managersArgument) (*recording.Managers, error)
	exercise(exerciseArgument) (*scenario.Progress, error)
	close(worldArgument) (nothing, error)
	parse(parseArgument) (parseAnswer, error)
	complete(completeArgument) (completeAnswer, error)
	profiles(profilesArgument) (profilesAnswer, error)
	fields(fieldsArgument) (fieldsAnswer, error)
}

var _ functions = (*Bridge)(nil)

// worldArgument names the world that a call is about.
type worldArgument struct {
	World int `json:"world"`
}

type nothing struct{}

type openArgument struct {
	worldArgument
	Scenario *scenario.Scenario `json:"scenario"`
	Inputs   []cluster.Input    `json:"inputs" tstype:"readonly Input[]"`
	Layout   scene.Layout       `json:"layout"`
	WhatIf   string             `json:"whatIf"` // a counterfactual; "" is the real world
}

type openAnswer struct {
	Larger bool `json:"larger,omitempty"` // see giveAnswer
}

type runArgument struct {
	worldArgument
	Until int64 `json:"until"` // µs since the epoch
	// Pass says that nobody wants the frames so far: the film only follows.
	Pass bool `json:"pass"`
}

// runAnswer is how far a run came: not to its end when very much happened.
type runAnswer struct {
	Now    int64 `json:"now"`  // µs since the epoch
	Next   int64 `json:"next"` // when something happens next; -1 when nothing is left
	Events int   `json:"events"`
}

type giveArgument struct {
	worldArgument
	Input cluster.Input `json:"input"`
}

type giveAnswer struct {
	Replay bool `json:"replay,omitempty"` // its time has passed there
	Larger bool `json:"larger,omitempty"` // in the browser, the larger build does what was asked for, and this one says that it cannot
}

type relayoutArgument struct {
	worldArgument
	Layout scene.Layout `json:"layout"`
}

type framesArgument struct {
	worldArgument
	From int `json:"from"` // an event's number
}

// detailsArgument asks for those without the ones of so many first events and stacks.
type detailsArgument struct {
	worldArgument
	Events int `json:"events"`
	Stacks int `json:"stacks"`
}

type managersArgument struct {
	worldArgument
	Object string `json:"object"` // "pods default/web"
}

type exerciseArgument struct {
	worldArgument
	ID string `json:"id"` // the exercise's
}

// parseArgument is a command line, which is not run.
type parseArgument struct {
	Line      string                     `json:"line"`
	Manifests map[string]json.RawMessage `json:"manifests"` // what -f may name
	Texts     map[string]json.RawMessage `json:"texts"`     // of those that are written, by the names of their files
}

type parseAnswer struct {
	Args     []string        `json:"args,omitempty"`
	Manifest json.RawMessage `json:"manifest,omitempty"`
	Edits    string          `json:"edits,omitempty"` // the object that the line opens in an editor: "deployments default/web"
	Wrong    *wrong          `json:"wrong,omitempty"`

	LastApplied bool `json:"lastApplied,omitempty"` // it opens what apply remembers of that object
	Larger      bool `json:"larger,omitempty"`      // see giveAnswer
}

// completeArgument is the beginning of a command line.
type completeArgument struct {
	Line string `json:"line"`
}

// completeAnswer is how its last word may go on: with one of words, or with the name of an object of a resource ("pods") behind prefix.
type completeAnswer struct {
	From      int      `json:"from"` // where the word begins, in UTF-16 units
	Words     []string `json:"words,omitempty"`
	Resource  string   `json:"resource,omitempty"`
	Prefix    string   `json:"prefix,omitempty"`
	Namespace string   `json:"namespace,omitempty"` // "*" is any
}

// profilesArgument is schedulers' profiles, as JSON that somebody writes.
type profilesArgument struct {
	Text string `json:"text"`
}

type profilesAnswer struct {
	Profiles json.RawMessage `json:"profiles,omitempty"`
	Wrong    *wrong          `json:"wrong,omitempty"`
}

// fieldsArgument asks what a kind's objects may hold.
type fieldsArgument struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// fieldsAnswer has the built-in kinds, as "apps/v1 Deployment", if the one that is asked for is none of them.
type fieldsAnswer struct {
	Fields *kubectl.Fields `json:"fields,omitempty"`
	Kinds  []string        `json:"kinds,omitempty"`
}

// wrong is what is wrong with a text, and where.
type wrong struct {
	At      int    `json:"at"` // in UTF-16 units, as a page counts
	Message string `json:"message"`
	Cure    string `json:"cure,omitempty"` // the word that was probably meant
}
