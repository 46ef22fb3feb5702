package feed

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"time"
)

// RSS writes a channel as RSS 2.0; nil when no item has a time.
//
// It follows https://www.rssboard.org/rss-specification and the board's best
// practices: a link to itself, a guid that is the page's address, dates of RFC 822
// with four digits for the year. It has no word of its own for when an item was
// changed, so that is Atom's; and its author is an e-mail address, so names are Dublin Core's.
func RSS(c Channel) []byte {
	items := c.dated()
	if len(items) == 0 {
		return nil
	}
	var out bytes.Buffer
	element := func(indent, name, text string) {
		if text != "" {
			fmt.Fprintf(&out, "%s<%s>%s</%s>\n", indent, name, escape(text), name)
		}
	}
	more := ""
	if slices.ContainsFunc(items, func(i Item) bool { return len(i.Authors) > 0 }) {
		more = ` xmlns:dc="http://purl.org/dc/elements/1.1/"`
	}
	out.WriteString(xml.Header + `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"` + more + ">\n<channel>\n")
	element("  ", "title", c.Title)
	element("  ", "link", c.Home)
	element("  ", "description", c.Description)
	element("  ", "language", c.Language)
	element("  ", "lastBuildDate", date(changed(items)))
	fmt.Fprintf(&out, "  <atom:link href=\"%s\" rel=\"self\" type=\"application/rss+xml\"/>\n", escape(c.RSS))
	for _, i := range items {
		out.WriteString("  <item>\n")
		element("    ", "title", i.Title)
		element("    ", "link", i.URL)
		element("    ", "description", i.Description)
		for _, a := range i.Authors {
			element("    ", "dc:creator", a.Name)
		}
		for _, category := range i.categories() {
			element("    ", "category", category)
		}
		fmt.Fprintf(&out, "    <guid isPermaLink=\"true\">%s</guid>\n", escape(i.URL))
		if !i.Published.IsZero() {
			element("    ", "pubDate", date(i.Published))
		}
		element("    ", "atom:updated", i.Changed.UTC().Format(time.RFC3339))
		out.WriteString("  </item>\n")
	}
	out.WriteString("</channel>\n</rss>\n")
	return out.Bytes()
}

// date is a time as RFC 822 has it, with the year of RFC 1123.
func date(t time.Time) string { return t.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT") }
