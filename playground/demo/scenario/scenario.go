// Package scenario is a demo: a cluster, what is done to it, what the chapter
// claims about it and which moments the author points at.
//
// A Scenario is plain data and travels as JSON: the build makes it of an
// author's file (playground/demo/demofile), the page hands it to the control plane
// in the worker. Session runs it; Check holds its claims against the trace.
package scenario

import (
	"encoding/json"
	"slices"
	"time"

	"kubewalk/playground/cluster"
)

// Scenario is one demo.
//
// Times in it count from the epoch, not from the end of the setup, which is where an
// author's begin.
type Scenario struct {
	Name  string            `json:"name"`
	Title map[string]string `json:"title"` // by language
	Seed  uint64            `json:"seed"`
	// Cluster is what stands before the first step.
	Cluster cluster.Config `json:"cluster"`
	// Focus is the controller whose inside the pictures show, large; "" is the whole cluster.
	Focus string `json:"focus,omitempty"`
	// Insides are the controllers that pictures of the whole cluster show with their
	// insides; empty is the ReplicaSet controller. The others are drawn in brief.
	Insides []string `json:"insides,omitempty"`
	// Setup is how long the cluster runs on its own before a page shows it. It
	// counts: a step at 0s happens then.
	Setup time.Duration `json:"setup"`
	// Steps are the author's script, in order of time.
	Steps []Step `json:"steps,omitempty"`
	// End is when the recording ends.
	End      time.Duration `json:"end"`
	Claims   []Claim       `json:"claims,omitempty"`
	Marks    []Mark        `json:"marks,omitempty"`
	Controls []Control     `json:"controls,omitempty"`
	// WhatIf are the counterfactuals that the reader may look into.
	WhatIf []WhatIf `json:"whatIf,omitempty"`
	// Exercises are what a chapter asks of its reader.
	Exercises []Exercise `json:"exercises,omitempty"`
	// Manifests are what -f names in a command line that a reader types. They
	// travel only where one can be typed.
	Manifests map[string]json.RawMessage `json:"manifests,omitempty"`
}

// Large tells whether the browser needs the larger build of the control plane for what the author does.
func (s *Scenario) Large() bool {
	return s.Cluster.Large() || slices.ContainsFunc(s.Steps, func(st Step) bool { return cluster.Rare(st.Input) })
}

// Step is an input that the author gives.
type Step struct {
	ID string `json:"id,omitempty"`
	cluster.Input
	// Fails is a part of the error that the step is to end with; "" when it has to work.
	Fails string `json:"fails,omitempty"`
	// Prints are parts of what the step's command prints.
	Prints []string `json:"prints,omitempty"`
}

// Claim is a statement of the chapter that the build checks. Exactly one of
// Objects, Event, Events, Order, Before and Output is set.
type Claim struct {
	// In is the counterfactual that it is about; "" is the real world.
	In string `json:"in,omitempty"`
	// After is the step from which on it is checked; "" is the end of the setup.
	After string `json:"after,omitempty"`
	// Within is how long it may take to become true. A claim on events counts
	// those of that period.
	Within time.Duration `json:"within,omitempty"`
	// Stays demands that it stays true from then on, up to the end of the demo.
	Stays bool `json:"stays,omitempty"`
	// Always demands that it is true at every moment from After on, for Within.
	Always bool `json:"always,omitempty"`

	Objects *Objects `json:"objects,omitempty"`
	// Event selects Events of the API by what they tell.
	Event *Event `json:"event,omitempty"`
	// Events and Order are about events of the trace. In Order each happens
	// behind the one before; in Before the first of each happens before the
	// first of the next.
	Events *Match  `json:"events,omitempty"`
	Order  []Match `json:"order,omitempty"`
	Before []Match `json:"before,omitempty"`
	// Output are parts of what the last command printed by the time that Within
	// is over.
	Output []string `json:"output,omitempty"`
	// Count is what the number of objects or events has to be: "== 8", "<= 3",
	// ">= 1". For Event, "" is ">= 1". In a counterfactual it may be compared with
	// what it is in the real world: "> real".
	Count string `json:"count,omitempty"`
}

