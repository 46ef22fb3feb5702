package markdown

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"

	"kubewalk/generator/problem"
)

// foreign finds what other programs that make sites of Markdown understand, and
// which would be printed here as it stands: shortcodes of Hugo, notes and tabs of
// MkDocs, directives of mdBook, and the like. Each is a problem that says what to
// write here. Code is not looked at, and a backslash takes a sign's meaning away.
func foreign(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(610, func(root *ast.Document) {
			prose := d.prose(root)
			d.shortcodes(prose)
			for _, f := range foreignForms {
				if !bytes.Contains(prose, []byte(f.sign)) {
					continue
				}
				for _, m := range f.form.FindAllSubmatchIndex(prose, -1) {
					d.wrongAt(m[2], fmt.Sprintf("%s is %s", printable(d.Chapter.Source[m[2]:m[3]]), f.what), f.cure)
				}
			}
			each(root, d.lowered)
			each(root, d.foreignKey)
		}))
	})
}

// foreignForm is something that only other programs understand. The first group of
// its form is what is shown; the sign is a part of all that match.
type foreignForm struct {
	sign string
	form *regexp.Regexp
	what string
	cure string
}

const noContents = "remove it: each page shows its contents by itself, from two headings on"

var foreignForms = []foreignForm{
	{"!!!", regexp.MustCompile(`(?m)^\x00*(!!!\+?[ \t]+\w[^\n\x00]*)`), "a note of MkDocs",
		"write it as a quote: > [!NOTE] Title, and its text in the next lines, after >; or as a container: :::note[Title]"},
	{"???", regexp.MustCompile(`(?m)^\x00*(\?\?\?\+?[ \t]+\w[^\n\x00]*)`), "a note of MkDocs that readers open",
		"write > [!NOTE]- Title, and its text in the next lines, after >; or a container: :::details[Title]"},
	{"===", regexp.MustCompile(`(?m)^\x00*(===[!+]?[ \t]+"[^"\n\x00]*")`), "a tab of MkDocs", "write :::tabs, a heading for each tab, and ::: at the end"},
	{"--8<--", regexp.MustCompile(`(--8<--)`), "a snippet of MkDocs", "show a file as code, with include=FILE after the block's language"},
	{"///", regexp.MustCompile(`(?m)^\x00*(///[ \t]*\w[^\n\x00]*)`), "a block of MkDocs", "write a container: :::note[Title], its text, and ::: at the end"},
	{"{:", regexp.MustCompile(`(\{:[ \t]*[.#\w][^}\n\x00]*\})`), "an attribute of MkDocs or Jekyll",
		"remove it; only headings and containers have one, {#anchor}"},
	{"==", regexp.MustCompile(`(?:^|[^=\x00])(==[^\s=\x00](?:[^=\n\x00]*[^\s=\x00])?==)(?:[^=]|$)`), "marked text of other programs",
		"write **bold**; for the signs themselves write `code`"},
	{"^", regexp.MustCompile(`(\^[^\s^\[\]\x00]{1,30}\^)`), "superscript of other programs",
		`write the sign (m²), or a formula: $2^n$; for the sign itself write \^`},
	{"{::", regexp.MustCompile(`(\{::/?\w*[^}\n\x00]*\})`), "a directive of Jekyll",
		"remove it: a chapter has no options; signs of Markdown are text in `code`"},
	{"*[", regexp.MustCompile(`(?m)^\x00*(\*\[[^\]\n\x00]+\]:[^\n\x00]*)`), "an abbreviation of MkDocs",
		"define the term in content/glossary.yaml, and write [text](term:ID)"},
	{"++", regexp.MustCompile(`(?:^|[\s(\x00])(\+\+[^\s+\x00]+(?:\+[^\s+\x00]+)*\+\+)(?:[\s).,;:!?]|$)`), "a key, or inserted text, of other programs",
		"write [[Ctrl+C]] for keys; inserted text has no form of its own"},
	{":", regexp.MustCompile(`(?:^|[\s(\x00])(:[a-z][a-z_-]+[a-z0-9_+-]*:)(?:[\s).,;!?]|$)`), "an emoji's name, as other programs have it",
		"write the sign itself"},
	{"{{", regexp.MustCompile(`(\{\{[ \t]*#[^}\n\x00]*\}\})`), "a directive of mdBook",
		"show a file as code, with include=FILE#SYMBOL or include=FILE:3-12 after the block's language; a chapter cannot hold another file's text"},
	{"{{", regexp.MustCompile(`(\{\{[^{}#<%\n\x00][^{}\n\x00]*\}\})`), "a variable of other programs", "write its value; for the braces themselves write `code`"},
	{"{%", regexp.MustCompile(`(?:^|[^{])(\{%[^%\n\x00]*%\})`), "a tag of Jekyll or MkDocs",
		"a chapter has no variables, conditions and macros: write what it would print"},
	{"[", regexp.MustCompile(`(?mi)^\x00*(\[\[?_?toc_?\]\]?)[ \t]*$`), "a table of contents of other programs", noContents},
	{"$", regexp.MustCompile(`(?mi)^\x00*(\$\{toc\})[ \t]*$`), "a table of contents of other programs", noContents},
	{"<<<", regexp.MustCompile(`(?m)^\x00*(<<<[ \t]*[@./\w][^\n\x00]*)`), "a snippet of VitePress",
		"show a file as code, with include=FILE after the block's language"},
	{"import", regexp.MustCompile(`(?m)^\x00*(import[ \t][^\n\x00]*['"][^\n\x00]*['"];?)[ \t]*$`), "a line of MDX",
		"remove it: a chapter holds no components; what there is instead is in kubewalk help authoring"},
	{"](demo:", regexp.MustCompile(`(\[[^\[\]\n\x00]+\]\(demo:[^()<>"\n\x00]*[ \t][^()<>"\n\x00]*\))`), "no link, for there are spaces in the address",
		"put the address in angle brackets: [text](<demo:NAME@MOMENT …>)"},
	{"{", regexp.MustCompile(`[\x00\]](\{(?:[.#][A-Za-z][\w-]*|[a-z-]+=[^}\s\x00]+)(?:[ \t][^}\n\x00]*)?\})`), "an attribute of other programs",
		"remove it; only headings and containers have one, {#anchor}"},
	{"::", regexp.MustCompile(`(?m)^\x00*(::[a-z][\w-]*(?:\[[^\]\n\x00]*\])?\{[^}\n\x00]*\})`), "a directive of other programs",
		"containers have three colons and an end: :::note[Title], its text, and :::; a file is shown as code, with include=FILE"},
	{":", regexp.MustCompile(`(?:^|[\s(])(:[a-z][\w-]*\[[^\]\n\x00]+\](?:\{[^}\n\x00]*\})?)`), "a directive of other programs",
		"write the text itself, or a note: > [!NOTE] Title"},
	{"![[", regexp.MustCompile(`(!\[\[[^\]\n\x00]+\]\])`), "an embedded file of other programs",
		"write ![what it shows](picture.svg); a chapter cannot hold another file's text"},
	{"^[", regexp.MustCompile(`(\^\[[^\]\n\x00]+\])`), "a note of Pandoc", "write [^1], and in a line of its own [^1]: the note"},
	{"{", regexp.MustCompile(`(\{(?:\+\+|--|>>|==|~~)[^}\n]+\})`), "a mark of CriticMarkup", "write the text as it is to be: git has the history"},
	{"][", regexp.MustCompile(`(\[[^\[\]\n\x00][^\[\]\n]*\]\[[^\[\]\n\x00]*\])`), "a link whose address is not there",
		`write [text](chapter.md), or add a line [name]: chapter.md; for brackets in the text write \[`},
}

