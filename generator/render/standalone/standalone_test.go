package standalone

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

func sheet(t *testing.T, css string) *Sheet {
	t.Helper()
	s, err := NewSheet(css)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func picture(t *testing.T, css, inside string) string {
	t.Helper()
	p, err := sheet(t, css).Picture(`<svg class="kw-scene" viewBox="0 0 40 30" role="img" aria-label="a">` + inside + `</svg>`)
	if err != nil {
		t.Fatal(err)
	}
	if p.Width != 40 || p.Height != 30 {
		t.Errorf("size %d %d", p.Width, p.Height)
	}
	out, ok := strings.CutPrefix(string(p.SVG), `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30" width="40" height="30">`)
	if !ok {
		t.Errorf("the file begins %.100s", p.SVG)
	}
	return out
}

const css = `:root{color-scheme: light dark;--ink: light-dark(#000000, #ffffff);--kw-ink: var(--ink);--font: "A, B", serif}
:root[data-theme=dark]{--ink: red}:root:lang(ja){--font: C}
.kw-scene{--scene-ink: var(--kw-ink, blue);--spare: var(--none, #aabbcc);display: block;color: var(--scene-ink);font-family: var(--font)}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]) .kw-scene{--scene-ink: var(--kw-ink, green)}}
.kw-scene text{fill: currentColor}
.kw-scene .pod > rect, .kw-scene .job > rect{fill: none;stroke: var(--scene-ink)}
.kw-scene .pod:not(:has(text)) > rect{stroke-width: 2}
.kw-scene :is(.job, .x) .title{fill: var(--spare)}
.kw-scene [data-id$="/cache"] .title, .kw-scene [data-id^="rules/"] .title, .kw-scene [data-id*="odd"] .title, .kw-scene [data-id="one"] .title{fill: red}
.kw-scene .old{opacity: .5}
.kw-scene .gone text{text-decoration: line-through}
.kw-scene .wire{stroke: red}
/* a comment { */
@media print{.kw-scene{--scene-ink: #000}}`

func TestPicture(t *testing.T) {
	box := func(class, at, inside string) string {
		return `<g class="` + class + `" data-id="x" data-about="pods x" transform="translate(` + at + `)">` + inside + `</g>`
	}
	const rect, long = `<rect width="4" height="3" rx="1"/>`, `<rect x="1" y="2" width="40" height="3"/>`
	for name, test := range map[string]struct{ inside, style, body string }{
		"looks that are the same stand together, texts behind": {
			`<g class="z1">` + box("pod", "10 20", rect+`<text class="title" x="1" y="2">a &lt; b</text>`) +
				box("job", "0 5.5", rect+long+`<text class="title" x="4" y="2" text-anchor="end">c</text>`) +
				box("pod", "1 2", rect+`<text class="mark" x="1" y="2">d</text>`) + `</g>`,
			`.a{fill:none;stroke:var(--a)}.b{fill:currentColor}.c{text-anchor:end;fill:#abc}`,
			`<g class="a"><rect x="10" y="20" width="4" height="3" rx="1"/><rect y="5.5" width="4" height="3" rx="1"/><rect x="1" y="7.5" width="40" height="3"/>` +
				`<rect x="1" y="2" width="4" height="3" rx="1"/></g><g class="b"><text x="11" y="22">a &lt; b</text><text x="2" y="4">d</text></g>` +
				`<text class="c" x="4" y="7.5">c</text>`,
		},
		"a size that is there often is used": {
			`<g class="z1">` + box("pod", "0 0", rect) + box("pod", "5 0", rect) + box("pod", "0 5", rect) + box("pod", "5 5", rect) + box("pod", "9 9", long) + `</g>`,
			`.a{fill:none;stroke:var(--a);stroke-width:2}`,
			`<defs><rect id="_a" width="4" height="3" rx="1"/></defs><g class="a">` +
				`<use href="#_a"/><use href="#_a" x="5"/><use href="#_a" y="5"/><use href="#_a" x="5" y="5"/>` +
				`<rect x="10" y="11" width="40" height="3"/></g>`,
		},
		"lines of one look are one path": {
			`<g class="z0"><path class="wire" d="M 1 2 L 1 5 L 7 5"/><path class="wire" d="M 3 4 L 5 6"/></g>`,
			`.a{stroke:red}`, `<path class="a" d="M1 2V5H7M3 4L5 6"/>`,
		},
		"what an id says": {
			`<g class="z1"><g data-id="a/cache"><text class="title" x="1" y="2">a</text></g><g data-id="rules/a"><text class="title" x="1" y="2">b</text></g>` +
				`<g data-id="an odd one"><text class="title" x="1" y="2">c</text></g><g data-id="one"><text class="title" x="1" y="2">d</text></g>` +
				`<g data-id="one/"><text class="title" x="1" y="2">e</text></g></g>`,
			`.a{fill:red}.b{fill:currentColor}`,
			`<g class="a"><text x="1" y="2">a</text><text x="1" y="2">b</text><text x="1" y="2">c</text><text x="1" y="2">d</text></g>` +
				`<text class="b" x="1" y="2">e</text>`,
		},
		"a group that is faint stays one; what a group does not hand on is each one's": {
			`<g class="z1">` + box("pod old", "1 1", rect+`<text class="title" x="1" y="2">a</text>`) +
				box("gone", "1 1", `<text class="title" x="1" y="2">b</text><text class="title" x="3" y="2">c</text>`) + `</g>`,
			`.b,.d{fill:currentColor}.a{fill:none;stroke:var(--a)}.c{opacity:.5}.d{text-decoration:line-through}`,
			`<g class="c"><rect class="a" x="1" y="1" width="4" height="3" rx="1"/><text class="b" x="2" y="3">a</text></g>` +
				`<text class="d" x="2" y="3">b</text><text class="d" x="4" y="3">c</text>`,
		},
		"packets stay in their order": {
			`<g class="kw-z4">` + box("pod", "1 1", rect+`<text x="1" y="2">a</text>`) + box("pod", "2.5 2", `<circle r="5"/><text x="1" y="2">b</text>`) +
				box("", "2 2", `<path d="M0 -7L7 0L0 7L-7 0Z"/>`) + `</g>`,
			`.a{fill:none;stroke:var(--a)}.b{fill:currentColor}`,
			`<rect class="a" x="1" y="1" width="4" height="3" rx="1"/><text class="b" x="2" y="3">a</text>` +
				`<circle cx="2.5" cy="2" r="5"/><text class="b" x="3.5" y="4">b</text>` +
				`<path transform="translate(2 2)" d="M0 -7L7 0L0 7L-7 0Z"/>`,
		},
		"cells stay in their order": {
			`<g class="z1"><g class="kw-cells" transform="translate(1 1)"><path class="cell" stroke-width="7" stroke-dasharray="7 1" d="M0 3.5h7"/>` +
				`<path class="fill" stroke-width="2" stroke-dasharray="7 1" d="M0 3.5h7"/>` +
				`<path class="cell" stroke-width="7" stroke-dasharray="7 1" d="M8 3.5h7"/></g></g>`,
			`.a,.b{stroke-dasharray:7 1}.a{stroke-width:7}.b{stroke-width:2}`,
			`<path class="a" transform="translate(1 1)" d="M0 3.5h7"/><path class="b" transform="translate(1 1)" d="M0 3.5h7"/>` +
				`<path class="a" transform="translate(1 1)" d="M8 3.5h7"/>`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			style, body, _ := strings.Cut(picture(t, css, test.inside), "</style>")
			if body != test.body+"</svg>" {
				t.Errorf("the body is\n%s\nnot\n%s", body, test.body)
			}
			_, rules, _ := strings.Cut(style, "}")
			if rules, _, _ = strings.Cut(rules, "@"); rules != test.style {
				t.Errorf("the rules are\n%s\nnot\n%s", rules, test.style)
			}
		})
	}
}

