package content

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"kubewalk/generator/book/schema"
	"kubewalk/generator/problem"
)

// A post is content/LANGUAGE/PART/NAME.md, at /LANGUAGE/PART/NAME/, in a part that says posts: true. It is a chapter with a
// day, authors and tags. It has no place in the reading order: the newest comes first, and the bound book has none.

// Author is who writes posts.
type Author struct {
	Name Text   `yaml:"name" check:"required" doc:"The author's name: one text, or one for each language."`
	URL  string `yaml:"url" pattern:"^https?://[^\\s/]" cure:"write an address that begins with https://" doc:"A page about the author."`
}

// YAMLSchema says that a name alone may stand for an author.
func (Author) YAMLSchema() *schema.Schema {
	type keys Author // without this method
	s := *schema.Of(reflect.TypeFor[keys]())
	s.Short = "name"
	return &s
}

// Post is what front matter says of a post, with what a translation takes from its original.
type Post struct {
	Date    time.Time // at its beginning, UTC
	Authors []Author
	Tags    []string // as in addresses
}

// PostOf is what is said of a post; nil of any other chapter, and of one without a valid date.
func (b *Book) PostOf(c *Chapter) *Post { return b.posts[c] }

// HasPosts tells whether the part is one of posts.
func (b *Book) HasPosts(part string) bool {
	return slices.ContainsFunc(b.Site.Parts, func(p PartInfo) bool { return p.Posts && p.Name == part })
}

// PostsIn are the posts of a part, the newest first.
func (b *Book) PostsIn(language, part string) []*Chapter {
	var out []*Chapter
	for _, c := range b.Posts {
		if c.Language == language && c.Part == part && b.posts[c] != nil {
			out = append(out, c)
		}
	}
	return out
}

