package feed

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var at = time.Date(2026, 5, 4, 3, 2, 1, 0, time.FixedZone("JST", 9*3600))

func pages(n int) (out []Page) {
	for i := range n {
		p := Page{URL: "https://example.org/b/en/a&b/" + strings.Repeat("x/", i)}
		p.Alternates = []Alternate{{"en", p.URL}, {"ja", strings.Replace(p.URL, "/en/", "/ja/", 1)}, {"x-default", p.URL}}
		if i%2 == 0 {
			p.Changed = at.AddDate(0, 0, i)
		}
		out = append(out, p)
	}
	return out
}

func TestSitemap(t *testing.T) {
	files := Sitemap("https://example.org/b", pages(3))
	if len(files) != 1 || files[0].Name != "sitemap.xml" {
		t.Fatalf("%d files", len(files))
	}
	for _, p := range InvalidSitemap(files[0].Data) {
		t.Error(p)
	}
	for _, want := range []string{
		`<loc>https://example.org/b/en/a&amp;b/</loc><lastmod>2026-05-03T18:02:01Z</lastmod><xhtml:link rel="alternate" hreflang="en"`,
		`<loc>https://example.org/b/en/a&amp;b/x/</loc><xhtml:link`,
	} {
		if !bytes.Contains(files[0].Data, []byte(want)) {
			t.Errorf("lacks %s:\n%s", want, files[0].Data)
		}
	}
}

func TestLongSitemapsAreSeveral(t *testing.T) {
	files := sitemap("https://example.org", pages(5), 2)
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
		for _, p := range InvalidSitemap(f.Data) {
			t.Errorf("%s: %s", f.Name, p)
		}
	}
	if got := strings.Join(names, " "); got != "sitemap.xml sitemap-1.xml sitemap-2.xml sitemap-3.xml" {
		t.Errorf("files %s", got)
	}
	if !bytes.Contains(files[0].Data, []byte("<loc>https://example.org/sitemap-3.xml</loc>")) {
		t.Errorf("the index:\n%s", files[0].Data)
	}
}

// TestTheValidatorSees: what validates the feeds would see what is wrong.
func TestTheValidatorSees(t *testing.T) {
	good := string(Sitemap("https://example.org", pages(2))[0].Data)
	for name, bad := range map[string]string{
		"not XML":    good[:len(good)-4],
		"no date":    strings.Replace(good, "2026-05-03T18:02:01Z", "yesterday", 1),
		"relative":   strings.Replace(good, "<loc>https://example.org", "<loc>", 1),
		"order":      regexp.MustCompile(`(<loc>[^<]*</loc>)(<lastmod>[^<]*</lastmod>)`).ReplaceAllString(good, "$2$1"),
		"unknown":    strings.Replace(good, "<lastmod>", "<modified/><lastmod>", 1),
		"not mutual": strings.Replace(good, `href="https://example.org/b/ja/a&amp;b/"`, `href="https://example.org/b/en/a&amp;b/x/"`, 1),
		"namespace":  strings.Replace(good, "schemas/sitemap/0.9", "schemas/sitemap/0.8", 1),
		"hreflang":   strings.Replace(good, `hreflang="ja"`, `hreflang="japanese!"`, 1),
	} {
		if len(InvalidSitemap([]byte(bad))) == 0 {
			t.Errorf("%s is not seen", name)
		}
	}
	rss := string(RSS(channel()))
	for name, bad := range map[string]string{
		"not XML":    rss + "<",
		"no title":   strings.Replace(rss, "<title>", "<titel>", 1),
		"date":       strings.Replace(rss, "Tue, 05 May", "5.5.", 1),
		"weekday":    strings.Replace(rss, "Tue, 05 May", "Mon, 05 May", 1),
		"order":      strings.Replace(rss, "<pubDate>Sat, 02 May", "<pubDate>Sat, 09 May", 1),
		"updated":    strings.Replace(rss, "<atom:updated>2026-05-03", "<atom:updated>2026-04-03", 1),
		"guid twice": strings.Replace(rss, "/en/a/</guid>", "/en/b/</guid>", 1),
		"no self":    strings.Replace(rss, `rel="self"`, `rel="other"`, 1),
		"version":    strings.Replace(rss, `version="2.0"`, `version="0.9"`, 1),
		"language":   strings.Replace(rss, `<language>en`, `<language>english language`, 1),
	} {
		if bad == rss {
			t.Errorf("%s changes nothing", name)
		}
		if len(InvalidRSS([]byte(bad))) == 0 {
			t.Errorf("%s is not seen", name)
		}
	}
}

