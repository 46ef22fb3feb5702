package markdown

import (
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"kubewalk/generator/book/claim"
	"kubewalk/generator/book/content"
	"kubewalk/generator/book/excerpt"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/block"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the expected output in testdata")

// library is a book of two chapters, one image and one demo.
type library struct{ documents map[string]*Document }

func newLibrary() *library {
	l := &library{map[string]*Document{}}
	for _, c := range []*content.Chapter{
		{File: "content/en/start/tour.md", Language: "en", Part: "start", Name: "tour", Source: []byte("## The controls {#controls}\n")},
		{File: "content/ja/start/tour.md", Language: "ja", Part: "start", Name: "tour", Source: []byte("## 操作 {#controls}\n")},
		{File: "content/glossary.yaml", Language: "en", Name: content.GlossaryName,
			Source: []byte("## R {#letter-r}\n\n### reconcile loop {#reconcile-loop}\n\nWhat *compares* `spec` & [status](#letter-r).\n")},
	} {
		d := Parse(c)
		l.documents[d.File()] = d
	}
	return l
}

func (l *library) Document(file string) *Document { return l.documents[file] }
func (l *library) Documents() []string {
	var out []string
	for f := range l.documents {
		out = append(out, f)
	}
	return out
}
func (l *library) Page(path string) string { return "/base" + path }
func (l *library) Image(file string) (Picture, bool) {
	light := PictureFile{URL: "/assets/queue-HASH.svg", Width: 320, Height: 200}
	photo := PictureFile{URL: "/assets/photo-b.webp", SrcSet: "/assets/photo-a.webp 400w, /assets/photo-b.webp 1600w", Width: 1600, Height: 900}
	picture, ok := map[string]Picture{
		"en/loop/queue.svg":  {Light: light, Dark: PictureFile{URL: "/assets/queue-dark-HASH.svg", Width: 320, Height: 200}},
		"en/loop/shot.png":   {Light: photo},
		"en/loop/broken.png": {},
	}[file]
	return picture, ok
}
func (l *library) Images() []string {
	return []string{"en/loop/broken.png", "en/loop/queue.svg", "en/loop/shot.png"}
}
func (l *library) Statics() []string { return []string{"files/web.yaml", "talk.pdf"} }
func (l *library) Static(name string) (string, bool) {
	return "/base/" + name, slices.Contains(l.Statics(), name)
}
func (l *library) Demo(name, language string, o Opening) (string, bool) {
	if o != (Opening{}) {
		language += "\" data-start=\"" + o.Start + "\" data-speed=\"" + o.Speed
	}
	return "<kubewalk-demo id=\"demo-" + name + "\" data-lang=\"" + language + "\"></kubewalk-demo>\n", slices.Contains(l.Demos(), name)
}
func (l *library) Block(string) *block.Block { return nil }
func (l *library) Blocks() []string          { return nil }
func (l *library) Beside(demo string) bool   { return demo == "work-queue" }
func (l *library) Demos() []string           { return []string{"replicaset-scale", "work-queue"} }
func (l *library) Exercises(demo string) ([]string, bool) {
	return []string{"five", "none-left"}, slices.Contains(l.Demos(), demo)
}
func (l *library) Exercise(demo, id, language string) string {
	return "<div class=\"exercise\" id=\"" + ExerciseAnchor(demo, id) + "\"></div>\n"
}

func (l *library) Excerpt(r excerpt.Reference, doc bool) (*excerpt.Excerpt, error) {
	const text = "package queue\n\n// Get waits for a key.\n// Upstream: replica_set.go, manageReplicas.\nfunc (q *Queue) Get() string {\n\tfor len(q.keys) == 0 {\n\t\tq.wait()\n\t}\n\treturn q.keys[0]\n}\n\n" +
		"// region few\nconst Few = 3\n// endregion\n"
	if r.File != "playground/queue.go" {
		return nil, problem.Problem{Message: "no file " + r.File, Cure: "look for it"}
	}
	return excerpt.Of(r, []byte(text), doc)
}
func (l *library) Source(file string, line int) (string, bool) {
	return fmt.Sprintf("/base/source/%s/#L%d", file, line), true
}
func (l *library) Claim(c *claim.Claim) (claim.Value, bool, error) {
	if c.Demo != "replicaset-scale" {
		return claim.Value{}, false, nil
	}
	run := scaled()
	if c.World != "" {
		run = scaling(c.World)
	}
	value, err := c.On(run)
	return value, true, err
}
func (l *library) Showing(demo, language string) (string, bool) {
	return "/base/" + language + "/queue/", demo == "work-queue"
}

