package fragment

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"text/template/parse"

	"golang.org/x/net/html"

	"kubewalk/generator/problem"
)

// checker holds a template against its data, and its markup against what pages may hold.
type checker struct {
	Source
	used     map[string]bool // fields of the data itself
	trees    map[string]*parse.Tree
	called   map[called]bool // templates that were walked
	within   map[string]bool // those that are being walked
	problems problem.List
}

// called is a template with what it is called with.
type called struct {
	name string
	dot  *Type
}

func (c *checker) wrong(offset int, message, cure string) {
	p := problem.Problem{File: c.File, Message: message, Cure: cure}
	p.Line, p.Column = problem.Place(c.Text, offset)
	c.problems.Add(p)
}

// scope is what names mean at a place of the template.
type scope struct {
	dot, root *Type
	variables map[string]*Type
}

func (s scope) with(dot *Type) scope {
	return scope{dot, s.root, maps.Clone(s.variables)}
}

func (c *checker) walk(n parse.Node, s scope) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, each := range n.Nodes {
			c.walk(each, s)
		}
	case *parse.ActionNode:
		c.pipe(n.Pipe, s)
	case *parse.IfNode:
		inner := s.with(s.dot)
		c.pipe(n.Pipe, inner)
		c.walk(n.List, inner)
		c.walk(n.ElseList, s)
	case *parse.WithNode:
		inner := s.with(s.dot)
		inner.dot = c.pipe(n.Pipe, inner)
		c.walk(n.List, inner)
		c.walk(n.ElseList, s)
	case *parse.RangeNode:
		inner := s.with(s.dot)
		over := c.pipe(&parse.PipeNode{NodeType: n.Pipe.NodeType, Pos: n.Pipe.Pos, Cmds: n.Pipe.Cmds}, inner)
		var item *Type
		if over != nil {
			if !over.List {
				c.wrong(int(n.Pipe.Position()), fmt.Sprintf("range over %s, which is no list", n.Pipe), "write if or with")
				return
			}
			item = over.Item
		}
		inner.dot = item
		if decl := n.Pipe.Decl; len(decl) > 0 {
			inner.variables[decl[len(decl)-1].Ident[0]] = item
			if len(decl) > 1 {
				inner.variables[decl[0].Ident[0]] = nil
			}
		}
		c.walk(n.List, inner)
		c.walk(n.ElseList, s)
	case *parse.TemplateNode:
		dot := none
		if n.Pipe != nil {
			dot = c.pipe(n.Pipe, s)
		}
		tree := c.trees[n.Name]
		if tree == nil {
			known := []string{}
			for name := range c.trees {
				if name != c.File {
					known = append(known, name)
				}
			}
			cure := `write it in this file: {{define "` + n.Name + `"}}…{{end}}`
			if near := problem.Nearest(n.Name, known); near != "" {
				cure = fmt.Sprintf("did you mean %q?", near)
			}
			c.wrong(int(n.Position()), fmt.Sprintf("unknown template %q", n.Name), cure)
			return
		}
		if c.within[n.Name] {
			c.wrong(int(n.Position()), fmt.Sprintf("template %q calls itself", n.Name), "remove the call")
			return
		}
		if what := (called{n.Name, dot}); !c.called[what] {
			c.called[what], c.within[n.Name] = true, true
			c.walk(tree.Root, scope{dot, s.root, map[string]*Type{"$": dot}})
			delete(c.within, n.Name)
		}
	}
}

// pipe is the type of a pipeline's value; nil for any.
func (c *checker) pipe(p *parse.PipeNode, s scope) (out *Type) {
	if p == nil {
		return nil
	}
	for i, command := range p.Cmds {
		out = c.command(command, s, i > 0)
	}
	for _, v := range p.Decl {
		s.variables[v.Ident[0]] = out
	}
	return out
}

func (c *checker) command(n *parse.CommandNode, s scope, piped bool) *Type {
	var types []*Type
	for _, arg := range n.Args {
		types = append(types, c.operand(arg, s))
	}
	name, isFunction := n.Args[0].(*parse.IdentifierNode)
	if !isFunction {
		return types[0]
	}
	switch name.Ident {
	case "link":
		to, ok := n.Args[len(n.Args)-1].(*parse.StringNode)
		if !ok || len(n.Args) != 2 || piped {
			c.wrong(int(name.Position()), "link without a text in quotes", `write {{link "part/chapter.md"}}: what it leads to is checked before pages are drawn`)
			return &Type{}
		}
		for _, language := range c.Languages {
			if _, err := c.Link(language, to.Text); err != nil {
				for _, p := range problem.Of(err) {
					c.wrong(int(to.Position()), p.Message, p.Cure)
				}
				break
			}
		}
		return &Type{}
	case "index":
		if len(types) == 3 && types[1] != nil && types[1].List {
			return types[1].Item
		}
		return nil
	case "and", "or", "slice":
		return nil
	}
	return &Type{}
}