// Event selects Events of the API. Empty fields match everything; a * at the
// end or the beginning of a text stands for anything.
type Event struct {
	Reason  string `json:"reason,omitempty"`
	Type    string `json:"type,omitempty"`    // Normal or Warning
	Object  string `json:"object,omitempty"`  // "pod/web-*", "deployment/web"
	Message string `json:"message,omitempty"` // "Scaled up replica set*"
}

// Objects selects objects in the store.
type Objects struct {
	Resource  string `json:"resource"`            // plural: "pods"
	Namespace string `json:"namespace,omitempty"` // "" is any
	Name      string `json:"name,omitempty"`      // a trailing * matches any ending; "" is any
	Labels    string `json:"labels,omitempty"`    // a label selector: "app=web"
	// Fields are JSON paths and their text ("status.phase": "Running"), or what
	// their number has to be ("status.readyReplicas": ">= 3").
	Fields map[string]string `json:"fields,omitempty"`
}

// Match selects events of the trace. Empty fields match everything.
type Match struct {
	Op     string            `json:"op,omitempty"`     // "store.commit"
	Who    string            `json:"who,omitempty"`    // component; a trailing * matches any ending
	Object string            `json:"object,omitempty"` // "pods default/web-*"
	Attrs  map[string]string `json:"attrs,omitempty"`  // as in the trace: type: ADDED, message: "Too few replicas"
}

// Mark is a moment that the author points at: the Nth event that matches
// after a step, or a time.
type Mark struct {
	ID    string `json:"id"`
	After string `json:"after,omitempty"`
	When  *Match `json:"when,omitempty"`
	Nth   int    `json:"nth,omitempty"` // from 1; 0 is 1
	// At is for a mark without When: this long after the step.
	At      time.Duration     `json:"at,omitempty"`
	Caption map[string]string `json:"caption"` // by language
	// Focus is what the pictures show from this moment on, and Insides with FocusCluster; both are empty when they go on as they are.
	// Such a mark has When.
	Focus   string   `json:"focus,omitempty"`
	Insides []string `json:"insides,omitempty"`
}

// FocusCluster is the focus of a mark from which on the pictures show the whole cluster.
const FocusCluster = "cluster"

// Control is something the reader may change.
type Control struct {
	Kind  cluster.Kind      `json:"kind"`
	Label map[string]string `json:"label,omitempty"` // by language; "" lets the page say it
	// Scale: the object and the range.
	Resource  string `json:"resource,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Min       int32  `json:"min,omitempty"`
	Max       int32  `json:"max,omitempty"`
	// KillNode and StartNode: one of the nodes. Stop, Start and DropWatch: a component.
	Targets []string `json:"targets,omitempty"`
	// Command: lines to begin with, without the word kubectl.
	Examples []string `json:"examples,omitempty"`
	// Faults and requests: the rest of the input that a button gives. Load: Max
	// is in thousandths of a CPU.
	Node      string `json:"node,omitempty"`
	Component string `json:"component,omitempty"`
	Container string `json:"container,omitempty"`
	Value     string `json:"value,omitempty"`
	Metric    string `json:"metric,omitempty"`
	// Reconfigure: profiles to begin with.
	Profiles []Profiles `json:"profiles,omitempty"`
	URL      string     `json:"url,omitempty"`
	From     string     `json:"from,omitempty"`
}

// Profiles are a choice of schedulers' profiles.
type Profiles struct {
	Name     string          `json:"name"`
	Profiles json.RawMessage `json:"profiles"`
}

// Step returns the step of that name.
func (s *Scenario) Step(id string) (Step, bool) {
	for _, st := range s.Steps {
		if st.ID == id {
			return st, true
		}
	}
	return Step{}, false
}

// start is the time from which on "after that step" counts.
func (s *Scenario) start(after string) time.Duration {
	if after == "" {
		return s.Setup
	}
	st, _ := s.Step(after)
	return st.At
}

// Inputs is what is done to the cluster when a reader takes over: the author's
// steps up to the reader's first input, then the reader's. From a reader's
// first input on the author's script is silent.
func (s *Scenario) Inputs(reader []cluster.Input) []cluster.Input {
	first := s.End
	for _, in := range reader {
		first = min(first, in.At)
	}
	var out []cluster.Input
	for _, st := range s.Steps {
		if len(reader) > 0 && st.At > first {
			break
		}
		out = append(out, st.Input)
	}
	return append(out, reader...)
}
