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

// beside is a library whose demos all stand beside their text, or none.
type beside struct {
	*library
	all bool
}

func (l beside) Beside(string) bool { return l.all }

// TestMomentsInOrder: the picture beside a text goes back for what was told of before, and not for what is told of late.
func TestMomentsInOrder(t *testing.T) {
	const (
		demo   = "```demo\nreplicaset-scale\n```\n\n"
		first  = "[moment 1](demo:replicaset-scale@applied) "
		second = "[moment 2](demo:replicaset-scale@running) "
		number = "[two](<demo:replicaset-scale@running rs/web .status.readyReplicas>) "
	)
	for _, c := range []struct {
		name, source string
		full         bool // the picture stands between the text
		want         int  // line of the warning; 0 for none
	}{
		{name: "in order", source: demo + first + second},
		{name: "late", source: demo + second + "\n\n## Next\n\n- " + first + second, want: 9},
		{name: "late, before the demo", source: second + first + "\n\n" + demo, want: 1},
		{name: "again", source: demo + first + second + "\n\n" + first + second + first},
		{name: "a number", source: demo + number + first},
		{name: "behind the text", source: demo + second + "\n\n---\n\n" + first},
		{name: "a picture between the text", source: demo + second + first, full: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Parse(&content.Chapter{File: "content/en/loop/a.md", Language: "en", Part: "loop", Name: "a", Source: []byte(c.source)})
			if _, err := d.Render(beside{newLibrary(), !c.full}); err != nil {
				t.Fatal(err)
			}
			const message = `moment 1 of demo "replicaset-scale" is named after moment 2, so the picture goes back while the text is read`
			switch {
			case c.want == 0 && len(d.Warnings) > 0:
				t.Errorf("warned: %v", d.Warnings)
			case c.want > 0 && (len(d.Warnings) != 1 || d.Warnings[0].Line != c.want || d.Warnings[0].Message != message):
				t.Errorf("got %v, want a warning in line %d", d.Warnings, c.want)
			}
		})
	}
}
