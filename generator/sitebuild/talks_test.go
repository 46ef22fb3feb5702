package sitebuild

import (
	"strings"
	"testing"
)

const aTalk = "---\ntitle: Loops\ndescription: About loops\nminutes: 5\n---\n\n:::notes\nHello\n:::\n\n---\n\n## One\n\n" +
	"```demo start=first\nscale\n```\n\n---\n\n## Two\n\n```moment at=first\nscale\n```\n"

func TestTalk(t *testing.T) {
	tree, err := buildBook(t, "https://example.org/book", map[string]string{"en/talks/loops.md": aTalk, "ja/talks/loops.md": aTalk})
	if err != nil {
		t.Fatal(err)
	}
	for language, demo := range map[string]string{"en": "/book/embed/scale/", "ja": "/book/embed/ja/scale/"} {
		data, ok := tree.Get(TalkPage(language, "loops"))
		if !ok {
			t.Fatalf("no page in %s", language)
		}
		page := string(data)
		for _, want := range []string{`data-minutes="5"`, `src="` + demo + `"`, `start="first"`, `sync="slide-2"`, `controls="play"`, " paused",
			`class="talk-moment"`,
			"scale/first-" + language + "-wide.svg?v="} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %s in %s", language, want, page)
			}
		}
	}
	for _, name := range []string{"sitemap.xml", "en/index.html"} { // no list has it
		if data, _ := tree.Get(name); strings.Contains(string(data), "talks/loops") {
			t.Errorf("%s lists the talk", name)
		}
	}
}

// TestTalkHasTheAuthorsStyle: it comes after the deck's own; frames have it as well.
func TestTalkHasTheAuthorsStyle(t *testing.T) {
	tree, err := buildBook(t, "", map[string]string{"en/talks/loops.md": aTalk, "custom.css": "body { color: red }"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{TalkPage("en", "loops"), "embed/scale/index.html"} {
		page, _ := tree.Get(name)
		links := strings.Split(string(page), `<link rel="stylesheet" href="`)
		if last := links[len(links)-1]; !strings.HasPrefix(last, "/assets/custom-") {
			t.Errorf("the last style sheet of %s is %.60s", name, last)
		}
	}
}

// TestTalkMistakes: moments are those of the demo; a talk that is a draft has no page.
func TestTalkMistakes(t *testing.T) {
	_, err := buildBook(t, "", map[string]string{"en/talks/loops.md": strings.Replace(aTalk, "start=first", "start=frist", 1)})
	if err == nil || !strings.Contains(err.Error(), `talks/loops.md:15:9: `) || !strings.Contains(err.Error(), `did you mean "first"?`) {
		t.Error(err)
	}
	_, err = buildBook(t, "", map[string]string{"en/talks/loops.md": strings.Replace(aTalk, "start=first", "start=first end=first", 1)})
	const want = `talks/loops.md:15:21: moment "first" of demo "scale" does not come after "first" (a demo on a slide goes from start to end)`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	tree, err := buildBook(t, "", map[string]string{"en/talks/loops.md": strings.Replace(aTalk, "minutes: 5", "draft: true", 1)})
	if err != nil {
		t.Fatal(err)
	}
	if tree.Has(TalkPage("en", "loops")) {
		t.Error("a draft has a page")
	}
}
