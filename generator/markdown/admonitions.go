package markdown

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/problem"
)

// admonitions are block quotes that begin with their kind, as on GitHub, where
// they look right as well:
//
//	> [!SIMPLIFIED]
//	> Here a request takes two milliseconds.
func admonitions(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(200, func(root *ast.Document) { each(root, d.admonition) }))
		m.Renderer().AddOptions(render(kindAdmonition, d.renderAdmonition))
	})
}

var admonitionKinds = []string{"note", "tip", "warning", "real", "simplified"}

type admonition struct {
	ast.BaseBlock
	kind string
}

var kindAdmonition = ast.NewNodeKind("Admonition")

func (*admonition) Kind() ast.NodeKind { return kindAdmonition }

func (n *admonition) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"kind": n.kind}, nil)
}

var admonitionMark = regexp.MustCompile(`^\[!([A-Za-z]+)\][ \t]*$`)

func (d *Document) admonition(quote *ast.Blockquote) {
	paragraph, ok := quote.FirstChild().(*ast.Paragraph)
	if !ok || paragraph.Lines().Len() == 0 {
		return
	}
	first := paragraph.Lines().At(0)
	line := strings.TrimRight(string(first.Value(d.Chapter.Source)), "\r\n")
	m := admonitionMark.FindStringSubmatch(line)
	if m == nil {
		return
	}
	kind := strings.ToLower(m[1])
	if !slices.Contains(admonitionKinds, kind) {
		upper := make([]string, len(admonitionKinds))
		for i, k := range admonitionKinds {
			upper[i] = strings.ToUpper(k)
		}
		d.wrongAt(first.Start, fmt.Sprintf("unknown kind of note %q", m[1]), problem.DidYouMean(m[1], upper))
		return
	}
	// Everything inside the first line goes.
	for child := paragraph.FirstChild(); child != nil; {
		next := child.NextSibling()
		if t, isText := child.(*ast.Text); isText && t.Segment.Start < first.Stop {
			paragraph.RemoveChild(paragraph, child)
		}
		child = next
	}
	rest := text.NewSegments()
	for i := 1; i < paragraph.Lines().Len(); i++ {
		rest.Append(paragraph.Lines().At(i))
	}
	paragraph.SetLines(rest)
	if paragraph.ChildCount() == 0 {
		quote.RemoveChild(quote, paragraph)
	}
	if quote.ChildCount() == 0 {
		d.wrongAt(first.Start, "note is empty", "write its text in the next line, behind >")
	}
	n := &admonition{kind: kind}
	for child := quote.FirstChild(); child != nil; {
		next := child.NextSibling()
		n.AppendChild(n, child)
		child = next
	}
	quote.Parent().ReplaceChild(quote.Parent(), quote, n)
}

func (d *Document) renderAdmonition(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*admonition)
	if entering {
		fmt.Fprintf(w, "<div class=\"note note-%s\" role=\"note\">\n<p class=\"note-kind\">%s</p>\n", n.kind, d.words().Admonitions[n.kind])
	} else {
		fmt.Fprint(w, "</div>\n")
	}
	return ast.WalkContinue, nil
}
