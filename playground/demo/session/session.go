// Package session runs a scenario and turns what happens into frames, for
// whoever shows it: the build writes all of them to a file, the page's worker
// hands them over as they come.
package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/trace"
)

// Session is one run of a scenario that a reader may have changed.
type Session struct {
	scenario *scenario.Scenario
	cluster  *cluster.Cluster
	films    map[scene.Layout]*recording.Film
	taken    bool                         // the reader has given an input: the author's script is silent
	since    time.Duration                // the reader's first input
	newest   time.Duration                // the reader's last one
	attempts map[string]*scenario.Attempt // by exercise
}

// Open builds the scenario's cluster, at its start, with the author's steps and
// then the reader's inputs on its agenda. It fails when an input is incomplete.
func Open(s *scenario.Scenario, reader []cluster.Input, layouts ...scene.Layout) (*Session, error) {
	c := cluster.New(s.Cluster, s.Seed)
	for _, in := range s.Inputs(reader) {
		if err := c.Schedule(in); err != nil {
			c.Close()
			return nil, fmt.Errorf("demo %q: %w", s.Name, err)
		}
	}
	ses := &Session{scenario: s, cluster: c, films: map[scene.Layout]*recording.Film{}, taken: len(reader) > 0}
	for i, in := range reader {
		if i == 0 || in.At < ses.since {
			ses.since = in.At
		}
		ses.newest = max(ses.newest, in.At)
	}
	for _, l := range layouts {
		ses.films[l] = recording.NewFilm(c.Trace(), ses.Shows(l))
	}
	return ses, nil
}

// Give does something more, at a time that has not come yet, as if it had been
// among the reader's inputs from the start: what follows is the same, byte for
// byte. With the reader's first input the author's script falls silent. It tells
// false, and does nothing, when the time has passed.
func (s *Session) Give(in cluster.Input) (bool, error) {
	if in.At <= s.cluster.Elapsed() || in.At < s.newest {
		return false, nil
	}
	if err := s.cluster.Schedule(in); err != nil {
		return false, fmt.Errorf("demo %q: %w", s.scenario.Name, err)
	}
	if !s.taken {
		s.cluster.Cancel(in.At)
		s.taken, s.since = true, in.At
	}
	s.newest = in.At
	return true, nil
}

// Cluster is the world that the session runs.
func (s *Session) Cluster() *cluster.Cluster { return s.cluster }

// Shows is what its pictures of a layout show. Where a moment of the author's turns to a request, what the reader does turns the picture to what it is
// about: to the request, if it is one, and else back to the cluster.
func (s *Session) Shows(l scene.Layout) scene.Options {
	out := shows(s.scenario, l)
	if out.Focus == scene.FocusNetwork || !slices.ContainsFunc(out.Moves, func(m scene.Move) bool { return m.Focus == scene.FocusNetwork }) {
		return out
	}
	does := func(asks bool) func(*trace.Event) bool {
		return func(e *trace.Event) bool {
			return e.Op == trace.Input && s.taken && e.At >= s.since && !isLook(e) && asks == (e.Text("kind") == string(cluster.Ask))
		}
	}
	out.Moves = append(out.Moves,
		scene.Move{Focus: out.Focus, Insides: out.Insides, Each: true, Matches: does(false)},
		scene.Move{Focus: scene.FocusNetwork, Each: true, Matches: does(true)})
	return out
}

// isLook tells a command that changes nothing.
func isLook(e *trace.Event) bool {
	verb, _, _ := strings.Cut(e.Text("command"), " ")
	return slices.Contains([]string{"get", "describe", "logs", "events", "top", "explain", "diff", "auth", "api-resources", "version"}, verb)
}

// shows is what the scenario says, at the start and at its moments.
func shows(s *scenario.Scenario, l scene.Layout) scene.Options {
	out := scene.Options{Layout: l, Focus: s.Focus, Level: s.Cluster.Trace, Insides: s.Insides}
	if s.Focus == "" {
		out.Insides = insides(s, s.Insides)
	}
	for _, m := range s.Marks {
		if m.Focus == "" {
			continue
		}
		move := scene.Move{Focus: m.Focus, From: s.From(m), Nth: m.Nth, Matches: m.When.Matches}
		if m.Focus == scenario.FocusCluster {
			move.Focus, move.Insides = "", insides(s, m.Insides)
		}
		out.Moves = append(out.Moves, move)
	}
	return out
}

// insides are the controllers that a picture of the whole cluster shows with their insides: those that are named, or else the default ones that run.
func insides(s *scenario.Scenario, named []string) (out []string) {
	if len(named) > 0 {
		return named
	}
	components := s.Cluster.Components()
	for _, name := range scene.DefaultInsides {
		if slices.Contains(components, name) {
			out = append(out, name)
		}
	}
	return out
}

// Close ends the world. What was recorded stays readable.
func (s *Session) Close() { s.cluster.Close() }

// Run lets virtual time pass up to a moment, given since the epoch.
func (s *Session) Run(until time.Duration) { s.cluster.RunUntil(until) }

