package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"kubewalk/generator/build/demos"
	"kubewalk/generator/sitebuild"
)

// TestRecordsWhatOpenPagesShowFirst: the first build goes without any demo; then they are
// recorded one after the other, those of the page that was asked for last first, and each
// rings for a build. A demo that is saved later is run by its build.
func TestRecordsWhatOpenPagesShowFirst(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var order, progress []string
		wrong := errors.New("claim does not hold")
		r := newRecorder(dir, func(name, _ string, _ []byte, _ demos.Languages) (*demos.Demo, error) {
			time.Sleep(time.Second)
			order = append(order, name)
			if name == "d" {
				return nil, wrong
			}
			return &demos.Demo{Name: name}, nil
		})
		var out bytes.Buffer
		r.out = &out
		opened := []string{"en/two/index.html", "en/nothing/index.html"}
		r.opened = func() []string { return opened }
		r.told = func(done, all int) { progress = append(progress, fmt.Sprintf("%d/%d", done, all)) }
		ask := func(name, text string) error {
			_, err := r.make(name, name+".yaml", []byte(text), demos.Languages{Codes: []string{"en"}})
			return err
		}
		for _, name := range []string{"a", "b", "c", "d"} {
			if err := ask(name, "x"); !errors.Is(err, demos.ErrPending) {
				t.Errorf("%s at first: %v", name, err)
			}
		}
		r.settle(t.Context(), []sitebuild.Awaited{
			{File: "en/one/index.html", Demos: []string{"b"}}, {File: "en/two/index.html", Demos: []string{"c"}}, {File: "en/three/index.html", Demos: []string{"d"}},
		}, nil)
		time.Sleep(500 * time.Millisecond)
		opened = []string{"en/three/index.html"}
		time.Sleep(time.Second)
		<-r.bell
		if err := ask("c", "x"); err != nil {
			t.Errorf("c, which is recorded: %v", err)
		}
		if err := ask("a", "x"); !errors.Is(err, demos.ErrPending) {
			t.Errorf("a, which is not: %v", err)
		}
		time.Sleep(10 * time.Second)
		if want := []string{"c", "d", "b", "a"}; !slices.Equal(order, want) {
			t.Errorf("recorded %v, want %v", order, want)
		}
		if want := []string{"0/4", "1/4", "2/4", "3/4", "4/4"}; !slices.Equal(progress, want) {
			t.Errorf("told %v, want %v", progress, want)
		}
		if err := ask("d", "x"); !errors.Is(err, wrong) {
			t.Errorf("d, which is wrong: %v", err)
		}
		if err := ask("a", "saved"); err != nil || len(order) != 5 {
			t.Errorf("a, saved: %v after %v", err, order)
		}
		for _, line := range []string{"recording 4 demos", "1 of 4: recorded c in 1s\n", "2 of 4: cannot record d", "all demos are there after 4s\n"} {
			if !bytes.Contains(out.Bytes(), []byte(line)) {
				t.Errorf("the terminal lacks %q:\n%s", line, out.Bytes())
			}
		}

		// Another process finds them on disk.
		again := newRecorder(dir, nil)
		if _, err := again.make("b", "b.yaml", []byte("x"), demos.Languages{Codes: []string{"en"}}); err != nil {
			t.Errorf("b, from disk: %v", err)
		}
	})
}

// TestSavedWhilePending: what is recorded is the text that was saved last.
func TestSavedWhilePending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder("", func(name, _ string, text []byte, _ demos.Languages) (*demos.Demo, error) {
			time.Sleep(time.Second)
			return &demos.Demo{Name: name, Title: map[string]string{"en": string(text)}}, nil
		})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		ask := func(text string) (*demos.Demo, error) { return r.make("a", "a.yaml", []byte(text), demos.Languages{}) }
		_, _ = ask("1")
		r.settle(ctx, nil, nil)
		time.Sleep(500 * time.Millisecond)
		if _, err := ask("2"); !errors.Is(err, demos.ErrPending) {
			t.Errorf("saved while it is recorded: %v", err)
		}
		time.Sleep(3 * time.Second)
		if d, err := ask("2"); err != nil || d.Title["en"] != "2" {
			t.Errorf("then: %v, %v", d, err)
		}
	})
}

// TestWithoutWebAssemblyAllDemosWait, those on disk too: pages could not run them.
func TestWithoutWebAssemblyAllDemosWait(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		run := func(name, _ string, _ []byte, _ demos.Languages) (*demos.Demo, error) {
			return &demos.Demo{Name: name}, nil
		}
		r := newRecorder(dir, run)
		r.bare = true
		ask := func() error {
			_, err := r.make("a", "a.yaml", nil, demos.Languages{})
			return err
		}
		_ = ask()
		r.settle(t.Context(), nil, func() error { time.Sleep(time.Minute); return nil })
		time.Sleep(30 * time.Second)
		if err := ask(); !errors.Is(err, demos.ErrPending) || !r.isBare() {
			t.Errorf("recorded, not compiled: %v", err)
		}
		time.Sleep(time.Minute)
		if err := ask(); err != nil || r.isBare() {
			t.Errorf("compiled: %v", err)
		}
	})
}
