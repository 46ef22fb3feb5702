package diagram

import (
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"kubewalk/generator/render/script"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the expected output in testdata")

// TestDiagrams runs the transcript in testdata: a diagram, a line "----", what it
// says in words, its shapes and their places, or what is wrong. Cases are separated by a line "====".
func TestDiagrams(t *testing.T) {
	const file = "testdata/diagrams.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rewritten []string
	for c := range strings.SplitSeq(string(text), "\n====\n") {
		source, want, _ := strings.Cut(c+"\n", "\n----\n")
		got := show(source)
		rewritten = append(rewritten, source+"\n----\n"+got)
		if want = strings.TrimRight(want, "\n"); got != want && !*rewrite {
			t.Errorf("%s\n---- got\n%s\n---- want\n%s\n(go test ./generator/render/diagram -rewrite accepts what it says now)", source, got, want)
		}
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(strings.Join(rewritten, "\n====\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func show(source string) string {
	d, problems := draw(source)
	if d == nil {
		var out []string
		for _, p := range problems {
			before := source[:p.Offset]
			out = append(out, fmt.Sprintf("%d:%d: %s (%s)", 1+strings.Count(before, "\n"), len([]rune(before[strings.LastIndex(before, "\n")+1:]))+1, p.Message,
				p.Cure))
		}
		return strings.Join(out, "\n")
	}
	out := d.Title + "\n- " + strings.Join(d.Lines, "\n- ")
	if again, _ := draw(source); again.Wide != d.Wide || again.Narrow != d.Narrow {
		out += "\nis not the same twice"
	}
	_, drawing, _ := strings.Cut(d.Wide, "</desc>")
	return out + "\n" + strings.TrimSuffix(strings.ReplaceAll(drawing, "/><", "/>\n<"), "</svg>")
}

// TestWidths: what is drawn for a phone can be read on it, and nothing leaves the picture.
func TestWidths(t *testing.T) {
	text := "title: x\ndirection: right\n"
	for i := range 7 {
		text += fmt.Sprintf("step%d: \"The step number %d\"\n", i, i)
	}
	text += "step0 -> step1 -> step2 -> step3 -> step4 -> step5 -> step6: and so on\n"
	d, problems := draw(text)
	if d == nil {
		t.Fatal(problems)
	}
	var width int
	drawn := d.Narrow
	if drawn == "" {
		drawn = d.Wide
	}
	if _, err := fmt.Sscanf(drawn[strings.Index(drawn, ` width="`):], ` width="%d"`, &width); err != nil || d.Scrolls || width > legible {
		t.Errorf("a chain is %d wide on a phone: %v", width, err)
	}
	g, _ := parse(text)
	for _, s := range append(styles(true), styles(false)...) {
		l, err := arrange(g, s)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range l.boxes {
			if r.X-r.Width/2 < 0 || r.Y-r.Height/2 < 0 || r.X+r.Width/2 > float64(l.width) || r.Y+r.Height/2 > float64(l.height) {
				t.Errorf("box %d is outside: %+v of %d×%d", i, r, l.width, l.height)
			}
			for j, other := range l.boxes[:i] {
				if abs(r.X-other.X) < (r.Width+other.Width)/2 && abs(r.Y-other.Y) < (r.Height+other.Height)/2 {
					t.Errorf("boxes %d and %d overlap", i, j)
				}
			}
		}
	}
}

func abs(f float64) float64 { return max(f, -f) }

func TestWrapping(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"one two three four", 80, "one two|three four"},
		{"unbreakable", 20, "unbreakable"},
		{"コントローラーがオブジェクトを作る。", 120, "コントローラー|がオブジェクト|を作る。"},
		{`a`, 80, "a"},
		{"a\nb", 80, "a|b"},
		{"", 80, ""},
	} {
		if got := strings.Join(wrapped(test.text, test.width, labelSize), "|"); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}

// FuzzDraw: no text makes it panic, hang, or write markup of its own.
func FuzzDraw(f *testing.F) {
	text, err := os.ReadFile("testdata/diagrams.txt")
	if err != nil {
		f.Fatal(err)
	}
	for c := range strings.SplitSeq(string(text), "\n====\n") {
		source, _, _ := strings.Cut(c+"\n", "\n----\n")
		f.Add(source)
	}
	f.Add("title: </title><script>\n<b>: \"<i>&\" {shape: oval}\n<b> -> \"x\\\"\"")
	f.Fuzz(func(t *testing.T, source string) {
		d, problems := draw(source)
		for _, p := range problems {
			if p.Offset < 0 || p.Offset > len(source) || p.Message == "" || p.Cure == "" {
				t.Errorf("%q: %+v", source, p)
			}
		}
		if d == nil {
			if len(problems) == 0 {
				t.Errorf("%q: neither a picture nor a problem", source)
			}
			return
		}
		for _, svg := range []string{d.Wide, d.Narrow} {
			decoder := xml.NewDecoder(strings.NewReader(svg))
			for {
				token, err := decoder.Token()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("%q: %v in %s", source, err, svg)
				}
				if start, ok := token.(xml.StartElement); ok &&
					!strings.Contains(" svg title desc g rect path ellipse circle text tspan ", " "+start.Name.Local+" ") {
					t.Errorf("%q: element %s", source, start.Name.Local)
				}
			}
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Errorf("%q: %s", source, svg)
			}
		}
	})
}

// TestKeep: another process of the same program lays nothing out.
func TestKeep(t *testing.T) {
	engine := library
	defer func() { disk.Dir, library = "", engine }()
	Keep(filepath.Join(t.TempDir(), "diagrams"))
	made.Clear()
	const text = "title: Two\na -> b"
	first, problems := Draw(text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	made.Clear()
	library = script.New("none", "][")
	if again, problems := Draw(text); !reflect.DeepEqual(again, first) {
		t.Errorf("got %v, %v", again, problems)
	}
	if d, problems := Draw("a -> "); d != nil || len(problems) == 0 {
		t.Errorf("a text with a problem: %v, %v", d, problems)
	}
}