func (c *checker) operand(n parse.Node, s scope) *Type {
	switch n := n.(type) {
	case *parse.DotNode:
		return s.dot
	case *parse.FieldNode:
		at := int(n.Position())
		if len(n.Ident) > 1 { // the place is that of the second name
			at -= len(n.Ident[0]) + 1
		}
		return c.fields(at, s.dot, n.Ident, s)
	case *parse.VariableNode:
		of, known := s.variables[n.Ident[0]]
		if !known {
			return nil
		}
		return c.fields(int(n.Position()), of, n.Ident[1:], s)
	case *parse.ChainNode:
		return c.fields(int(n.Position()), c.operand(n.Node, s), n.Field, s)
	case *parse.PipeNode:
		return c.pipe(n, s)
	}
	return &Type{}
}

// fields follows a chain of them.
func (c *checker) fields(offset int, of *Type, chain []string, s scope) *Type {
	for _, name := range chain {
		if of == nil {
			return nil
		}
		if of == s.root {
			c.used[name] = true
		}
		inner, ok := of.Fields[name]
		if !ok {
			known := of.names()
			cure := problem.DidYouMean(name, known)
			if len(known) == 0 {
				cure = "it is a value without fields"
			}
			if of == s.root && elsewhereFields[name] != "" {
				cure = elsewhereFields[name]
			}
			whose := ""
			if of == s.root {
				whose = " of " + c.Of
			}
			c.wrong(offset, fmt.Sprintf("unknown field %q%s", name, whose), cure)
			return nil
		}
		of = inner
		offset += len(name) + 1
	}
	return of
}

// elsewhereFields are those of other programs' templates.
var elsewhereFields = map[string]string{
	"Get": "parameters are fields: write {{.name}}", "Params": "parameters of a block are fields, {{.name}}; pages have none of their own",
	"Inner": "write {{.Body}}", "Content": "the text of a chapter is not in this place; a block's is {{.Body}}",
	"Site": "what is known of the book are fields: {{.Book}} is its title, {{.Home}} its home page", "Page": "what is known of the page are fields: {{.Title}}",
	"Permalink": "write {{.Address}}, or {{.Chapter}} in a block", "RelPermalink": "write {{.Address}}, or {{.Chapter}} in a block",
	"Lang": "write {{.Language}}", "Summary": "write {{.Description}}", "ReadingTime": "write {{.Minutes}}", "Lastmod": "write {{.Changed}}",
	"Menus": "write {{.Links}}, or links", "Translations": "write {{.Languages}}",
}

// none is what a template is called with that is given nothing.
var none = &Type{}

// void are the elements without an end.
var void = map[string]bool{"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true, "link": true,
	"meta": true, "source": true, "track": true, "wbr": true}

// loads are the attributes by which an element loads something, and what the policy calls that.
var loads = map[string]map[string]string{
	"img": {"src": "img", "srcset": "img"}, "source": {"src": "img", "srcset": "img"}, "video": {"src": "img", "poster": "img"}, "audio": {"src": "img"},
	"iframe": {"src": "frame"}, "embed": {"src": "frame"}, "object": {"data": "frame"}, "link": {"href": "style"}, "input": {"src": "img"}, "image": {"href": "img"},
}

// markup looks at the template's HTML, in which actions stand for texts.
func (c *checker) markup() {
	text, opened := c.blanked()
	if opened >= 0 {
		return // the parser has told
	}
	z := html.NewTokenizer(bytes.NewReader(text))
	type element struct {
		name string
		at   int
	}
	var open []element
	offset := 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := z.Raw()
		at := offset
		offset += len(raw)
		token := z.Token()
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			c.tag(token, string(raw), at)
			if kind == html.StartTagToken && !void[token.Data] {
				open = append(open, element{token.Data, at})
			}
		case html.EndTagToken:
			if len(open) > 0 && open[len(open)-1].name == token.Data {
				open = open[:len(open)-1]
				continue
			}
			if len(open) == 0 {
				c.wrong(at, fmt.Sprintf("</%s> closes nothing", token.Data), "remove it, or open the element in this file: each file holds whole elements")
			} else {
				inner := open[len(open)-1].name
				c.wrong(at, fmt.Sprintf("</%s> where <%s> is open", token.Data, inner), fmt.Sprintf("close the innermost element first: </%s>", inner))
			}
			return
		case html.DoctypeToken:
			c.wrong(at, "a whole page", "write only what stands in this place: the page around it is there")
			return
		}
	}
	for _, e := range open {
		c.wrong(e.at, fmt.Sprintf("<%s> is not closed", e.name), fmt.Sprintf("write </%s>: each file holds whole elements", e.name))
	}
}

