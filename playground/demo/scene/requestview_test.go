package scene

import (
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/trace"
)

func TestPhasesOfAWrite(t *testing.T) {
	const none = "later later later later later"
	for name, c := range map[string]struct {
		w    passage
		want string
	}{
		"nothing was asked":       {passage{}, none},
		"being handled":           {passage{number: "1"}, "now later later later later"},
		"a webhook is asked":      {passage{number: "1", asking: trace.PhaseValidating}, "passed passed passed now later"},
		"asked, and stored":       {passage{number: "1", asking: trace.PhaseValidating, stored: 7}, "passed passed passed passed now"},
		"nobody to ask":           {passage{number: "1", asking: trace.PhaseValidating, code: "500", refused: trace.PhaseValidating}, "passed passed passed refused later"},
		"stored, not answered":    {passage{number: "1", stored: 7}, "passed passed passed passed now"},
		"answered":                {passage{number: "1", stored: 7, code: "201"}, "passed passed passed passed passed"},
		"refused by decoding":     {passage{number: "1", code: "400", refused: trace.PhaseDecoding}, "refused later later later later"},
		"refused by a plugin":     {passage{number: "1", code: "403", refused: trace.PhaseMutating}, "passed refused later later later"},
		"refused by validation":   {passage{number: "1", code: "422", refused: trace.PhaseValidation}, "passed passed refused later later"},
		"an old version":          {passage{number: "1", code: "409", refused: trace.PhaseStore}, "passed passed passed passed refused"},
		"the server fails itself": {passage{number: "1", code: "500"}, none},
		"a read":                  {passage{number: "1", isRead: true, code: "200"}, none},
	} {
		if got := strings.Join(c.w.states(), " "); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
}

func TestAUsersRequestStays(t *testing.T) {
	receive := func(user, verb, resource, number string) *trace.Event {
		return &trace.Event{Op: trace.RequestReceive, Object: trace.Ref{Resource: resource, Namespace: "default", Name: "web"},
			Attrs: trace.Attrs("request", number, "verb", verb, "path", "/x", "user", user)}
	}
	var w passage
	for _, step := range []struct {
		e    *trace.Event
		want string
	}{
		{receive("kubelet/node-1", "update", "leases", "1"), ""},
		{receive("replicaset-controller", "create", "pods", "2"), "2"},
		{receive("replicaset-controller", "get", "pods", "3"), "2"},
		{receive("kubectl", "watch", "pods", "4"), "2"},
		{receive("kubectl", "get", "", "5"), "2"},
		{receive("kubectl", "get", "pods", "6"), "6"},
		{receive("kubectl", "create", "pods", "7"), "7"},
		{receive("replicaset-controller", "create", "pods", "8"), "7"},
		{receive("kubectl", "delete", "pods", "9"), "9"},
		{receive("kubectl", "get", "pods", "10"), "9"},
		{receive("kubectl", "list", "nodes", "11"), "11"},
	} {
		if w.follow(step.e); w.number != step.want {
			t.Fatalf("after request %s: follows %q, not %q", step.e.Text("request"), w.number, step.want)
		}
	}
}

func TestRefusalInItsRoom(t *testing.T) {
	const message = `pods "web" is forbidden: error looking up service account default/robot: serviceaccount "robot" not found`
	for _, c := range []struct {
		room, lines int
		want        []string
	}{
		{2000, 1, []string{`ServiceAccount: error looking up service account default/robot: serviceaccount "robot" not found`}},
		{700, 1, []string{`error looking up service account default/robot: serviceaccount "robot" not found`}},
		{508, 2, []string{`ServiceAccount: error looking up service account`, `default/robot: serviceaccount "robot" not found`}},
		{336, 2, []string{`ServiceAccount: serviceaccount "robot"`, `not found`}},
		{280, 1, []string{`serviceaccount "robot" not found`}},
		{80, 1, []string{"service…"}},
	} {
		var got []string
		for _, w := range refusalLines(message, "ServiceAccount", c.room, c.lines) {
			got = append(got, w.text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d units, %d lines: %q, not %q", c.room, c.lines, got, c.want)
		}
	}
}

// Whose request it is, is said when it is not the user's, of whom the picture is about.
func TestWhoAsks(t *testing.T) {
	receive := func(user string) *trace.Event {
		return &trace.Event{Op: trace.RequestReceive, Object: trace.Ref{Resource: "nodes", Name: "node-1"},
			Attrs: trace.Attrs("request", "1", "verb", "patch", "path", "/api/v1/nodes/node-1/status", "user", user)}
	}
	for user, want := range map[string]string{
		"kubectl":        "PATCH /api/v1/nodes/node-1/status",
		"kubelet/node-1": "kubelet/node-1: PATCH /api/v1/nodes/node-1/status",
	} {
		w := newPassage(receive(user))
		if got := w.words[0]; got != want {
			t.Errorf("%s: %q, not %q", user, got, want)
		}
		if brief := fitFirst(requestLayouts[Narrow].request.w, typeText, w.words...); (user == "kubectl") == strings.Contains(brief, ": ") {
			t.Errorf("%s, on a phone: %q", user, brief)
		}
	}
}
