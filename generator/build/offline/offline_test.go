package offline

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"strings"
	"testing"

	"kubewalk/generator/build/output"
)

func tree(changes map[string]string) *output.Tree {
	files := map[string]string{
		"index.html": "root", "404.html": "lost", "_headers": "h", "robots.txt": "r",
		"en/index.html": "home", "ja/index.html": "ホーム", "en/loop/x/index.html": "x", "en/index.md": "# home", "en/app.webmanifest": "{}",
		"assets/index-AB12CD34.js": "js", "assets/index-AB12CD34.js.map": "map", "assets/phrases-ja-0123456789.json": "{}",
		"demos/d/wide.json.gz": "wide", "demos/d/narrow.rest.json.gz": "narrow", "demos/d/details.json.gz": "d", "demos/d/first-en-wide.svg": "s",
		"en/offline/index.html": `<link rel="stylesheet" href="/book/assets/a.css"><link rel="canonical" href="/book/en/"><script src="/book/assets/index-AB12CD34.js"></script>`,
		"ja/offline/index.html": `<link rel=stylesheet href=/book/assets/a.css><link rel="icon" href="/book/assets/icon.svg"/><link rel="stylesheet" href="https://example.org/x.css">`,
		"assets/a.css":          "a", "assets/icon.svg": "icon",
		"embed/d/index.html": "embed", "source/a.go.json.gz": "{}",
	}
	for name, text := range changes {
		files[name] = text
	}
	t := output.NewTree()
	for name, text := range files {
		t.Put(name, []byte(text))
	}
	return t
}

func put(t *testing.T, changes map[string]string) (list map[string][3]any, version, worker string) {
	t.Helper()
	tr := tree(changes)
	err := Put(tr, Site{Prefix: "/book", Languages: []string{"en", "ja"}, Script: []byte("script"), Versions: map[string]string{"d": "0a"}})
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Version string
		Files   [][4]any
	}
	data, _ := tr.Get(List)
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	list = map[string][3]any{}
	for _, f := range out.Files {
		list[f[0].(string)] = [3]any{f[1], f[2], f[3]}
	}
	script, _ := tr.Get(Worker)
	return list, out.Version, string(script)
}

func TestList(t *testing.T) {
	list, version, worker := put(t, nil)
	want := map[string][3]any{
		"/book/":                                  {4., "", ""},
		"/book/en/":                               {4., "en", ""},
		"/book/ja/":                               {9., "ja", ""},
		"/book/en/loop/x/":                        {1., "en", ""},
		"/book/en/offline/":                       {142., "en", ""},
		"/book/ja/offline/":                       {148., "ja", ""},
		"/book/assets/a.css":                      {1., "", ""},
		"/book/assets/icon.svg":                   {4., "", ""},
		"/book/assets/index-AB12CD34.js":          {2., "", ""},
		"/book/assets/phrases-ja-0123456789.json": {2., "ja", ""},
		"/book/demos/d/wide.json.gz?v=0a":         {4., "", "wide"},
		"/book/demos/d/narrow.rest.json.gz?v=0a":  {6., "", "narrow"},
		"/book/demos/d/details.json.gz?v=0a":      {1., "", ""},
		"/book/demos/d/first-en-wide.svg?v=0a":    {1., "en", "wide"},
	}
	for url, w := range want {
		if list[url] != w {
			t.Errorf("%s is %v, want %v", url, list[url], w)
		}
	}
	for url := range list {
		if _, ok := want[url]; !ok {
			t.Errorf("%s is listed", url)
		}
	}
	for _, want := range []string{`"base":"/book/"`, `"fallbacks":{"en":"/book/en/offline/","ja":"/book/ja/offline/"}`,
		`"shell":["/book/assets/a.css","/book/assets/icon.svg","/book/assets/index-AB12CD34.js"]`,
		`"version":"` + version + `"`, ";\nscript"} {
		if !strings.Contains(worker, want) {
			t.Errorf("the worker lacks %s:\n%s", want, worker)
		}
	}
}

