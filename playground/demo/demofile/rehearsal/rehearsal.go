// Package rehearsal runs a demo's file, for the build and for authors: what turns
// out otherwise than the file says is a problem of the file, with its place.
package rehearsal

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/session"
)

// Run records a demo, with the pictures of such layouts, and proves its exercises.
// The error is what a program's mistake leads to; problems are the author's. Even
// when there are some, the recording is there.
func Run(f *demofile.File, layouts ...scene.Layout) (result *session.Result, problems []demofile.Problem, err error) {
	result, err = session.Record(f.Scenario, layouts...)
	if err != nil {
		return nil, nil, err
	}
	failures, left := roots(f.Scenario, result.Failures)
	failures = named(f.Scenario, result.Session.Cluster().Trace(), failures)
	failures = append(failures, dead(f.Scenario, result.Session.Cluster().Trace())...)
	if len(failures) == 0 {
		if failures, err = session.Prove(result); err != nil {
			return nil, nil, err
		}
	}
	problems = f.Locate(failures)
	if left > 0 {
		problems[len(problems)-1].Message += fmt.Sprintf(" [%d more of what is claimed or expected does not hold, perhaps because of this]", left)
	}
	return result, problems, nil
}

// Print runs a demo's file, with or without the ending .yaml, and prints its trace, or
// what the selection leaves of it, an event a line. The error is all that is wrong with it.
func Print(path string, out io.Writer, wanted Selection) error {
	f, err := Read(path)
	if err != nil {
		return err
	}
	result, problems, err := Run(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := wanted.print(f.Scenario, result.Session.Cluster().Trace(), out); err != nil {
		return err
	}
	if len(problems) > 0 {
		return Problems(problems)
	}
	return nil
}

// Script runs only the script of a demo's file, without its claims, counterfactuals
// and exercises, and can tell its frames in such layouts.
func Script(path string, layouts ...scene.Layout) (*session.Session, error) {
	f, err := Read(path)
	if err != nil {
		return nil, err
	}
	run, err := session.Open(f.Scenario, nil, layouts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	run.Run(f.Scenario.End)
	run.Close()
	return run, nil
}

// Read reads a demo's file, with or without the ending .yaml. The error is all that is wrong with it.
func Read(path string) (*demofile.File, error) {
	if !strings.HasSuffix(path, ".yaml") {
		path += ".yaml"
	}
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, problems := demofile.Parse(strings.TrimSuffix(filepath.Base(path), ".yaml"), path, src, nil)
	if len(problems) > 0 {
		return nil, Problems(problems)
	}
	return f, nil
}

// Problems are several as one error, one a line.
type Problems []demofile.Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}
