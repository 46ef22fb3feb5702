package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"time"

	"kubewalk/generator/build/demos"
	"kubewalk/generator/sitebuild"
)

// recorder lets the development server's first pages go without the demos that are not
// on disk, and records them one after the other. Once a build has seen all demos, one that
// is saved is run by the build that follows.
type recorder struct {
	disk demos.Make // from disk, or ErrPending
	run  demos.Make
	// opened are the files of pages that were asked for, the last one first.
	opened func() []string
	// told gets how many demos are recorded, and how many there are to record.
	told func(done, all int)
	out  io.Writer
	bell chan struct{} // rings when the site can show more than it does

	mu       sync.Mutex
	asked    bool // a build wants demos
	settled  bool // a build has said which
	bare     bool // all are pending, until there is WebAssembly to run them
	stopped  bool
	wanted   map[string]recording // by name
	recorded map[string]recording
	awaited  []sitebuild.Awaited
	begun    time.Time
}

// recording is a demo, and what its run came to.
type recording struct {
	name, file string
	text       []byte
	in         demos.Languages
	demo       *demos.Demo
	err        error
}

func newRecorder(dir string, run demos.Make) *recorder {
	return &recorder{
		disk: demos.OnDisk(dir, func(string, string, []byte, demos.Languages) (*demos.Demo, error) { return nil, demos.ErrPending }),
		run:  demos.OnDisk(dir, run), bell: make(chan struct{}, 1), wanted: map[string]recording{}, recorded: map[string]recording{},
		opened: func() []string { return nil }, told: func(int, int) {}, out: io.Discard,
	}
}

// make is the Make of the development server.
func (r *recorder) make(name, file string, text []byte, in demos.Languages) (*demos.Demo, error) {
	r.mu.Lock()
	r.asked = true
	_, waits := r.wanted[name]
	bare, pending, known := r.bare, waits || !r.settled, r.recorded[name]
	r.mu.Unlock()
	if !bare && known.name == name && bytes.Equal(known.text, text) && reflect.DeepEqual(known.in, in) {
		return known.demo, known.err
	}
	if !bare && !pending {
		return r.run(name, file, text, in)
	}
	if !bare {
		if d, err := r.disk(name, file, text, in); err == nil {
			r.mu.Lock()
			delete(r.wanted, name)
			r.mu.Unlock()
			return d, nil
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known.name == "" || !bytes.Equal(known.text, text) {
		r.wanted[name] = recording{name: name, file: file, text: text, in: in}
	}
	return nil, demos.ErrPending
}

// settle takes what a build knows of the demos that it goes without, and begins to record
// them after the first one. compile makes what runs them in pages; it may be nil.
func (r *recorder) settle(ctx context.Context, awaited []sitebuild.Awaited, compile func() error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.awaited = awaited
	if !r.asked || r.settled {
		return
	}
	r.settled, r.begun = true, time.Now()
	if r.bare {
		go func() {
			_ = compile() // the next build tells what is wrong
			r.mu.Lock()
			r.bare = false
			r.mu.Unlock()
			fmt.Fprintf(r.out, "compiled the control plane for pages in %v\n", time.Since(r.begun).Round(100*time.Millisecond))
			r.ring()
		}()
	}
	if n := len(r.wanted); n > 0 {
		fmt.Fprintf(r.out, "recording %d demos, those of open pages first\n", n)
		r.told(0, n)
		go r.work(ctx)
	}
}

// work records until nothing is wanted any more.
func (r *recorder) work(ctx context.Context) {
	for {
		r.mu.Lock()
		if ctx.Err() != nil || r.stopped || len(r.wanted) == 0 {
			r.mu.Unlock()
			return
		}
		next := r.wanted[r.next()]
		r.mu.Unlock()

		start := time.Now()
		next.demo, next.err = r.run(next.name, next.file, next.text, next.in)

		r.mu.Lock()
		if now, ok := r.wanted[next.name]; ok && bytes.Equal(now.text, next.text) { // not saved meanwhile
			delete(r.wanted, next.name)
			r.recorded[next.name] = next
		}
		done, all := len(r.recorded), len(r.recorded)+len(r.wanted)
		r.mu.Unlock()
		how := "recorded"
		if next.err != nil && !errors.Is(next.err, context.Canceled) {
			how = "cannot record"
		}
		fmt.Fprintf(r.out, "%d of %d: %s %s in %v\n", done, all, how, next.name, time.Since(start).Round(100*time.Millisecond))
		if done == all {
			fmt.Fprintf(r.out, "all demos are there after %v\n", time.Since(r.begun).Round(100*time.Millisecond))
		}
		r.told(done, all)
		r.ring()
	}
}

// next is the name of a demo that the page which was asked for last shows, or else the
// first one that pages wait for.
func (r *recorder) next() string {
	order := slices.Clone(r.awaited)
	opened := r.opened()
	place := func(a sitebuild.Awaited) int {
		if i := slices.Index(opened, a.File); i >= 0 {
			return i
		}
		return len(opened)
	}
	slices.SortStableFunc(order, func(a, b sitebuild.Awaited) int { return place(a) - place(b) })
	for _, a := range order {
		for _, name := range a.Demos {
			if _, ok := r.wanted[name]; ok {
				return name
			}
		}
	}
	names := make([]string, 0, len(r.wanted))
	for name := range r.wanted {
		names = append(names, name)
	}
	return slices.Min(names)
}

// stop ends the recording: newer code is going to.
func (r *recorder) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
}

func (r *recorder) isBare() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bare
}

func (r *recorder) ring() {
	select {
	case r.bell <- struct{}{}:
	default: // it rings already
	}
}

// demosIn is where a project's demos are kept.
func demosIn(root string) string { return filepath.Join(root, ".cache", "demos") }
