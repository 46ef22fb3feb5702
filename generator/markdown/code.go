package markdown

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/highlight"
)

// code colours fenced blocks. A language that nobody can colour is a problem,
// since it is most often misspelt.
func code(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(500, func(root *ast.Document) {
			each(root, func(block *ast.FencedCodeBlock) {
				language := string(block.Language(d.Chapter.Source))
				if language != "demo" && language != "exercise" && !highlight.Known(language) {
					d.wrong(block, fmt.Sprintf("unknown language %q of a code block", language),
						"use go, yaml, json, console, text …; names are those of the highlighter chroma")
				}
			})
		}))
		m.Renderer().AddOptions(
			render(ast.KindFencedCodeBlock, renderCode),
			render(ast.KindCodeBlock, renderCode),
		)
	})
}

func renderCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language := ""
	if fenced, ok := node.(*ast.FencedCodeBlock); ok {
		language = string(fenced.Language(source))
	}
	var text bytes.Buffer
	for i := range node.Lines().Len() {
		line := node.Lines().At(i)
		text.Write(line.Value(source))
	}
	_, _ = w.WriteString(`<pre class="code" tabindex="0"`)
	if language != "" {
		fmt.Fprintf(w, ` data-language="%s"`, html.EscapeString(language))
	}
	fmt.Fprintf(w, "><code>%s\n</code></pre>\n", strings.Join(highlight.Lines(language, text.String()), "\n"))
	return ast.WalkSkipChildren, nil
}
