package markdown

import (
	"fmt"
	"html"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/render/highlight"
)

// code shows blocks of code: coloured, with a title, and with lines that are
// marked, focused, folded, new or gone (listing.go); the text may be a piece of
// a source file (package excerpt):
//
//	```go include=playground/controlplane/controller/replicaset/replicas.go#ReplicaSetController.createPods mark="ExpectCreations"
//	```
//
//	```yaml title="web.yaml" ins={3} del={2} lines
//
// What is misspelt, or no longer there, is a problem.
func code(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(500, func(root *ast.Document) {
			each(root, func(block *ast.FencedCodeBlock) {
				if language := string(block.Language(d.Chapter.Source)); language != "demo" && language != "exercise" {
					d.listing(block)
				}
			})
		}))
		m.Renderer().AddOptions(
			render(ast.KindFencedCodeBlock, d.renderCode),
			render(ast.KindCodeBlock, d.renderCode),
		)
	})
}

// copies tells whether readers will want to copy it: what a program prints is not
// to be typed.
func (l *listing) copies() bool {
	return l.language != "" && l.language != highlight.Plain && l.language != "output"
}

// shells are the languages in which what is typed stands behind a prompt.
var shells = []string{"console", "shell-session", "sh-session", "shellsession", "bash-session"}

// typed is what a reader types of a shell's session: its commands, without prompts
// and without what they print.
func (l *listing) typed() string {
	if !slices.Contains(shells, l.language) {
		return ""
	}
	var out strings.Builder
	goesOn := false
	for line := range strings.Lines(l.code) {
		command, ok := line, goesOn
		for _, prompt := range []string{"$ ", "# ", "% "} {
			if rest, found := strings.CutPrefix(line, prompt); found && !goesOn {
				command, ok = rest, true
			}
		}
		if ok {
			out.WriteString(strings.TrimPrefix(command, "> "))
		}
		goesOn = ok && strings.HasSuffix(strings.TrimRight(line, "\r\n"), `\`)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func (d *Document) renderCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	l := listingOf(node)
	if l == nil {
		l = &listing{code: codeOf(node, source)}
	}
	_, _ = w.WriteString(d.listingHTML(l))
	return ast.WalkSkipChildren, nil
}

func (d *Document) listingHTML(l *listing) string {
	var b strings.Builder
	titled := l.title != "" || l.file != ""
	frame := "div"
	if titled {
		frame = "figure"
	}
	if titled || l.copies() {
		fmt.Fprintf(&b, `<%s class="listing"`, frame)
		if typed := l.typed(); typed != "" {
			fmt.Fprintf(&b, ` data-copy="%s"`, html.EscapeString(typed))
		} else if !l.copies() {
			b.WriteString(` data-copy=""`)
		}
		b.WriteString(">")
	}
	if titled {
		d.listingTitle(&b, l)
	}
	lines := highlight.Block(l.language, l.code)
	if slices.ContainsFunc(l.looks, func(x look) bool { return x.fold }) {
		d.folded(&b, l, lines)
	} else {
		b.WriteString("<pre" + d.scrolls(l) + "><code>")
		l.lines(&b, lines, 0, len(lines))
		b.WriteString("</code></pre>\n")
	}
	if titled || l.copies() {
		fmt.Fprintf(&b, "</%s>\n", frame)
	}
	return b.String()
}

// scrolls are the attributes of what holds the code: keys scroll long lines, so
// it can have the focus, and says what it is.
func (d *Document) scrolls(l *listing) string {
	class, label := "code", d.words().Code
	if l.numbers != nil {
		class += " is-numbered"
	}
	if slices.ContainsFunc(l.looks, func(x look) bool { return x.focus }) {
		class += " is-focused"
	}
	if slices.ContainsFunc(l.looks, func(x look) bool { return x.ins || x.del }) {
		class += " is-diff"
	}
	out := fmt.Sprintf(` class="%s" tabindex="0" role="group"`, class)
	switch {
	case l.title != "":
		label += ": " + l.title
	case l.file != "":
		label += ": " + path.Base(l.file)
	case l.language != "":
		label += ": " + l.language
	}
	out += fmt.Sprintf(` aria-label="%s"`, html.EscapeString(label))
	if l.language != "" {
		out += fmt.Sprintf(` data-language="%s"`, html.EscapeString(l.language))
	}
	return out
}

func (d *Document) listingTitle(b *strings.Builder, l *listing) {
	b.WriteString(`<figcaption class="listing-title">`)
	if l.title != "" {
		b.WriteString("<span>" + html.EscapeString(l.title) + "</span> ")
	}
	if l.file != "" {
		name := html.EscapeString(path.Base(l.file))
		if l.symbol != "" && l.title == "" {
			name += " · <wbr>" + strings.ReplaceAll(l.symbol, ".", ".<wbr>")
		}
		if l.address != "" {
			fmt.Fprintf(b, `<a class="listing-file" href="%s" title="%s">%s</a> `, html.EscapeString(l.address), html.EscapeString(l.file), name)
		} else {
			fmt.Fprintf(b, `<span class="listing-file" title="%s">%s</span> `, html.EscapeString(l.file), name)
		}
	}
	if l.upstream != "" {
		fmt.Fprintf(b, `<a class="listing-upstream" href="%s" title="%s">%s</a>`, html.EscapeString(l.upstream), html.EscapeString(l.release),
			html.EscapeString(d.words().Upstream))
	}
	b.WriteString("</figcaption>\n")
}

// lines writes some of the block's lines. A block about whose lines nothing is
// said has no elements for them.
func (l *listing) lines(b *strings.Builder, lines []string, from, to int) {
	for i := from; i < to; i++ {
		if l.looks == nil && l.numbers == nil {
			b.WriteString(lines[i] + "\n")
			continue
		}
		element, class := "span", "line"
		if i < len(l.looks) {
			switch x := l.looks[i]; {
			case x.ins:
				element = "ins"
			case x.del:
				element = "del"
			case x.mark:
				element = "mark"
			}
			if l.looks[i].focus {
				class += " is-focus"
			}
			if l.looks[i].mark && element != "mark" {
				class += " is-marked"
			}
		}
		b.WriteString("<" + element + ` class="` + class + `"`)
		if i < len(l.numbers) {
			b.WriteString(` data-line="` + strconv.Itoa(l.numbers[i]) + `"`)
		}
		b.WriteString(">" + lines[i] + "\n</" + element + ">")
	}
}

// folded writes a block with runs of lines that readers open.
func (d *Document) folded(b *strings.Builder, l *listing, lines []string) {
	b.WriteString("<div" + d.scrolls(l) + ">")
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && l.looks[to].fold == l.looks[from].fold {
			to++
		}
		if l.looks[from].fold {
			fmt.Fprintf(b, `<details class="fold"><summary>%s</summary>`, html.EscapeString(d.words().folded(to-from)))
		}
		b.WriteString("<pre><code>")
		l.lines(b, lines, from, to)
		b.WriteString("</code></pre>")
		if l.looks[from].fold {
			b.WriteString("</details>")
		}
		from = to
	}
	b.WriteString("</div>\n")
}
