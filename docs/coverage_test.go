package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/phrase"
)

// systems is how many there are to be: coverage.md keeps their numbers.
const systems = 33

var (
	row     = regexp.MustCompile(`^\| *([0-9]+) *\|(.*)\|$`)
	chapter = regexp.MustCompile("^`content/en/([a-z0-9-]+/[a-z0-9-]+)\\.md`$")
	demo    = regexp.MustCompile("^`content/demos/([a-z0-9-]+)\\.yaml`$")
)

// TestCoverage holds coverage.md to the book: a system has a chapter in each language
// that shows the demo, and the demo has claims, which the build proves.
func TestCoverage(t *testing.T) {
	text, err := os.ReadFile("coverage.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range strings.Split(string(text), "\n") {
		found := row.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		n++
		if found[1] != strconv.Itoa(n) {
			t.Errorf("row %d is numbered %s", n, found[1])
		}
		cells := strings.Split(found[2], "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) != 4 {
			t.Errorf("system %d: %d cells, not a system, a chapter, a demo and what its claims prove", n, len(cells))
			continue
		}
		if problem := covered(cells[1], cells[2], cells[3]); problem != "" {
			t.Errorf("system %d, %s: %s", n, cells[0], problem)
		}
	}
	if n != systems {
		t.Errorf("%d systems, not %d", n, systems)
	}
}

// covered says what is wrong with a row; nothing if it is right.
func covered(chapterCell, demoCell, proved string) string {
	c, d := chapter.FindStringSubmatch(chapterCell), demo.FindStringSubmatch(demoCell)
	if c == nil || d == nil || len(proved) < 20 {
		return "it needs `content/en/….md`, `content/demos/….yaml` and what the claims prove"
	}
	for _, language := range phrase.Languages() {
		text, err := os.ReadFile(filepath.Join("..", "content", language, c[1]+".md"))
		if err != nil {
			return err.Error()
		}
		if !regexp.MustCompile("(?m)^```demo[^\n]*\n" + d[1] + "\n```").Match(text) {
			return "chapter " + c[1] + " does not show the demo " + d[1] + " in " + language
		}
	}
	file := "../content/demos/" + d[1] + ".yaml"
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	f, problems := demofile.Parse(d[1], file, text, phrase.Languages())
	if len(problems) > 0 {
		return problems[0].Error()
	}
	if len(f.Scenario.Claims) == 0 {
		return "the demo claims nothing"
	}
	return ""
}

// The test above would tell of each of these.
func TestCovered(t *testing.T) {
	const proved = "who does what, in which order"
	for _, c := range []struct {
		chapter, demo, proved string
		right                 bool
	}{
		{"`content/en/loop/replicaset.md`", "`content/demos/replicaset-scale.yaml`", proved, true},
		{"`content/en/loop/replicaset.md`", "`content/demos/preemption.yaml`", proved, false}, // of another chapter
		{"`content/en/loop/nothing.md`", "`content/demos/replicaset-scale.yaml`", proved, false},
		{"`content/en/loop/replicaset.md`", "`content/demos/replicaset-scale.yaml`", "", false},
		{"`content/en/loop/replicaset.md`", "absent", proved, false},
		{"absent", "absent", "no chapter and no demo yet", false},
	} {
		if problem := covered(c.chapter, c.demo, c.proved); (problem == "") != c.right {
			t.Errorf("%v: %q", c, problem)
		}
	}
}
