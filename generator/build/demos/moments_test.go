package demos

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/demo/scene"
)

// TestMomentsGoForward: the moments of demos about Services are numbered in the order of time.
func TestMomentsGoForward(t *testing.T) {
	made, err := book()
	if err != nil {
		t.Fatal(err)
	}
	about := []string{"cloud-controller-manager", "cloud-start", "first-requests", "service-kinds", "service-request"}
	for _, d := range made {
		if !slices.Contains(about, d.Name) {
			continue
		}
		before := 0
		for i, m := range recordingOf(t, d, scene.Wide).Marks {
			if m.Frame < before {
				t.Errorf("%s: moment %d (%s) comes before moment %d", d.Name, i+1, m.ID, i)
			}
			before = m.Frame
		}
	}
}

var momentLink = regexp.MustCompile(`\[(?:moments?|場面)? ?\d+\]\(<?demo:([\w-]+)@([\w-]+)\)`)

// TestReadingOnGoesForward: the chapter on Services comes to its demos' moments in the order of time, but for what readers are asked to try.
// Others go back on purpose, where they explain one thing after another.
func TestReadingOnGoesForward(t *testing.T) {
	chapters, err := filepath.Glob("../../../content/*/components/services.md")
	if err != nil || len(chapters) == 0 {
		t.Fatal(err, "no chapters")
	}
	marks := map[string][]string{}
	for _, chapter := range chapters {
		text, err := os.ReadFile(chapter)
		if err != nil {
			t.Fatal(err)
		}
		told, _, _ := strings.Cut(string(text), "{#try-it}")
		newest := map[string]int{}
		met := map[string]bool{}
		for _, m := range momentLink.FindAllStringSubmatch(told, -1) {
			demo, mark := m[1], m[2]
			if marks[demo] == nil {
				file, err := os.ReadFile("../../../content/demos/" + demo + ".yaml")
				if err != nil {
					t.Fatal(err)
				}
				_, after, _ := strings.Cut(string(file), "\nmarks:\n")
				for _, id := range regexp.MustCompile(`(?m)^  - id: ([\w-]+)$`).FindAllStringSubmatch(after, -1) {
					marks[demo] = append(marks[demo], id[1])
				}
			}
			n := slices.Index(marks[demo], mark)
			if !met[demo+mark] && n < newest[demo] {
				t.Errorf("%s: %s of %s (moment %d) is told after moment %d", chapter, mark, demo, n+1, newest[demo]+1)
			}
			met[demo+mark] = true
			newest[demo] = max(newest[demo], n)
		}
	}
}
