package demofile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/kubectl"
)

// What a demo offers its reader to type is done by the control plane that its page has loaded.
func TestExamplesNeedNoOtherBuild(t *testing.T) {
	paths, err := filepath.Glob("../../../content/demos/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal("no demos", err)
	}
	examples := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, problems := demofile.Parse(strings.TrimSuffix(filepath.Base(path), ".yaml"), path, text, nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, c := range f.Scenario.Controls {
			for _, e := range c.Examples {
				examples++
				if words, err := cluster.ParseCommand(e); err != nil || kubectl.Rare(words) && !f.Scenario.Large() {
					t.Errorf("%s: %s: needs another build than the demo does, or is wrong: %v", path, e, err)
				}
			}
		}
	}
	if examples < 20 {
		t.Errorf("only %d examples", examples)
	}
}

// A demo whose author does what only the larger build does is one of that.
func TestLarge(t *testing.T) {
	for line, want := range map[string]bool{"get pods": false, "config view": true, "get runtimeclasses": true, "create quota x --hard=pods=1": true} {
		text := "title: {en: T}\nseed: 1\nsteps:\n  - {id: a, at: 1s, kubectl: \"" + line + "\"}\n"
		f, problems := demofile.Parse("x", "x.yaml", []byte(text), nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if got := f.Scenario.Large(); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
	if !cluster.Rare(cluster.Input{Body: `{"openAPIV3Schema":{"pattern":"a"}}`}) {
		t.Error("a pattern is not rare")
	}
}
