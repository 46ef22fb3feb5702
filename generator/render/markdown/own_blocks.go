package markdown

import (
	"bytes"
	"fmt"
	"html/template"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/book/content"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/block"
)

// ownBlocks are containers that the book has in content/blocks. Which there are is known when all chapters were read.
func ownBlocks(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Renderer().AddOptions(render(kindOwnBlock, d.renderOwnBlock))
	})
}

type ownBlock struct {
	ast.BaseBlock
	label *label // which is no child
	made  *block.Block
	use   block.Use
}

var kindOwnBlock = ast.NewNodeKind("OwnBlock")

func (*ownBlock) Kind() ast.NodeKind { return kindOwnBlock }

func (n *ownBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// IsContainer tells whether :::name is one that every book has.
func IsContainer(name string) bool { _, ok := forms[name]; return ok }

// ownBlock puts a block of the book's own in the place of a container of another name than those that all books have.
func (d *Document) ownBlock(c *container) {
	n := &ownBlock{label: c.label, use: block.Use{Anchor: c.anchor, Values: map[string]any{}}}
	n.SetPos(c.Pos())
	d.own++
	n.use.Number = d.own
	move(c, n)
	replace(c, n)
	empty := n.FirstChild() == nil || n.label != nil && n.ChildCount() == 1
	if n.label != nil { // it stays a child, so that a search finds it
		n.label.SetPos(c.label.Pos())
	}
	d.later(func() {
		made := d.library.Block(c.name)
		if made == nil {
			names := slices.Concat(slices.Collect(maps.Keys(forms)), d.library.Blocks())
			if !slices.Contains(d.library.Blocks(), c.name) { // else its own problems are told
				d.wrong(c, fmt.Sprintf("unknown container %q", c.name), containerCure(c.name, names))
			}
			return
		}
		n.made = made
		switch {
		case !c.closed:
			d.wrong(c, fmt.Sprintf("container %q is not closed", c.name), "end it with a line "+strings.Repeat(":", c.fence)+", indented as this one")
		case made.Body == "required" && empty:
			d.wrong(c, fmt.Sprintf("block %q is empty", c.name), "write its text between the fences")
		case made.Body == "none" && !empty:
			d.wrong(c, fmt.Sprintf("block %q has a text between its fences", c.name), "it shows none; remove it")
		case made.Label == "required" && c.label == nil:
			d.wrong(c, fmt.Sprintf("block %q has no text in brackets", c.name), fmt.Sprintf("write it after the name: :::%s[Text]", c.name))
		case made.Label == "none" && c.label != nil:
			d.wrong(c.label, fmt.Sprintf("block %q has a text in brackets", c.name), "it shows none; remove it")
		}
		d.blockValues(c, made, n.use.Values)
	})
}

// blockValues reads what stands in a block's braces.
func (d *Document) blockValues(c *container, made *block.Block, values map[string]any) {
	given := map[string]bool{}
	known := slices.Sorted(maps.Keys(made.Parameters))
	for _, a := range c.attributes {
		if a.name == "#" {
			if !made.Uses("Anchor") {
				d.wrongAt(a.offset, fmt.Sprintf("block %q has no place for an anchor", c.name), fmt.Sprintf(`write id="{{.Anchor}}" in blocks/%s.html, or remove it`, c.name))
			}
			continue
		}
		p, ok := made.Parameters[a.name]
		if !ok {
			d.wrongAt(a.offset, fmt.Sprintf("unknown parameter %q of block %q", a.name, c.name), attributeCure(c.name, a, append([]string{"#anchor"}, known...)))
			if meant := problem.Nearest(a.name, known); meant != "" {
				given[meant] = true // that it is missing is the same mistake
			}
			continue
		}
		given[a.name] = true
		wrong := func(message, cure string) { d.wrongAt(a.offset, message+fmt.Sprintf(" in block %q", c.name), cure) }
		switch {
		case p.Type == content.ParameterBoolean:
			if a.value != "" {
				wrong(fmt.Sprintf("%s=%s", a.name, a.value), fmt.Sprintf("write %s, or leave it out: it is there or not", a.name))
			}
			values[a.name] = true
		case a.value == "":
			wrong(fmt.Sprintf("parameter %q without a value", a.name), fmt.Sprintf(`write %s="…": %s`, a.name, p.Description))
		case p.Type == content.ParameterLink:
			address, err := d.blockLink(a.value)
			if err != nil {
				for _, q := range problem.Of(err) {
					d.wrongAt(a.offset, q.Message, q.Cure)
				}
			}
			values[a.name] = template.URL(address)
		case p.Type == content.ParameterImage:
			picture, ok := d.library.Image(path.Join(path.Dir(d.File()), a.value))
			if !ok {
				cure := "put the file next to the chapter and name it relative to the chapter"
				if near := d.nearestImage(path.Join(path.Dir(d.File()), a.value)); near != "" {
					cure = fmt.Sprintf("did you mean %q?", near)
				}
				d.wrongAt(a.offset, fmt.Sprintf("unknown image %q", a.value), cure)
			}
			values[a.name] = block.Image{URL: picture.Light.URL, Dark: picture.Dark.URL, Width: picture.Light.Width, Height: picture.Light.Height}
		default:
			value, message, cure := p.Value(a.name, a.value)
			if message != "" {
				wrong(message, cure)
			}
			values[a.name] = value
		}
	}
	for _, name := range known {
		if p := made.Parameters[name]; p.Required && !given[name] {
			d.wrong(c, fmt.Sprintf("parameter %q of block %q is missing", name, c.name), fmt.Sprintf(`add {%s=…}: %s`, name, p.Description))
		}
	}
}

// blockLink is where a parameter leads, as a link in the text would.
func (d *Document) blockLink(destination string) (string, error) {
	if scheme, _, ok := strings.Cut(destination, ":"); ok && !strings.ContainsAny(scheme, "/#?.") {
		if scheme != "https" && scheme != "http" && scheme != "mailto" {
			return "", problem.Problem{Message: fmt.Sprintf("link %q leads to something that readers cannot open", destination),
				Cure: "write https://…, a chapter's file or #anchor"}
		}
		return destination, nil
	}
	address, _, err := d.reach(destination)
	return address, err
}

func (d *Document) renderOwnBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ownBlock)
	if !entering || n.made == nil {
		return ast.WalkContinue, nil
	}
	inside := func(child ast.Node) (template.HTML, error) {
		var out bytes.Buffer
		err := d.renderer.Render(&out, source, child)
		return template.HTML(out.String()), err
	}
	n.use.Language, n.use.Title, n.use.Chapter = d.Chapter.Language, d.Chapter.Title, d.library.Page(d.Chapter.Path())
	use := n.use
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		if l, ok := child.(*label); ok && l == n.label {
			for c := l.FirstChild(); c != nil; c = c.NextSibling() {
				html, err := inside(c)
				if err != nil {
					return ast.WalkStop, err
				}
				use.Label += html
			}
			continue
		}
		html, err := inside(child)
		if err != nil {
			return ast.WalkStop, err
		}
		use.Body += html
	}
	html, err := n.made.Draw(use)
	if err != nil {
		return ast.WalkStop, err
	}
	_, _ = w.WriteString(string(html) + "\n")
	return ast.WalkSkipChildren, nil
}
