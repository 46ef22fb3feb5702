package sitebuild

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/generator/book/content"
	"kubewalk/generator/book/meetup"
	"kubewalk/generator/format/feed"
	"kubewalk/generator/render/markdown"
	"kubewalk/site/pages"
)

// mostNewest is how many posts of a part the contents list. All are on the page behind them.
const mostNewest = 5

// makeLists makes the pages that list meetups and posts.
func (b *build) makeLists() {
	b.problems.AddError(b.book.MakeLists(func(list *content.Chapter) (title, description string) {
		words := b.wordsOf(list.Language)
		switch {
		case list.Tag != "":
			tag := b.book.Site.TagTitle(list.Tag, list.Language)
			return fmt.Sprintf(words.Tagged, tag), fmt.Sprintf(words.ListTagged, tag)
		case b.book.HasPosts(list.Lists):
			return b.partNamed(list.Lists, list.Language).Title, words.ListPosts
		}
		return words.AllMeetups, words.ListMeetups
	}))
}

// showPosts says of posts what stands beside their texts, and writes the lists of them.
func (b *build) showPosts() {
	for _, p := range b.pages {
		if own := b.book.PostOf(p.Chapter); own != nil {
			p.post = b.postView(p.Chapter, own)
		}
	}
	for _, p := range b.pages {
		c := p.Chapter
		if !b.book.HasPosts(c.Lists) {
			continue
		}
		p.years = nil
		for _, of := range b.book.Listed(c) {
			year := b.book.PostOf(of).Date.Format("2006")
			if len(p.years) == 0 || p.years[len(p.years)-1].Title != year {
				p.years = append(p.years, pages.Year{Anchor: "y" + year, Title: year})
			}
			last := &p.years[len(p.years)-1]
			last.Posts = append(last.Posts, *b.page(of).post)
		}
		words := b.wordsOf(c.Language)
		var tags []pages.Reference
		var feeds *pages.Feeds
		if c.Tag == "" {
			tags = b.tags(c.Language, c.Lists, b.book.TagsIn(c.Language, c.Lists))
			if slices.Contains(b.postParts(c.Language), c.Lists) && b.site.Base != "" {
				own := postFeeds(c.Language, c.Lists, "")
				feeds = &own
			}
		}
		p.Text = htmlOf(pages.PostList(b.site, p.years, &words, tags, feeds)) + "\n"
	}
}

// postView is a post for readers of a chapter's language.
func (b *build) postView(c *content.Chapter, post *content.Post) *pages.Post {
	v := &pages.Post{Path: c.Path(), Title: pages.Said{Text: c.Title}, Description: pages.Said{Text: c.Description},
		Date: post.Date.Format(b.wordsOf(c.Language).Date), DateAt: post.Date.Format(time.DateOnly),
		Tags: b.tags(c.Language, c.Part, post.Tags)}
	if c.Original != nil {
		v.Title.Language, v.Description.Language = c.TextLanguage(), c.TextLanguage()
	}
	for _, a := range post.Authors {
		v.Authors = append(v.Authors, pages.Reference{Said: said(meetup.Text(a.Name), c), URL: a.URL})
	}
	return v
}

// tags are links to a part's posts with these tags.
func (b *build) tags(language, part string, tags []string) (out []pages.Reference) {
	for _, tag := range tags {
		link := pages.Reference{Said: pages.Said{Text: b.book.Site.TagTitle(tag, language)}}
		if page := b.book.TagPage(language, part, tag); page != nil { // else the part's name is another page's, which is told
			link.URL = b.site.Link(page.Path())
		}
		out = append(out, link)
	}
	return out
}

// postsIn are all posts of a language, part by part, the newest first.
func (b *build) postsIn(language string) (out []*content.Chapter) {
	for _, part := range b.book.Site.Parts {
		out = append(out, b.book.PostsIn(language, part.Name)...)
	}
	return out
}

// posts are the pages of a language's posts.
func (b *build) posts(language string) (out []*pages.Chapter) {
	for _, part := range b.book.Site.Parts {
		all := b.book.PostsIn(language, part.Name)
		for i, c := range all {
			p := b.page(c)
			page := &pages.Chapter{Page: b.common(c), Part: b.part(c), HTML: p.Text, Exercises: p.exercises, Post: p.post, Comments: true}
			page.Part.List = b.book.ListOf(language, part.Name).Path()
			b.around(page, c)
			if i > 0 {
				page.Next = entry(all[i-1])
			}
			if i+1 < len(all) {
				page.Previous = entry(all[i+1])
			}
			out = append(out, page)
		}
	}
	return out
}

// postList is the page that lists a part's posts, or those with a tag.
func (b *build) postList(c *content.Chapter) *pages.Chapter {
	page := &pages.Chapter{Page: b.common(c), HTML: b.page(c).Text}
	if c.Tag != "" {
		page.Part = b.partNamed(c.Lists, c.Language)
		page.Part.List = b.book.ListOf(c.Language, c.Lists).Path()
	}
	page.Headings = headingsOf(b.page(c).years)
	return page
}