// shortcode is one of Hugo's, from its braces to its name.
var shortcode = regexp.MustCompile(`\{\{[<%]-?\s*(/?)\s*([A-Za-z][\w./-]*)?`)

// shortcodeCures say what to write for those that Hugo, Docsy and the site of
// Kubernetes have.
var shortcodeCures = []struct {
	names []string
	cure  string
}{
	{[]string{"alert", "pageinfo", "note", "caution", "warning", "tip", "hint", "callout", "admonition", "notice"},
		"write a note: > [!NOTE] Title, or :::note[Title]"},
	{[]string{"tabs", "tab", "tabpane", "tabitem"}, "write :::tabs, a heading for each tab, and ::: at the end"},
	{[]string{"steps", "step"}, "write :::steps with a numbered list in it"},
	{[]string{"details", "expand", "collapse"}, "write :::details[Title], its text, and ::: at the end"},
	{[]string{"cardpane", "cards", "card", "button"}, "write :::cards with a list of links in it"},
	{[]string{"figure", "img", "image", "imgproc", "picture"}, `write ![What it shows](picture.svg "Caption")`},
	{[]string{"ref", "relref"}, "write the chapter's file as the link's address: [text](../part/chapter.md#anchor)"},
	{[]string{"param", "skew", "version", "latest-version"}, "write its value: a chapter has no variables"},
	{[]string{"highlight", "code", "code_sample", "codenew", "codefile"},
		"write a block of code between ``` fences; include=FILE after its language shows a file"},
	{[]string{"include", "readfile"}, "write a block of code with include=FILE after its language; a chapter cannot hold another file's text"},
	{[]string{"glossary_tooltip", "glossary_definition"}, "write [text](term:ID), a term of content/glossary.yaml"},
	{[]string{"mermaid", "plantuml", "drawio"}, diagramCure},
	{[]string{"math", "katex", "latex"}, "write a formula between dollar signs: $2^n$"},
	{[]string{"toc"}, noContents},
	{[]string{"youtube", "vimeo", "tweet", "x", "gist", "instagram", "iframe", "video"}, "write a link: [text](https://…); pages load nothing from elsewhere"},
	{[]string{"feature-state", "api-reference"}, "write it as text, or as a link"},
}

