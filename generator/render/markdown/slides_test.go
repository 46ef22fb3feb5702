package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kubewalk/generator/book/content"
	"kubewalk/generator/problem"
)

// stage is a library that shows demos on slides.
type stage struct{ *library }

func (stage) OnSlide(o OnSlide, language string) string {
	return fmt.Sprintf("<demo %s %v>\n", language, o)
}

func (stage) Moments(string) []string { return []string{"first", "second"} }

func slidesOf(t *testing.T, text string) (string, error) {
	t.Helper()
	c, err := content.ParseChapter("content/en/talks/x.md", []byte("---\ntitle: A & B\ndescription: About it\n---\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	c.Language, c.Part, c.Name, c.Talk = "en", content.TalksFolder, "x", true
	return Parse(c).Render(stage{newLibrary()})
}

func TestSlides(t *testing.T) {
	html, err := slidesOf(t, "By me\n\n:::notes\nHello\n:::\n\n---\n\n## Points\n\n* one\n* two\n\n- all\n- at once\n\n---\n\n"+
		"```demo speed=2 controls=all\nreplicaset-scale\n```\n\n---\n\n## Again\n\n```demo\nreplicaset-scale\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(html, "<section>"); n != 4 {
		t.Errorf("%d slides", n)
	}
	for _, want := range []string{
		"<section>\n<div class=\"talk-slide talk-title\">\n<h1>A &amp; B</h1>\n<p>About it</p>\n<p>By me</p>\n" +
			"<aside class=\"notes\">\n<p>Hello</p>\n</aside>\n</div>\n</section>",
		"<li class=\"fragment\">one</li>", "<li>all</li>", "<demo en {replicaset-scale   all 2 false 3}>", "<demo en {replicaset-scale     false 4}>",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in\n%s", want, html)
		}
	}
}

// TestWrongSlides: each mistake with its place and its cure. The text begins in line 5.
func TestWrongSlides(t *testing.T) {
	for text, want := range map[string]string{
		"x\n\n---\n\n---\n\ny\n":                               `content/en/talks/x.md:7:1: slide is empty (`,
		"```demo\nreplicaset-scael\n```\n":                     `content/en/talks/x.md:6:1: unknown demo "replicaset-scael" (did you mean "replicaset-scale"?)`,
		"```demo\n```\n":                                       `content/en/talks/x.md:5:1: demo without a name (`,
		"```demo\na\nb\n```\n":                                 `content/en/talks/x.md:7:1: second line "b" in the block of a demo (`,
		"```demo strat=a\nwork-queue\n```\n":                   `content/en/talks/x.md:5:9: unknown attribute "strat" of a demo (did you mean "start"?)`,
		"```demo start\nwork-queue\n```\n":                     `content/en/talks/x.md:5:9: attribute "start" of a demo (write its value behind it, as in start=…)`,
		"```demo speed=3\nwork-queue\n```\n":                   `content/en/talks/x.md:5:9: speed "3" of a demo (write one of 0.25, 0.5, 1, 2, 4)`,
		"```demo controls=few\nwork-queue\n```\n":              `content/en/talks/x.md:5:9: controls "few" of a demo (write one of all, play, none)`,
		"```demo start=frist\nwork-queue\n```\n":               `content/en/talks/x.md:5:9: moment "frist" is not in demo "work-queue" (did you mean "first"?)`,
		"```demo start=second end=first\nwork-queue\n```\n":    `content/en/talks/x.md:5:22: moment "first" of demo "work-queue" does not come after "second" (`,
		"```moment\nwork-queue\n```\n":                         `content/en/talks/x.md:5:1: picture of demo "work-queue" without a moment (`,
		"```moment start=a\nwork-queue\n```\n":                 `content/en/talks/x.md:5:11: unknown attribute "start" of a moment (`,
		"```demo\nwork-queue\n```\n\n```demo\nwork-queue\n```": `content/en/talks/x.md:9:1: second demo "work-queue" on a slide (`,
		"```exercise\nwork-queue/five\n```\n":                  `content/en/talks/x.md:5:1: exercise on a slide (`,
		":::notes\nHello\n":                                    `content/en/talks/x.md:5:1: container "notes" is not closed (`,
	} {
		_, err := slidesOf(t, text)
		var told []string
		for _, p := range problem.Of(err) {
			told = append(told, p.Error())
		}
		if !slices.ContainsFunc(told, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("%q: %q, want %q", text, told, want)
		}
	}
	c, _ := content.ParseChapter("content/en/loop/x.md", []byte("---\ntitle: x\ndescription: x\n---\n:::notes\nHello\n:::\n"))
	c.Language, c.Part, c.Name = "en", "loop", "x"
	if _, err := Parse(c).Render(newLibrary()); err == nil || !strings.Contains(err.Error(), "x.md:5:1: notes in a chapter (") {
		t.Error(err)
	}
}
