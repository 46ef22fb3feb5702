package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/session"
)

const root = "../../.."

func TestModulesAreCurrent(t *testing.T) {
	modules, err := generate(sources)
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		got, err := os.ReadFile(filepath.Join(root, dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, modules[f.Name()]) {
			t.Errorf("%s/%s is not what Go sends: run `go run ./generator/dev/typescript` (or `make generate`)", dir, f.Name())
		}
		delete(modules, f.Name())
	}
	for name := range modules { // order: each is reported for itself
		t.Errorf("%s/%s is missing: run `go run ./generator/dev/typescript` (or `make generate`)", dir, name)
	}
}

func TestWhatIsWritten(t *testing.T) {
	shop := source{path: "kubewalk/generator/dev/typescript/testdata/shop", types: []string{"Order", "desk"}, consts: []string{"Version"}, tables: []string{"letters"}}
	modules, err := generate([]source{shop})
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/shop/shop.ts")
	if err != nil {
		t.Fatal(err)
	}
	if got := modules["shop.ts"]; !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWhatHasNoTypeIsRefused(t *testing.T) {
	_, err := generate([]source{{path: "kubewalk/generator/dev/typescript/testdata/wrong", types: []string{"Thing", "desk"}}})
	for _, want := range []string{"wrong.Thing.Nameless has no name in JSON", "there is no type Unknown, which a tstype names",
		"wrong.Open is no closed set", "wrong.desk.two does not take one argument"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := generate([]source{{path: "kubewalk/generator/dev/typescript/testdata/wrong", types: []string{"Missing"}}}); err == nil {
		t.Error("a type that there is not is written")
	}
	for table, want := range map[string]string{"missing": "no variable missing", "given": "no variable given that is given as a literal", "prices": "no constant text"} {
		_, err := generate([]source{{path: "kubewalk/generator/dev/typescript/testdata/wrong", tables: []string{table}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", table, err, want)
		}
	}
}

// TestNothingIsNil: what has no omitempty is there, so a page need not ask.
func TestNothingIsNil(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(root, "content/demos/*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no demos: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, problems := demofile.Parse(strings.TrimSuffix(filepath.Base(path), ".yaml"), path, text, []string{"en", "ja"})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		noNil(t, reflect.ValueOf(f.Scenario), filepath.Base(path))
	}
	goal := scenario.Claim{Objects: &scenario.Objects{Resource: "pods"}, Count: "== 1"}
	small := &scenario.Scenario{
		Name: "small", Title: map[string]string{"en": "Small"}, Seed: 1, Cluster: cluster.DefaultConfig(), Setup: time.Second, End: 2 * time.Second,
		Exercises: []scenario.Exercise{{ID: "x", Task: map[string]string{}, Goal: []scenario.Part{{Claim: goal}}}},
	}
	s, err := session.Open(small, []cluster.Input{{At: time.Second, Kind: cluster.KillNode, Node: "node-1"}}, scene.Wide)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	null := regexp.MustCompile(`[:\[,]null`)
	look := func(what string, v any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		noNil(t, reflect.ValueOf(v), what)
	}
	for range 2 { // before anything has happened, and after
		for _, frames := range [][]recording.Frame{nil, s.Frames(scene.Wide, 1)} {
			text, err := json.Marshal(recording.NewFile(s.Header(scene.Wide), frames))
			if err != nil {
				t.Fatal(err)
			}
			if at := null.FindIndex(text); at != nil {
				t.Errorf("a file of %d frames has a null: …%s", len(frames), text[max(0, at[0]-80):at[1]])
			}
		}
		look("header", s.Header(scene.Wide), nil)
		look("frames", s.Frames(scene.Wide, 1), nil)
		details, err := s.Details(0, 0)
		look("details", details, err)
		look("managers", s.Managers(""), nil)
		progress, err := s.Exercise("x")
		look("progress", progress, err)
		s.Run(2 * time.Second)
	}
}

// noNil follows a value to lists, maps and pointers that are nil and are written nonetheless.
func noNil(t *testing.T, v reflect.Value, path string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if v.IsNil() {
			t.Errorf("%s is nil: make it, or give it omitempty", path)
			return
		}
	}
	if _, ok := v.Interface().(json.Marshaler); ok {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		noNil(t, v.Elem(), path)
	case reflect.Slice:
		for i := range v.Len() {
			noNil(t, v.Index(i), path+"[]")
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			noNil(t, v.MapIndex(key), path+"[]")
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			tag := f.Tag.Get("json")
			if !f.IsExported() || tag == "-" || strings.Contains(tag, "omitempty") && v.Field(i).IsZero() {
				continue
			}
			noNil(t, v.Field(i), path+"."+f.Name)
		}
	}
}
