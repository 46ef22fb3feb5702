// Package script runs libraries that are the best of their field and exist in
// JavaScript only: in the build, without Node, without access to anything.
//
// The engine is github.com/dop251/goja. A library is compiled when it is first
// called, so a book that doesn't need it pays nothing.
package script

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dop251/goja"
)

// limit is how long a call may take. A layout of a hundred nodes takes a second
// on a slow machine; what takes longer doesn't end.
const limit = 20 * time.Second

// Library is JavaScript whose global functions Go can call. It may be used by
// several goroutines; one call runs at a time.
type Library struct {
	name    string
	sources []string

	mu      sync.Mutex
	engine  *goja.Runtime
	problem error
}

// New names a library. The sources are run in their order, before the first call.
func New(name string, sources ...string) *Library { return &Library{name: name, sources: sources} }

// Call calls a global function of texts, numbers and truths that returns a text.
// The error is an exception, or that it took too long.
func (l *Library) Call(function string, arguments ...any) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.engine == nil && l.problem == nil {
		l.problem = l.start()
	}
	if l.problem != nil {
		return "", l.problem
	}
	call, ok := goja.AssertFunction(l.engine.Get(function))
	if !ok {
		return "", fmt.Errorf("%s has no function %q", l.name, function)
	}
	values := make([]goja.Value, len(arguments))
	for i, a := range arguments {
		values[i] = l.engine.ToValue(a)
	}
	alarm := time.AfterFunc(limit, func() { l.engine.Interrupt("too long") })
	out, err := call(goja.Undefined(), values...)
	if !alarm.Stop() || err != nil {
		l.engine.ClearInterrupt()
	}
	var interrupted *goja.InterruptedError
	switch {
	case errors.As(err, &interrupted):
		l.engine = nil // nobody knows what state it is in
		return "", fmt.Errorf("%s took longer than %s", l.name, limit)
	case err != nil:
		return "", fmt.Errorf("%s: %w", l.name, err)
	}
	return out.String(), nil
}

func (l *Library) start() error {
	engine := goja.New()
	engine.SetMaxCallStackSize(4096)
	for i, source := range l.sources {
		if _, err := engine.RunScript(fmt.Sprintf("%s-%d.js", l.name, i), source); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	l.engine = engine
	return nil
}
