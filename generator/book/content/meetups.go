package content

import (
	"cmp"
	"fmt"
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
	originals := originalsOf(b.Chapters)
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