// What an image has no theme for, no language and no use is left out; what a medium changes is said for it.
// TestNarrow: what a style sheet says of a narrow picture does not depend on which picture came first.
func TestNarrow(t *testing.T) {
	const css = `.kw-scene .n > .title{font-size: 36px}.kw-scene.kw-narrow .n > .title{font-size: 32px}`
	const inside = `<g class="kw-z2"><g class="n" data-id="x"><text class="title" x="1" y="2">3</text></g></g>`
	print := func(s *Sheet, class string) string {
		p, err := s.Picture(`<svg class="` + class + `" viewBox="0 0 40 30">` + inside + `</svg>`)
		if err != nil {
			t.Fatal(err)
		}
		return string(p.SVG)
	}
	for _, order := range [][]string{{"kw-scene", "kw-scene kw-narrow"}, {"kw-scene kw-narrow", "kw-scene"}} {
		s := sheet(t, css)
		for _, class := range order {
			want := map[string]string{"kw-scene": "36px", "kw-scene kw-narrow": "32px"}[class]
			if got := print(s, class); !strings.Contains(got, "font-size:"+want) {
				t.Errorf("%s, in the order %q: no %s in %s", class, order, want, got)
			}
		}
	}
}

func TestStyle(t *testing.T) {
	got, _, _ := strings.Cut(picture(t, css+`@media (forced-colors:active){.kw-scene .pod > rect{stroke: CanvasText}}`,
		`<g class="z1"><g class="pod"><rect width="1" height="1"/></g><g class="job"><rect width="1" height="1"/></g></g>`), "</style>")
	want := `<style>svg{color-scheme:light dark;color:var(--b);font-family:"A, B",serif;` +
		`--a:light-dark(#000,#fff);--b:light-dark(#000,#fff)}.a,.b{fill:none}.a{stroke:var(--a);stroke-width:2}.b{stroke:var(--b)}` +
		`@media print{svg{--a:#000;--b:#000}}@media (forced-colors:active){svg{--a:CanvasText}}`
	if got != want {
		t.Errorf("the style is\n%s\nnot\n%s", got, want)
	}
}

