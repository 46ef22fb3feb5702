package session_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"kubewalk/playground/demo/recording"
)

// TestManagersAndDetailsComeInParts: who manages the fields of an object is the same, asked for it
// alone or for all; and what came later is all that a page has to ask for.
func TestManagersAndDetailsComeInParts(t *testing.T) {
	s := small()
	ses := open(t, s)
	ses.Run(s.Setup)
	first, err := ses.Details(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	events := ses.Cluster().Trace().Len()
	ses.Run(s.End)
	rest, err := ses.Details(events, len(first.Stacks))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := ses.Details(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	joined := &recording.Details{Stacks: append(first.Stacks, rest.Stacks...), Objects: first.Objects, Base: first.Base}
	for e, v := range rest.Objects {
		if e <= events {
			t.Fatalf("event %d came twice", e)
		}
		joined.Objects[e] = v
	}
	for e, v := range rest.Base {
		joined.Base[e] = v
	}
	if !reflect.DeepEqual(joined, whole) {
		t.Error("details in two parts are not those of the whole")
	}

	const object = "replicasets default/web"
	all, one := ses.Managers(""), ses.Managers(object)
	if len(one.Events) < 3 || len(all.Events) <= len(one.Events) {
		t.Fatalf("managers of %d commits of one object and of %d of all", len(one.Events), len(all.Events))
	}
	names := map[string]string{}
	for e, managers := range one.Events {
		if got, want := read(t, one, managers), read(t, all, all.Events[e]); got != want {
			t.Errorf("event %d: alone\n%s\nof all\n%s", e, got, want)
		}
		for _, m := range managers {
			names[m[0].(string)] = string(one.Sets[m[5].(int)])
		}
	}
	if names["kubectl-client-side-apply"] == "" || names["replicaset-controller"] == "" {
		t.Errorf("%s is managed by %v", object, names)
	}
	// A Pod's status is its kubelet's.
	found := false
	for _, managers := range all.Events {
		for _, m := range managers {
			found = found || m[0] == "kubelet" && m[4] == "status"
		}
	}
	if !found {
		t.Error("no kubelet manages a status")
	}
}

func read(t *testing.T, m *recording.Managers, managers []recording.Manager) string {
	t.Helper()
	out := ""
	for _, e := range managers {
		text, err := json.Marshal(e[:5])
		if err != nil {
			t.Fatal(err)
		}
		out += string(text) + string(m.Sets[e[5].(int)]) + "\n"
	}
	return out
}
