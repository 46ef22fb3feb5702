package content

import (
	"fmt"
	"path/filepath"
	"slices"

	"kubewalk/generator/problem"
)

// TagsFolder is where the pages of a part's tags are: /LANGUAGE/PART/tags/TAG/.
const TagsFolder = "tags"

// pagesOfLanguage are pages in a language's folder that are no chapters.
var pagesOfLanguage = []string{GlossaryName, "book", "offline", "search"}

// MakeLists gives each part that has meetups or posts a page that lists them, in each language, and
// each tag of posts another: chapters outside of all parts, without a text. What
// they are called is for the pages' words to say.
func (b *Book) MakeLists(titled func(list *Chapter) (title, description string)) error {
	var problems problem.List
	b.lists = map[place]*Chapter{}
	known := b.cache.lists
	b.cache.lists = map[place]*Chapter{}
	add := func(language, part, tag string) {
		c := &Chapter{File: filepath.ToSlash(filepath.Join(b.Dir, "site.yaml")), Language: language, Name: part, Lists: part, Tag: tag}
		if tag != "" {
			c.Name = tagKey(part, tag)
		}
		c.Title, c.Description = titled(c)
		at := place{language, c.Name}
		if last := known[at]; last != nil && last.File == c.File && last.Title == c.Title && last.Description == c.Description {
			c = last
		}
		b.lists[at], b.cache.lists[at] = c, c
	}
	for _, part := range b.Site.AllParts() {
		for _, l := range b.Site.Languages {
			what := "meetups"
			if part.Posts {
				what = "posts"
			}
			if len(b.listed(l.Code, part.Name, "")) == 0 {
				continue
			}
			if slices.Contains(pagesOfLanguage, part.Name) {
				i := slices.IndexFunc(b.Site.Parts, func(p PartInfo) bool { return p.Name == part.Name })
				problems.Add(b.At(fmt.Sprintf("parts[%d].name", i),
					fmt.Sprintf("part %q has %s, and /%s/%s/, where they are listed, is another page", part.Name, what, l.Code, part.Name),
					fmt.Sprintf("give the part another name, as in %s", map[bool]string{false: "meetups", true: "blog"}[part.Posts])))
				break
			}
			add(l.Code, part.Name, "")
			for _, tag := range b.TagsIn(l.Code, part.Name) {
				add(l.Code, part.Name, tag)
			}
		}
	}
	return problems.Err()
}

func tagKey(part, tag string) string { return part + "/" + TagsFolder + "/" + tag }

// ListOf is the page that lists a part's meetups or posts; nil when it has none.
func (b *Book) ListOf(language, part string) *Chapter { return b.lists[place{language, part}] }

// TagPage is the page that lists a part's posts with a tag; nil when there are none.
func (b *Book) TagPage(language, part, tag string) *Chapter {
	return b.lists[place{language, tagKey(part, tag)}]
}

// ListsIn are a language's pages that list meetups and posts: those of parts, in their
// order, each before those of its tags.
func (b *Book) ListsIn(language string) (out []*Chapter) {
	for _, part := range b.Site.AllParts() {
		list := b.ListOf(language, part.Name)
		if list == nil {
			continue
		}
		out = append(out, list)
		for _, tag := range b.TagsIn(language, part.Name) {
			out = append(out, b.TagPage(language, part.Name, tag))
		}
	}
	return out
}

// Listed are the chapters that a page lists, the newest first.
func (b *Book) Listed(list *Chapter) []*Chapter { return b.listed(list.Language, list.Lists, list.Tag) }

func (b *Book) listed(language, part, tag string) []*Chapter {
	if !b.HasPosts(part) {
		return b.MeetupsIn(language, part)
	}
	posts := b.PostsIn(language, part)
	if tag == "" {
		return posts
	}
	return slices.DeleteFunc(posts, func(c *Chapter) bool { return !slices.Contains(b.posts[c].Tags, tag) })
}
