package content

import (
	"fmt"
	"path/filepath"
	"slices"

	"kubewalk/generator/problem"
)

// leaveOutDrafts takes drafts out of the book. A draft in the first language takes
// its translations with it.
func (b *Book) leaveOutDrafts() {
	drafts := map[string]bool{} // by key
	for _, c := range slices.Concat(b.Chapters, b.Outside, b.Posts) {
		if c.Draft && c.Language == b.Site.Languages[0].Code {
			drafts[c.Key()] = true
		}
	}
	leaveOut := func(c *Chapter) bool {
		out := c.Draft || drafts[c.Key()]
		if out {
			b.Drafts = append(b.Drafts, c)
		}
		return out
	}
	b.Chapters, b.Outside = slices.DeleteFunc(b.Chapters, leaveOut), slices.DeleteFunc(b.Outside, leaveOut)
	b.Posts = slices.DeleteFunc(b.Posts, leaveOut)
	b.Talks = slices.DeleteFunc(b.Talks, func(c *Chapter) bool {
		if c.Draft {
			b.Drafts = append(b.Drafts, c)
		}
		return c.Draft
	})
}

// checkHomes demands a home page in the first language. Others show that one
// until theirs is written.
func (b *Book) checkHomes(problems *problem.List) {
	first := b.Site.Languages[0].Code
	for _, code := range b.Site.Codes() {
		home := b.Homes[code]
		if home != nil && home.Draft {
			problems.Add(home.At("draft", "home page is a draft", "remove the line: a book needs its home page"))
		}
		if home == nil && code == first {
			problems.Add(problem.Problem{File: filepath.ToSlash(filepath.Join(b.Dir, code, HomeFile)), Message: "file is missing",
				Cure: "it is the home page in that language"})
		}
	}
}

// checkOrder demands that a chapter has the same place in every language, and one of
// its own; chapters without order come first, by name.
func (b *Book) checkOrder(problems *problem.List) {
	first := b.Site.Languages[0].Code
	for _, c := range b.Chapters {
		other := b.Find(first, c.Key())
		switch {
		case other == nil || other.Order == c.Order || c.broken || other.broken:
		case other.Order == 0:
			problems.Add(c.At("order", fmt.Sprintf("order is %d, and %s has none", c.Order, other.File), fmt.Sprintf("write order: %d there, too", c.Order)))
		case c.Order == 0:
			problems.Add(c.At("order", fmt.Sprintf("order is missing, and is %d in %s", other.Order, other.File), fmt.Sprintf("write order: %d", other.Order)))
		default:
			problems.Add(c.At("order", fmt.Sprintf("order %d differs from %d in %s", c.Order, other.Order, other.File),
				"a chapter has the same place in every language"))
		}
	}
	type place struct {
		part  string
		order int
	}
	taken, last := map[place]*Chapter{}, map[string]int{}
	for _, c := range b.Chapters {
		last[c.Part] = max(last[c.Part], c.Order)
	}
	for _, c := range b.Chapters {
		if c.Language != first || c.Order == 0 || c.broken {
			continue
		}
		at := place{c.Part, c.Order}
		if other := taken[at]; other != nil {
			problems.Add(c.At("order", fmt.Sprintf("order %d is also that of %s", c.Order, other.File),
				fmt.Sprintf("give each chapter of a part a number of its own; %d is free", last[c.Part]+1)))
		} else {
			taken[at] = c
		}
	}
}

// fallBack gives each language the pages that it lacks: with the text of the first
// language that has them. It lists them as Untranslated.
func (b *Book) fallBack() {
	known := b.cache.untranslated
	b.cache.untranslated = map[untranslated]*Chapter{}
	for _, code := range b.Site.Codes() {
		if home := b.Homes[b.Site.Languages[0].Code]; b.Homes[code] == nil && home != nil {
			b.Homes[code] = b.inPlaceOf(known, home, code, code+"/"+HomeFile)
		}
	}
	b.Chapters, b.Outside, b.Posts = b.completed(known, b.Chapters), b.completed(known, b.Outside), b.completed(known, b.Posts)
}

// completed are chapters of all languages with those in whose place an original stands.
func (b *Book) completed(known map[untranslated]*Chapter, chapters []*Chapter) []*Chapter {
	originals := map[string]*Chapter{}
	var keys []string
	for _, c := range chapters { // by language: the first one comes first
		if originals[c.Key()] == nil {
			originals[c.Key()] = c
			keys = append(keys, c.Key())
		}
	}
	for _, code := range b.Site.Codes() {
		for _, key := range keys {
			if b.places[place{code, key}] == nil {
				chapters = append(chapters, b.inPlaceOf(known, originals[key], code, code+"/"+key+".md"))
			}
		}
	}
	return chapters
}

// untranslated is a page that shows an original in the place of a translation.
type untranslated struct {
	original *Chapter
	language string
}

// inPlaceOf is the page that shows an original where its translation would be: of
// the same original the same one as in the last build.
func (b *Book) inPlaceOf(known map[untranslated]*Chapter, original *Chapter, language, file string) *Chapter {
	what, outline := "home page", ""
	if key := original.Key(); key != "" {
		kind := "chapter"
		switch {
		case original.Part == "":
			kind = "page"
		case b.HasPosts(original.Part):
			kind = "post"
		}
		what, outline = kind+" "+key, fmt.Sprintf("; `kubewalk new %s %s` creates its outline", kind, key)
	}
	if !original.Draft {
		missing := problem.Problem{File: original.File, Message: fmt.Sprintf("%s is missing in %q", what, language),
			Cure: fmt.Sprintf("write %s%s; until then the page shows this text", filepath.ToSlash(filepath.Join(b.Dir, file)), outline)}
		if i := slices.IndexFunc(b.Drafts, func(c *Chapter) bool { return c.Language == language && c.Key() == original.Key() }); i >= 0 {
			missing = b.Drafts[i].At("draft", fmt.Sprintf("%s is a draft in %q", what, language),
				fmt.Sprintf("translate it and remove the line draft: true; until then the page shows the text of %s", original.File))
		}
		b.Untranslated = append(b.Untranslated, missing)
	}
	which := untranslated{original, language}
	page := known[which]
	if page == nil {
		copied := *original
		copied.Language, copied.Original, copied.Aliases = language, original, nil
		page = &copied
	}
	b.cache.untranslated[which] = page
	return page
}

// IsDraft tells whether a file below the book's folder ("en/loop/x.md") is a
// chapter that was left out because it is a draft.
func (b *Book) IsDraft(file string) bool {
	return slices.ContainsFunc(b.Drafts, func(c *Chapter) bool { return c.Language+"/"+c.Key()+".md" == file })
}
