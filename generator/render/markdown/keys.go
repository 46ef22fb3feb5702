package markdown

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// keys are what a reader presses: [[Ctrl+C]], [[?]], and [[Ctrl++]] for the plus.
// With \[[ brackets stay as they are, as they do with a bracket or nothing
// between them, and in [[text]](a link).
func keys(*Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(keysParser{}, 95))) // before links and footnotes
		m.Renderer().AddOptions(render(kindKeys, renderKeys), render(kindKey, renderKeys))
	})
}

// keyNode is one key, or several that are pressed together, which are its children.
type keyNode struct {
	ast.BaseInline
	kind ast.NodeKind
}

var (
	kindKeys = ast.NewNodeKind("Keys")
	kindKey  = ast.NewNodeKind("Key")
)

func (n *keyNode) Kind() ast.NodeKind            { return n.kind }
func (n *keyNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

type keysParser struct{}

func (keysParser) Trigger() []byte { return []byte{'['} }

func (keysParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	if !bytes.HasPrefix(line, []byte("[[")) {
		return nil
	}
	end := bytes.Index(line, []byte("]]"))
	if end < 0 || end+2 < len(line) && (line[end+2] == '(' || line[end+2] == '[' || line[end+2] == ']') {
		return nil
	}
	inside := line[2:end]
	if len(bytes.TrimSpace(inside)) != len(inside) || len(inside) == 0 || bytes.ContainsAny(inside, "[]") || inside[0] == '^' {
		return nil
	}
	if _, isLink := pc.Reference(util.ToLinkReference(inside)); isLink { // CommonMark's [[foo]]: a link in brackets
		return nil
	}
	block.Advance(end + 2)
	key := func(from, to int) ast.Node {
		n := &keyNode{kind: kindKey}
		t := ast.NewTextSegment(text.NewSegment(segment.Start+2+from, segment.Start+2+to))
		t.SetRaw(true)
		n.AppendChild(n, t)
		return n
	}
	all := &keyNode{kind: kindKeys}
	start := 0
	for i := 1; i < len(inside)-1; i++ { // a plus at either end is a key
		if inside[i] == '+' && i > start {
			all.AppendChild(all, key(start, i))
			all.AppendChild(all, ast.NewString([]byte("+")))
			start = i + 1
		}
	}
	if start == 0 {
		return key(0, len(inside))
	}
	all.AppendChild(all, key(start, len(inside)))
	return all
}

func renderKeys(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	switch {
	case !entering:
		_, _ = w.WriteString("</kbd>")
	case node.Kind() == kindKeys:
		_, _ = w.WriteString(`<kbd class="keys">`)
	default:
		_, _ = w.WriteString("<kbd>")
	}
	return ast.WalkContinue, nil
}
