package content

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func post(lines string) string { return "---\ntitle: P\ndescription: d\n" + lines + "---\nText.\n" }

var posts = map[string]string{
	"site.yaml": site + "  - {name: blog, title: B, posts: true}\n  - {name: news, title: N, posts: true}\n" +
		"authors: {a: {name: {en: Ann, ja: 安}, url: \"https://example.org/\"}, b: Ben}\n",
	"en/blog/new.md": post("date: 2026-03-01\nauthors: [b, a]\ntags: [y, x]\n"), "ja/blog/new.md": post("tags: [x, y]\n"),
	"en/blog/old.md": post("date: 1999-12-31\ntags: [x]\n"), "ja/blog/old.md": post("authors: [a]\n"),
	"en/blog/b.md": post("date: 2026-02-28\n"),
	"en/blog/a.md": post("date: 2026-02-28\ntags: [z]\ndraft: true\n"),
	"en/news/n.md": post("date: 2030-01-01\ntags: [w]\n"), "ja/news/n.md": post("date: 2030-01-01\n"),
}

func names(chapters []*Chapter) string {
	var out []string
	for _, c := range chapters {
		out = append(out, c.Name)
	}
	return strings.Join(out, " ")
}

func TestPostsAreInTheOrderOfTheirDays(t *testing.T) {
	dir := folder(t, posts)
	book, err := new(Cache).Load(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"en", "ja"} { // one lacks a translation
		if got := names(book.PostsIn(language, "blog")); got != "new b old" {
			t.Errorf("%s: %s", language, got)
		}
		if got := names(book.In(language)); got != "z a b" {
			t.Errorf("%s: the reading order is %s", language, got)
		}
		if got := book.TagsIn(language, "blog"); !slices.Equal(got, []string{"x", "y"}) {
			t.Errorf("%s: tags %v", language, got)
		}
	}
	if drafts, err := Load(dir); err != nil || names(drafts.PostsIn("en", "blog")) != "new a b old" {
		t.Errorf("with drafts: %v, %v", names(drafts.PostsIn("en", "blog")), err)
	}
	if c := book.Find("ja", "blog/b"); c == nil || c.Original == nil || book.PostOf(c) == nil {
		t.Errorf("in the place of a translation: %+v", c)
	}
	if book.PostOf(book.Find("en", "loop/b")) != nil || book.HasPosts("loop") || !book.HasPosts("news") {
		t.Error("chapters are posts")
	}
}

func TestTranslationsOfPostsTakeWhatTheyLeaveOut(t *testing.T) {
	book, err := Load(folder(t, posts))
	if err != nil {
		t.Fatal(err)
	}
	added := book.PostOf(book.Find("ja", "blog/new"))
	if !added.Date.Equal(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)) || !slices.Equal(added.Tags, []string{"y", "x"}) || len(added.Authors) != 2 ||
		added.Authors[0].Name["ja"] != "Ben" || added.Authors[1].Name["ja"] != "安" || added.Authors[1].URL != "https://example.org/" {
		t.Errorf("%+v", added)
	}
	if own := book.PostOf(book.Find("ja", "blog/old")); len(own.Authors) != 1 || len(book.PostOf(book.Find("en", "blog/old")).Authors) != 0 {
		t.Errorf("%+v", own)
	}
}

func TestListsOfPosts(t *testing.T) {
	book, err := new(Cache).Load(folder(t, posts), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := book.MakeLists(func(list *Chapter) (title, description string) { return list.Lists + " " + list.Tag, "d" }); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, list := range book.ListsIn("ja") {
		got = append(got, list.Path()+" "+list.Title+": "+names(book.Listed(list)))
		if book.Find("ja", list.Key()) != list {
			t.Errorf("%s is not found", list.Path())
		}
	}
	want := []string{"/ja/blog/ blog : new b old", "/ja/blog/tags/x/ blog x: new old", "/ja/blog/tags/y/ blog y: new", "/ja/news/ news : n", "/ja/news/tags/w/ news w: n"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
