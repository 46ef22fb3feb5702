package markdown

import (
	"regexp"
	"strings"
	"testing"

	"kubewalk/generator/book/content"
)

// outline is where walks, their texts, demos and headings begin and end.
func outline(html string) string {
	piece := regexp.MustCompile(`<div class="walk[^"]*">|</div>|<kubewalk-demo id="demo-[a-z-]+"|<h2|<p>[a-z ]+`)
	parts := piece.FindAllString(html, -1)
	short := strings.NewReplacer(`<div class="`, "(", `">`, "", `</div>`, ")",
		`<kubewalk-demo id="demo-`, "DEMO ", `"`, "", `<h2`, "HEADING", "<p>", "")
	for i, part := range parts {
		parts[i] = short.Replace(part)
	}
	return strings.Join(parts, " ")
}

func TestWalks(t *testing.T) {
	// Of the test's library work-queue is drawn to stand beside text, and replicaset-scale is not.
	const small, large = "```demo\nwork-queue\n```\n", "```demo\nreplicaset-scale\n```\n"
	for _, c := range []struct{ name, source, want string }{
		{"from the beginning", "one\n\n" + small + "\ntwo\n\n## Next\n\nthree\n",
			"(walk is-first (walk-text one ) DEMO work-queue (walk-text two HEADING three ) )"},
		{"from a heading on", "one\n\n## Next\n\ntwo\n\n" + small, "one (walk (walk-text HEADING two ) DEMO work-queue (walk-text ) )"},
		{"up to the next demo's text", small + "\none\n\n## Next\n\ntwo\n\n" + large + "\nthree\n",
			"(walk is-first (walk-text ) DEMO work-queue (walk-text one ) ) HEADING two DEMO replicaset-scale three"},
		{"between two demos", large + "\none\n\n" + small + "\ntwo\n", "DEMO replicaset-scale (walk (walk-text one ) DEMO work-queue (walk-text two ) )"},
		{"up to a thematic break", small + "\none\n\n---\n\ntwo\n", "(walk is-first (walk-text ) DEMO work-queue (walk-text one ) ) two"},
		{"none", "one\n\n" + large + "\ntwo\n", "one DEMO replicaset-scale two"},
	} {
		t.Run(c.name, func(t *testing.T) {
			html, err := Parse(&content.Chapter{File: "content/en/loop/a.md", Language: "en", Part: "loop", Name: "a", Source: []byte(c.source)}).Render(newLibrary())
			if err != nil {
				t.Fatal(err)
			}
			if got := outline(html); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