func channel() Channel {
	return Channel{
		RSS: "https://example.org/en/feed.xml", Atom: "https://example.org/en/atom.xml", Home: "https://example.org/en/", Title: "Book <1>",
		Description: "About & more", Language: "en",
		Items: []Item{
			{URL: "https://example.org/en/old/", Title: "Old", Description: "older than what is known", Changed: at.AddDate(0, 0, 4)},
			{URL: "https://example.org/en/a/", Title: "A", Description: "a", Part: "Start", Published: at.AddDate(0, 0, -1), Changed: at},
			{URL: "https://example.org/en/c/", Title: "C", Description: "c"},
			{URL: "https://example.org/en/b/", Title: "B\x01", Description: "<b>", Published: at.AddDate(0, 0, 1).Add(12 * time.Hour),
				Changed: at.AddDate(0, 0, 1).Add(12 * time.Hour)},
		},
	}
}

func TestRSS(t *testing.T) {
	out := RSS(channel())
	for _, p := range InvalidRSS(out) {
		t.Error(p)
	}
	text := string(out)
	for _, want := range []string{
		"<lastBuildDate>Thu, 07 May 2026 18:02:01 GMT</lastBuildDate>",
		"<pubDate>Sat, 02 May 2026 18:02:01 GMT</pubDate>\n    <atom:updated>2026-05-03T18:02:01Z</atom:updated>",
		"/en/old/</guid>\n    <atom:updated>2026-05-07T18:02:01Z</atom:updated>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %s:\n%s", want, text)
		}
	}
}

