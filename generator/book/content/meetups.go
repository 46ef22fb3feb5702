package content

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"kubewalk/generator/book/meetup"
	"kubewalk/generator/problem"
)

// loadMeetups checks what front matter says of meetups, and completes translations by
// their originals.
func (b *Book) loadMeetups(problems *problem.List) {
	b.meetups = map[*Chapter]*bookedMeetup{}
	codes := b.Site.Codes()
	for _, code := range codes {
		if home := b.Homes[code]; home != nil && home.Original == nil && home.Meetup != nil {
			problems.Add(home.AtKey("meetup", "home page cannot be a meetup", "write a chapter about it; `kubewalk new meetup` creates one"))
		}
	}
	originals := map[string]*Chapter{} // by key
	for _, c := range b.Chapters {     // by language: the first one comes first
		if c.Original == nil && originals[c.Key()] == nil {
			originals[c.Key()] = c
		}
	}
	for _, c := range b.Chapters {
		original := originals[c.Key()]
		if c.Original != nil { // it shows that one's text
			if original.Meetup != nil {
				b.meetups[c] = &bookedMeetup{original.Meetup, original}
			}
			continue
		}
		wrong := func(path, message, cure string) {
			at := "meetup"
			if path != "" {
				at += "." + path
			}
			problems.Add(c.At(at, message, cure))
		}
		if c.Meetup != nil && !c.broken {
			c.Meetup.Check(codes, c == original, wrong)
		}
		if c == original {
			if c.Meetup != nil {
				b.meetups[c] = &bookedMeetup{c.Meetup, c}
			}
			continue
		}
		if original.Meetup == nil {
			if c.Meetup != nil && !original.broken {
				wrong("", fmt.Sprintf("meetup is not in %s", original.File), "write it there: a translation takes what it leaves out from there")
			}
			continue
		}
		if c.Meetup != nil && !c.broken && !original.broken {
			c.Meetup.Differs(original.Meetup, original.File, wrong)
		}
		b.meetups[c] = &bookedMeetup{c.Meetup.Over(original.Meetup), original}
	}
}

// bookedMeetup is a chapter's meetup, and the chapter whose file says what is the same
// in all languages.
type bookedMeetup struct {
	meetup   *meetup.Meetup
	original *Chapter
}

// MeetupOf is a chapter's meetup, with what a translation takes from its original; nil
// when it is about none.
func (b *Book) MeetupOf(c *Chapter) *meetup.Meetup {
	if known := b.meetups[c]; known != nil {
		return known.meetup
	}
	return nil
}

// SaysMeetup tells whether it is this chapter's file that says which sections, chapters
// and demos belong to its talks, in all languages.
func (b *Book) SaysMeetup(c *Chapter) bool { return b.meetups[c] != nil && b.meetups[c].original == c }

// MeetupsIn are the chapters about meetups of a part, the newest first.
func (b *Book) MeetupsIn(language, part string) []*Chapter {
	var out []*Chapter
	for _, c := range b.In(language) {
		if c.Part == part && b.meetups[c] != nil {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(x, y *Chapter) int {
		return cmp.Or(b.MeetupOf(y).When().Begin.Compare(b.MeetupOf(x).When().Begin), cmp.Compare(x.Name, y.Name))
	})
	return out
}

// pagesOfLanguage are pages in a language's folder that are no chapters.
var pagesOfLanguage = []string{GlossaryName, "book", "offline", "search"}

// ListMeetups gives each part that has meetups a page that lists them, in each language: a
// chapter outside of all parts, without a text, at /LANGUAGE/PART/. What it is called
// is for the pages' words to say.
func (b *Book) ListMeetups(titled func(language string) (title, description string)) error {
	var problems problem.List
	b.lists = map[place]*Chapter{}
	known := b.cache.lists
	b.cache.lists = map[place]*Chapter{}
	for i, part := range b.Site.Parts {
		for _, l := range b.Site.Languages {
			if len(b.MeetupsIn(l.Code, part.Name)) == 0 {
				continue
			}
			if slices.Contains(pagesOfLanguage, part.Name) {
				problems.Add(b.At(fmt.Sprintf("parts[%d].name", i),
					fmt.Sprintf("part %q has meetups, and /%s/%s/, where they are listed, is another page", part.Name, l.Code, part.Name),
					"give the part another name, as in meetups"))
				break
			}
			at := place{l.Code, part.Name}
			c := &Chapter{File: filepath.ToSlash(filepath.Join(b.Dir, "site.yaml")), Language: l.Code, Name: part.Name, Lists: part.Name}
			c.Title, c.Description = titled(l.Code)
			if last := known[at]; last != nil && last.File == c.File && last.Title == c.Title && last.Description == c.Description {
				c = last
			}
			b.lists[at], b.cache.lists[at] = c, c
		}
	}
	return problems.Err()
}

// ListOf is the page that lists a part's meetups; nil when it has none.
func (b *Book) ListOf(language, part string) *Chapter { return b.lists[place{language, part}] }