// Frames returns the frames of a layout from an event number on. Those before
// the first that is asked for are not made.
func (s *Session) Frames(l scene.Layout, from int) []recording.Frame { return s.films[l].Frames(from) }

// Pass has the film of a layout follow the run without making frames, so that
// those of what comes next are made at once.
func (s *Session) Pass(l scene.Layout) { s.films[l].Pass() }

// Relayout replaces the film of a layout with one of another layout, which has no frames yet.
func (s *Session) Relayout(from, to scene.Layout) {
	delete(s.films, from)
	s.films[to] = recording.NewFilm(s.cluster.Trace(), s.Shows(to))
}

// Header describes the recording of a layout. Marks are there once they have happened.
func (s *Session) Header(l scene.Layout) recording.Header {
	film := s.films[l]
	w, h := film.Size()
	head := recording.Header{
		Version: recording.Version, Demo: s.scenario.Name, Seed: s.scenario.Seed,
		Epoch: s.scenario.Cluster.Epoch.Format(time.RFC3339), Layout: l, Width: w, Height: h, Marks: []recording.Mark{},
	}
	rec := s.cluster.Trace()
	for i := range rec.Len() {
		if rec.Event(trace.ID(i+1)).At > s.scenario.Setup {
			break
		}
		head.First = i
	}
	for _, m := range s.scenario.Marks {
		if m.When == nil && s.scenario.TimeOf(m) > s.cluster.Elapsed() {
			continue // what has happened so far is not the last before it
		}
		if id, err := s.scenario.Find(m, rec); err == nil {
			head.Marks = append(head.Marks, recording.Mark{ID: m.ID, Frame: int(id) - 1, Caption: m.Caption})
		}
	}
	return head
}

// Result is a finished recording.
type Result struct {
	Session *Session
	// Failures are claims that do not hold, steps and marks that did not come about.
	Failures []scenario.Failure
	// Answers are the runs of the exercises' answers: see Prove.
	Answers []*Session
}

// Record runs a scenario to its end, without a reader, and checks it.
func Record(s *scenario.Scenario, layouts ...scene.Layout) (*Result, error) {
	ses, err := Open(s, nil, layouts...)
	if err != nil {
		return nil, err
	}
	ses.Run(s.End)
	ses.Close()
	r := &Result{Session: ses}
	outcomes := ses.cluster.Outcomes()
	r.Failures = append(r.Failures, s.CheckSteps(outcomes)...)
	r.Failures = append(r.Failures, s.CheckOutputs(outcomes)...)
	r.Failures = append(r.Failures, s.CheckMarks(ses.cluster.Trace())...)
	r.Failures = append(r.Failures, s.Check(ses.cluster.Trace())...)
	for i, w := range s.WhatIf {
		failures, err := r.counterfactual(s, i, w.ID)
		if err != nil {
			return nil, err
		}
		r.Failures = append(r.Failures, failures...)
	}
	return r, nil
}

// mostEvents is how many a counterfactual may have: a loop that feeds on its own
// delay grows without bounds, and a page has no room for that.
const mostEvents = 150_000

// counterfactual runs the script in another world and checks what is claimed of that.
func (r *Result) counterfactual(s *scenario.Scenario, i int, id string) ([]scenario.Failure, error) {
	world, err := s.World(id)
	if err != nil {
		return nil, err
	}
	ses, err := Open(world, nil)
	if err != nil {
		return nil, err
	}
	defer ses.Close()
	for at := min(time.Second, s.End); ; at = min(at+time.Second, s.End) {
		ses.Run(at)
		if n := ses.cluster.Trace().Len(); n > mostEvents {
			return []scenario.Failure{{Path: fmt.Sprintf("whatIf[%d]", i), Message: fmt.Sprintf(
				"this world runs away: %d events by %v; make what is switched milder", n, at-s.Setup)}}, nil
		}
		if at == s.End {
			break
		}
	}
	return s.CheckWorld(id, ses.cluster.Trace(), r.Session.cluster.Trace()), nil
}

// Files is the recording of a layout as a page loads it, by file name: the one
// that it plays first, and the rest when there is one.
func (r *Result) Files(l scene.Layout) (map[string][]byte, error) {
	const extension = ".json"
	restName := string(l) + ".rest" + extension
	first, rest := recording.NewFile(r.Session.Header(l), r.Session.Frames(l, 1)).Split(restName)
	files := map[string][]byte{}
	var err error
	if files[string(l)+extension], err = json.Marshal(first); err != nil {
		return nil, err
	}
	if rest != nil {
		if files[restName], err = json.Marshal(rest); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Managers is what a page asks for when a reader wants to know who manages the
// fields of an object ("pods default/web"), or of all objects for "".
func (s *Session) Managers(object string) *recording.Managers {
	return recording.NewManagers(s.cluster.Trace(), s.cluster.History(), object)
}

// Details is what a page asks for when a reader opens an event: call stacks and objects, as far as the run has come, without
// those of so many first events and so many first stacks.
func (s *Session) Details(events, stacks int) (*recording.Details, error) {
	return recording.NewDetails(s.cluster.Trace(), events, stacks)
}
