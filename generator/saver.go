package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/httpapi"
	"kubewalk/playground/trace"
)

// saver keeps what comes to a cluster on a port, and writes it as a demo's file.
type saver struct {
	file string
	out  io.Writer // where problems are told that can wait

	write demoWriter

	mu      sync.Mutex
	steps   []scenario.Step
	changed bool
}

// demoWriter gives the file of a demo in which clients did that, and which has come to now; 0 is soon after the last step.
type demoWriter func(steps []scenario.Step, now time.Duration) ([]byte, error)

const (
	// savePeriod is how often the file is written while something is done.
	savePeriod = time.Second
	// longestSetup is how much of a cluster's start the page does not show at most: a demo's default.
	longestSetup = 15 * time.Second
	// afterLast is how long the file goes on after the last step at least, so that it gets its answer.
	afterLast = time.Second
	// tracedNodes is how many hollow nodes a picture can show with all that happens.
	tracedNodes = 20
)

// newSaver has a server keep what comes to it. The file must not be there yet.
func newSaver(file string, w demoWriter, o *httpapi.Options, out io.Writer) (*saver, error) {
	if demoName(file) == "" {
		return nil, misuse(fmt.Sprintf("--save %q does not end with .yaml, as a demo's file does", file))
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, fmt.Errorf("%s is there already: name another file with --save", file))
	}
	s := &saver{file: file, out: out, changed: true, write: w}
	also(o, s.record)
	return s, s.save(0) // what cannot be written is known before anything is done
}

// sessionOf is a demo of the cluster of a server, in which nothing is done yet and that has no times.
func sessionOf(name string, languages []string, o *httpapi.Options) scenario.Scenario {
	s := scenario.Scenario{Name: name, Title: map[string]string{}, Seed: o.Seed, Cluster: o.Config,
		Controls: showControls}
	for _, language := range languages {
		s.Title[language] = name
	}
	s.Cluster.Trace = trace.All
	if h := o.Config.HollowNodes; h != nil && h.Count > tracedNodes {
		s.Cluster.Trace = trace.Objects
	}
	return s
}

// record implements httpapi.Options.Record.
func (s *saver) record(n int, o cluster.Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = true
	if n == len(s.steps) {
		s.steps = append(s.steps, scenario.Step{Input: o.Input})
	}
	s.steps[n].Fails = o.Error
}

// until writes the file as it grows, until the context is done. What goes wrong is told once.
func (s *saver) until(ctx context.Context) {
	told := false
	for wait := savePeriod; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		began := time.Now()
		if err := s.save(0); err != nil && !told {
			told = true
			fmt.Fprintf(s.out, "not saved since: %v\n", err)
		}
		wait = max(savePeriod, 20*time.Since(began)) // a long session takes longer to write
	}
}

// end writes the file for the last time: it ends now.
func (s *saver) end(now time.Duration) error {
	s.mu.Lock()
	s.changed = true
	s.mu.Unlock()
	if err := s.save(now); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "saved: kubewalk trace %s\n", s.file)
	return nil
}

// save writes the file if something was done. It ends now, or soon after the last step.
func (s *saver) save(now time.Duration) error {
	s.mu.Lock()
	if !s.changed {
		s.mu.Unlock()
		return nil
	}
	s.changed = false
	steps := slices.Clone(s.steps)
	s.mu.Unlock()
	text, err := s.write(steps, now)
	if err != nil {
		return err
	}
	return writePrivate(s.file, text)
}

// demoName is what a demo is called by its file; "" when the file is none.
func demoName(file string) string {
	name, is := strings.CutSuffix(filepath.Base(file), ".yaml")
	if !is {
		return ""
	}
	return name
}

// started writes a new cluster's demo.
func started(s scenario.Scenario) demoWriter {
	return func(steps []scenario.Step, now time.Duration) ([]byte, error) {
		out := s
		out.Steps = steps
		out.Cluster.CEL = out.Cluster.CEL && slices.ContainsFunc(out.Steps, func(st scenario.Step) bool { return cluster.HasExpressions(st.Body) })
		out.Setup = longestSetup
		if len(out.Steps) > 0 {
			out.Setup = min(longestSetup, out.Steps[0].At.Truncate(time.Second))
		}
		out.End = endOf(out.Setup, steps, now)
		return demofile.Write(&out)
	}
}

// endOf is when a demo ends in which clients did that, and which has come to now or at least that far.
func endOf(least time.Duration, steps []scenario.Step, now time.Duration) time.Duration {
	if len(steps) > 0 {
		now = max(now, steps[len(steps)-1].At+afterLast)
	}
	return max(least+afterLast, (now + time.Millisecond - 1).Truncate(time.Millisecond))
}
