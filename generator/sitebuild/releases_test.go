package sitebuild

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/build/output"
	"kubewalk/generator/build/releases"
)

// archived is a release of a site with the demo "old", which the tests' book does not have.
func archived(t *testing.T) (id string, archive []byte) {
	t.Helper()
	site := output.NewTree()
	site.Put("embed/old/index.html", []byte(`<kubewalk-demo data-demo="old" data-engine="8c2f01ab"></kubewalk-demo><a href="/gone/">x</a>`))
	r, files, err := releases.Keep(site, "", []string{"en"}, "2026-11-25")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Write(&out, files); err != nil {
		t.Fatal(err)
	}
	return r.ID, out.Bytes()
}

// TestReleases: a release that the book keeps is on the site, with an index, headers of its own, and in nothing that lists pages.
func TestReleases(t *testing.T) {
	id, archive := archived(t)
	tree, err := buildBook(t, "https://example.org/book", map[string]string{"releases/a.zip": string(archive), "releases/README.md": "x"})
	if err != nil {
		t.Fatal(err) // the audit, too, would tell of the link that leads nowhere
	}
	if got := page(t, tree, "releases/"+id+"/embed/old/index.html"); !strings.Contains(got, `data-engine="8c2f01ab"`) {
		t.Errorf("its page is %s", got)
	}
	want := `[{"id":"` + id + `","date":"2026-11-25","languages":["en"],"engines":{"old":"8c2f01ab"}}]`
	if got := page(t, tree, "releases.json"); got != want {
		t.Errorf("index %s, want %s", got, want)
	}
	if rules := page(t, tree, output.MarkerFile); !strings.Contains(rules, "\n/releases/*\n") || !strings.Contains(rules, "\n/releases.json\n") {
		t.Errorf("no rules in\n%s", rules)
	}
	for _, name := range tree.Paths() {
		if strings.HasPrefix(name, "releases/") || name == "releases.json" || name == output.MarkerFile {
			continue
		}
		if data, _ := tree.Get(name); bytes.Contains(data, []byte("releases/"+id)) || bytes.Contains(data, []byte(`data-demo="old"`)) {
			t.Errorf("%s lists it", name)
		}
	}
	if plain, err := buildBook(t, "", nil); err != nil || page(t, plain, "releases.json") != "[]" {
		t.Errorf("without releases: %v", err)
	}
}

func TestBadReleases(t *testing.T) {
	id, archive := archived(t)
	release := string(archive)
	for want, files := range map[string]map[string]string{
		"content/releases/a.zip: file is no zip, or a part of it is missing (get the archive anew": {"releases/a.zip": "x"},
		"content/releases/b.zip: file is the same release as a.zip (remove one of them)":           {"releases/a.zip": release, "releases/b.zip": release},
		"static/releases/x: file would be in the folder releases/":                                 {"static/releases/x": "x"},
		"static/releases.json: file would replace releases.json":                                   {"static/releases.json": "x"},
	} {
		if _, err := buildBook(t, "", files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	// A server's next build has another archive, or none.
	l := newLibrary(t, map[string]string{"releases/a.zip": release})
	l.wants.Dev = true
	for _, there := range []bool{true, true, false} {
		if !there {
			if err := os.Remove(filepath.Join(l.root, "content/releases/a.zip")); err != nil {
				t.Fatal(err)
			}
		}
		tree, _, err := l.build(t)
		if err != nil || tree.Has("releases/"+id+"/embed/old/index.html") != there {
			t.Errorf("%v: %v", there, err)
		}
	}
}
