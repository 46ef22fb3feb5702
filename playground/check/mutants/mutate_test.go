package main

import (
	"os"
	"strings"
	"testing"
)

// All mutants of a package are compiled together, so each has to leave the others alone.
func TestMutantsCompileTogether(t *testing.T) {
	all, err := candidates([]string{module + "controlplane/workqueue", module + "sim"})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, m := range all {
		kind, _, _ := strings.Cut(m.what, ":")
		if strings.Contains(kind, " instead of ") {
			kind = "number"
		}
		kinds[kind]++
	}
	for _, kind := range []string{"negated", "left out of &&", "left out of ||", "boundary", "number", "left out", "returns at once", "- in"} {
		if kinds[kind] == 0 {
			t.Errorf("there is no mutant of the kind %q among %v", kind, kinds)
		}
	}
	n := len(all)
	_, kept, err := compiling(t.TempDir(), all)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) < n*95/100 {
		t.Errorf("%d of %d compile", len(kept), n)
	}
}

// There are mutants everywhere in the core, whatever its code looks like: a 0 that is a float is none of them.
func TestCandidates(t *testing.T) {
	all, err := candidates(core)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10000 {
		t.Errorf("there are %d mutants", len(all))
	}
	for _, m := range all {
		if m.at() == "" || m.what == "" {
			t.Errorf("mutant %+v says nothing", m)
		}
	}
}

func TestChanged(t *testing.T) {
	text := "if a && b < c { f() }"
	at := func(part string) (from, to int) {
		from = strings.Index(text, part)
		return from, from + len(part)
	}
	var mutants []*mutant
	for i, m := range []struct{ part, before, behind string }{
		{"a && b < c", "(", ") != mutantsOn(NUMBER)"}, {"a", "((", ") || mutantsOn(NUMBER))"}, {"b < c", "(", " || mutantsOn(NUMBER) && (b) == (c))"},
		{"f()", "if !mutantsOn(NUMBER) { ", " }"},
	} {
		from, to := at(m.part)
		mutants = append(mutants, &mutant{from: from, to: to, before: m.before, behind: m.behind, id: i + 1})
	}
	want := "if (((a) || mutantsOn(2)) && (b < c || mutantsOn(3) && (b) == (c))) != mutantsOn(1) { if !mutantsOn(4) { f() } }"
	if got := changed(text, mutants); got != want {
		t.Errorf("\ngot  %s\nwant %s", got, want)
	}
}

func TestJudges(t *testing.T) {
	for pkg, want := range map[string]string{
		"sim":                          "sim controlplane/workqueue check/chaos",
		"controlplane/scheduler/queue": "controlplane/scheduler/queue controlplane/scheduler controlplane check/chaos",
		"node/kubelet/prober":          "node/kubelet/prober node/kubelet node cluster check/chaos",
	} {
		if got := strings.Join(judgesOf(pkg), " "); got != want {
			t.Errorf("%s: %s, want %s", pkg, got, want)
		}
	}
	for _, j := range judges {
		for _, pkg := range append(j.tests, j.of) {
			if _, err := os.Stat("../../" + pkg); err != nil {
				t.Error(err)
			}
		}
	}
}