func convert(language, source string) (*Document, string, error) {
	l := newLibrary()
	d := Parse(&content.Chapter{File: "content/" + language + "/loop/x.md", Language: language, Part: "loop", Name: "x", Source: []byte(source)})
	l.documents[d.File()] = d
	out, err := d.Render(l)
	return d, out, err
}

// TestFeatures runs the transcripts in testdata: Markdown, a line "----", the
// HTML or the problems. Cases are separated by a line "====".
func TestFeatures(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < len(features) {
		t.Fatalf("%d transcripts, %v: every feature needs one", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var rewritten []string
			for _, c := range strings.Split(string(text), "\n====\n") {
				source, want, _ := strings.Cut(c+"\n", "\n----\n")
				language := "en"
				if rest, ok := strings.CutPrefix(source, "ja:\n"); ok {
					language, source = "ja", rest
				}
				_, got, err := convert(language, source)
				if err != nil {
					got = err.Error()
				}
				got = strings.TrimRight(got, "\n")
				prefix := ""
				if language == "ja" {
					prefix = "ja:\n"
				}
				rewritten = append(rewritten, prefix+source+"\n----\n"+got)
				if want = strings.TrimRight(want, "\n"); got != want && !*rewrite {
					t.Errorf("%s\n---- got\n%s\n---- want\n%s\n(go test ./generator/render/markdown -rewrite accepts what it says now)", source, got, want)
				}
			}
			if *rewrite {
				if err := os.WriteFile(file, []byte(strings.Join(rewritten, "\n====\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestSlugs(t *testing.T) {
	for title, want := range map[string]string{
		"Level, not edge":         "level-not-edge",
		"ReplicaSet を 8 にする":      "replicaset-を-8-にする",
		"ワークキュー（dirty と backoff）": "ワークキュー-dirty-と-backoff",
		"  “Quoted” & more!  ":    "quoted-more",
		"!!!":                     "",
	} {
		if got := slug(title); got != want {
			t.Errorf("slug(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestContents(t *testing.T) {
	d, _, err := convert("en", "## A `b` & c\n\n### Deep\n\n#### Deeper\n\n## A b c\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []Heading{{2, "a-b-c", "A b & c"}, {3, "deep", "Deep"}, {2, "a-b-c-2", "A b c"}}
	if !slices.Equal(d.Headings, want) {
		t.Errorf("got %+v", d.Headings)
	}
}

// allowed is all markup that a chapter can lead to.
var allowed = map[string][]string{
	"html": nil, "head": nil, "body": nil, "p": {"class"}, "h2": {"id"}, "h3": {"id"}, "h4": {"id"}, "h5": {"id"}, "h6": {"id"},
	"a":  {"data-term", "href", "class", "title", "aria-label", "hreflang", "role"},
	"ul": {"class", "id"}, "ol": {"start"}, "li": {"id", "class"}, "em": nil, "strong": nil, "code": nil,
	"pre": {"class", "tabindex", "data-language", "role", "aria-label"},
	"ins": {"class", "data-line"}, "del": {"class", "data-line"}, "mark": {"class", "data-line"}, "span": {"class", "data-line", "title"}, "br": nil,
	"wbr": nil, "hr": nil, "blockquote": nil, "img": {"src", "alt", "title", "srcset", "sizes", "width", "height", "loading", "decoding", "class"},
	"picture": nil, "source": {"type", "srcset", "sizes"},
	"div": {"class", "role", "tabindex", "aria-label", "aria-labelledby", "id", "data-sync", "data-tab", "data-copy", "data-language"}, "table": nil,
	"thead": nil, "tbody": nil, "tr": nil, "th": {"align"}, "td": {"align"},
	"ruby": nil, "rp": nil, "rt": nil,
	"svg": {"class", "viewBox", "width", "height", "role", "fill", "stroke", "font-size", "text-anchor"}, "title": nil, "desc": nil,
	"g":    {"class", "fill", "stroke"},
	"path": {"class", "d", "fill"}, "rect": {"class", "x", "y", "width", "height", "rx"}, "ellipse": {"cx", "cy", "rx", "ry"}, "circle": {"cx", "cy", "r"},
	"text": {"class", "x", "y", "font-size"}, "tspan": {"x", "dy"},
	"math": {"display", "alttext"}, "semantics": nil, "annotation": {"encoding"}, "mrow": nil, "mi": {"mathvariant"}, "mn": nil, "mtext": nil,
	"mfrac": {"linethickness"},
	"mo":    {"fence", "form", "stretchy", "separator", "lspace", "rspace", "movablelimits", "symmetric", "largeop"}, "msup": nil, "msub": nil, "msubsup": nil,
	"mspace": {"width"},
	"mover":  {"accent"}, "munder": nil, "munderover": nil, "mtable": {"displaystyle"}, "mtr": nil, "mtd": {"class"}, "mstyle": {"displaystyle", "scriptlevel"},
	"msqrt": nil, "mroot": nil,
	"details": {"class", "id", "open"}, "summary": {"class"},
	"figure": {"class", "id", "data-copy"}, "figcaption": {"id", "class"}, "dl": nil, "dt": nil, "dd": nil,
	"kbd": {"class"}, "label": nil, "input": {"type", "disabled", "checked"},
	"sup": {"id"}, "kubewalk-demo": {"id", "data-lang", "data-start", "data-speed"},
}

// FuzzRender: no text makes the pipeline panic, or becomes markup that is not ours.
func FuzzRender(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range strings.Split(string(text), "\n====\n") {
			source, _, _ := strings.Cut(c+"\n", "\n----\n")
			f.Add(source)
		}
	}
	f.Add("[a](java\nscript:alert(1)) <javascript:x> ![x](data:text/html,<script>)\n\n<p style=x>\n")
	f.Fuzz(func(t *testing.T, source string) {
		d, out, err := convert("en", source)
		if d.Sections(nil); err != nil {
			for _, p := range problem.Of(err) {
				if p.File == "" || p.Line < 1 || p.Column < 1 && p.Line > 1 {
					t.Errorf("problem without a place: %+v", p)
				}
			}
			return
		}
		root, err := xhtml.Parse(strings.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type != xhtml.ElementNode {
				continue
			}
			attributes, ok := allowed[n.Data]
			if !ok {
				t.Errorf("element %s from %q:\n%s", n.Data, source, out)
			}
			for _, a := range n.Attr {
				if !slices.Contains(attributes, a.Key) {
					t.Errorf("attribute %s of %s from %q:\n%s", a.Key, n.Data, source, html.EscapeString(out))
				}
				if value := strings.ToLower(a.Val); (a.Key == "href" || a.Key == "src") && !strings.HasPrefix(value, "#") &&
					!strings.HasPrefix(value, "/base/") &&
					!strings.HasPrefix(value, "/assets/") && !strings.HasPrefix(value, "http://") && !strings.HasPrefix(value, "https://") &&
					!strings.HasPrefix(value, "mailto:") {
					t.Errorf("address %q from %q", a.Val, source)
				}
			}
		}
	})
}

func TestGist(t *testing.T) {
	glossary := newLibrary().documents["en/glossary.md"]
	if title, text := glossary.Gist("reconcile-loop"); title != "reconcile loop" || text != "What compares <code>spec</code> &amp; status." {
		t.Errorf("got %q, %q", title, text)
	}
	if title, text := glossary.Gist("nothing"); title != "" || text != "" {
		t.Errorf("got %q, %q", title, text)
	}
}
