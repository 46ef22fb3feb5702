package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"kubewalk/generator/build/embedded"
	"kubewalk/generator/build/releases"
	"kubewalk/generator/problem"
	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/demofile/rehearsal"
	"kubewalk/playground/demo/link"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/session"
	"kubewalk/playground/httpapi"
	"kubewalk/playground/trace"
)

// moment is where a demo's cluster goes on in real time.
type moment struct {
	file     *demofile.File // the author's
	scenario *scenario.Scenario
	inputs   []cluster.Input // that a reader gave
	at       time.Duration   // since the epoch
	note     string          // what may be other than the link shows; "" when nothing may

	mu     sync.Mutex
	before []cluster.Outcome // what became of the script's steps, and then of the inputs
}

// longestMoment is how late a moment may be: everything before it happens first.
const longestMoment = 24 * time.Hour

// momentOf reads a link, or a demo's file or name, with a mark or without: web.yaml@ready.
func momentOf(book, given string) (*moment, error) {
	if strings.Contains(given, "#") {
		return linked(book, given)
	}
	name, mark := given, ""
	if _, err := os.Stat(given); err != nil {
		if i := strings.LastIndexByte(given, '@'); i >= 0 {
			name, mark = given[:i], given[i+1:]
		}
	}
	m, err := read(book, name)
	if err != nil || mark == "" {
		return m, err
	}
	var names []string
	for _, one := range m.scenario.Marks {
		if one.ID == mark {
			return m, m.goTo(one)
		}
		names = append(names, one.ID)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("demo %q has no marks: leave out @%s", m.scenario.Name, mark)
	}
	return nil, fmt.Errorf("demo %q has no mark %q (%s)", m.scenario.Name, mark, problem.DidYouMean(mark, names))
}

// read reads a demo. Its moment is the end of the setup.
func read(book, name string) (*moment, error) {
	file, err := demoFile(book, name)
	if err != nil {
		return nil, err
	}
	f, err := rehearsal.Read(filepath.ToSlash(file))
	if err != nil {
		return nil, err
	}
	return &moment{file: f, scenario: f.Scenario, at: f.Scenario.Setup}, nil
}

// goTo finds the moment of a mark, by running the demo.
func (m *moment) goTo(mark scenario.Mark) error {
	ses, err := session.Open(m.scenario, nil)
	if err != nil {
		return err
	}
	defer ses.Close()
	ses.Run(m.scenario.End)
	rec := ses.Cluster().Trace()
	id, err := m.scenario.Find(mark, rec)
	if err != nil {
		return fmt.Errorf("demo %q: %w", m.scenario.Name, err)
	}
	if m.at = rec.Event(id).At; mark.When == nil {
		m.at = m.scenario.TimeOf(mark)
	}
	return nil
}

// linked is what a link leads to.
func linked(book, given string) (*moment, error) {
	e, err := link.Parse(given)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(e.Demo, `/\`) || e.Demo == "" {
		return nil, link.Problem(fmt.Sprintf("%q is not the name of a demo", e.Demo))
	}
	m, err := read(book, e.Demo)
	if err != nil {
		return nil, err
	}
	m.note = otherEngine(e.Engine, m.scenario)
	if m.scenario, err = m.scenario.World(e.WhatIf); err != nil {
		return nil, fmt.Errorf("demo %q: %w", e.Demo, err)
	}
	m.scenario.Seed, m.inputs, m.at = e.Seed, e.Inputs, time.Duration(e.At)*time.Microsecond
	if m.at > longestMoment {
		return nil, link.Problem(fmt.Sprintf("its moment is %v after the start; a day is the most", m.at))
	}
	return m, nil
}

// otherEngine is a note on a link that was made with another engine than this program's and the demo's file as it is. Only a program that carries
// its theme knows its engine without compiling it.
func otherEngine(made string, s *scenario.Scenario) string {
	if made == "" {
		return ""
	}
	if theme, ok := embedded.Open(); ok {
		if own := releases.Engine(theme.WasmHash(s.Large()), s); own != made {
			return fmt.Sprintf("the link was made with the engine %s of demo %q, and this is %s: what happens may differ", made, s.Name, own)
		}
		return ""
	}
	return fmt.Sprintf("the link was made with the engine %s of demo %q: with another control plane or another version of the demo, what happens may differ",
		made, s.Name)
}

// run brings the cluster to the moment, for a server that goes on with it. As in the page, what is still to come, of the demo's script or of what
// a reader did later, happens until somebody does something else.
func (m *moment) run(o *httpapi.Options, level trace.Level) error {
	config := m.scenario.Cluster
	config.Trace = level
	world := *m.scenario
	world.Cluster = config
	ses, err := session.Open(&world, m.inputs)
	if err != nil {
		return err
	}
	ses.Run(m.at)
	c := ses.Cluster()
	before := len(c.Outcomes())
	m.keep(c.Outcomes())
	o.Config, o.Seed, o.Cluster = config, world.Seed, c
	o.Record = func(n int, in cluster.Outcome) {
		if n == 0 && !in.Done {
			c.Cancel(in.Input.At)
		}
		m.keep(c.Outcomes()[:before])
	}
	return nil
}

// keep keeps what became of the script's steps and of what the reader did.
func (m *moment) keep(outcomes []cluster.Outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.before = slices.Clone(outcomes)
}

// continued is the demo's file as it goes on from the moment: with what the script and the reader did, then with what clients did to the server, and
// until c's end. The demo's trace is the session's.
func (m *moment) continued(c demofile.Continuation) ([]byte, error) {
	if m.scenario.Cluster.Switch != nil {
		return nil, errors.New("a demo's file cannot begin in a what-if: copy a link that is not in one, or leave out --save and --show")
	}
	until := c.End
	if len(c.Steps) > 0 { // from then on the others are silent
		until = c.Steps[0].At
	}
	m.mu.Lock()
	before := m.before
	m.mu.Unlock()
	script := len(before) - len(m.inputs)
	var reader []scenario.Step
	for i, o := range before {
		switch {
		case o.Input.At > until || o.Input.At >= c.End:
		case i < script:
			c.Script++
		default:
			reader = append(reader, scenario.Step{Input: o.Input, Fails: o.Error})
		}
	}
	c.Seed, c.Steps = m.scenario.Seed, append(reader, c.Steps...)
	return m.file.Continue(c)
}

// saved writes the demo that goes on from the moment.
func (m *moment) saved(steps []scenario.Step, now time.Duration) ([]byte, error) {
	return m.continued(demofile.Continuation{Steps: steps, End: endOf(m.at, steps, now)})
}

// shown is the demo of a page that follows the session: all that will have happened if nobody does anything more.
func (m *moment) shown() ([]byte, error) {
	return m.continued(demofile.Continuation{Title: showTitle, Controls: showControls, End: max(m.scenario.End, m.at+afterLast)})
}
