package sitebuild

import (
	"time"

	"kubewalk/generator/book/content"
	"kubewalk/generator/build/audit"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/format/feed"
	"kubewalk/site/pages"
)

// A language's feed in its two forms, in the folder of the language.
const (
	rssFile  = "feed.xml"
	atomFile = "atom.xml"
)

// writeFeeds writes what programs follow the site by. All of it holds whole
// addresses, so while the base is unknown there is robots.txt alone, if the book has none of its own.
func (b *build) writeFeeds() error {
	sitemap := ""
	if b.site.Base != "" {
		sitemap = b.site.Absolute("/sitemap.xml")
		for _, file := range feed.Sitemap(b.site.Base, b.sitemap()) {
			b.tree.Put(file.Name, file.Data)
		}
		for _, language := range b.book.Site.Codes() {
			if b.feeds[language] {
				channel := b.channel(language)
				b.tree.Put(language+"/"+rssFile, feed.RSS(channel))
				b.tree.Put(language+"/"+atomFile, feed.Atom(channel))
			}
			for _, part := range b.postParts(language) {
				channel := b.postChannel(language, part)
				b.tree.Put(postFeeds(language, part, "").RSS[1:], feed.RSS(channel))
				b.tree.Put(postFeeds(language, part, "").Atom[1:], feed.Atom(channel))
			}
		}
	}
	if !b.book.HasStatic(robotsFile) {
		b.tree.Put(robotsFile, feed.Robots(sitemap))
	}
	return nil
}

// changed is when a chapter's file was last changed; zero when nobody knows.
func (b *build) changed(c *content.Chapter) (last time.Time) {
	if c.Lists != "" { // when one of them was
		for _, of := range b.book.Listed(c) {
			if at := b.changed(of); at.After(last) {
				last = at
			}
		}
		return last
	}
	change, _ := b.history.Last(b.page(c).Document.File())
	return change.Time
}

func (b *build) sitemap() []feed.Page {
	out := []feed.Page{{URL: b.site.Absolute("/"), Alternates: b.alternates("", "/")}}
	for _, c := range b.book.Pages() {
		if c.Original != nil {
			continue // its text has an address already
		}
		path := c.Path()
		out = append(out, feed.Page{URL: b.site.Absolute(path), Changed: b.changed(c), Alternates: b.alternates(c.Key(), path)})
	}
	return out
}

// alternates are a page in all languages, as its head names them (views.go).
func (b *build) alternates(key, path string) []feed.Alternate {
	var out []feed.Alternate
	for _, code := range b.book.Site.Codes() {
		if other := b.book.Find(code, key); other != nil && other.Original == nil {
			out = append(out, feed.Alternate{Language: code, URL: b.site.Absolute(other.Path())})
		}
	}
	if len(out) > 0 {
		fallback := out[0].URL
		if key == "" {
			fallback = b.site.Absolute("/") // where readers choose
		}
		out = append(out, feed.Alternate{Language: "x-default", URL: fallback})
	}
	return out
}

// findFeeds says which languages have a feed. There is none while the base is
// unknown, or the date of every chapter.
func (b *build) findFeeds() {
	b.feeds = map[string]bool{}
	if b.site.Base == "" {
		return
	}
	for _, c := range b.book.Chapters {
		if m := b.page(c).meetup; !b.changed(c).IsZero() || m != nil && c.Original == nil && !m.When.ToCome {
			b.feeds[c.Language] = true
		}
	}
}

func feedPath(language, file string) string { return "/" + language + "/" + file }

// feedsOf are a language's feeds for its pages: that of the book, and those of its posts.
func (b *build) feedsOf(language string) (out []pages.Feeds) {
	book := b.book.Site.Title[language]
	if b.feeds[language] {
		out = append(out, pages.Feeds{Title: book, Atom: feedPath(language, atomFile), RSS: feedPath(language, rssFile)})
	}
	for _, part := range b.postParts(language) {
		out = append(out, postFeeds(language, part, book+" – "+b.partNamed(part, language).Title))
	}
	return out
}

func (b *build) channel(language string) feed.Channel {
	out := feed.Channel{
		RSS: b.site.Absolute(feedPath(language, rssFile)), Atom: b.site.Absolute(feedPath(language, atomFile)), Home: b.site.Absolute("/" + language + "/"),
		Title: b.book.Site.Title[language], Description: b.book.Site.Description[language], Language: language,
	}
	for _, c := range b.book.In(language) {
		if c.Original != nil {
			continue
		}
		first, _ := b.history.First(b.page(c).Document.File())
		item := feed.Item{URL: b.site.Absolute(c.Path()), Title: c.Title, Description: c.Description,
			Part: b.book.Site.PartTitle(c.Part, c.Language), Published: first.Time, Changed: b.changed(c)}
		if p := b.page(c); p.meetup != nil {
			b.dateMeetup(&item, p)
		}
		out.Items = append(out.Items, item)
	}
	return out
}

func (b *build) writeHeaders() error {
	rules := headers.For(b.tree.Paths(), b.site.Prefix, b.allowed().Policy())
	b.tree.Put(output.MarkerFile, []byte(output.Marker+rules.String()))
	return nil
}

// audit waits for demos that are pending: links lead to their moments.
func (b *build) audit() error {
	if len(b.pending) > 0 {
		return nil
	}
	return b.cache.audit.Check(b.tree, b.site.Prefix, audit.Others{Files: b.book.Static, Folder: headers.Releases, Scripts: b.allowed().Scripts})
}
