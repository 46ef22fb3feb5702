package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/trace"
)

// TestServiceEndpoints holds who writes Services, addresses, slices and Endpoints, and after which command, against the
// recording. How often a slice is written while three Pods become ready is a matter of timing.
func TestServiceEndpoints(t *testing.T) {
	for _, seed := range seeds {
		w := newWorld(t, "03-service-endpoints", seed)
		w.play("")
		w.atLeast(12)
		serviceEndpoints(t, w)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func serviceEndpoints(t *testing.T, w *world) {
	t.Helper()
	ofNetwork := func(trail []write) []write {
		trail = without(t, trail, "not of the network", func(w write) bool {
			return !slices.Contains([]string{"services", "ipaddresses", "endpoints", "endpointslices"}, w.resource)
		})
		trail = without(t, trail, "an Endpoints object that the server has deleted already is not there for its controller: a race", func(w write) bool {
			return w.component == "endpoint-controller" && w.verb == "delete"
		})
		return without(t, trail, "a write by what a cache showed a moment ago, which is tried again", func(w write) bool {
			return w.code == "409" && w.component != "kubectl"
		})
	}
	recorded := ofNetwork(readAudit(t, "03-service-endpoints"))
	ours := ofNetwork(withAddresses(w.Trace(), w.started, audit(w.Trace(), w.started)))
	if a, b := happened(recorded), happened(ours); a != b {
		t.Errorf("recorded:\n%s\nours:\n%s", a, b)
	}
	// Every slice is made once for each Service that has Pods to look for, and collected with it.
	for _, what := range []string{"endpointslice-controller create endpointslices 201", "generic-garbage-collector delete endpointslices 200",
		"endpoint-controller create endpoints 201"} {
		if a, b := count(recorded, what), count(ours, what); a != b {
			t.Errorf("%s: %d times recorded, %d times here", what, a, b)
		}
	}
}

func count(trail []write, what string) (n int) {
	for _, w := range trail {
		if w.what() == what {
			n++
		}
	}
	return n
}

// happened lists, for each Service, what was done to it and for it, each once, in the order of names.
func happened(trail []write) string {
	seen := map[string]bool{}
	var out []string
	for _, w := range trail {
		name, _, _ := strings.Cut(w.name, "-")
		if w.resource == "ipaddresses" {
			name = "" // a name is an address
		}
		line := fmt.Sprintf("%s %s %s %s %s", w.component, w.verb, w.resource, name, w.code)
		if !seen[line] {
			seen[line] = true
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// withAddresses adds the server's own writes of IPAddresses: it makes them without a request to itself.
func withAddresses(rec *trace.Recorder, from trace.ID, trail []write) []write {
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.ID < from || e.Op != trace.StoreCommit || e.Object.Resource != "ipaddresses" {
			continue
		}
		switch e.Text("type") {
		case "ADDED":
			trail = append(trail, write{"apiserver", "create", "ipaddresses", e.Object.Name, "201", e.ID})
		case "DELETED":
			trail = append(trail, write{"apiserver", "delete", "ipaddresses", e.Object.Name, "200", e.ID})
		}
	}
	slices.SortStableFunc(trail, func(a, b write) int { return int(a.reply - b.reply) })
	return trail
}
