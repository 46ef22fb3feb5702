package markdown

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// tabs are headings of one level with what follows each, of which readers with
// script see one at a time (site/scripts/tabs.ts); others all, one after another:
//
//	:::tabs{sync=os}
//	### macOS
//	…
//	### Linux
//	…
//	:::
//
// Groups with the same sync change together, in all pages, and the choice is
// remembered. A tab's heading is no entry of the table of contents. Its anchor
// may be given, {#macos}, and else is "tab-" and the slug of its text.
func (d *Document) tabs(n *container) ast.Node {
	group := newElement(n, "div", attr("class", "tabs"))
	if sync := n.value("sync"); sync != "" {
		if slug(sync) != sync {
			d.wrong(n, fmt.Sprintf("sync %q of tabs", sync), "use lower-case letters, digits and hyphens")
		}
		group.add("data-sync", sync)
	} else if n.has("sync") {
		d.wrong(n, "sync of tabs has no name", "groups with the same change together: {sync=os}")
	}
	if n.anchor != "" {
		group.add("id", n.anchor)
	}
	seen := map[string]bool{}
	for _, part := range d.byHeading(n, "tab") {
		title := strings.TrimSpace(plain(part.heading, d.Chapter.Source))
		key := slug(title)
		if title == "" {
			d.wrong(part.heading, "tab without a title", "write it into its heading")
		} else if seen[key] {
			d.wrong(part.heading, fmt.Sprintf("tab %q is in its group twice", title), "give each a title of its own")
		}
		seen[key] = true
		panel := newElement(part.heading, "div", attr("class", "tab"), attr("id", d.tabAnchor(part.heading, key)), attr("data-tab", key))
		panel.folds = true
		panel.AppendChild(panel, newLine(part.heading, "p", attr("class", "tab-title")))
		for _, block := range part.blocks {
			panel.AppendChild(panel, block)
		}
		group.AppendChild(group, panel)
	}
	if len(seen) == 1 {
		d.wrong(n, "tabs have only one tab", "write a heading for each tab")
	}
	d.Tabs = true
	return group
}

func (d *Document) tabAnchor(h *ast.Heading, key string) string {
	id, given := h.AttributeString("id")
	anchor, isText := id.([]byte)
	if !given || !isText {
		return d.unique("tab-" + key)
	}
	if slug(string(anchor)) != string(anchor) || len(anchor) == 0 {
		d.wrong(h, fmt.Sprintf("anchor %q of a tab", anchor), "use lower-case letters, digits and hyphens")
	}
	if d.anchors[string(anchor)] {
		d.wrong(h, fmt.Sprintf("anchor %q is used twice", anchor), "choose another")
	}
	d.anchors[string(anchor)] = true
	return string(anchor)
}

// part is a heading and the blocks up to the next.
type part struct {
	heading *ast.Heading
	blocks  []ast.Node
}

// byHeading divides what a container holds at the headings of its first one's
// level. What stands before that is a problem.
func (d *Document) byHeading(n *container, what string) (out []part) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if h, ok := child.(*ast.Heading); ok && (len(out) == 0 || h.Level <= out[0].heading.Level) {
			if len(out) > 0 && h.Level < out[0].heading.Level {
				d.wrong(h, fmt.Sprintf("heading in %q is above the one of the first %s", n.name, what), "give all of them the same number of #")
			}
			out = append(out, part{heading: h})
			continue
		}
		if len(out) == 0 {
			if child.Kind() != kindLabel {
				d.wrong(child, fmt.Sprintf("text in %q before the first %s", n.name, what), "begin each "+what+" with a heading")
			}
			continue
		}
		out[len(out)-1].blocks = append(out[len(out)-1].blocks, child)
	}
	return out
}
