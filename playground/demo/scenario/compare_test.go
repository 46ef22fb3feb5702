package scenario

import (
	"testing"

	"kubewalk/playground/trace"
)

func TestComparison(t *testing.T) {
	for _, test := range []struct {
		is, want  string
		holds, ok bool
	}{
		{"3", ">= 3", true, true}, {"2", ">= 3", false, true}, {"10", "> 9", true, true}, {"3", "< 3", false, true}, {"3", "<=3", true, true},
		{"3", "== 3", true, true}, {"3", "!= 3", false, true}, {"-1", "< 0", true, true}, {"1.5", "> 1", true, true},
		{"", "< 1", true, true}, {"", ">= 1", false, true}, // what is not there
		{"", "< 500m", false, false}, {"", "< 5s", false, false},
		{"500m", "< 1", true, true}, {"0.5", "== 500m", true, true}, {"1Gi", "> 1000Mi", true, true}, {"1Gi", "> 1G", true, true},
		{"128Mi", ">= 1Gi", false, true},
		{"20ms", "< 1s", true, true}, {"1m30s", "> 1m", true, true}, {"1m0s", "== 60s", true, true}, {"2562047h", "> -2562047h", true, true},
		{"2026-01-01T00:00:30Z", "> 2026-01-01T00:00:05Z", true, true}, {"2026-01-01T00:00:05Z", ">= 2026-01-01T09:00:05+09:00", true, true},
		{"2026-01-01T00:00:05.000001Z", "> 2026-01-01T00:00:05Z", true, true},
		{"Running", "> 3", false, false}, {"3", "> Running", false, false}, {"5s", "> 3", false, false}, {"25%", "> 3", false, false},
	} {
		c, ok := ParseComparison(test.want)
		if !ok {
			t.Errorf("%q is no comparison", test.want)
		}
		if holds, ok := c.Holds(test.is); holds != test.holds || ok != test.ok {
			t.Errorf("%q %s: %v, %v", test.is, test.want, holds, ok)
		}
	}
	for _, text := range []string{"", "3", "=3", "=> 3", "!3", "Running", "web-*"} {
		if c, ok := ParseComparison(text); ok {
			t.Errorf("%q compares: %v", text, c)
		}
	}
	if c, _ := ParseComparison("<none>"); c.Known() {
		t.Error("<none> has an order")
	}
}

func TestConditionsCompare(t *testing.T) {
	e := &trace.Event{Op: trace.Log, Attrs: trace.Attrs("need", 3, "delay", "20ms", "said", "<none>")}
	for _, test := range []struct {
		key, want string
		matches   bool
	}{
		{"need", ">= 3", true}, {"need", "> 3", false}, {"delay", "< 1s", true}, {"delay", "> 3", false}, {"said", "<none>", true}, {"absent", "< 3", false},
	} {
		if got := (Match{Attrs: map[string]string{test.key: test.want}}).Matches(e); got != test.matches {
			t.Errorf("%s %s: %v", test.key, test.want, got)
		}
	}
	if fieldMatches("> 400m", "0.5") != true || fieldMatches("<= 1Gi", "2Gi") || fieldMatches("== 3", "three") {
		t.Error("fields are not compared")
	}
	if got, want := (Match{Op: "log", Attrs: map[string]string{"need": ">=3", "message": "x"}}).String(), "log message=x need >= 3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
