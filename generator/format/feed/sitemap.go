// Package feed writes what programs follow a site by: the sitemap of
// sitemaps.org, with each page's other languages as Google reads them, a feed as
// Atom and as RSS 2.0, and robots.txt. Tests hold Atom and the sitemap to their
// published schemas (site/tests/proved.test.mjs); RSS has none, so it is held to
// what its specification says (feed_test.go).
//
// Everything in them is a whole address, so they exist only for a site whose
// address is known. A time is that of a commit, or is left out: nothing here
// asks the clock.
package feed

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"time"
)

// Page is an entry of a sitemap.
type Page struct {
	URL     string
	Changed time.Time // zero when nobody knows
	// Alternates are this page in all languages, itself among them; empty when
	// there is only one.
	Alternates []Alternate
}

// Alternate is a page in a language.
type Alternate struct {
	Language string // BCP 47, or "x-default" for readers of any other
	URL      string
}

// File is one of the files of a sitemap.
type File struct {
	Name string // "sitemap.xml"
	Data []byte
}

// most is how many pages one file may list (https://www.sitemaps.org/protocol.html).
const most = 50_000

// Sitemap lists the pages. A file that would be too long becomes several, and
// sitemap.xml the list of them; base is the site's address, without a slash.
func Sitemap(base string, pages []Page) []File {
	return sitemap(base, pages, most)
}

func sitemap(base string, pages []Page, most int) []File {
	if len(pages) <= most {
		return []File{{"sitemap.xml", urlset(pages)}}
	}
	index := File{Name: "sitemap.xml"}
	var out []File
	var list bytes.Buffer
	list.WriteString(xml.Header + `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for n := 1; len(pages) > 0; n++ {
		part := pages[:min(most, len(pages))]
		pages = pages[len(part):]
		name := fmt.Sprintf("sitemap-%d.xml", n)
		out = append(out, File{name, urlset(part)})
		fmt.Fprintf(&list, "<sitemap><loc>%s</loc>", escape(base+"/"+name))
		if changed := newest(part); !changed.IsZero() {
			fmt.Fprintf(&list, "<lastmod>%s</lastmod>", changed.UTC().Format(time.RFC3339))
		}
		list.WriteString("</sitemap>\n")
	}
	list.WriteString("</sitemapindex>\n")
	index.Data = list.Bytes()
	return append([]File{index}, out...)
}

func newest(pages []Page) (out time.Time) {
	for _, p := range pages {
		if p.Changed.After(out) {
			out = p.Changed
		}
	}
	return out
}

func urlset(pages []Page) []byte {
	var out bytes.Buffer
	out.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">` + "\n")
	for _, p := range pages {
		fmt.Fprintf(&out, "<url><loc>%s</loc>", escape(p.URL))
		if !p.Changed.IsZero() {
			fmt.Fprintf(&out, "<lastmod>%s</lastmod>", p.Changed.UTC().Format(time.RFC3339))
		}
		for _, a := range p.Alternates {
			fmt.Fprintf(&out, `<xhtml:link rel="alternate" hreflang="%s" href="%s"/>`, escape(a.Language), escape(a.URL))
		}
		out.WriteString("</url>\n")
	}
	out.WriteString("</urlset>\n")
	return out.Bytes()
}

// Robots lets everybody in, and names the sitemap; "" when there is none.
func Robots(sitemap string) []byte {
	out := "User-agent: *\nAllow: /\n"
	if sitemap != "" {
		out += "Sitemap: " + sitemap + "\n"
	}
	return []byte(out)
}

// escape is text for XML, without the characters that XML cannot hold.
func escape(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	return b.String()
}
