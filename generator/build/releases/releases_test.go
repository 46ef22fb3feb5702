package releases

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"time"

	"kubewalk/generator/build/compressed"
	"kubewalk/generator/build/output"
	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
)

const page = `<!DOCTYPE html><html lang="en" data-base="/b/" data-worker="/b/sw.js"><head><link rel="stylesheet" href="/b/assets/player-1.css">
<link rel="canonical" href="https://book.example/b/embed/scale/"><meta property="og:image" content="https://book.example/b/card.png">
<script type="module" src="/b/assets/index-1.js"></script></head><body><kubewalk-demo data-demo="scale" data-engine="8c2f01ab" data-title="/b/etc"
 data-src="/b/demos/scale/" data-wasm="/b/assets/kubewalk-1.wasm.zst" data-source="/b/source/" data-embed="/b/embed/scale/">
<img src="/b/demos/scale/a.svg?v=1"></kubewalk-demo><a href="/b/en/loop/">Open</a></body></html>`

// site is a finished site with a demo, and with what a release does not need.
func site() *output.Tree {
	tree := output.NewTree()
	for name, text := range map[string]string{
		"embed/scale/index.html": page, "embed/ja/scale/index.html": page, "embed/scale/oembed.json": "{}", "embed.js": "export {}",
		"en/loop/index.html": "<p>", "assets/index-1.js": `import("./element-1.js")`, "assets/element-1.js": `"./chunk-1.js"`, "assets/chunk-1.js": "1",
		"assets/search-1.js": "1", "assets/player-1.css": "a { color: red }", "assets/kubewalk-1.wasm.zst": "\x28\xb5\x2f\xfd",
		"demos/scale/a.svg": "<svg/>", "demos/gone/wide.json.gz": "x", "source/playground/sim/kernel.go.json.gz": "k", "source/playground/sim/fault.go.json.gz": "f",
	} {
		tree.Put(name, []byte(text))
	}
	tree.Put("demos/scale/wide.json.gz", compressed.Gzip([]byte(`{"at": "playground/sim/kernel.go:7"}`)))
	return tree
}

func kept(t *testing.T, date string) (*Release, *output.Tree, []byte) {
	t.Helper()
	r, files, err := Keep(site(), "/b", []string{"en", "ja"}, date)
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := r.Write(&archive, files); err != nil {
		t.Fatal(err)
	}
	return r, files, archive.Bytes()
}

// TestKeep: a release has what its demos need and nothing else, wherever it is.
func TestKeep(t *testing.T) {
	r, files, _ := kept(t, "2026-11-25")
	want := "assets/chunk-1.js assets/element-1.js assets/index-1.js assets/kubewalk-1.wasm.zst assets/player-1.css demos/scale/wide.json.gz embed.js " +
		"embed/ja/scale/index.html embed/scale/index.html source/playground/sim/kernel.go.json.gz"
	if got := strings.Join(files.Paths(), " "); got != want {
		t.Errorf("has %s\nwant %s", got, want)
	}
	if len(r.Engines) != 1 || r.Engines["scale"] != "8c2f01ab" {
		t.Errorf("engines %v", r.Engines)
	}
	data, _ := files.Get("embed/ja/scale/index.html")
	text := string(data)
	for _, want := range []string{`href="../../../assets/player-1.css"`, `src="../../../assets/index-1.js"`, `data-src="../../../demos/scale/"`, `data-release`,
		`data-wasm="../../../assets/kubewalk-1.wasm.zst"`, `data-source="../../../source/"`, `data-embed="../../../embed/scale/"`, `data-title="/b/etc"`,
		`<a href="../../../../../en/loop/">`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s\n%s", want, text)
		}
	}
	for _, gone := range []string{"<img", "canonical", "og:image", "sw.js", "data-base"} {
		if strings.Contains(text, gone) {
			t.Errorf("the page has %s", gone)
		}
	}
}

func TestKeepNothing(t *testing.T) {
	tree := output.NewTree()
	tree.Put("en/index.html", []byte("<p>"))
	if r, _, err := Keep(tree, "", []string{"en"}, "2026-11-25"); r != nil || err != nil {
		t.Errorf("%v, %v", r, err)
	}
	tree.Put("embed/scale/index.html", []byte(strings.Replace(page, "8c2f01ab", "", 1)))
	if _, _, err := Keep(tree, "/b", []string{"en"}, "2026-11-25"); err == nil || !strings.Contains(err.Error(), `demo "scale" has the engine ""`) {
		t.Errorf("%v", err)
	}
}