func TestAtom(t *testing.T) {
	text := string(Atom(channel()))
	for _, want := range []string{
		`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">`,
		"<title>Book &lt;1&gt;</title>",
		"</subtitle>\n  <updated>2026-05-07T18:02:01Z</updated>",
		"<published>2026-05-02T18:02:01Z</published>\n    <updated>2026-05-03T18:02:01Z</updated>\n    <category term=\"Start\"/>",
		"href=\"https://example.org/en/old/\"/>\n    <updated>",
		`<link rel="self" type="application/atom+xml" href="https://example.org/en/atom.xml"/>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %s:\n%s", want, text)
		}
	}
	if _, err := read([]byte(text)); err != nil {
		t.Error(err)
	}
}

// TestAuthorsAndTags are told in both forms; where there are none, nothing is.
func TestAuthorsAndTags(t *testing.T) {
	c := channel()
	plain := string(Atom(c)) + string(RSS(c))
	c.Items[1].Authors, c.Items[1].Tags = []Author{{"A & B", "https://example.org/?a&b"}, {Name: "C"}}, []string{"One <1>", "Two"}
	atom, rss := string(Atom(c)), string(RSS(c))
	for _, p := range InvalidRSS([]byte(rss)) {
		t.Error(p)
	}
	for text, wants := range map[string][]string{
		atom: {
			"<author>\n      <name>A &amp; B</name>\n      <uri>https://example.org/?a&amp;b</uri>\n    </author>\n    <author>\n      <name>C</name>\n    </author>",
			`<category term="Start"/>`, `<category term="One &lt;1&gt;"/>`, `<category term="Two"/>`,
		},
		rss: {
			` xmlns:dc="http://purl.org/dc/elements/1.1/">`, "<dc:creator>A &amp; B</dc:creator>\n    <dc:creator>C</dc:creator>",
			"<category>Start</category>\n    <category>One &lt;1&gt;</category>\n    <category>Two</category>",
		},
	} {
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("lacks %s:\n%s", want, text)
			}
		}
		if _, err := read([]byte(text)); err != nil {
			t.Error(err)
		}
	}
	for _, word := range []string{"creator", "purl.org", "<uri>"} {
		if strings.Contains(plain, word) {
			t.Errorf("a feed without authors has %s", word)
		}
	}
}

// TestNewChaptersComeFirst in both forms; nothing says when without knowing.
func TestNewChaptersComeFirst(t *testing.T) {
	for form, text := range map[string]string{"RSS": string(RSS(channel())), "Atom": string(Atom(channel()))} {
		last := 0
		for _, url := range []string{"/en/b/", "/en/a/", "/en/old/"} {
			at := strings.Index(text, url)
			if at <= last {
				t.Errorf("%s: %s is not in its place:\n%s", form, url, text)
			}
			last = at
		}
		if strings.Contains(text, "/en/c/") {
			t.Errorf("%s: a chapter without a date has one", form)
		}
	}
	if c := (Channel{Items: []Item{{URL: "x", Title: "x"}}}); RSS(c) != nil || Atom(c) != nil {
		t.Error("a feed without dates")
	}
}

// element is a piece of XML.
type element struct {
	XMLName    xml.Name
	Attributes []xml.Attr `xml:",any,attr"`
	Text       string     `xml:",chardata"`
	Children   []element  `xml:",any"`
}

func (e *element) attribute(name string) string {
	for _, a := range e.Attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (e *element) all(name string) (out []element) {
	for _, c := range e.Children {
		if c.XMLName.Local == name {
			out = append(out, c)
		}
	}
	return out
}

func read(data []byte) (root element, err error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	if err = d.Decode(&root); err != nil {
		return root, err
	}
	if rest := data[d.InputOffset():]; len(bytes.TrimSpace(rest)) > 0 {
		err = io.ErrUnexpectedEOF
	}
	return root, err
}

func whole(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && len(address) < 2048 && !strings.ContainsAny(address, " <>\"")
}

var language = regexp.MustCompile(`^(x-default|[a-z]{2,3}(-[A-Za-z0-9]{2,8})*)$`)

// InvalidSitemap is what the schema of sitemaps.org and Google's rules for
// alternates find wrong with a sitemap or an index of them.
func InvalidSitemap(data []byte) (problems []string) {
	wrong := func(text string) { problems = append(problems, text) }
	root, err := read(data)
	if err != nil {
		return []string{err.Error()}
	}
	const space, xhtml = "http://www.sitemaps.org/schemas/sitemap/0.9", "http://www.w3.org/1999/xhtml"
	entry := map[string]string{"urlset": "url", "sitemapindex": "sitemap"}[root.XMLName.Local]
	if root.XMLName.Space != space || entry == "" {
		return []string{"root " + root.XMLName.Local}
	}
	if len(root.Children) == 0 || len(root.Children) > 50_000 || len(data) > 50<<20 {
		wrong("number of entries")
	}
	seen := map[string]bool{}
	named := map[string][]string{} // pages by page
	for _, u := range root.Children {
		if u.XMLName != (xml.Name{Space: space, Local: entry}) {
			wrong("child " + u.XMLName.Local)
			continue
		}
		// The schema is a sequence: loc, lastmod, changefreq, priority, others' elements.
		order := []string{}
		self, own := "", false
		languages := map[string]bool{}
		for _, c := range u.Children {
			switch {
			case c.XMLName == (xml.Name{Space: space, Local: "loc"}):
				self = c.Text
				if !whole(self) || seen[self] {
					wrong("loc " + self)
				}
				seen[self] = true
			case c.XMLName == (xml.Name{Space: space, Local: "lastmod"}):
				if _, err := time.Parse(time.RFC3339, c.Text); err != nil {
					wrong("lastmod " + c.Text)
				}
			case c.XMLName == (xml.Name{Space: xhtml, Local: "link"}) && entry == "url":
				code, to := c.attribute("hreflang"), c.attribute("href")
				if c.attribute("rel") != "alternate" || !language.MatchString(code) || languages[code] || !whole(to) {
					wrong("link " + code + " " + to)
				}
				languages[code] = true
				named[self] = append(named[self], to)
				own = own || to == self
			default:
				wrong("element " + c.XMLName.Local)
			}
			order = append(order, c.XMLName.Local)
		}
		if !slices.IsSortedFunc(order, func(a, b string) int {
			rank := []string{"loc", "lastmod", "link"}
			return slices.Index(rank, a) - slices.Index(rank, b)
		}) || self == "" {
			wrong("order of " + strings.Join(order, " "))
		}
		if len(languages) > 0 && !own {
			wrong(self + " is not among its own alternates")
		}
	}
	// An alternate counts when both sides name each other.
	for from, to := range named {
		for _, url := range to {
			if back, listed := named[url]; listed && !slices.Contains(back, from) {
				wrong(url + " does not name " + from + " in turn")
			}
		}
	}
	return problems
}

// InvalidRSS is what the specification of RSS 2.0 and the board's best practices
// find wrong with a feed.
func InvalidRSS(data []byte) (problems []string) {
	wrong := func(text string) { problems = append(problems, text) }
	root, err := read(data)
	if err != nil {
		return []string{err.Error()}
	}
	channels := root.all("channel")
	if root.XMLName.Local != "rss" || root.attribute("version") != "2.0" || len(channels) != 1 {
		return []string{"no channel of RSS 2.0"}
	}
	one := func(e element, name string) string {
		var plain []element
		for _, c := range e.all(name) {
			if c.XMLName.Space == "" {
				plain = append(plain, c)
			}
		}
		if len(plain) != 1 || strings.TrimSpace(plain[0].Text) == "" {
			wrong(e.XMLName.Local + " has no single " + name)
			return ""
		}
		return plain[0].Text
	}
	when := func(text string) time.Time {
		at, err := time.Parse("Mon, 02 Jan 2006 15:04:05 MST", text)
		if err != nil || at.Weekday().String()[:3] != text[:3] {
			wrong("date " + text)
		}
		return at
	}
	c := channels[0]
	one(c, "title")
	one(c, "description")
	if home := one(c, "link"); !whole(home) {
		wrong("link " + home)
	}
	if code := one(c, "language"); !language.MatchString(code) {
		wrong("language " + code)
	}
	built := when(one(c, "lastBuildDate"))
	self := false
	for _, l := range c.all("link") {
		self = self || l.XMLName.Space == "http://www.w3.org/2005/Atom" && l.attribute("rel") == "self" && whole(l.attribute("href"))
	}
	if !self {
		wrong("no link to itself")
	}
	guids := map[string]bool{}
	var last time.Time
	for _, item := range c.all("item") {
		one(item, "title")
		one(item, "description")
		guid, link := one(item, "guid"), one(item, "link")
		if guids[guid] || guid != link || !whole(link) {
			wrong("guid " + guid)
		}
		guids[guid] = true
		updated := item.all("updated")
		if len(updated) != 1 || updated[0].XMLName.Space != "http://www.w3.org/2005/Atom" {
			wrong("item is not told to be updated")
			continue
		}
		changed, err := time.Parse(time.RFC3339, updated[0].Text)
		if err != nil || changed.After(built) {
			wrong("updated " + updated[0].Text)
		}
		// Who knows no time of publication leaves it out.
		at := time.Time{}
		if len(item.all("pubDate")) > 0 {
			at = when(one(item, "pubDate"))
		}
		if at.After(changed) {
			wrong("changed before it was published")
		}
		if len(guids) > 1 && at.After(last) {
			wrong("items are out of order")
		}
		last = at
	}
	if len(guids) == 0 {
		wrong("no items")
	}
	return problems
}
