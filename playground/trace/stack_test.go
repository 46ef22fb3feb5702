package trace

import (
	"fmt"
	"strings"
	"testing"
)

func TestWhichFramesAreShown(t *testing.T) {
	for file, want := range map[string]string{
		root + "playground/controlplane/store/store.go":                       "playground/controlplane/store/store.go",
		root + "playground/controlplane/controller/replicaset/replica_set.go": "playground/controlplane/controller/replicaset/replica_set.go",
		root + "playground/cluster/cluster.go":                                "playground/cluster/cluster.go",
		root + "playground/simple/x.go":                                       "playground/simple/x.go",
		root + "playground/sim/kernel.go":                                     "",
		root + "playground/trace/recorder.go":                                 "",
		root + "playground/demo/session/session.go":                           "",
		root + "playground/check/chaos/invariants.go":                         "",
		root + "playground/check/trace/main.go":                               "",
		root + "playground/httpapi/server.go":                                 "",
		root + "playground/controlplane/store/store_test.go":                  "",
		root + "wasm/main.go":                                                 "",
		root + "generator/main.go":                                            "",
		"/usr/lib/go/src/iter/iter.go":                                        "",
		"/elsewhere/playground/controlplane/store/store.go":                   "",
	} {
		got, ok := modulePath(file)
		if !ok || hidden(got) {
			got = ""
		}
		if got != want {
			t.Errorf("%s is shown as %q, want %q", file, got, want)
		}
	}
}

func TestStacksAreInternedByFileAndLine(t *testing.T) {
	s := NewStacks()
	a := []Frame{{"playground/a.go", 1, "a.F"}, {"playground/b.go", 2, "b.G"}}
	first := s.intern(a)
	if again := s.intern([]Frame{{"playground/a.go", 1, "a.F[...]"}, {"playground/b.go", 2, "b.G.func1"}}); again != first {
		t.Errorf("the same lines under other names are stack %d, not %d", again, first)
	}
	for _, other := range [][]Frame{{a[0]}, {a[1], a[0]}, {{"playground/a.go", 2, "a.F"}, a[1]}} {
		if id := s.intern(other); id == first {
			t.Errorf("%v is taken for %v", other, a)
		}
	}
	if s.intern(nil) != 0 || len(s.Frames(0)) != 0 {
		t.Error("an empty stack is not stack 0")
	}
	if s.Len() != 5 || fmt.Sprint(s.Frames(first)) != fmt.Sprint(a) {
		t.Errorf("%d stacks; the first is %v", s.Len(), s.Frames(first))
	}
}

func TestCapturingTwiceFromAPlaceIsOneStack(t *testing.T) {
	s := NewStacks()
	ids := map[StackID]bool{}
	for range 3 {
		ids[s.Capture(0)] = true
	}
	if len(ids) != 1 || len(s.byPCs) != 1 {
		t.Errorf("stacks %v, %d places", ids, len(s.byPCs))
	}
}

func TestShortName(t *testing.T) {
	for in, want := range map[string]string{
		"kubewalk/playground/controlplane/store.(*Store).Create": "store.(*Store).Create", "main.main": "main.main",
	} {
		if got := shortName(in); got != want {
			t.Errorf("shortName(%q) = %q", in, got)
		}
	}
}

func TestPrintShowsStacksWithoutNames(t *testing.T) {
	r := NewRecorder(All)
	r.Record(Event{Op: Log, Component: "c"}, nil, nil, 0)
	r.Event(1).Stack = r.stacks.intern([]Frame{{"playground/controlplane/store/store.go", 7, "store.F"},
		{"playground/controlplane/apiserver/handler.go", 12, "apiserver.G"}})
	var b strings.Builder
	if err := r.Print(&b); err != nil {
		t.Fatal(err)
	}
	if want := "#1 0.000000s c log\n    at playground/controlplane/store/store.go:7 ← playground/controlplane/apiserver/handler.go:12\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
