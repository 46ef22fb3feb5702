package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// seeds of the clusters that play the transcripts: what was recorded does not depend on chance.
var seeds = []uint64{1, 2, 3, 4, 5, 6, 7, 8}

func TestReplicaSetLife(t *testing.T) {
	recorded := readAudit(t, "01-replicaset-life")
	// The recorder's cluster had just come up, and the node controller was greeting its nodes.
	recorded = slices.DeleteFunc(recorded, func(w write) bool { return w.component == "node-controller" })
	inOrder(t, "recorded", recorded)
	for _, seed := range seeds {
		w := newWorld(t, "01-replicaset-life", seed)
		w.play("")
		w.atLeast(10)
		ours := audit(w.Trace(), w.started)
		compare(t, recorded, ours)
		sameEvents(t, recorded, ours, 0)
		inOrder(t, "ours", ours)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestOwnership(t *testing.T) {
	recorded := readAudit(t, "07-ownership")
	// Up to the namespace, whose end has a test of its own.
	end := slices.IndexFunc(recorded, func(w write) bool { return w.resource == "namespaces" })
	recorded = recorded[:end]
	inOrder(t, "recorded", recorded)
	for _, seed := range seeds {
		w := newWorld(t, "07-ownership", seed)
		w.play("kubectl create namespace team-a")
		w.atLeast(11)
		ours := audit(w.Trace(), w.started)
		compare(t, recorded, ours)
		sameEvents(t, recorded, ours, 0)
		inOrder(t, "ours", ours)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestScheduling(t *testing.T) {
	recorded := readAudit(t, "05-scheduling")
	inOrder(t, "recorded", recorded)
	for _, seed := range seeds {
		w := newWorld(t, "05-scheduling", seed)
		w.play("")
		w.atLeast(20)
		ours := audit(w.Trace(), w.started)
		compare(t, recorded, ours)
		// How often a Pod that fits nowhere is tried again, and reported, depends on how many changes of nodes fall into one backoff.
		sameEvents(t, recorded, ours, 2)
		inOrder(t, "ours", ours)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// skipped says of a recording's commands why they are not typed.
var skipped = map[string]func(command string) string{
	"04-bad-input": func(command string) string {
		if strings.Contains(command, "duplicate-field") || strings.Contains(command, "configmap dup") {
			return "not typed: a key twice, which a host that reads YAML drops or refuses"
		}
		return ""
	},
}

// What kubectl says to bad input. That the API server says it is tested there.
func TestBadInput(t *testing.T) { badInput(t, newWorld(t, "04-bad-input", 1)) }

func badInput(t *testing.T, w *world) {
	t.Helper()
	w.skip = skipped["04-bad-input"]
	w.play("")
	w.atLeast(29)
	recorded := without(t, readAudit(t, "04-bad-input"), "a key twice", func(w write) bool { return w.name == "dup" })
	ours := without(t, audit(w.Trace(), w.started), "Events, which are written behind", func(w write) bool { return w.resource == "events" })
	list := func(trail []write) string { return strings.ReplaceAll(fmt.Sprint(trail), " kubectl ", "\nkubectl ") }
	if a, b := list(recorded), list(ours); a != b {
		t.Errorf("recorded:\n%s\nours:\n%s", a, b)
	}
}
