package epub

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"

	"kubewalk/generator/format/singlepage"
)

func book(bodies ...string) *Book {
	b := &Book{
		ID: "https://example.org/book/en/", Language: "en", Title: "Book <1>", Description: "About & more", Source: "https://example.org/book/en/",
		Changed: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), Cover: cover(),
		Words:   Words{Cover: "Cover", Contents: "Contents", Begin: "Start", Summary: "Everything is there in words."},
		Opening: &Chapter{Name: "home", Title: "About", Body: singlepage.Parse(`<p><a href="c1.xhtml#a">x</a></p>`)},
		Files:   []File{{"images/queue.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)}},
	}
	part := Part{Title: "Start"}
	for i, body := range bodies {
		part.Chapters = append(part.Chapters, Chapter{Name: "c" + string(rune('1'+i)), Title: "Chapter", Description: "d", Body: singlepage.Parse(body)})
	}
	b.Parts = []Part{part, {Title: "Empty"}}
	return b
}

const rich = `<h2 id="a">A <a class="anchor" href="#a" aria-label="x"></a></h2>
<p>Line<br>and &nbsp; <img src="images/queue.svg" alt="A queue" loading="lazy"> <input type="checkbox" checked disabled>done <button>Copy</button>
<ruby>調整<rp>（</rp><rt>ちょうせい</rt><rp>）</rp></ruby> <kbd>x</kbd> <math><mi>x</mi></math></p>
<table><thead><tr><th align="right">n</th></tr></thead><tbody><tr><td align="right">1</td></tr></tbody></table>
<svg viewBox="0 0 1 1" aria-label="d"><path d="M0 0"></path></svg>
<details class="more" open><summary>More</summary><p>Text</p></details>
<sup id="r"><a href="#fn" class="footnote-ref" role="doc-noteref">1</a></sup><div role="doc-endnotes"><p id="fn">Note <a href="#r">back</a></p></div>
<p tabindex="0" data-x="1" onclick="x()" style="color:red">plain<script>x()</script></p>`

func written(t *testing.T, b *Book) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestWrittenBooksAreValid(t *testing.T) {
	data := written(t, book(rich))
	if err := Check(data); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(data, written(t, book(rich))) {
		t.Error("the same book gives other bytes")
	}
	if file := os.Getenv("EPUB"); file != "" { // for a checker of others
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := &checker{files: map[string][]byte{}, pages: map[string]*page{}}
	c.check(data)
	text := string(c.files["EPUB/c1.xhtml"])
	for _, want := range []string{
		`<h1>Chapter</h1>`, `<p class="part">Start</p>`, `<h2 id="a">A </h2>`, `Line<br/>and`, `☑ done`, `<rt>ちょうせい</rt>`,
		`<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math>`,
		`<td class="align-right">1</td>`, `<div class="more details"><p class="summary">More</p>`, `epub:type="noteref"`, `viewBox="0 0 1 1"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %s:\n%s", want, text)
		}
	}
	for _, not := range []string{"<script", "onclick", "style=", "data-x", "tabindex", "<button", "loading", "Copy"} {
		if strings.Contains(text, not) {
			t.Errorf("holds %s:\n%s", not, text)
		}
	}
	opf := string(c.files["EPUB/package.opf"])
	for _, want := range []string{
		`<meta property="dcterms:modified">2026-05-04T03:02:01Z</meta>`, `<dc:title>Book &lt;1&gt;</dc:title>`, `properties="mathml svg"`,
		`properties="cover-image"`,
		`<meta property="schema:accessibilityFeature">MathML</meta>`, `media-type="image/svg+xml"`,
	} {
		if !strings.Contains(opf, want) {
			t.Errorf("the package lacks %s:\n%s", want, opf)
		}
	}
}

// TestCheckSees: what is checked would be seen.
func TestCheckSees(t *testing.T) {
	for name, change := range map[string]func(*Book){
		"leads nowhere":    func(b *Book) { b.Opening.Body = singlepage.Parse(`<a href="gone.xhtml">x</a>`) },
		"leads to no":      func(b *Book) { b.Opening.Body = singlepage.Parse(`<a href="c1.xhtml#gone">x</a>`) },
		"not in the book":  func(b *Book) { b.Opening.Body = singlepage.Parse(`<img src="https://example.org/x.png" alt="">`) },
		"listed twice":     func(b *Book) { b.Parts[0].Chapters = append(b.Parts[0].Chapters, b.Parts[0].Chapters[0]) },
		"lacks a title":    func(b *Book) { b.Title = "" },
		"no identifier":    func(b *Book) { b.ID = " " },
		"is no id of it":   func(b *Book) { b.Opening.Body = singlepage.Parse(`<div aria-labelledby="gone"></div>`) },
		"is listed as":     func(b *Book) { b.Files[0].Name = "images/queue.bmp" },
		"of no namespace":  func(b *Book) { b.Files[0].Data = []byte(`<svg/>`) },
		"is used twice":    func(b *Book) { b.Files[0].Data = []byte(`<svg xmlns="s"><g id="a"/><g id="a"/></svg>`) },
		"XML syntax error": func(b *Book) { b.Files[0].Data = []byte(`<svg xmlns="s"><g></svg>`) },
	} {
		b := book(rich)
		change(b)
		err := Check(written(t, b))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not seen: %v", name, err)
		}
	}
	undated := book(rich)
	undated.Changed = time.Time{}
	if err := undated.Write(new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "no date") {
		t.Errorf("a book without a date: %v", err)
	}
}

// FuzzChapter: any HTML becomes a book whose XML can be read, with unique ids.
func FuzzChapter(f *testing.F) {
	f.Add(rich)
	f.Add(`<p id="1"><a id="x"><p id="x"><svg><foreignObject><p></svg><math><mtext><b>`)
	f.Add("<a\x00b c\"d=e><x:y \x01>&#xfffe;&#x80;<!-- -- -->")
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		if err := book(text).Write(&out); err != nil {
			t.Fatal(err)
		}
		if err := Check(out.Bytes()); err != nil {
			for _, line := range strings.Split(err.Error(), "\n") {
				if strings.Contains(line, "XML") || strings.Contains(line, "twice") || strings.Contains(line, "handler") || strings.Contains(line, "script") ||
					strings.Contains(line, "property") {
					t.Errorf("%q: %s", text, line)
				}
			}
		}
	})
}

// cover is the smallest picture.
func cover() []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	return out.Bytes()
}
