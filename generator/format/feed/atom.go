package feed

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"time"
)

// Atom writes a channel as RFC 4287 has it; nil when no item has a time. The book
// is named as its own author, since the format wants one.
func Atom(c Channel) []byte {
	items := c.dated()
	if len(items) == 0 {
		return nil
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, xml.Header+`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="%s">`+"\n", escape(c.Language))
	element := func(indent, name, text string) {
		fmt.Fprintf(&out, "%s<%s>%s</%s>\n", indent, name, escape(text), name)
	}
	element("  ", "id", c.Atom)
	element("  ", "title", c.Title)
	element("  ", "subtitle", c.Description)
	element("  ", "updated", changed(items).UTC().Format(time.RFC3339))
	fmt.Fprintf(&out, "  <author><name>%s</name></author>\n", escape(c.Title))
	fmt.Fprintf(&out, "  <link rel=\"self\" type=\"application/atom+xml\" href=\"%s\"/>\n", escape(c.Atom))
	fmt.Fprintf(&out, "  <link rel=\"alternate\" type=\"text/html\" href=\"%s\"/>\n", escape(c.Home))
	for _, i := range items {
		out.WriteString("  <entry>\n")
		element("    ", "id", i.URL)
		element("    ", "title", i.Title)
		fmt.Fprintf(&out, "    <link rel=\"alternate\" type=\"text/html\" href=\"%s\"/>\n", escape(i.URL))
		if !i.Published.IsZero() {
			element("    ", "published", i.Published.UTC().Format(time.RFC3339))
		}
		element("    ", "updated", i.Changed.UTC().Format(time.RFC3339))
		for _, a := range i.Authors {
			out.WriteString("    <author>\n")
			element("      ", "name", a.Name)
			if a.URL != "" {
				element("      ", "uri", a.URL)
			}
			out.WriteString("    </author>\n")
		}
		for _, term := range i.categories() {
			fmt.Fprintf(&out, "    <category term=\"%s\"/>\n", escape(term))
		}
		element("    ", "summary", i.Description)
		out.WriteString("  </entry>\n")
	}
	out.WriteString("</feed>\n")
	return out.Bytes()
}
