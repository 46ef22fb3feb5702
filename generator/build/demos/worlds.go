package demos

import (
	"encoding/json"
	"fmt"

	"kubewalk/generator/book/claim"
	"kubewalk/generator/problem"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/session"
)

// World is a counterfactual of a demo that was run, as claims about it want it.
type World struct {
	ID      string
	Record  []byte // a claim.Record, encoded
	Details []byte // the objects of recording.Details
}

// Imagine runs a counterfactual of a demo. An unknown one is a problem.Problem
// without a place.
type Imagine func(d *Demo, id string) (*World, error)

// RunWorld runs a counterfactual natively: the demo's own run has shown that it
// ends. It is the Imagine of the real book.
func RunWorld(d *Demo, id string) (*World, error) {
	text, err := d.Text("scenario.json")
	if err != nil {
		return nil, err
	}
	var s scenario.Scenario
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("demo %q: scenario.json: %w", d.Name, err)
	}
	world, err := s.World(id)
	if err != nil {
		return nil, unknownWorld(&s, id)
	}
	run, err := session.Open(world, nil)
	if err != nil {
		return nil, err
	}
	run.Run(s.End)
	run.Close()
	kept, err := claim.NewRecord(world, id, run)
	if err != nil {
		return nil, err
	}
	real, err := claim.Decode(d.Record)
	if err != nil {
		return nil, err
	}
	kept.PartFrom(real)
	details, err := run.Details(0, 0)
	if err != nil {
		return nil, err
	}
	details.Stacks = nil // nothing is claimed of them
	out := &World{ID: id}
	if out.Record, err = kept.Encode(); err != nil {
		return nil, err
	}
	out.Details, err = json.Marshal(details)
	return out, err
}

func unknownWorld(s *scenario.Scenario, id string) error {
	var known []string
	for _, w := range s.WhatIf {
		known = append(known, w.ID)
	}
	cure := problem.DidYouMean(id, known)
	if len(known) == 0 {
		cure = fmt.Sprintf("describe one under whatIf: in content/demos/%s.yaml", s.Name)
	}
	return problem.Problem{Message: fmt.Sprintf("demo %q has no counterfactual %q", s.Name, id), Cure: cure}
}