// TestPictures: what several pictures of a file have stands in it once, and each is there in its order.
func TestPictures(t *testing.T) {
	const both = `<g class="z1"><text class="title" x="1" y="2">What both say, at the same place and with the same look</text></g>`
	part := func(id, own string) Part {
		return Part{id, `<svg class="kw-scene" viewBox="0 0 40 30">` + both + `<g class="z2"><text x="3" y="4">` + own + `</text></g></svg>`}
	}
	p, err := sheet(t, css).Pictures([]Part{part("a", "one"), part("b", "two")})
	if err != nil {
		t.Fatal(err)
	}
	style, body, _ := strings.Cut(string(p.SVG), "</style>")
	if !strings.HasSuffix(style, "}svg>g:not(:target){display:none}svg:not(:has(:target))>g:first-of-type{display:inline}") {
		t.Errorf("the style is\n%s", style)
	}
	const defs = `<defs><g id="_a"><text class="a" x="1" y="2">What both say, at the same place and with the same look</text></g></defs>`
	const first, second = "\n" + `<g id="a"><use href="#_a"/><text class="a" x="3" y="4">one</text></g>`, "\n" + `<g id="b"><use href="#_a"/><text class="a" x="3" y="4">two</text></g>`
	if want := defs + first + second + "</svg>"; body != want {
		t.Errorf("the body is\n%s\nnot\n%s", body, want)
	}
	for id, want := range map[string]string{"a": first, "b": second, "": first + second, "c": first + second} {
		if got, want := string(Only(p.SVG, id)), style+"</style>"+defs+want+"</svg>"; got != want {
			t.Errorf("only %q is\n%s\nnot\n%s", id, got, want)
		}
	}
	other := strings.Replace(part("c", "three").SVG, "40 30", "40 31", 1)
	if _, err := sheet(t, css).Pictures([]Part{part("a", "one"), {"c", other}}); err == nil {
		t.Error("pictures of two sizes are in one file")
	}
}