// TestVersion: a worker is a new one when anything is that it may have kept.
func TestVersion(t *testing.T) {
	_, first, _ := put(t, nil)
	if _, same, _ := put(t, map[string]string{"robots.txt": "other"}); same != first {
		t.Error("a file that nobody keeps makes a new version")
	}
	for name, changes := range map[string]map[string]string{
		"text":       {"en/loop/x/index.html": "y"},
		"a new page": {"en/loop/z/index.html": "z"},
		"an asset":   {"assets/other-0123456789.css": "c"},
	} {
		if _, next, _ := put(t, changes); next == first {
			t.Errorf("%s: the version is the same", name)
		}
	}
}

func TestIcons(t *testing.T) {
	svg, err := os.ReadFile("../../../site/icon.svg")
	if err != nil {
		t.Fatal(err)
	}
	if err := Drawable(svg); err != nil {
		t.Fatal(err)
	}
	icons, err := Icons(svg)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range icons {
		picture, err := png.Decode(bytes.NewReader(i.PNG))
		if err != nil {
			t.Fatal(err)
		}
		if b := picture.Bounds(); b.Dx() != i.Size || b.Dy() != i.Size {
			t.Errorf("%s is %v", i.Name, b)
		}
		// The ground is the accent; a maskable icon has it in the corners, too.
		if r, g, b, _ := picture.At(i.Size/2, i.Size/40).RGBA(); r>>8 != 0x24 || g>>8 != 0x50 || b>>8 != 0xb8 {
			t.Errorf("%s: the ground is %x %x %x", i.Name, r>>8, g>>8, b>>8)
		}
		if _, _, _, a := picture.At(0, 0).RGBA(); (a == 0xffff) != i.Maskable {
			t.Errorf("%s: the corner's alpha is %x", i.Name, a)
		}
		// Lines are as wide as the file says: 2.1 of 24, in a group of 0.7.
		white := 0
		for x := range i.Size / 2 {
			if r, _, _, _ := picture.At(x, i.Size*52/100).RGBA(); r>>8 > 0x90 {
				white++
			}
		}
		if !i.Maskable && (white < i.Size*8/100 || white > i.Size*30/100) {
			t.Errorf("%s: %d of %d pixels are line", i.Name, white, i.Size/2)
		}
	}
	for _, bad := range []string{"", "<svg/>", `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text>a</text></svg>`, `<svg viewBox="0 0 0 0"/>`} {
		if err := Drawable([]byte(bad)); err == nil {
			t.Errorf("%q can be drawn", bad)
		}
	}
}

func FuzzDrawable(f *testing.F) {
	f.Add([]byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5"/><path d="M1 1h2v2z"/></svg>`))
	f.Add([]byte(`<svg viewBox="0 0 1 1"><g transform="scale(.7) rotate(3)"><circle r="1"/></g></svg>`))
	f.Fuzz(func(t *testing.T, svg []byte) {
		icon, err := read(svg)
		if err == nil && (icon.Width <= 0 || icon.Height <= 0) {
			t.Errorf("%q can be drawn, and has no size", svg)
		}
		if err == nil {
			rasterize(icon, 32, true)
		}
	})
}

func TestManifest(t *testing.T) {
	app := App{Language: "ja", Name: "本 \"1\"", Description: "d", Start: "/book/ja/", Scope: "/book/", SVG: "/book/assets/icon.svg", Folder: "/book/icons/",
		Background: "#ffffff"}
	var out map[string]any
	if err := json.Unmarshal(app.Manifest(), &out); err != nil {
		t.Fatal(err)
	}
	if out["name"] != app.Name || out["lang"] != "ja" || out["start_url"] != "/book/ja/" || out["scope"] != "/book/" || len(out["icons"].([]any)) != 4 {
		t.Errorf("got %v", out)
	}
	app.Folder = ""
	if strings.Contains(string(app.Manifest()), "png") {
		t.Error("names icons that are not there")
	}
}
