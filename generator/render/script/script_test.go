package script

import (
	"strings"
	"sync"
	"testing"
)

func TestCall(t *testing.T) {
	l := New("lib", "var n = 0", "function add(a, b) { n++; return a + b + ':' + n } function fail() { throw new Error('no') } function deep() { return deep() }")
	for _, want := range []string{"12:1", "12:2"} { // it is started once
		if got, err := l.Call("add", "1", 2); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	for function, want := range map[string]string{"fail": "lib: Error: no", "none": `lib has no function "none"`, "deep": "lib: "} {
		if _, err := l.Call(function); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", function, err)
		}
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { _, _ = l.Call("add", 1, 2) })
	}
	group.Wait()
	if got, err := l.Call("add", "1", 2); got != "12:11" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := New("broken", "][").Call("x"); err == nil {
		t.Error("a library with a mistake was called")
	}
}
