package problem

import (
	"errors"
	"fmt"
	"testing"
)

func TestErrorNamesPlaceAndCure(t *testing.T) {
	for _, test := range []struct {
		p    Problem
		want string
	}{
		{Problem{"a.md", 12, 3, `unknown demo "rs-scale"`, `did you mean "replicaset-scale"?`},
			`a.md:12:3: unknown demo "rs-scale" (did you mean "replicaset-scale"?)`},
		{Problem{File: "a.md", Line: 2, Message: "m"}, "a.md:2: m"},
		{Problem{File: "a.md", Message: "m"}, "a.md: m"},
		{Problem{Message: "m"}, "m"},
	} {
		if got := test.p.Error(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestListIsSortedAndHoldsEachOnce(t *testing.T) {
	var l List
	if l.Err() != nil {
		t.Fatal("an empty list is an error")
	}
	l.Add(Problem{File: "b", Line: 1, Message: "x"})
	l.AddError(fmt.Errorf("wrapped: %w", Problem{File: "a", Line: 2, Column: 9, Message: "y"}))
	l.AddError(Errors{{File: "a", Line: 2, Column: 1, Message: "z"}, {File: "b", Line: 1, Message: "x"}})
	l.AddError(errors.New("no place"))
	if got, want := l.Err().Error(), "no place\na:2:1: z\na:2:9: y\nb:1: x"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPlaceCountsCharacters(t *testing.T) {
	text := []byte("ab\n日本語x\n")
	for _, test := range []struct{ offset, line, column int }{
		{-1, 1, 1}, {0, 1, 1}, {2, 1, 3}, {3, 2, 1}, {9, 2, 3}, {12, 2, 4}, {99, 3, 1},
	} {
		if l, c := Place(text, test.offset); l != test.line || c != test.column {
			t.Errorf("offset %d: got %d:%d, want %d:%d", test.offset, l, c, test.line, test.column)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"replicaset-scale", "tour", "title", "description"}
	for word, want := range map[string]string{
		"titel": "title", "replicaset-scael": "replicaset-scale", "Tour": "tour",
		"decsription": "description", "zzz": "", "scale": "replicaset-scale",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
