package server

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/redirects"
	"kubewalk/generator/problem"
)

func site(text string) *output.Tree {
	tree := output.NewTree()
	for name, data := range map[string]string{
		"index.html": "root " + text, "404.html": "no such page", "en/index.html": text, "en/loop/x/index.html": "x",
		"embed/d/index.html": "d", "assets/a-1.js": "js", "assets/a-1.wasm": "wasm", "demos/d/wide.json.gz": "gz",
	} {
		tree.Put(name, []byte(data))
	}
	tree.Put(output.MarkerFile, []byte(output.Marker+headers.For(tree.Paths(), "", headers.Allowed{}.Policy()).String()))
	return tree
}

func get(t *testing.T, s *Server, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, local(http.MethodGet, path))
	return w
}

func TestServesWithTheHeadersOfProduction(t *testing.T) {
	s := New()
	if w := get(t, s, "/en/"); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "/_dev/reload.js") {
		t.Errorf("before the first build: %d %s", w.Code, w.Body)
	}
	if w := get(t, s, "/assets/x.js"); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "The site is being built") {
		t.Errorf("anything before the first build: %d %q", w.Code, w.Body)
	}
	tree := site("hello")
	s.Show(tree, nil)
	tree.Put(redirects.File, []byte("/old/ /en/#a 301!\n"))
	written, _ := tree.Get(output.MarkerFile)
	rules, err := headers.Parse(string(written))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path string
		code int
		body string
		kind string
	}{
		{"/", 200, "root hello", "text/html"},
		{"/en/", 200, "hello", "text/html"},
		{"/en", 301, "", ""},
		{"/old/", 301, "/en/#a", ""},
		{"/old", 301, "/en/#a", ""},
		{"/en/loop/x", 301, "", ""},
		{"/embed/d/", 200, "d", "text/html"},
		{"/assets/a-1.js", 200, "js", "text/javascript"},
		{"/assets/a-1.wasm", 200, "wasm", "application/wasm"},
		{"/demos/d/wide.json.gz", 200, "gz", "application/gzip"},
		{"/nowhere", 404, "no such page", "text/html"},
		{"/_headers", 404, "no such page", "text/html"},
		{"/../server.go", 404, "no such page", "text/html"},
		{"/_dev/nothing", 404, "", ""},
	} {
		w := get(t, s, test.path)
		if w.Code != test.code || !strings.Contains(w.Body.String(), test.body) || !strings.HasPrefix(w.Header().Get("Content-Type"), test.kind) {
			t.Errorf("%s: %d %q %v", test.path, w.Code, w.Body, w.Header())
		}
		if test.code == 200 {
			for name, want := range rules.Match(test.path) {
				if got := w.Header()[name]; !slices.Equal(got, want) {
					t.Errorf("%s: %s is %q, in _headers %q", test.path, name, got, want)
				}
			}
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, local(http.MethodPost, "/en/"))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
}

// TestServesBelowThePathOfItsAddress, as what stands in front of a host does: the
// links of such a site lead there.
func TestServesBelowThePathOfItsAddress(t *testing.T) {
	s := New()
	s.Prefix = "/book"
	tree := site("hello")
	tree.Put(redirects.File, []byte("/old/ /book/en/#a 301!\n/older/* /book/:splat 301!\n"))
	s.Show(tree, nil)
	for path, want := range map[string]string{
		"/book/": "200 root hello", "/book/en/": "200 hello", "/en/": "200 hello", "/bookish/": "404 no such page",
		"/book/en": "301 /book/en/", "/book/old/": "301 /book/en/#a", "/old": "301 /book/en/#a",
		"/book/older/en/": "301 /book/en/", "/older/en/": "301 /book/en/",
	} {
		w := get(t, s, path)
		got := strconv.Itoa(w.Code) + " " + w.Body.String()
		if to := w.Header().Get("Location"); to != "" {
			got = strconv.Itoa(w.Code) + " " + to
		}
		if got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if policy := w.Header().Get("Content-Security-Policy"); (policy == "") != (w.Code == 301) {
			t.Errorf("%s has the policy %q", path, policy)
		}
	}
}

// events reads the stream of a page.
func events(t *testing.T, s *Server) <-chan state {
	t.Helper()
	server := httptest.NewServer(s)
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/_dev/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); response.Body.Close(); s.Close(); server.Close() })
	out := make(chan state, 10)
	go func() {
		defer close(out)
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var st state
				if json.Unmarshal([]byte(data), &st) == nil {
					out <- st
				}
			}
		}
	}()
	return out
}

func next(t *testing.T, from <-chan state) state {
	t.Helper()
	select {
	case st, ok := <-from:
		if !ok {
			t.Fatal("the stream ended")
		}
		return st
	case <-time.After(10 * time.Second):
		t.Fatal("no event within 10 s")
	}
	panic("unreachable")
}

