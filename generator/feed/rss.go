package feed

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"time"
)

// Channel is a feed: a book in one language.
type Channel struct {
	URL         string // of the feed itself
	Home        string // of the book
	Title       string
	Description string
	Language    string
	Items       []Item // in any order
}

// Item is a chapter that was written or changed.
type Item struct {
	URL         string
	Title       string
	Description string
	Part        string
	Changed     time.Time
}

// RSS writes a feed, with what changed last in front. Chapters without a time
// are not in it; a feed without any is nil.
//
// It follows https://www.rssboard.org/rss-specification and the board's best
// practices: a link to itself, a guid that is the page's address, dates of RFC 822
// with four digits for the year.
func RSS(c Channel) []byte {
	var items []Item
	for _, i := range c.Items {
		if !i.Changed.IsZero() {
			items = append(items, i)
		}
	}
	if len(items) == 0 {
		return nil
	}
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(a.URL, b.URL))
	})
	var out bytes.Buffer
	element := func(indent, name, text string) {
		if text != "" {
			fmt.Fprintf(&out, "%s<%s>%s</%s>\n", indent, name, escape(text), name)
		}
	}
	out.WriteString(xml.Header + `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">` + "\n<channel>\n")
	element("  ", "title", c.Title)
	element("  ", "link", c.Home)
	element("  ", "description", c.Description)
	element("  ", "language", c.Language)
	element("  ", "lastBuildDate", date(items[0].Changed))
	fmt.Fprintf(&out, "  <atom:link href=\"%s\" rel=\"self\" type=\"application/rss+xml\"/>\n", escape(c.URL))
	for _, i := range items {
		out.WriteString("  <item>\n")
		element("    ", "title", i.Title)
		element("    ", "link", i.URL)
		element("    ", "description", i.Description)
		element("    ", "category", i.Part)
		fmt.Fprintf(&out, "    <guid isPermaLink=\"true\">%s</guid>\n", escape(i.URL))
		element("    ", "pubDate", date(i.Changed))
		out.WriteString("  </item>\n")
	}
	out.WriteString("</channel>\n</rss>\n")
	return out.Bytes()
}

// date is a time as RFC 822 has it, with the year of RFC 1123.
func date(t time.Time) string { return t.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT") }