// newest are the posts of a part that the contents list, and the paths of all else that the part has.
func (b *build) newest(language, part string) (out []pages.Entry, others []string) {
	for _, tag := range b.book.TagsIn(language, part) {
		others = append(others, b.book.TagPage(language, part, tag).Path())
	}
	for _, c := range b.book.PostsIn(language, part) {
		if len(out) == mostNewest {
			others = append(others, c.Path())
			continue
		}
		shown := entry(c)
		if c.Draft {
			shown.Draft = b.wordsOf(language).IsDraft
		}
		shown.Exercises = b.page(c).exercises
		out = append(out, *shown)
	}
	return out, others
}

// bylineSections are what a search finds of a post: its authors and tags with its opening.
func bylineSections(v *pages.Post, sections []markdown.Section) []markdown.Section {
	var lines []string
	for _, all := range [][]pages.Reference{v.Authors, v.Tags} {
		for _, one := range all {
			lines = append(lines, one.Text)
		}
	}
	if len(lines) == 0 {
		return sections
	}
	out := slices.Clone(sections)
	if len(out) == 0 || out[0].Anchor != "" {
		out = slices.Insert(out, 0, markdown.Section{})
	}
	out[0].Text = strings.TrimPrefix(out[0].Text+"\n"+strings.Join(lines, "\n"), "\n")
	return out
}

// postParts are the parts whose posts a language has, if only in another one.
func (b *build) postParts(language string) (out []string) {
	for _, part := range b.book.Site.Parts {
		if part.Posts && len(b.book.PostsIn(language, part.Name)) > 0 {
			out = append(out, part.Name)
		}
	}
	return out
}

// postFeeds are the paths of the feed of a part's posts.
func postFeeds(language, part, title string) pages.Feeds {
	folder := "/" + language + "/" + part + "/"
	return pages.Feeds{Title: title, Atom: folder + atomFile, RSS: folder + rssFile}
}

// postChannel is what the feed of a part's posts tells. A post has the day that it says; it was
// changed on that day, or later if git says so.
func (b *build) postChannel(language, part string) feed.Channel {
	list, paths := b.book.ListOf(language, part), postFeeds(language, part, "")
	out := feed.Channel{
		RSS: b.site.Absolute(paths.RSS), Atom: b.site.Absolute(paths.Atom), Home: b.site.Absolute(list.Path()),
		Title: b.book.Site.Title[language] + " – " + list.Title, Description: list.Description, Language: language,
	}
	for _, c := range b.book.PostsIn(language, part) {
		if c.Original != nil {
			continue
		}
		v, date := b.page(c).post, b.book.PostOf(c).Date
		item := feed.Item{URL: b.site.Absolute(c.Path()), Title: c.Title, Description: c.Description, Published: date, Changed: date}
		if at := b.changed(c); at.After(date) {
			item.Changed = at
		}
		for _, a := range v.Authors {
			item.Authors = append(item.Authors, feed.Author{Name: a.Text, URL: a.URL})
		}
		for _, t := range v.Tags {
			item.Tags = append(item.Tags, t.Text)
		}
		out.Items = append(out.Items, item)
	}
	return out
}

// posting is a post for search engines, as https://schema.org/BlogPosting has it, JSON; "" for a page that shows
// another language's.
func (b *build) posting(p *Page, card *pages.Card) string {
	c := p.Chapter
	if p.post == nil || c.Original != nil {
		return ""
	}
	type person struct {
		Type string `json:"@type"`
		Name string `json:"name"`
		URL  string `json:"url,omitempty"`
	}
	out := struct {
		Context   string   `json:"@context"`
		Type      string   `json:"@type"`
		Headline  string   `json:"headline"`
		About     string   `json:"description"`
		Published string   `json:"datePublished"`
		Modified  string   `json:"dateModified,omitempty"`
		Language  string   `json:"inLanguage"`
		URL       string   `json:"url,omitempty"`
		Image     string   `json:"image,omitempty"`
		Authors   []person `json:"author,omitempty"`
		Keywords  []string `json:"keywords,omitempty"`
	}{Context: "https://schema.org", Type: "BlogPosting", Headline: c.Title, About: c.Description, Published: p.post.DateAt,
		Language: c.Language, URL: b.site.Absolute(c.Path())}
	if at := b.changed(c); at.After(b.book.PostOf(c).Date) {
		out.Modified = at.UTC().Format(time.RFC3339)
	}
	if card != nil {
		out.Image = card.URL
	}
	for _, a := range p.post.Authors {
		out.Authors = append(out.Authors, person{"Person", a.Text, a.URL})
	}
	for _, t := range p.post.Tags {
		out.Keywords = append(out.Keywords, t.Text)
	}
	data, err := json.Marshal(out)
	if err != nil {
		panic("sitebuild: " + err.Error()) // texts
	}
	return string(data)
}