// tag tells what the content security policy would refuse of one.
func (c *checker) tag(t html.Token, raw string, at int) {
	within := func(name string) int {
		if i := strings.Index(strings.ToLower(raw), name); i >= 0 {
			return at + i
		}
		return at
	}
	const refused = ", which the content security policy refuses"
	switch t.Data {
	case "script":
		c.wrong(at, "script within the page"+refused, "put it into content/static and name it in site.yaml, scripts: [{src: ../static/x.js}]")
		return
	case "style":
		c.wrong(at, "style sheet within the page"+refused, "write it into "+c.Styles)
		return
	case "html", "head", "body", "base", "meta":
		c.wrong(at, fmt.Sprintf("<%s> within the page", t.Data), "write only what stands in this place: the page around it is there")
		return
	}
	for _, a := range t.Attr {
		value := strings.ToLower(strings.TrimSpace(a.Val))
		switch {
		case a.Key == "style":
			c.wrong(within("style"), "attribute style"+refused, "give the element a class, and write the rule into "+c.Styles)
		case strings.HasPrefix(a.Key, "on"):
			c.wrong(within(a.Key), "attribute "+a.Key+refused, "put a script into content/static that listens to the element, and name it in site.yaml, scripts:")
		case strings.HasPrefix(value, "javascript:"):
			c.wrong(within(a.Key), fmt.Sprintf("%s with a script", a.Key)+refused, "put a script into content/static, and name it in site.yaml, scripts:")
		}
		kind := loads[t.Data][a.Key]
		if kind == "" {
			continue
		}
		for part := range strings.SplitSeq(a.Val, ",") {
			address := strings.TrimSpace(part)
			scheme, rest, hasScheme := strings.Cut(address, "//")
			if !hasScheme || scheme != "" && scheme != "https:" && scheme != "http:" {
				continue
			}
			host, _, _ := strings.Cut(rest, "/")
			if c.Allows == nil || !c.Allows(kind, "https://"+strings.ToLower(host)) {
				cure := `put a copy into content/static and write {{link "../static/x.png"}}`
				if kind == "frame" {
					cure = "name the site in site.yaml, as frames: of a script, or write a link"
				}
				c.wrong(within(a.Key), fmt.Sprintf("<%s> loads %.60q%s", t.Data, address, refused), cure)
			}
		}
	}
}

// blanked is the text with its actions as letters, so that every offset is one of the text; opened is where an action begins
// that does not end, or -1.
func (c *checker) blanked() (out []byte, opened int) {
	out = bytes.Clone(c.Text)
	for at := 0; ; {
		i := bytes.Index(out[at:], []byte("{{"))
		if i < 0 {
			return out, -1
		}
		from := at + i
		end := actionEnd(out[from+2:])
		if end < 0 {
			return out, from
		}
		to := from + 2 + end
		for j := from; j < to; j++ {
			if out[j] != '\n' {
				out[j] = 'x'
			}
		}
		at = to
	}
}

// actionEnd is where an action ends, behind its }}; -1 where it does not.
func actionEnd(text []byte) int {
	if trimmed := bytes.TrimLeft(text, "- \t\n"); bytes.HasPrefix(trimmed, []byte("/*")) {
		skip := len(text) - len(trimmed)
		if i := bytes.Index(trimmed, []byte("*/")); i >= 0 {
			if j := bytes.Index(trimmed[i:], []byte("}}")); j >= 0 {
				return skip + i + j + 2
			}
		}
		return -1
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"', '`':
			quote := text[i]
			for i++; i < len(text) && text[i] != quote; i++ {
				if quote == '"' && text[i] == '\\' {
					i++
				}
			}
		case '}':
			if i+1 < len(text) && text[i+1] == '}' {
				return i + 2
			}
		}
	}
	return -1
}
