package edition

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"kubewalk/generator/audit"
	"kubewalk/generator/headers"
	"kubewalk/generator/output"
)

// writeSitemap writes what search engines read. A sitemap holds whole
// addresses, so there is none while the base is unknown.
func (e *edition) writeSitemap() error {
	robots := "User-agent: *\nAllow: /\n"
	if e.site.Base != "" {
		robots += "Sitemap: " + e.site.Absolute("/sitemap.xml") + "\n"
		e.tree.Put("sitemap.xml", e.sitemap())
	}
	e.tree.Put("robots.txt", []byte(robots))
	return nil
}

func (e *edition) writeHeaders() error {
	rules := headers.For(e.tree.Paths())
	e.tree.Put(output.MarkerFile, []byte(output.Marker+rules.String()))
	return nil
}

func (e *edition) audit() error { return audit.Check(e.tree, e.site.Prefix) }

func (e *edition) sitemap() []byte {
	var out bytes.Buffer
	escape := func(s string) string {
		var b bytes.Buffer
		_ = xml.EscapeText(&b, []byte(s))
		return b.String()
	}
	out.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">` + "\n")
	for _, c := range e.book.Pages() {
		fmt.Fprintf(&out, "<url><loc>%s</loc>", escape(e.site.Absolute(c.Path())))
		for _, code := range e.book.Site.Codes() {
			if other := e.book.Find(code, c.Key()); other != nil {
				fmt.Fprintf(&out, `<xhtml:link rel="alternate" hreflang="%s" href="%s"/>`, code, escape(e.site.Absolute(other.Path())))
			}
		}
		out.WriteString("</url>\n")
	}
	out.WriteString("</urlset>\n")
	return out.Bytes()
}
