package raster

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/book/content"
	"kubewalk/playground/demo/scene"
)

func sheet(t testing.TB) *Style {
	t.Helper()
	var css []byte
	for _, file := range []string{"../../../site/styles/tokens.css", "../../../site/widgets/picture/scene.css"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		css = append(css, text...)
	}
	s, err := NewStyle(string(css))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func moment() string {
	return scene.SVG(scene.Scene{Width: 300, Height: 120, Shapes: []scene.Shape{
		{ID: "wire", Kind: scene.Line, Role: "wire", State: "watching", Path: "M 10 10 L 10 100"},
		{ID: "api", Kind: scene.Box, Role: "apiserver", X: 5, Y: 5, W: 200, H: 60, Z: 1, Title: "API <server>"},
		{ID: "pod", Kind: scene.Box, Role: "pod", State: "ready", X: 20, Y: 70, W: 90, H: 30, Z: 2, Title: "web-1", Mark: "●", Fresh: true},
	}}, scene.Still{Name: "It begins", Layout: scene.Wide})
}

func TestResolvedPicturesNeedNoStyle(t *testing.T) {
	p, err := Parse(moment(), sheet(t))
	if err != nil {
		t.Fatal(err)
	}
	got := p.SVG("It \"begins\"")
	for _, want := range []string{
		`xmlns="http://www.w3.org/2000/svg" width="300" height="120"`, `viewBox="0 0 300 120"`, `<title>It &quot;begins&quot;</title>`,
		`fill="#eaf0fc"`, `stroke="#2450b8"`, `stroke-width="2.25"`, `font-family="monospace"`, `API &lt;server&gt;`, `fill="#e4f5ec"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %s:\n%s", want, got)
		}
	}
	for _, not := range []string{"class=", "data-", "var(", "light-dark", "currentColor", "color-mix"} {
		if strings.Contains(got, not) {
			t.Errorf("has %s:\n%s", not, got)
		}
	}
}

func TestExpand(t *testing.T) {
	got := strings.Join(expand(".a :is(.b, .c:not(.d)) > :is(x, y)"), " | ")
	if want := ".a .b > x | .a .b > y | .a .c:not(.d) > x | .a .c:not(.d) > y"; got != want {
		t.Errorf("got %s", got)
	}
}

// TestCards: a card has the size that is promised, is the same each time, and
// differs with what it says.
func TestCards(t *testing.T) {
	picture, err := Parse(moment(), sheet(t))
	if err != nil {
		t.Fatal(err)
	}
	cards := map[string]Card{
		"plain": {Book: "Kubewalk", Part: "The reconcile loop", Title: "A ReplicaSet, from apply to Running",
			Description: "One ReplicaSet on its whole way through Kubernetes, from kubectl apply to running containers, and back."},
		"lines": {Book: "Kubewalk", Part: "Meetups", Title: "Kubernetes Meetup Tokyo 23", Description: "Not shown.",
			Lines: []string{"27 September 2019", "Shibuya", strings.Repeat("A speaker, ", 20)}},
		"picture": {Book: "Kubewalk", Part: "The reconcile loop", Title: "A ReplicaSet, from apply to Running",
			Description: "One ReplicaSet on its whole way through Kubernetes.", Picture: picture},
		"large": {Book: "Kubewalk", Title: "Scaling up", Picture: picture, Large: true},
		"ja": {Book: "Kubewalk", Part: "調整ループ", Title: "ReplicaSet が apply から Running になるまで",
			Description: "1 つの ReplicaSet が、kubectl apply から、コンテナが動きだすまでにたどる道のり。", Picture: picture},
	}
	seen := map[string]string{}
	for name, c := range cards {
		data := c.PNG()
		if !bytes.Equal(data, c.PNG()) {
			t.Errorf("%s: two drawings differ", name)
		}
		if other, ok := seen[string(data)]; ok {
			t.Errorf("%s is the same as %s", name, other)
		}
		seen[string(data)] = name
		config, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil || config.Width != Width || config.Height != Height {
			t.Errorf("%s: %v %v", name, config, err)
		}
		if dir := os.Getenv("CARDS"); dir != "" { // to look at them
			if err := os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestTheFontCoversTheBook: no text of a card comes out as boxes.
func TestTheFontCoversTheBook(t *testing.T) {
	book, err := content.Load("../../../content")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range book.Pages() {
		if missing := Lacks(c.Title + c.Description); missing != "" {
			t.Errorf("%s: the font lacks %q", c.File, missing)
		}
	}
	for _, text := range []map[string]string{book.Site.Title, book.Site.Description} {
		for _, s := range text {
			if missing := Lacks(s); missing != "" {
				t.Errorf("%q: the font lacks %q", s, missing)
			}
		}
	}
	if Lacks("한국어") == "" || Lacks("a한a한") != "한" {
		t.Error("what the font lacks is not seen")
	}
}

func TestLinesBreakWhereTheyMay(t *testing.T) {
	got := strings.Join(pieces("A word, 「本」です。Pod を"), "|")
	if want := "A |word, |「本」|で|す。|Pod |を"; got != want {
		t.Errorf("got %s", got)
	}
}

// FuzzParse: no picture makes the drawing panic or hang.
func FuzzParse(f *testing.F) {
	f.Add(moment())
	f.Add(`<svg viewBox="0 0 9 9"><path d="M1 1h8v-3zL"/><rect width="1e9" rx="x" fill="#12"/><text font-size="-1">a</text></svg>`)
	style := sheet(f)
	f.Fuzz(func(t *testing.T, svg string) {
		p, err := Parse(svg, style)
		if err != nil || p.Width > 2000 || p.Height > 2000 {
			return
		}
		_ = p.SVG("x")
	})
}
