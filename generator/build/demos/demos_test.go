package demos

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"kubewalk/generator/problem"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, Folder), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, Folder, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestLoadRunsADemoOnceForEachTextOfItsFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b.yaml", "1")
	write(t, dir, "a.yaml", "1")
	var runs atomic.Int32
	run := func(name, file string, text []byte, in Languages) (*Demo, error) {
		runs.Add(1)
		return &Demo{Name: name, Files: map[string][]byte{"wide.json": text}}, nil
	}
	var cache Cache
	load := func() []*Demo {
		t.Helper()
		made, _, names, err := Load(dir, Languages{Codes: []string{"en"}}, run, &cache)
		if err != nil || !slices.Equal(names, []string{"a", "b"}) {
			t.Fatalf("%v, %v", names, err)
		}
		return made
	}
	first := load()
	if load(); runs.Load() != 2 {
		t.Errorf("unchanged files were run again: %d runs", runs.Load())
	}
	write(t, dir, "b.yaml", "2")
	second := load()
	if runs.Load() != 3 {
		t.Errorf("%d runs after one file changed, want 3", runs.Load())
	}
	if first[0].Version() != second[0].Version() || first[1].Version() == second[1].Version() {
		t.Error("versions do not follow the files' text")
	}
}

func TestLoadReportsEveryProblem(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "good.yaml", "")
	write(t, dir, "bad.yaml", "")
	write(t, dir, "ja.yaml", "")
	run := func(name, file string, text []byte, in Languages) (*Demo, error) {
		if name == "bad" {
			return nil, problem.Problem{File: file, Line: 3, Message: "claim does not hold"}
		}
		return &Demo{Name: name}, nil
	}
	made, _, names, err := Load(dir, Languages{Codes: []string{"en", "ja"}}, run, new(Cache))
	if len(made) != 2 || len(names) != 3 || err == nil {
		t.Fatalf("%v %v %v", made, names, err)
	}
	for _, want := range []string{"demos/bad.yaml:3: claim does not hold", "demos/ja.yaml: demo has the name of a language"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, _, _, err := Load(dir, Languages{}, func(string, string, []byte, Languages) (*Demo, error) { return nil, errors.New("x") }, new(Cache)); err == nil {
		t.Error("an error without a place was lost")
	}
}
