package conformance

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"kubewalk/playground/trace"
)

// write is one line of an audit trail: a write that the API server answered.
type write struct {
	component, verb, resource, name, code string
	reply                                 trace.ID // in our trace
}

func (w write) String() string {
	return strings.Join([]string{w.component, w.verb, w.resource, w.name, w.code}, " ")
}

// what is the write without the name of the object.
func (w write) what() string {
	return strings.Join([]string{w.component, w.verb, w.resource, w.code}, " ")
}

func readAudit(t *testing.T, name string) []write {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".audit.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var out []write
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 5 {
			t.Fatalf("%s.audit.tsv:%d: %q", name, i+1, line)
		}
		if i > 0 {
			out = append(out, write{component: f[0], verb: f[1], resource: f[2], name: f[3], code: f[4]})
		}
	}
	return out
}

// recordedName is what the recordings call a component of ours. They name the
// scheduler after its service account; everybody else has the same name.
func recordedName(component string) string {
	switch {
	case component == "kube-scheduler":
		return "scheduler"
	case strings.HasPrefix(component, "kubelet/"), component == "kwok", component == "kwok-controller":
		return "kubelet(simulated)"
	}
	return component
}

// audit makes the trail out of a trace, from one event on: every write in the
// order in which it was answered.
func audit(rec *trace.Recorder, from trace.ID) []write {
	users := map[string]string{}
	var out []write
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		switch e.Op {
		case trace.RequestReceive:
			users[e.Text("request")] = e.Text("user")
		case trace.RequestReply:
			verb := e.Text("verb")
			if e.ID < from || verb == "get" || verb == "list" || verb == "watch" || strings.HasPrefix(e.Text("reason"), "connection") {
				continue
			}
			resource, _, _ := strings.Cut(e.Object.Resource, ".") // of a definition's kind without the group
			if resource == "nodes" || resource == "leases" {
				continue
			}
			parts := strings.Split(e.Text("path"), "/")
			if last := parts[len(parts)-1]; last != resource && last != e.Object.Name {
				resource += "/" + last
			}
			name := e.Object.Name
			if name == "" || verb == "create" && e.Text("code") == "400" {
				// The trace has a create's name from its sender. The audit log has it
				// from the body, which a 400 says could not be read.
				name = "-"
			}
			out = append(out, write{recordedName(users[e.Text("request")]), verb, resource, name, e.Text("code"), e.ID})
		}
	}
	return out
}

// phase is what follows one command of kubectl's, up to its next.
type phase struct {
	name   string
	writes []write
}

// phases cuts a trail where kubectl does something else than before.
func phases(trail []write) []phase {
	out := []phase{{name: "before"}}
	for _, w := range trail {
		name := nameless(w.String())
		if w.component == "kubectl" && out[len(out)-1].name != name {
			out = append(out, phase{name: name})
		}
		last := &out[len(out)-1]
		last.writes = append(last.writes, w)
	}
	return out
}

// wavers tells which writes differ in number from run to run: see the package comment.
func wavers(w write) bool {
	return w.resource == "events" || strings.HasSuffix(w.resource, "/status")
}

// unsure says why a write is not compared, "" if it is: what a race causes in the real thing too, and what KWOK does, which is none of ours. deleted are
// the deletions so far.
func unsure(w write, deleted map[string]bool) string {
	switch {
	case w.component == "kubelet(simulated)":
		return "a kubelet's, or KWOK's"
	case w.code == "404" && strings.HasSuffix(w.resource, "/status"):
		return "the status of an object that is gone by then"
	case w.code == "409" && w.component != "kubectl":
		return "conflicts, which TestConflicts counts"
	case strings.HasPrefix(w.verb, "delete") && deleted[w.String()]:
		// By a garbage collector whose graph has not seen the first, or of a collection which took more than one look to be empty.
		return "a second deletion of the same"
	}
	return ""
}

// counts says how often each thing was done that is wanted and sure.
func counts(writes []write, want func(write) bool) map[string]int {
	out, deleted := map[string]int{}, map[string]bool{}
	for _, w := range writes {
		if want(w) && unsure(w, deleted) == "" {
			deleted[w.String()] = true
			out[w.what()]++
		}
	}
	return out
}

// sayUnsure prints what compare leaves out of two trails.
func sayUnsure(t *testing.T, recorded, ours []write) {
	t.Helper()
	for i, trail := range [][]write{recorded, ours} {
		whose, deleted := []string{"recorded", "ours"}[i], map[string]bool{}
		out := map[string]map[string]int{}
		for _, w := range trail {
			why := unsure(w, deleted)
			if w.resource == "events" && why == "" {
				why = "Events, which are written behind"
			}
			if why == "" {
				deleted[w.String()] = true
				continue
			}
			if out[why] == nil {
				out[why] = map[string]int{}
			}
			out[why][w.what()]++
		}
		for _, why := range slices.Sorted(maps.Keys(out)) {
			t.Logf("not compared, %s: %s: %s", whose, why, show(out[why]))
		}
	}
}

