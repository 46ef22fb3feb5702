package formula

import (
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/generator/render/script"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the expected output in testdata")

// TestFormulas runs the transcript in testdata: LaTeX, a line "----", its words
// and MathML or what is wrong. Cases are separated by a line "====".
func TestFormulas(t *testing.T) {
	const file = "testdata/formulas.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rewritten []string
	for c := range strings.SplitSeq(string(text), "\n====\n") {
		tex, want, _ := strings.Cut(c+"\n", "\n----\n")
		got := show(tex)
		rewritten = append(rewritten, tex+"\n----\n"+got)
		if want = strings.TrimRight(want, "\n"); got != want && !*rewrite {
			t.Errorf("%s\n---- got\n%s\n---- want\n%s\n(go test ./generator/render/formula -rewrite accepts what it says now)", tex, got, want)
		}
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(strings.Join(rewritten, "\n====\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func show(tex string) string {
	f, wrong := Render(tex, true)
	if wrong != nil {
		return strings.Repeat(" ", len([]rune(tex[:wrong.Offset]))) + "^ " + wrong.Message
	}
	mathML := f.MathML
	for _, end := range []string{"<semantics>", "</mtr>", "</mfrac>"} {
		mathML = strings.ReplaceAll(mathML, end, end+"\n")
	}
	return f.Words + "\n" + mathML
}

// FuzzRender: no LaTeX makes it panic, hang or write what a page may not hold.
func FuzzRender(f *testing.F) {
	for _, seed := range []string{`\frac{a}{b}`, `x^`, `\def\x{\x\x}\x`, `<script>`, `\text{</math><script>}`, `\href{javascript:x}{y}`, `\class{a}{b}`,
		`\color{red}x`,
		`\begin{matrix}a&b\\c\end{matrix}`, `\includegraphics{x}`, `日本 \text{語}`, "\x00", `\unicode{x}`, `\char"3c`, `\style{x}{y}`, `\htmlData{a=b}{c}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, tex string) {
		formula, wrong := Render(tex, false)
		if wrong != nil {
			if wrong.Offset < 0 || wrong.Offset > len(tex) || wrong.Message == "" || wrong.Cure == "" {
				t.Errorf("%q: %+v", tex, wrong)
			}
			return
		}
		decoder := xml.NewDecoder(strings.NewReader(formula.MathML))
		for {
			token, err := decoder.Token()
			if token == nil {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v", tex, err)
			}
			if start, ok := token.(xml.StartElement); ok {
				if _, ok := known[start.Name.Local]; !ok && start.Name.Local != "semantics" && start.Name.Local != "annotation" {
					t.Errorf("%q: element %s", tex, start.Name.Local)
				}
				for _, a := range start.Attr {
					if name := a.Name.Local; name == "style" || name == "href" || name == "id" || strings.HasPrefix(name, "on") {
						t.Errorf("%q: attribute %s", tex, name)
					}
				}
			}
		}
	})
}

// TestKeep: another process of the same program needs no translator.
func TestKeep(t *testing.T) {
	translator := library
	defer func() { disk.Dir, library = "", translator }()
	Keep(filepath.Join(t.TempDir(), "formulas"))
	made.Clear()
	first, err := Render("2^n", true)
	if err != nil {
		t.Fatal(err)
	}
	made.Clear()
	library = script.New("none", "][")
	if again, err := Render("2^n", true); err != nil || *again != *first {
		t.Errorf("got %v, %v", again, err)
	}
	if _, err := Render("2^n", false); err == nil {
		t.Error("a formula in a line is the one that stands alone")
	}
}
