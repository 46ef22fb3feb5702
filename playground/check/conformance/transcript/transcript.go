// Package transcript reads recordings of kubectl at a real cluster, and says when what is printed here is the same.
package transcript

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// Transcript is what a person typed and what came back.
type Transcript struct {
	Steps     []Step
	Manifests map[string]string // by file name
	// Authorization is what the cluster decides by, if the transcript has a line that begins with "# authorization: ". Recordings have none.
	Authorization string
}

// Step is one command, or one wait for a command to print something.
type Step struct {
	Command        string
	Until          *string // for a wait: what the command is to print
	Stdout, Stderr []string
	Exit           int
	Line           int
	// Upstream is the symbol after "# upstream: " before the command, as in "pkg/controller/controller_utils.go#FilterActivePods". Recordings have none.
	Upstream string
}

// Read reads a recording.
func Read(name string) (*Transcript, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	tr := &Transcript{Manifests: map[string]string{}}
	file, upstream := "", ""
	for i, line := range strings.Split(string(text), "\n") {
		command, isCommand := strings.CutPrefix(line, "$ ")
		wait, isWait := strings.CutPrefix(line, "# until `")
		last := len(tr.Steps) - 1
		switch {
		case strings.HasPrefix(line, "-- "):
			file = strings.Trim(line, "- ")
		case file != "":
			tr.Manifests[file] += line + "\n"
		case isCommand:
			tr.Steps = append(tr.Steps, Step{Command: command, Line: i + 1, Upstream: upstream})
			upstream = ""
		case strings.HasPrefix(line, "# upstream: "):
			upstream = strings.TrimPrefix(line, "# upstream: ")
		case strings.HasPrefix(line, "# authorization: "):
			tr.Authorization = strings.TrimPrefix(line, "# authorization: ")
		case isWait:
			command, prints, ok := strings.Cut(wait, "` prints")
			if !ok {
				return nil, fmt.Errorf("%s:%d: %s", name, i+1, line)
			}
			prints = strings.TrimSpace(prints)
			tr.Steps = append(tr.Steps, Step{Command: command, Until: &prints, Line: i + 1})
		case strings.HasPrefix(line, "exit: ") && last >= 0:
			code, err := strconv.Atoi(strings.TrimPrefix(line, "exit: "))
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %s", name, i+1, line)
			}
			tr.Steps[last].Exit = code
		case strings.HasPrefix(line, "#") || last < 0 || line == "":
		case strings.HasPrefix(line, "stderr: "):
			tr.Steps[last].Stderr = append(tr.Steps[last].Stderr, strings.TrimPrefix(line, "stderr: "))
		default:
			tr.Steps[last].Stdout = append(tr.Steps[last].Stdout, line)
		}
	}
	if len(tr.Steps) < 5 {
		return nil, fmt.Errorf("%s has only %d commands", name, len(tr.Steps))
	}
	return tr, nil
}

// differences are what differs from run to run, in the recordings and here.
var differences = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`<(age|time|uid|ip|hash|suffix|rv)-\d+>`), "<$1>"},
	{regexp.MustCompile(`(?m)(^|\s)(\d+[dhms]){1,2}(\s|$)`), "$1<age>$3"},
	{regexp.MustCompile(`\bhollow-(\d)\b`), "node-$1"},
	{regexp.MustCompile(`\b10\.\d+\.\d+\.\d+\b`), "<ip>"},
	{regexp.MustCompile(`\bweb-[bcdfghjklmnpqrstvwxz2456789]{7,10}\b`), "web-<hash>"},
	{regexp.MustCompile(`\bweb-[bcdfghjklmnpqrstvwxz2456789]{5}\b`), "web-<suffix>"},
	{regexp.MustCompile(`\bkwok-0\.8\.0|v1\.36\.\d+\b`), "<version>"},
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "<uid>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "<time>"},
	{regexp.MustCompile(`(resourceVersion\\":\\")\d+`), "$1<rv>"},
	// Who manages a field is worked out here only for whoever asks.
	{regexp.MustCompile(`,\\"managedFields\\":\[.*\](\},\\"spec\\":)`), "$1"},
	// KWOK reports nothing, so a kubelet's events are left out.
	{regexp.MustCompile(`(?m)^.* kubelet$\n?`), ""},
	// How often a roll-out's state is reported is a matter of timing.
	{regexp.MustCompile(`(?m)^Waiting for deployment .*\n?`), ""},
}

// Same is a text without what differs from run to run, and with columns of any width.
func Same(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	s = strings.Join(lines, "\n")
	for _, d := range differences {
		s = d.is.ReplaceAllString(s, d.as)
	}
	return strings.TrimSpace(blankLines.ReplaceAllString(s, "\n"))
}

var blankLines = regexp.MustCompile(`\n\n+`)