const diagramCure = "write a block ```diagram: title: …, and lines such as api -> cache: list; see kubewalk help authoring, Diagrams"

const noShortcodes = "a chapter has no shortcodes: write Markdown; what there is besides is in kubewalk help authoring"

// shortcodes reports each that opens, and those that end none.
func (d *Document) shortcodes(prose []byte) {
	if !bytes.Contains(prose, []byte("{{<")) && !bytes.Contains(prose, []byte("{{%")) {
		return
	}
	var opened []string
	for _, m := range shortcode.FindAllSubmatchIndex(prose, -1) {
		name, cure := "", noShortcodes
		if m[4] >= 0 {
			name = string(prose[m[4]:m[5]])
		}
		if m[2] < m[3] && slices.Contains(opened, name) {
			continue // the second half of the same mistake
		}
		opened = append(opened, name)
		for _, c := range shortcodeCures {
			if slices.Contains(c.names, strings.ToLower(name)) {
				cure = c.cure
			}
		}
		if cure == noShortcodes && name != "" {
			cure = fmt.Sprintf("%s; one of your own is a block, :::%s", noShortcodes, strings.ToLower(name))
		}
		d.wrongAt(m[0], fmt.Sprintf("shortcode %q of Hugo", name), cure)
	}
}

// prose is the source in which all that is not a paragraph's own text is NUL, but
// for the ends of lines: places in it are places in the file.
func (d *Document) prose(root ast.Node) []byte {
	source := d.Chapter.Source
	out := make([]byte, len(source))
	for i, b := range source {
		if b == '\n' {
			out[i] = b
		}
	}
	keep := func(from, to int) {
		copy(out[from:to], source[from:to])
		for i := from; i+1 < to; i++ {
			if source[i] == '\\' {
				out[i], out[i+1] = 0, 0
				i++
			}
		}
	}
	each(root, func(t *ast.Text) {
		if !t.IsRaw() && t.Parent() != nil && t.Parent().Kind() != ast.KindCodeSpan {
			keep(t.Segment.Start, t.Segment.Stop)
		}
	})
	each(root, func(n *ast.RawHTML) { // {{<name>}}
		if n.Segments.Len() > 0 && inBraces(source, n.Segments.At(0).Start) {
			keep(n.Segments.At(0).Start, n.Segments.At(0).Stop)
		}
	})
	return out
}

// inBraces tells whether what begins there is a shortcode's, and not HTML.
func inBraces(source []byte, at int) bool {
	return at >= 2 && source[at-1] == '{' && source[at-2] == '{'
}

