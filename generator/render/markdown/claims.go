package markdown

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/book/claim"
	"kubewalk/generator/problem"
)

// Claim is what a sentence says of a demo, and where it stands in the file:
//
//	[3](<demo:replicaset-scale@running rs/web .status.readyReplicas>)
//	[11](<demo:expectations?forgetful@listed count pods>)
//
// See package claim for what can be asked. What stands between the brackets is
// held against the demo, and printed as a link to the moment that proves it.
type Claim struct {
	*claim.Claim
	Line, Column int

	offset int
}

// claim reads a link's destination, if it is a claim.
func (d *Document) claim(link *ast.Link) bool {
	destination := literal(link.Destination)
	if !strings.HasPrefix(destination, claim.Scheme) {
		return false
	}
	if unescaped.Match(link.Destination) {
		d.wrong(link, "claim with a bare < in it, which ends a link elsewhere", "write \\< for it")
		return true
	}
	c, err := claim.Parse(destination)
	if err != nil {
		d.wrongAs(link, err)
		return true
	}
	line, column := problem.Place(d.Chapter.Source, link.Pos())
	d.Claims = append(d.Claims, Claim{c, line, column, link.Pos()})
	d.Worlds = d.Worlds || c.World != ""
	d.later(func() { d.hold(link, c) })
	return true
}

// unescaped is a < without a backslash: CommonMark has none within angle brackets.
var unescaped = regexp.MustCompile(`(^|[^\\])<`)

// literal is a destination without Markdown's escapes: \> and &gt; are >.
func literal(destination []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(destination))))
}

// brokenClaims finds claims that Markdown does not take for links: a destination
// between angle brackets ends at the first < or > in it.
func (d *Document) brokenClaims(text *ast.Text) {
	const opening = "](<" + claim.Scheme
	if text.Parent() == nil || text.Parent().Kind() == ast.KindCodeSpan {
		return
	}
	from := max(text.Segment.Start-len("]("), 0) // brackets are texts of their own
	at := bytes.Index(d.Chapter.Source[from:text.Segment.Stop], []byte(opening))
	if at < 0 {
		return
	}
	d.wrongAt(from+at+len("]("), "claim that is not a link",
		"write \\< and \\> for those within its angle brackets, and close them: [3](<demo:NAME count log need\\>=3>)")
}

// hold checks a claim when the demos are there, and leads the link to its moment.
func (d *Document) hold(link *ast.Link, c *claim.Claim) {
	text := strings.TrimSpace(plain(link, d.Chapter.Source))
	if text == "" {
		d.wrong(link, "claim without a text", "write what the sentence says between the brackets: [3](demo:…)")
		return
	}
	if !slices.Contains(d.library.Demos(), c.Demo) {
		d.wrong(link, fmt.Sprintf("unknown demo %q", c.Demo), problem.DidYouMean(c.Demo, d.library.Demos()))
		return
	}
	value, known, err := d.library.Claim(c)
	if err == nil && known {
		err = c.Check(value, text)
	}
	if err != nil {
		d.wrongAs(link, err)
		return
	}
	if number, ok := value.Number(); ok && known && c.Asks == claim.Moment && c.World == "" {
		if d.moments == nil {
			d.moments = map[*ast.Link]moment{}
		}
		d.moments[link] = moment{c.Demo, number}
	}
	// Where no page shows the demo, or it is being recorded and has no moments yet, there is nowhere to go.
	link.Destination = nil
	if !known && c.Asks != claim.Nothing {
		return
	}
	page, shown := "", slices.Contains(d.Demos, c.Demo)
	if !shown {
		page, shown = d.library.Showing(c.Demo, d.Chapter.Language)
	}
	if shown {
		anchor := DemoAnchor(c.Demo)
		if c.To != "" && c.World == "" {
			anchor += "-" + c.To
		}
		link.Destination = []byte(page + "#" + anchor)
		if place := value.Place(); place != nil {
			// The storyboard is of the real world: site/scripts/worlds.ts leads on from there.
			link.SetAttributeString("data-world", []byte(place.String()))
		}
	}
	if c.Asks == claim.Nothing {
		return
	}
	link.SetAttributeString("class", []byte("claim"))
	if len(link.Title) == 0 && c.Asks != claim.Moment { // which says itself where it leads
		title := d.words().Checked
		if place := value.Place(); place != nil {
			title = fmt.Sprintf(d.words().CheckedIn, place.In(d.Chapter.Language))
		}
		link.Title = []byte(title + ": " + c.Text)
	}
}

// wrongAs reports an error without a place, at a node.
func (d *Document) wrongAs(n ast.Node, err error) {
	for _, p := range problem.Of(err) {
		d.wrong(n, p.Message, p.Cure)
	}
}

// renderUnlinked writes a claim that no page proves.
func renderUnlinked(link *ast.Link, entering bool) string {
	if !entering {
		return "</span>"
	}
	if len(link.Title) == 0 {
		return `<span class="claim">`
	}
	return `<span class="claim" title="` + html.EscapeString(string(link.Title)) + `">`
}