func TestErrors(t *testing.T) {
	for name, css := range map[string]string{"open": `.a{fill:red`, "selector": `.a:frobnicated{fill:red}`} {
		if _, err := NewSheet(css); err == nil || !strings.HasPrefix(err.Error(), "style: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, svg := range []string{"", "<p>", `<svg class="kw-scene"></svg>`} {
		if _, err := sheet(t, css).Picture(svg); err == nil {
			t.Errorf("%q is a picture", svg)
		}
	}
}

// Every shape of the book's own style sheet and scenes has a place, a text and a look in the file.
func TestScene(t *testing.T) {
	var style string
	for _, file := range []string{"../../../site/styles/tokens.css", "../../../site/widgets/picture/scene.css"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		style += string(text)
	}
	text, err := os.ReadFile("../../../playground/demo/scene/testdata/fixture.json")
	if err != nil {
		t.Fatal(err)
	}
	var fixture struct{ SVG string }
	if err := json.Unmarshal(text, &fixture); err != nil || fixture.SVG == "" {
		t.Fatalf("%v: %.100s", err, text)
	}
	p, err := sheet(t, style).Picture(fixture.SVG)
	if err != nil {
		t.Fatal(err)
	}
	before, after := inventory(t, fixture.SVG), inventory(t, string(p.SVG))
	for what, n := range before { // order: each on its own
		if after[what] != n {
			t.Errorf("%q is there %d times, and was %d times", what, after[what], n)
		}
	}
	if len(before) < 20 || 3*len(p.SVG) > 4*len(fixture.SVG) {
		t.Errorf("%d things, %d bytes of %d", len(before), len(p.SVG), len(fixture.SVG))
	}
}

// inventory counts what a picture shows: texts, rectangles and circles with their places, and pieces of paths.
func inventory(t *testing.T, svg string) map[string]int {
	t.Helper()
	type point struct{ x, y float64 }
	out, sizes, at, isDefs := map[string]int{}, map[string]string{}, []point{{}}, false
	read := xml.NewDecoder(strings.NewReader(svg))
	for text := ""; ; {
		token, err := read.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			here, own := at[len(at)-1], map[string]string{}
			for _, a := range e.Attr {
				own[a.Name.Local] = a.Value
			}
			move := func(x, y string) {
				dx, _ := strconv.ParseFloat(x, 64)
				dy, _ := strconv.ParseFloat(y, 64)
				here = point{math.Round(10*(here.x+dx)) / 10, math.Round(10*(here.y+dy)) / 10}
			}
			if by, ok := strings.CutPrefix(own["transform"], "translate("); ok {
				x, y, _ := strings.Cut(strings.TrimSuffix(by, ")"), " ")
				move(x, y)
			}
			move(own["x"], own["y"])
			move(own["cx"], own["cy"])
			size := fmt.Sprintf("%sx%s %s", own["width"], own["height"], own["rx"])
			switch e.Name.Local {
			case "defs":
				isDefs = true
			case "rect":
				if sizes[own["id"]] = size; isDefs {
					break
				}
				out[fmt.Sprint("rect ", here, size)]++
			case "use":
				out[fmt.Sprint("rect ", here, sizes[own["href"][1:]])]++
			case "circle":
				out[fmt.Sprint("circle ", here, own["r"])]++
			case "path":
				out["path"] += strings.Count(own["d"], "M")
			case "text":
				text = fmt.Sprint("text ", here)
			}
			at = append(at, here)
		case xml.CharData:
			if text != "" {
				out[text+string(e)]++
			}
		case xml.EndElement:
			at, text = at[:len(at)-1], ""
			isDefs = isDefs && e.Name.Local != "defs"
		}
	}
}