// lowered finds H~2~O: a subscript elsewhere, crossed out here.
func (d *Document) lowered(n *extensionast.Strikethrough) {
	text, ok := n.FirstChild().(*ast.Text)
	if !ok || n.ChildCount() > 1 {
		return
	}
	source, from, to := d.Chapter.Source, text.Segment.Start-1, text.Segment.Stop
	if from < 1 || source[from] != '~' || !word(source[from-1]) || bytes.ContainsAny(source[from+1:to], " \t") {
		return
	}
	d.wrongAt(from, fmt.Sprintf("~%s~ is subscript of other programs, and crossed out here", source[from+1:to]),
		"write the sign (H₂O), or a formula: $x_2$; to cross it out write ~~ on both sides")
}

// word tells whether a sign would be within a word behind it.
func word(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == ')' || b >= 0x80
}

// wikiPage is what no key is called. Home/End are two.
var wikiPage = regexp.MustCompile(`^\p{Ll}[^/]*/\pL|\pL#\pL|\pL\.md$`)

// foreignKey finds [[toc]], which would be a key, and a wiki's links.
func (d *Document) foreignKey(n *keyNode) {
	text, ok := n.FirstChild().(*ast.Text)
	if !ok || n.kind != kindKey {
		return
	}
	inside := string(text.Segment.Value(d.Chapter.Source))
	page, shown, named := strings.Cut(inside, "|")
	at := text.Segment.Start - 2
	switch {
	case strings.Trim(strings.ToLower(inside), "_") == "toc":
		d.wrongAt(at, "[[toc]] is a table of contents of other programs", noContents)
	case named && page != "" && shown != "", wikiPage.MatchString(page):
		if !named {
			shown = "text"
		}
		if page, _, _ = strings.Cut(page, "#"); page == "" {
			page = "page"
		}
		d.wrongAt(at, fmt.Sprintf("[[%s]] is a link of a wiki, and a key here", printable([]byte(inside))),
			fmt.Sprintf("write [%s](%s.md), with the file's path from this one", shown, strings.TrimSuffix(page, ".md")))
	}
}

// printable is a piece of a chapter for a message.
func printable(text []byte) string {
	runes := []rune(strings.TrimSpace(string(text)))
	if len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return string(runes)
}

// foreignContainers are what other programs call what there is here.
var foreignContainers = map[string]string{
	"danger": "caution", "error": "caution", "bug": "caution", "failure": "caution",
	"info": "note", "abstract": "note", "summary": "note", "quote": "note", "example": "note", "callout": "note", "admonition": "note",
	"callout-note": "note", "callout-tip": "tip", "callout-warning": "warning", "callout-caution": "caution", "callout-important": "important",
	"success": "tip", "hint": "tip", "question": "tip", "todo": "note", "attention": "warning", "caution-box": "caution",
	"code-group": "tabs", "tab-set": "tabs", "tabpane": "tabs", "collapse": "details", "expand": "details", "dropdown": "details",
	"card-grid": "cards", "grid": "cards", "cardpane": "cards", "card": "cards", "image": "figure", "step": "steps",
}

// containerCure says which container is meant by a name that is none.
func containerCure(name string, known []string) string {
	if own, ok := foreignContainers[name]; ok {
		return fmt.Sprintf("write :::%s; the names are %s", own, strings.Join(slices.Sorted(slices.Values(known)), ", "))
	}
	return problem.DidYouMean(name, known)
}

// foreignAttributes are what other programs call a block's attributes.
var foreignAttributes = map[string]string{
	"hl_lines": "write mark={2,4-6}", "hl_Lines": "write mark={2,4-6}", "highlight": "write mark={2,4-6}", "linenos": "write lines", "linenums": "write lines",
	"linenostart": "write lines=12", "showLineNumbers": "write lines", "line-numbers": "write lines", ":line-numbers": "write lines",
	"filename": `write title="…"`, "file": `write title="…", or include=FILE to show a file`, "caption": `write title="…"`, "ins_lines": "write ins={2}",
	"collapse": "write fold={3-20}", "diff": "write ins={3} and del={2}", "wrap": "remove it",
}

// foreignLanguages are drawings elsewhere.
var foreignLanguages = []string{"mermaid", "plantuml", "puml", "dot", "graphviz", "ditaa", "flowchart", "sequence"}

// attributeCure says what to write for an attribute that a container does not have.
func attributeCure(container string, a attribute, known []string) string {
	if a.name == "title" && a.value != "" {
		return fmt.Sprintf("write :::%s[%s]", container, a.value)
	}
	return problem.DidYouMean(a.name, known)
}
