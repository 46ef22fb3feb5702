package rehearsal

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kubewalk/playground/demo/scenario"
)

func match(who, op string) scenario.Match { return scenario.Match{Who: who, Op: op} }

func traced(t *testing.T, text string, wanted Selection) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err := Print(file, &out, wanted)
	return out.String(), err
}

// TestSelection: what is left of a trace, with times as in the demo's file.
func TestSelection(t *testing.T) {
	all, err := traced(t, good, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(all, "#1 -5.000000s ") {
		t.Errorf("times do not count from the end of the setup: %.40s", all)
	}
	event := regexp.MustCompile(`(?m)^#`)
	line := regexp.MustCompile(`(?m)^#.*$`)
	for _, test := range []struct {
		name  string
		only  Selection
		holds string // in each event's line
	}{
		{"a component", Selection{Match: match("kubelet/*", "")}, "s kubelet/node-1"},
		{"a kind", Selection{Match: match("", "container.start")}, " container.start "},
		{"an object", Selection{Object: "pod/web-*"}, " pods default/web-"},
		{"as the trace names it", Selection{Object: "pods default/web-*"}, " pods default/web-"},
		{"by its name alone", Selection{Object: "web"}, " replicasets default/web"},
	} {
		got, err := traced(t, good, test.only)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		n := len(event.FindAllString(got, -1))
		if n == 0 || n >= len(event.FindAllString(all, -1)) {
			t.Errorf("%s: %d events", test.name, n)
		}
		for _, one := range line.FindAllString(got, -1) {
			if !strings.Contains(one, test.holds) {
				t.Errorf("%s: %s", test.name, one)
			}
		}
	}
	late, err := traced(t, good, Selection{From: "too-few"})
	if err != nil || !strings.HasPrefix(strings.SplitN(late, " ", 3)[1], "8.") {
		t.Errorf("from a mark: %v, %.60s", err, late)
	}
	for want, only := range map[string]Selection{
		`unknown step or mark "to-few" (did you mean "too-few"?)`:                   {From: "to-few"},
		`unknown kind of event "container.strat" (did you mean "container.start"?)`: {Match: match("", "container.strat")},
		`no component "kubelett" runs in this cluster (did you mean "kubelet/*"?)`:  {Match: match("kubelett", "")},
		`object "pdo/web" is not a kind and name: write pod/web-*`:                  {Object: "pdo/web"},
		"no event matches (without flags, trace prints all of them)":                {Object: "nothing"},
	} {
		if _, err := traced(t, good, only); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

var ownMarks = regexp.MustCompile(`(?m)^marks:\n(?:[ -].*\n)+`)

// TestPaste: each mark and each claim that is printed holds in the demo that it is pasted into.
func TestPaste(t *testing.T) {
	for _, only := range []Selection{{Object: "pod/web-*", From: "up"}, {Match: match("replicaset-controller", ""), From: "apply"},
		{Match: match("", "log")}, {Match: match("kubelet/*", "")}} {
		only.Languages = []string{"en"}
		lines, err := traced(t, good, only)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(lines, "caption: {en: …}") || !strings.Contains(lines, "within: ") {
			t.Errorf("%s", lines)
		}
		marks, claims := "", ""
		for _, one := range strings.Split(strings.TrimSpace(lines), "\n\n") {
			_, body, _ := strings.Cut(one, "marks:\n")
			mark, claim, _ := strings.Cut(body, "claims:\n")
			marks, claims = marks+mark, claims+claim+"\n"
		}
		// In place of the demo's own marks, between which they would have to be in order.
		demo := strings.Replace(ownMarks.ReplaceAllLiteralString(good, "marks:\n"+marks), "claims:\n", "claims:\n"+claims, 1)
		if _, err := traced(t, demo, Selection{}); err != nil {
			t.Errorf("%v\n%s", err, lines)
		}
	}
}
