package edition

import (
	"time"

	"kubewalk/generator/content"
	"kubewalk/generator/feed"
	"kubewalk/generator/headers"
	"kubewalk/generator/output"
	"kubewalk/site/pages"
)

// A language's feed in its two forms, in the folder of the language.
const (
	rssFile  = "feed.xml"
	atomFile = "atom.xml"
)

// writeFeeds writes what programs follow the site by. All of it holds whole
// addresses, so while the base is unknown there is robots.txt alone.
func (e *edition) writeFeeds() error {
	sitemap := ""
	if e.site.Base != "" {
		sitemap = e.site.Absolute("/sitemap.xml")
		for _, file := range feed.Sitemap(e.site.Base, e.sitemap()) {
			e.tree.Put(file.Name, file.Data)
		}
		for _, language := range e.book.Site.Codes() {
			if e.feeds[language] {
				channel := e.channel(language)
				e.tree.Put(language+"/"+rssFile, feed.RSS(channel))
				e.tree.Put(language+"/"+atomFile, feed.Atom(channel))
			}
		}
	}
	e.tree.Put("robots.txt", feed.Robots(sitemap))
	return nil
}

// changed is when a chapter's file was last changed; zero when nobody knows.
func (e *edition) changed(c *content.Chapter) (last time.Time) {
	if c.Lists != "" { // when one of them was
		for _, of := range e.book.MeetupsIn(c.Language, c.Lists) {
			if at := e.changed(of); at.After(last) {
				last = at
			}
		}
		return last
	}
	change, _ := e.history.Last(e.page(c).Document.File())
	return change.Time
}

func (e *edition) sitemap() []feed.Page {
	out := []feed.Page{{URL: e.site.Absolute("/"), Alternates: e.alternates("", "/")}}
	for _, c := range e.book.Pages() {
		if c.Original != nil {
			continue // its text has an address already
		}
		path := c.Path()
		out = append(out, feed.Page{URL: e.site.Absolute(path), Changed: e.changed(c), Alternates: e.alternates(c.Key(), path)})
	}
	return out
}

// alternates are a page in all languages, as its head names them (views.go).
func (e *edition) alternates(key, path string) []feed.Alternate {
	var out []feed.Alternate
	for _, code := range e.book.Site.Codes() {
		if other := e.book.Find(code, key); other != nil && other.Original == nil {
			out = append(out, feed.Alternate{Language: code, URL: e.site.Absolute(other.Path())})
		}
	}
	if len(out) > 0 {
		fallback := out[0].URL
		if key == "" {
			fallback = e.site.Absolute("/") // where readers choose
		}
		out = append(out, feed.Alternate{Language: "x-default", URL: fallback})
	}
	return out
}

// findFeeds says which languages have a feed. There is none while the base is
// unknown, or the date of every chapter.
func (e *edition) findFeeds() {
	e.feeds = map[string]bool{}
	if e.site.Base == "" {
		return
	}
	for _, p := range e.pages {
		if c := p.Chapter; c.Name != "" && (!e.changed(c).IsZero() || p.meetup != nil && c.Original == nil && !p.meetup.When.ToCome) {
			e.feeds[c.Language] = true
		}
	}
}

func feedPath(language, file string) string { return "/" + language + "/" + file }

// feedsOf are a language's feeds for its pages; nil when it has none.
func (e *edition) feedsOf(language string) *pages.Feeds {
	if !e.feeds[language] {
		return nil
	}
	return &pages.Feeds{Atom: feedPath(language, atomFile), RSS: feedPath(language, rssFile)}
}

func (e *edition) channel(language string) feed.Channel {
	out := feed.Channel{
		RSS: e.site.Absolute(feedPath(language, rssFile)), Atom: e.site.Absolute(feedPath(language, atomFile)), Home: e.site.Absolute("/" + language + "/"),
		Title: e.book.Site.Title[language], Description: e.book.Site.Description[language], Language: language,
	}
	for _, c := range e.book.In(language) {
		if c.Original != nil {
			continue
		}
		first, _ := e.history.First(e.page(c).Document.File())
		item := feed.Item{URL: e.site.Absolute(c.Path()), Title: c.Title, Description: c.Description,
			Part: e.part(c).Title, Published: first.Time, Changed: e.changed(c)}
		if p := e.page(c); p.meetup != nil {
			e.dateMeetup(&item, p)
		}
		out.Items = append(out.Items, item)
	}
	return out
}

func (e *edition) writeHeaders() error {
	rules := headers.For(e.tree.Paths(), e.site.Prefix)
	e.tree.Put(output.MarkerFile, []byte(output.Marker+rules.String()))
	return nil
}

func (e *edition) audit() error { return e.kept.audit.Check(e.tree, e.site.Prefix) }