// TestRoundTrip: what is read is what was written; the same demos are the same release on any day, and the same bytes on the same day.
func TestRoundTrip(t *testing.T) {
	r, files, archive := kept(t, "2026-11-25")
	got, unpacked, err := Read("x.zip", archive)
	if err != nil {
		t.Fatal(err)
	}
	if string(Index([]*Release{got})) != string(Index([]*Release{r})) {
		t.Errorf("%+v, want %+v", got, r)
	}
	if changed := unpacked.Changed(files); len(unpacked.Paths()) != len(files.Paths()) || len(changed) > 0 {
		t.Errorf("other files: %v", changed)
	}
	later, _, _ := kept(t, "2027-01-01")
	_, _, again := kept(t, "2026-11-25")
	if later.ID != r.ID || !bytes.Equal(again, archive) {
		t.Error("the same demos are another release")
	}
}

func TestBadArchives(t *testing.T) {
	r, files, archive := kept(t, "2026-11-25")
	// packed is the release with a file more, or another one in the place of its own.
	packed := func(header zip.FileHeader, text string) []byte {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		put := func(h zip.FileHeader, data []byte) {
			w, err := z.CreateHeader(&h)
			if err == nil {
				_, err = w.Write(data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		own, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if header.Name == releaseFile {
			own = []byte(text)
		}
		put(zip.FileHeader{Name: releaseFile}, own)
		for _, name := range files.Paths() {
			data, _ := files.Get(name)
			put(zip.FileHeader{Name: name}, data)
		}
		if header.Name != "" && header.Name != releaseFile {
			put(header, []byte(text))
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	file := func(name string) []byte { return packed(zip.FileHeader{Name: name}, "x") }
	says := func(text string) []byte { return packed(zip.FileHeader{Name: releaseFile}, text) }
	link := zip.FileHeader{Name: "assets/link.js"}
	link.SetMode(fs.ModeSymlink | 0o777)
	damaged := packed(zip.FileHeader{}, "")
	at := bytes.Index(damaged, []byte("color: red"))
	damaged[at] = 'C'
	for name, test := range map[string]struct {
		archive []byte
		want    string
	}{
		"whole":             {packed(zip.FileHeader{}, ""), ""},
		"no zip":            {[]byte("PK"), "file is no zip, or a part of it is missing"},
		"cut off":           {archive[:len(archive)-100], "file is no zip, or a part of it is missing"},
		"a byte is other":   {damaged, "assets/player-1.css: zip: checksum error"},
		"a file more":       {file("assets/more.js"), "archive is not whole: it says that it is release " + r.ID},
		"upwards":           {file("assets/../../x"), `a file "assets/../../x", which no release has`},
		"absolute":          {file("/etc/passwd"), `a file "/etc/passwd"`},
		"another folder":    {file("en/index.html"), `a file "en/index.html"`},
		"a top-level file":  {file("_headers"), `a file "_headers"`},
		"a hidden file":     {file("assets/.env"), `a file "assets/.env"`},
		"a backslash":       {file(`assets\x`), "which no release has"},
		"a folder":          {packed(zip.FileHeader{Name: "assets/x/"}, ""), `a file "assets/x/"`},
		"twice":             {file("embed.js"), `has the file "embed.js" twice`},
		"a file and folder": {file("assets/index-1.js/x"), "archive is not whole"},
		"a link":            {packed(link, "/etc/passwd"), `"assets/link.js" in the archive is no regular file`},
		"no list":           {says("{"), "release.json: "},
		"no ID":             {says(`{"id": "../../x", "date": "2026-11-25"}`), `id "../../x" is not 8 hexadecimal digits`},
		"no date":           {says(`{"id": "8c2f01ab", "date": "<b>"}`), `date "<b>" is not one such as 2026-11-25`},
		"no demos":          {says(`{"id": "8c2f01ab", "date": "2026-11-25", "languages": ["en"]}`), "names no languages, or no demos"},
		"an engine's name":  {says(`{"id": "8c2f01ab", "date": "2026-11-25", "languages": ["en"], "engines": {"scale": "x"}}`), `engine "x"`},
		"a large list":      {says(strings.Repeat(" ", mostRelease+1)), "archive holds more than a release may"},
	} {
		_, _, err := Read("content/releases/a.zip", test.archive)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "content/releases/a.zip: ") ||
			!strings.Contains(err.Error(), "(get the archive anew")):
			t.Errorf("%s: %v\nwant %s", name, err, test.want)
		}
	}
	other := &Release{Date: r.Date, Languages: []string{"en", "fr"}, Engines: r.Engines}
	other.ID = other.id(files)
	var out bytes.Buffer
	if err := other.Write(&out, files); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Read("a.zip", out.Bytes()); err == nil || !strings.Contains(err.Error(), "archive has no embed/fr/scale/index.html") {
		t.Errorf("%v", err)
	}
}

func TestIndex(t *testing.T) {
	if got := string(Index(nil)); got != "[]" {
		t.Errorf("of none: %s", got)
	}
	got := string(Index([]*Release{{ID: "22222222", Date: "2026-11-25"}, {ID: "33333333", Date: "2027-01-01"}, {ID: "11111111", Date: "2026-11-25"}}))
	a, b, c := strings.Index(got, "3333"), strings.Index(got, "1111"), strings.Index(got, "2222")
	if a < 0 || b < a || c < b {
		t.Errorf("not the newest first: %s", got)
	}
}

// TestEngine: what a link names changes with whatever decides about a run, and with nothing else.
func TestEngine(t *testing.T) {
	make := func(change func(*scenario.Scenario)) *scenario.Scenario {
		s := &scenario.Scenario{Name: "scale", Title: map[string]string{"en": "Scale"}, Seed: 1, Setup: 5 * time.Second, End: 20 * time.Second,
			Steps:  []scenario.Step{{ID: "apply", Input: cluster.Input{At: 6 * time.Second, Kind: cluster.Apply, Manifest: json.RawMessage(`{"kind": "<Pod>"}`)}}},
			WhatIf: []scenario.WhatIf{{ID: "forgetful", Label: map[string]string{"en": "x"}}}}
		change(s)
		return s
	}
	first := make(func(*scenario.Scenario) {})
	engine := Engine("wasm", first)
	if !isID.MatchString(engine) {
		t.Fatalf("engine %q", engine)
	}
	for name, change := range map[string]func(*scenario.Scenario){
		"title":   func(s *scenario.Scenario) { s.Title["en"] = "Scaling" },
		"marks":   func(s *scenario.Scenario) { s.Marks = []scenario.Mark{{ID: "x"}} },
		"seed":    func(s *scenario.Scenario) { s.Seed = 2 },
		"label":   func(s *scenario.Scenario) { s.WhatIf[0].Label["en"] = "y" },
		"step ID": func(s *scenario.Scenario) { s.Steps[0].ID = "put" },
	} {
		if Engine("wasm", make(change)) != engine {
			t.Errorf("another %s is another engine", name)
		}
	}
	for name, change := range map[string]func(*scenario.Scenario){
		"manifest": func(s *scenario.Scenario) { s.Steps[0].Manifest = json.RawMessage(`{"kind": "Job"}`) },
		"time":     func(s *scenario.Scenario) { s.Steps[0].At = 7 * time.Second },
		"setup":    func(s *scenario.Scenario) { s.Setup = 6 * time.Second },
		"end":      func(s *scenario.Scenario) { s.End = 30 * time.Second },
		"cluster":  func(s *scenario.Scenario) { s.Cluster.Network = true },
		"what-if":  func(s *scenario.Scenario) { s.WhatIf[0].ID = "x" },
	} {
		if Engine("wasm", make(change)) == engine {
			t.Errorf("another %s is the same engine", name)
		}
	}
	if Engine("other", first) == engine || Engine("", first) != "" {
		t.Error("the control plane does not decide")
	}
	// A page has the scenario as JSON.
	text, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	var back scenario.Scenario
	if err := json.Unmarshal(text, &back); err != nil || Engine("wasm", &back) != engine {
		t.Errorf("the scenario that came as JSON has another engine: %v", err)
	}
}
