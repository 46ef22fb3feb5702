package trace

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

func TestValuesAreOfThreeKinds(t *testing.T) {
	three, none := int32(3), (*int64)(nil)
	for _, test := range []struct{ in, want any }{
		{nil, ""}, {"a", "a"}, {true, true}, {int64(-1), int64(-1)}, {7, int64(7)}, {int32(7), int64(7)}, {uint64(7), int64(7)},
		{ID(4), int64(4)}, {&three, int64(3)}, {none, ""}, {1500 * time.Millisecond, "1.5s"}, {errors.New("no"), "no"},
		{Ref{Resource: "pods", Name: "a"}, "pods a"}, {[]string{"a", "b"}, "[a b]"}, {map[string]int{"b": 1, "a": 2}, "map[a:2 b:1]"},
	} {
		got := Value(test.in)
		if got != test.want {
			t.Errorf("Value(%v) = %T %v, want %v", test.in, got, got, test.want)
		}
		if String(got) != fmt.Sprint(test.want) {
			t.Errorf("String(%v) = %q", got, String(got))
		}
	}
	if String(nil) != "" {
		t.Error("nil has a text")
	}
}

func TestAttrsRefusesWhatIsNoPair(t *testing.T) {
	for _, kv := range [][]any{{"a"}, {1, "a"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Attrs(%v) did not panic", kv)
				}
			}()
			Attrs(kv...)
		}()
	}
}

func TestOps(t *testing.T) {
	seen := map[Op]bool{}
	for i, o := range Ops() {
		if seen[o] || !Known(o) || OpNames()[i] != string(o) {
			t.Errorf("op %q", o)
		}
		seen[o] = true
	}
	if Known("store.comit") || Known("") {
		t.Error("an op that is none is known")
	}
}

func TestRefs(t *testing.T) {
	for _, test := range []struct {
		ref       Ref
		key, text string
	}{
		{Ref{}, "", ""}, {Ref{"nodes", "", "a"}, "a", "nodes a"}, {Ref{"pods", "ns", "a"}, "ns/a", "pods ns/a"}, {Ref{Name: "a"}, "a", "a"},
	} {
		if test.ref.Key() != test.key || test.ref.String() != test.text {
			t.Errorf("%+v: %q, %q", test.ref, test.ref.Key(), test.ref.String())
		}
	}
}
