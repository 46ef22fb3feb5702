package sitebuild

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"time"

	"kubewalk/generator/book/content"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/markdown"
	"kubewalk/site/pages"
)

// warn takes what does not keep a book from being published.
func (b *build) warn(p problem.Problem) {
	if b.options.Strict {
		b.problems.Add(p)
	} else {
		b.warnings.Add(p)
	}
}

// warnOfTranslation takes what a reader of a translation lacks: a book may want
// all of it to be there before it is published.
func (b *build) warnOfTranslation(p problem.Problem) {
	if b.book.Site.Complete() && !b.options.Dev {
		b.problems.Add(p)
	} else {
		b.warn(p)
	}
}

// borrow gives pages without a translation the document of their original. What
// chapters in that language link to is the page in their language.
func (b *build) borrow() {
	for _, p := range b.pages {
		if p.Chapter.Original != nil {
			original := b.page(p.Chapter.Original)
			p.Document, p.facing, p.minutes = original.Document.For(p.Chapter), original.facing, original.minutes
		}
	}
}

// borrowTexts gives them the text, with its links leading to pages in their language.
func (b *build) borrowTexts() {
	for _, p := range b.pages {
		if p.Chapter.Original != nil {
			original := b.page(p.Chapter.Original)
			p.Text, p.forms, p.sections = b.ledHome(original.Text, p.Chapter), original.forms, original.sections
		}
	}
}

var hrefs = regexp.MustCompile(`(<a [^>]*?href=")([^"#]*)(#[^"]*)?"`)

// ledHome turns a text's links to pages in its own language to the same pages in
// the reader's, if what they point at is there too.
func (b *build) ledHome(text string, c *content.Chapter) string {
	from := b.site.Link("/" + c.Original.Language + "/")
	return hrefs.ReplaceAllStringFunc(text, func(link string) string {
		m := hrefs.FindStringSubmatch(link)
		key, ok := strings.CutPrefix(html.UnescapeString(m[2]), from)
		if !ok {
			return link
		}
		other := b.book.Find(c.Language, strings.TrimSuffix(key, "/"))
		if other == nil || m[3] != "" && !b.page(other).Document.HasAnchor(html.UnescapeString(m[3][1:])) {
			return link
		}
		return m[1] + html.EscapeString(b.site.Link(other.Path())) + m[3] + `"`
	})
}

// stale tells whether an original was changed after its translation, and when.
// It is not when somebody has looked at it since, and says so: reviewed.
func (b *build) stale(c *content.Chapter) (original *content.Chapter, since time.Time, hash string) {
	first := b.book.Site.Languages[0].Code
	original = b.book.Find(first, c.Key())
	if c.Language == first || c.Original != nil || original == nil || original.Original != nil {
		return nil, since, ""
	}
	theirs, known := b.history.Last(b.page(original).Document.File())
	ours, committed := b.history.Last(b.page(c).Document.File())
	if !known || !committed || theirs.Hash == ours.Hash || !theirs.Time.After(ours.Time) {
		return nil, since, ""
	}
	if r := c.Reviewed; r != "" && (strings.HasPrefix(theirs.Hash, r) || strings.Contains(r, "-") && r >= theirs.Time.Format(time.DateOnly)) {
		return nil, since, ""
	}
	return original, theirs.Time, theirs.Hash
}

// checkTranslations warns of what is not translated, and of what is stale.
func (b *build) checkTranslations() {
	for _, p := range b.book.Untranslated {
		b.warnOfTranslation(p)
	}
	for _, p := range b.pages {
		if original, since, hash := b.stale(p.Chapter); original != nil {
			b.warnOfTranslation(p.Chapter.At("reviewed", fmt.Sprintf("translation is older than %s, which was changed on %s", original.File,
				since.Format(time.DateOnly)),
				fmt.Sprintf("change it as well; or, when nothing has to change, say reviewed: %q", hash[:min(12, len(hash))])))
		}
	}
}

// notices are what a page says about its own text.
func (b *build) notices(c *content.Chapter) (n pages.Notices) {
	n.Draft = c.Draft
	version := func(c *content.Chapter) *pages.Version {
		return &pages.Version{Language: c.Language, Name: b.languageName(c.Language), Path: c.Path()}
	}
	if c.Original != nil {
		n.Untranslated = version(c.Original)
	}
	if original, since, _ := b.stale(c); original != nil {
		n.Stale, n.Since = version(original), since
	}
	return n
}

func (b *build) languageName(code string) string {
	for _, l := range b.book.Site.Languages {
		if l.Code == code {
			return l.Name
		}
	}
	return code
}

// IsDraft tells chapters that a file they link to is left out.
func (b *build) IsDraft(file string) bool { return b.book.IsDraft(file) }

var _ markdown.Drafts = (*build)(nil)