func TestABrokenSaveKeepsTheLastGoodSite(t *testing.T) {
	s := New()
	s.Show(site("first"), nil)
	stream := events(t, s)
	first := next(t, stream)
	if first.Site == "" || len(first.Problems) > 0 {
		t.Errorf("first: %+v", first)
	}
	broken := problem.Problem{File: "content/en/x.md", Line: 3, Column: 1, Message: "m", Cure: "c"}
	s.Show(nil, problem.Errors{broken})
	if got := next(t, stream); got.Site != first.Site || len(got.Problems) != 1 || got.Problems[0] != broken {
		t.Errorf("broken: %+v", got)
	}
	if w := get(t, s, "/en/"); w.Code != 200 || w.Body.String() != "first" {
		t.Errorf("while broken: %d %s", w.Code, w.Body)
	}
	s.Show(site("second"), nil)
	if got := next(t, stream); got.Site == first.Site || len(got.Problems) > 0 {
		t.Errorf("mended: %+v", got)
	}
}

func TestTellsHowManyDemosAreRecorded(t *testing.T) {
	s := New()
	s.Prefix = "/book"
	s.Show(site("first"), nil)
	stream := events(t, s)
	first := next(t, stream)
	s.Progress(3, 44)
	if got := next(t, stream); got.Recorded != 3 || got.Demos != 44 || got.Site != first.Site {
		t.Errorf("on the way: %+v", got)
	}
	s.Progress(44, 44)
	if got := next(t, stream); got.Demos != 0 {
		t.Errorf("in the end: %+v", got)
	}
	for _, path := range []string{"/en/", "/book/en/loop/x/", "/assets/a-1.js", "/en/"} {
		get(t, s, path)
	}
	if want := []string{"en/index.html", "en/loop/x/index.html"}; !slices.Equal(s.Opened(), want) {
		t.Errorf("opened %v, want %v", s.Opened(), want)
	}
}

// TestWatchTellsOfSaves writes real files: an edit, an editor's way of saving by
// renaming, a new folder with a file in it.
func TestWatchTellsOfSaves(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		t.Helper()
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(time.Now().String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.md")
	told := make(chan string, 100)
	watcher, err := NewWatcher([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	go watcher.Run(t.Context(), func(files []string) {
		for _, f := range files {
			told <- filepath.Base(f)
		}
	})
	expect := func(want string, again func()) {
		t.Helper()
		deadline := time.After(10 * time.Second)
		for {
			again()
			retry := time.After(300 * time.Millisecond)
			for waiting := true; waiting; {
				select {
				case name := <-told:
					if name == want {
						return
					}
					if strings.HasPrefix(name, ".") && name != ".well-known" {
						t.Errorf("told of %s", name)
					}
				case <-retry:
					waiting = false
				case <-deadline:
					t.Fatalf("not told of %s", want)
				}
			}
		}
	}
	expect("a.md", func() { write("a.md") })
	expect("a.md", func() {
		write(".a.md.swp")
		if err := os.Rename(filepath.Join(dir, ".a.md.swp"), filepath.Join(dir, "a.md")); err != nil {
			t.Fatal(err)
		}
	})
	expect("deep.md", func() { write("new/folder/deep.md") })
	expect("security.txt", func() { write("static/.well-known/security.txt") })

	elsewhere := filepath.Join(t.TempDir(), "shown.go")
	watcher.Also([]string{elsewhere, filepath.Join(dir, "nowhere", "x.go")})
	expect("shown.go", func() {
		if err := os.WriteFile(elsewhere, []byte(time.Now().String()), 0o644); err != nil {
			t.Fatal(err)
		}
	})
}

func TestChecksWaitForOpenPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		waited := func() time.Duration {
			start := time.Now()
			s.Delivered(t.Context(), time.Minute)
			return time.Since(start)
		}
		s.Show(site("first"), nil)
		get(t, s, "/en/")
		s.Show(site("second"), nil)
		if d := waited(); d != 0 {
			t.Errorf("no page is listening, and the checks waited %v", d)
		}
		ctx, leave := context.WithCancel(t.Context())
		go s.ServeHTTP(httptest.NewRecorder(), local(http.MethodGet, "/_dev/events").WithContext(ctx))
		synctest.Wait()

		s.Show(site("third"), nil)
		go func() {
			time.Sleep(time.Second)
			get(t, s, "/en/loop/x/") // which the save did not change
			time.Sleep(time.Second)
			get(t, s, "/en/")
		}()
		if d := waited(); d != 2*time.Second+drawing {
			t.Errorf("the page asked after 2s, and the checks waited %v", d)
		}
		s.Show(site("fourth"), nil)
		if d := waited(); d != time.Minute {
			t.Errorf("the page did not ask, and the checks waited %v", d)
		}
		leave()
		synctest.Wait()
		s.Show(site("fifth"), nil)
		if d := waited(); d != 0 {
			t.Errorf("the page was closed, and the checks waited %v", d)
		}
	})
}