// without leaves writes out, and says which and why.
func without(t *testing.T, trail []write, why string, drop func(write) bool) []write {
	t.Helper()
	gone := map[string]int{}
	trail = slices.DeleteFunc(slices.Clone(trail), func(w write) bool {
		if drop(w) {
			gone[w.what()]++
			return true
		}
		return false
	})
	if len(gone) > 0 {
		t.Logf("left out: %s: %s", why, show(gone))
	}
	return trail
}

// compare holds our trail against the recorded one, phase by phase.
func compare(t *testing.T, recorded, ours []write) {
	t.Helper()
	sayUnsure(t, recorded, ours)
	want, got := phases(recorded), phases(ours)
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i].name != got[i].name {
			t.Fatalf("phase %d differs:\nrecorded %s\nours     %s", i, names(want), names(got))
		}
		exact := func(w write) bool { return !wavers(w) }
		if w, g := counts(want[i].writes, exact), counts(got[i].writes, exact); fmt.Sprint(w) != fmt.Sprint(g) {
			t.Errorf("after %q:\nrecorded %s\nours     %s", want[i].name, show(w), show(g))
		}
		// Who writes a status or not is no matter of timing; only how often is.
		status := func(w write) bool { return strings.HasSuffix(w.resource, "/status") }
		w, g := counts(want[i].writes, status), counts(got[i].writes, status)
		for what, n := range w {
			if g[what] == 0 || g[what] > 3*n+3 {
				t.Errorf("after %q: %d of %q were recorded, and %d are ours", want[i].name, n, what, g[what])
			}
		}
		for what, n := range g {
			if w[what] == 0 {
				t.Errorf("after %q: %d of %q, and none was recorded", want[i].name, n, what)
			}
		}
	}
}

// sameEvents compares how many Events each component wrote over the whole
// trail. give is by how much one may differ; then a repeated Event may also be
// counted up (patched) instead of written anew.
func sameEvents(t *testing.T, recorded, ours []write, give int) {
	t.Helper()
	events := func(w write) bool { return w.resource == "events" }
	w, g := counts(recorded, events), counts(ours, events)
	if give == 0 {
		if fmt.Sprint(w) != fmt.Sprint(g) {
			t.Errorf("events:\nrecorded %s\nours     %s", show(w), show(g))
		}
		return
	}
	total := func(m map[string]int) (n int) {
		for _, k := range m {
			n += k
		}
		return n
	}
	if a, b := total(w), total(g); a-b > give || b-a > give {
		t.Errorf("events:\nrecorded %s\nours     %s", show(w), show(g))
	}
}

func names(p []phase) string {
	var out []string
	for _, p := range p {
		out = append(out, p.name)
	}
	return strings.Join(out, "; ")
}

func show(m map[string]int) string {
	var out []string
	for k, n := range m {
		out = append(out, fmt.Sprintf("%d× %s", n, k))
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

// inOrder checks, for every Pod of a trail, who had to wait for whom. The same
// holds for the recorded trail and for ours.
func inOrder(t *testing.T, whose string, trail []write) {
	t.Helper()
	first := map[string]int{} // by component, verb, resource and name
	at := func(parts ...string) int {
		if n, ok := first[strings.Join(parts, " ")]; ok {
			return n
		}
		return -1
	}
	for i, w := range trail {
		if !strings.HasPrefix(w.code, "20") {
			continue
		}
		key := strings.Join([]string{w.component, w.verb, w.resource, w.name}, " ")
		if _, seen := first[key]; !seen {
			first[key] = i
		}
	}
	before := func(a, b int, what string) {
		if a >= 0 && b >= 0 && a >= b {
			t.Errorf("%s: %s: line %d (%s) comes after line %d (%s)", whose, what, a+1, trail[a], b+1, trail[b])
		}
	}
	checked := 0
	for i, w := range trail {
		if w.verb != "create" || w.resource != "pods" || w.code != "201" {
			continue
		}
		checked++
		if w.component == "replicaset-controller" {
			before(at("kubectl", "create", "replicasets", "web"), i, "a ReplicaSet is there before its Pods are made")
		}
		bound := at("scheduler", "create", "pods/binding", w.name)
		before(i, bound, "a Pod is made before it is bound")
		before(bound, at("kubelet(simulated)", "patch", "pods/status", w.name), "a Pod is bound before its kubelet speaks of it")
		if w.component == "replicaset-controller" {
			checked++
			if bound < 0 {
				t.Errorf("%s: Pod %s is never bound", whose, w.name)
			}
			before(bound, at("scheduler", "create", "events", w.name), "a Pod is bound before that is reported")
		}
	}
	if checked == 0 {
		t.Errorf("%s: no Pod was made", whose)
	}
	for i, w := range trail {
		if w.component == "generic-garbage-collector" {
			before(at("kubectl", "delete", "replicasets", "web"), i, "an owner is deleted before its dependents are collected")
		}
	}
}

// generated matches the end of a generated name, in the recordings and here.
var generated = regexp.MustCompile(`\bweb-(<suffix-\d+>|[bcdfghjklmnpqrstvwxz2456789]{5})`)

// nameless takes out of a text what differs from run to run.
func nameless(s string) string { return generated.ReplaceAllString(s, "web-<suffix>") }
