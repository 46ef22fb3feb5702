package pages

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
)

func parts(n, chapters int) (out []Part) {
	for p := range n {
		part := Part{Name: fmt.Sprintf("part-%d", p), Title: fmt.Sprintf("Part %d", p)}
		for c := range chapters {
			part.Chapters = append(part.Chapters, Entry{Title: fmt.Sprintf("Chapter %d <of> %d", c, p), Path: fmt.Sprintf("/en/part-%d/%d/", p, c)})
		}
		out = append(out, part)
	}
	return out
}

func on(t *testing.T, n *Navigation, path string) string {
	t.Helper()
	var out bytes.Buffer
	if err := n.On(path).Render(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestNavigationMarksOnePlace: every page has the list with itself marked, whatever
// is shared, and what is shared makes the page again.
func TestNavigationMarksOnePlace(t *testing.T) {
	for _, size := range []struct{ parts, chapters, links, open int }{{2, 3, 6, 2}, {4, 10, 40, 4}, {10, 10, 10 + 9, 1}, {20, 100, 100 + 19, 1}, {60, 10, 0, 1}} {
		list := parts(size.parts, size.chapters)
		n := NewNavigation(&Site{Prefix: "/book"}, list)
		for _, part := range list {
			for _, c := range part.Chapters {
				html := on(t, n, c.Path)
				if got := strings.Count(html, "aria-current"); got != 1 ||
					!strings.Contains(html, `<a href="/book`+c.Path+`" aria-current="page">`+strings.ReplaceAll(strings.ReplaceAll(c.Title, "<", "&lt;"), ">", "&gt;")) {
					t.Fatalf("%s: marked %d times in\n%s", c.Path, got, html)
				}
				if got := strings.Count(html, "<a "); size.links > 0 && got != size.links {
					t.Fatalf("%s: %d links, want %d", c.Path, got, size.links)
				}
				if got := strings.Count(html, "<details open>"); got != size.open {
					t.Fatalf("%s: %d parts are open", c.Path, got)
				}
				page := []byte("<head>" + html + "<main>")
				if got := bytes.Join(n.Share(page, c.Path), nil); !bytes.Equal(got, page) {
					t.Fatalf("%s: shared it is\n%s", c.Path, got)
				}
			}
		}
		list[1].Within = []string{"/en/part-1/older/"}
		html := on(t, NewNavigation(&Site{Prefix: "/book"}, list), "/en/part-1/older/")
		open := on(t, n, list[1].Chapters[0].Path)
		if html != strings.Replace(open, ` aria-current="page"`, "", 1) {
			t.Errorf("a page of a part that does not list it has\n%s\nwant what its chapters have:\n%s", html, open)
		}
		if html := on(t, n, "/en/nowhere/"); strings.Contains(html, "aria-current") {
			t.Error("a place that is not in the list is marked")
		}
	}
}

// TestNavigationOfManyParts: a page names the parts nearest to its own, however many
// there are, and says that there are others.
func TestNavigationOfManyParts(t *testing.T) {
	const chapters = 10
	list := parts(200, chapters)
	n := NewNavigation(&Site{}, list)
	for _, c := range []struct{ part, from, to int }{{0, 0, 12}, {1, 0, 13}, {100, 88, 112}, {199, 187, 199}} {
		path := list[c.part].Chapters[3].Path
		html := on(t, n, path)
		for p := range list {
			if got, want := strings.Contains(html, fmt.Sprintf(">Part %d<", p)), c.from <= p && p <= c.to; got != want {
				t.Errorf("in part %d: part %d is named: %v", c.part, p, got)
			}
		}
		if got, want := strings.Count(html, "<a "), chapters+c.to-c.from; got != want {
			t.Errorf("in part %d: %d links, want %d", c.part, got, want)
		}
		if !n.Lacks(path) {
			t.Errorf("part %d lacks nothing", c.part)
		}
	}
	if few := NewNavigation(&Site{}, parts(40, chapters)); few.Lacks("/en/part-7/3/") {
		t.Error("of 40 parts some are not named")
	}
}

// TestNavigationWithin: a part within a part is open on its own pages only, and is loaded with the part that it is within.
func TestNavigationWithin(t *testing.T) {
	for _, chapters := range []int{2, 15, 60} {
		list := parts(3, chapters)
		for i := range 2 {
			within := Part{Name: fmt.Sprintf("part-1/deep-%d", i), Title: fmt.Sprintf("Deep %d", i)}
			for c := range chapters {
				within.Chapters = append(within.Chapters, Entry{Title: "Chapter", Path: fmt.Sprintf("/en/part-1/deep-%d/%d/", i, c)})
			}
			list[1].Parts = append(list[1].Parts, within)
		}
		n := NewNavigation(&Site{}, list)
		for path, open := range map[string]int{"/en/part-1/deep-1/0/": 2, "/en/part-1/deep-0/1/": 2, "/en/part-1/1/": 1, "/en/part-2/0/": 1} {
			html := on(t, n, path)
			if 5*chapters <= manyChapters {
				open = 5
			}
			if got := strings.Count(html, "<details open>"); got != open {
				t.Errorf("%d chapters, %s: %d parts are open, want %d", chapters, path, got, open)
			}
			if !strings.Contains(html, `<a href="`+path+`" aria-current="page">`) {
				t.Errorf("%d chapters, %s: not marked", chapters, path)
			}
			page := []byte("<head>" + html + "<main>")
			if got := bytes.Join(n.Share(page, path), nil); !bytes.Equal(got, page) {
				t.Errorf("%d chapters, %s: shared it is\n%s", chapters, path, got)
			}
		}
		rest := string(n.Rest())
		if want := `["Deep 1",[["/en/part-1/deep-1/0/","Chapter"]`; 5*chapters > manyChapters && !strings.Contains(rest, want) {
			t.Errorf("the list lacks %s:\n%s", want, rest)
		}
	}
}