// TagsIn are the tags of a part's posts, by name.
func (b *Book) TagsIn(language, part string) []string {
	var out []string
	for _, c := range b.PostsIn(language, part) {
		out = append(out, b.posts[c].Tags...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TagTitle is what readers of a language see of a tag.
func (s *Site) TagTitle(tag, language string) string { return cmp.Or(s.Tags[tag][language], tag) }

// checkPosts completes what site.yaml says of posts.
func (s *Site) checkPosts(d *schema.Document, out *problem.List) {
	for _, id := range slices.Sorted(maps.Keys(s.Authors)) {
		s.complete(d, "authors["+id+"].name", fmt.Sprintf("name of author %q", id), s.Authors[id].Name, out)
	}
	for _, tag := range slices.Sorted(maps.Keys(s.Tags)) {
		s.complete(d, "tags["+tag+"]", fmt.Sprintf("title of tag %q", tag), s.Tags[tag], out)
	}
}

// loadPosts checks what front matter says of posts, and completes translations by their
// originals.
func (b *Book) loadPosts(problems *problem.List) {
	b.posts = map[*Chapter]*Post{}
	b.refusePostKeys(problems)
	originals := originalsOf(b.Posts)
	for _, c := range b.Posts {
		original := originals[c.Key()]
		if c.Original != nil { // it shows that one's text
			original = c.Original
		} else {
			b.checkPost(c, original, problems)
		}
		date, err := time.Parse(time.DateOnly, original.Date)
		if err != nil {
			continue // that is told
		}
		authors, tags := original.Authors, slices.DeleteFunc(slices.Clone(original.Tags), func(tag string) bool { return tag == "" }) // which is told
		if c.Authors != nil {
			authors = c.Authors
		}
		post := &Post{Date: date, Tags: tags}
		for _, name := range authors {
			author, known := b.Site.Authors[name]
			if !known {
				author = Author{Name: Text{"": name}}
			}
			post.Authors = append(post.Authors, author)
		}
		b.posts[c] = post
	}
	codes := b.Site.Codes()
	date := func(c *Chapter) (at time.Time) {
		if post := b.posts[c]; post != nil {
			at = post.Date
		}
		return at
	}
	slices.SortStableFunc(b.Posts, func(x, y *Chapter) int {
		return cmp.Or(cmp.Compare(slices.Index(codes, x.Language), slices.Index(codes, y.Language)), cmp.Compare(x.Part, y.Part),
			date(y).Compare(date(x)), cmp.Compare(x.Name, y.Name))
	})
}

// checkPost tells what is wrong with a post's front matter.
func (b *Book) checkPost(c, original *Chapter, problems *problem.List) {
	wrong := func(path, message, cure string) { problems.Add(c.At(path, message, cure)) }
	if c.Order != 0 {
		problems.Add(c.AtKey("order", "post has an order", "remove the line: the date says where it is"))
	}
	if c.Meetup != nil {
		problems.Add(c.AtKey("meetup", "post cannot be a meetup", "write a chapter about it; `kubewalk new meetup` creates one"))
	}
	_, err := time.Parse(time.DateOnly, c.Date)
	switch {
	case c.Date != "" && err != nil:
		wrong("date", fmt.Sprintf("date %q is not in the calendar", c.Date), "check the day and the month: a date is written YYYY-MM-DD")
	case c.Date == "" && c == original && !c.broken:
		wrong("date", "post has no date", "add date: 2026-01-31, the day on which it is published")
	}
	b.checkNames(c, "authors", "author", c.Authors, slices.Collect(maps.Keys(b.Site.Authors)), problems)
	b.checkNames(c, "tags", "tag", c.Tags, slices.Collect(maps.Keys(b.Site.Tags)), problems)
	if c == original || c.broken || original.broken {
		return
	}
	const once = "it is the same in every language: remove it here, or correct one"
	if c.Date != "" && err == nil && c.Date != original.Date {
		wrong("date", fmt.Sprintf("date %q differs from %q in %s", c.Date, original.Date, original.File), once)
	}
	if own, theirs := slices.Sorted(slices.Values(c.Tags)), slices.Sorted(slices.Values(original.Tags)); c.Tags != nil && !slices.Equal(own, theirs) {
		wrong("tags", fmt.Sprintf("tags [%s] differ from [%s] in %s", strings.Join(own, ", "), strings.Join(theirs, ", "), original.File),
			"they are the same in every language: remove them here, or correct one; tags: in site.yaml says what readers see")
	}
}

// checkNames tells what is wrong with a list of authors or tags: of those that site.yaml has a table of, the table has all.
func (b *Book) checkNames(c *Chapter, key, what string, names, table []string, problems *problem.List) {
	for i, name := range names {
		at := fmt.Sprintf("%s[%d]", key, i)
		switch {
		case name == "" && c.broken: // that is told
		case strings.TrimSpace(name) == "":
			problems.Add(c.At(at, fmt.Sprintf("%s has no name", what), "write one, or remove the entry"))
		case slices.Contains(names[:i], name):
			problems.Add(c.At(at, fmt.Sprintf("%s %q is listed twice", what, name), "remove one"))
		case !b.unsure && len(table) > 0 && !slices.Contains(table, name):
			problems.Add(c.At(at, fmt.Sprintf("unknown %s %q", what, name),
				fmt.Sprintf("%s; %s: in site.yaml lists them", problem.DidYouMean(name, table), key)))
		}
	}
}

// refusePostKeys tells of chapters that have what only posts have.
func (b *Book) refusePostKeys(problems *problem.List) {
	if b.unsure {
		return
	}
	var others []*Chapter
	for _, code := range b.Site.Codes() {
		if home := b.Homes[code]; home != nil {
			others = append(others, home)
		}
	}
	for _, c := range slices.Concat(others, b.Chapters, b.Outside, b.Talks) {
		if c.Original != nil {
			continue
		}
		for _, own := range []struct {
			key, what string
			given     bool
			cure      string
		}{{"date", "a date", c.Date != "", gitKnows}, {"authors", "authors", c.Authors != nil, gitKnowsWho}, {"tags", "tags", c.Tags != nil, searchFinds}} {
			if own.given {
				problems.Add(c.AtKey(own.key, "only posts have "+own.what, own.cure+isPost))
			}
		}
	}
}
