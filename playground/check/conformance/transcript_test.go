package conformance

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A transcript is what a person typed and what came back.
type transcript struct {
	steps     []step
	manifests map[string]string // by file name
}

// step is one command, or one wait for a command to print something.
type step struct {
	command        string
	until          *string // for a wait: what the command is to print
	stdout, stderr []string
	exit           int
	line           int
}

func readTranscript(t *testing.T, name string) *transcript {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	tr := &transcript{manifests: map[string]string{}}
	file := ""
	for i, line := range strings.Split(string(text), "\n") {
		command, isCommand := strings.CutPrefix(line, "$ ")
		wait, isWait := strings.CutPrefix(line, "# until `")
		last := len(tr.steps) - 1
		switch {
		case strings.HasPrefix(line, "-- "):
			file = strings.Trim(line, "- ")
		case file != "":
			tr.manifests[file] += line + "\n"
		case isCommand:
			tr.steps = append(tr.steps, step{command: command, line: i + 1})
		case isWait:
			command, prints, ok := strings.Cut(wait, "` prints")
			if !ok {
				t.Fatalf("%s.txt:%d: %s", name, i+1, line)
			}
			prints = strings.TrimSpace(prints)
			tr.steps = append(tr.steps, step{command: command, until: &prints, line: i + 1})
		case strings.HasPrefix(line, "exit: ") && last >= 0:
			code, err := strconv.Atoi(strings.TrimPrefix(line, "exit: "))
			if err != nil {
				t.Fatalf("%s.txt:%d: %s", name, i+1, line)
			}
			tr.steps[last].exit = code
		case strings.HasPrefix(line, "#") || last < 0 || line == "":
		case strings.HasPrefix(line, "stderr: "):
			tr.steps[last].stderr = append(tr.steps[last].stderr, strings.TrimPrefix(line, "stderr: "))
		default:
			tr.steps[last].stdout = append(tr.steps[last].stdout, line)
		}
	}
	if len(tr.steps) < 5 || len(tr.manifests) == 0 {
		t.Fatalf("%s.txt has only %d commands and %d manifests", name, len(tr.steps), len(tr.manifests))
	}
	return tr
}

// generated matches the end of a generated name, in the recordings and here.
var generated = regexp.MustCompile(`\bweb-(<suffix-\d+>|[bcdfghjklmnpqrstvwxz2456789]{5})`)

// nameless takes out of a text what differs from run to run.
func nameless(s string) string { return generated.ReplaceAllString(s, "web-<suffix>") }
