package sitebuild

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"kubewalk/generator/book/content"
	"kubewalk/generator/book/meetup"
	"kubewalk/generator/format/feed"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/markdown"
	"kubewalk/site/pages"
)

// showMeetups puts the programmes of meetups in front of their texts, and writes the
// lists of all.
func (b *build) showMeetups() {
	for _, p := range b.pages {
		c := p.Chapter
		m := b.book.MeetupOf(c)
		if m == nil || m.When().Begin.IsZero() { // its problems are told
			continue
		}
		if b.book.SaysMeetup(c) {
			b.checkTalks(p, m)
		}
		p.meetup = b.meetupView(c, m)
	}
	for _, p := range b.pages {
		c := p.Chapter
		if p.meetup != nil {
			p.Text = htmlOf(pages.Programme(p.meetup)) + "\n" + p.Text
		}
		if b.listsMeetups(c) {
			p.years = b.years(c)
			words := b.wordsOf(c.Language)
			p.Text = htmlOf(pages.MeetupList(b.site, p.years, &words, b.site.Link(calendarPath(c)))) + "\n"
		}
	}
}

// listsMeetups tells whether it is the page that lists a part's meetups.
func (b *build) listsMeetups(c *content.Chapter) bool {
	return c.Lists != "" && !b.book.HasPosts(c.Lists)
}

// checkTalks looks for what a meetup's talks lead to.
func (b *build) checkTalks(p *Page, m *meetup.Meetup) {
	c := p.Chapter
	for i, t := range m.Talks {
		wrong := func(key, message, cure string) {
			b.problems.Add(c.At(fmt.Sprintf("meetup.talks[%d].%s", i, key), message, cure))
		}
		if anchor := strings.TrimPrefix(t.Section, "#"); anchor != "" && !p.Document.HasAnchor(anchor) {
			wrong("section", fmt.Sprintf("anchor %q is not in %s", anchor, c.File), problem.DidYouMean(anchor, p.Document.Anchors()))
		}
		if t.Chapter != "" {
			file, anchor, hasAnchor := strings.Cut(t.Chapter, "#")
			full := c.Language + "/" + file
			switch target := b.Document(full); {
			case target == nil && b.IsDraft(full):
				wrong("chapter", fmt.Sprintf("chapter %q is a draft", t.Chapter),
					"publish it (remove its line draft: true), make this one a draft as well, or build with --drafts")
			case target == nil || path.Clean(full) != full:
				wrong("chapter", fmt.Sprintf("there is no chapter %q", t.Chapter), b.chapterCure(c.Language, file))
			case hasAnchor && !target.HasAnchor(anchor):
				wrong("chapter", fmt.Sprintf("anchor %q is not in %s", anchor, target.Chapter.File), problem.DidYouMean(anchor, target.Anchors()))
			}
		}
		if t.Demo != "" && !slices.Contains(b.demoNames, t.Demo) {
			wrong("demo", fmt.Sprintf("unknown demo %q", t.Demo), problem.DidYouMean(t.Demo, b.demoNames))
		}
	}
}

// chapterCure names the chapter's file that was probably meant.
func (b *build) chapterCure(language, file string) string {
	var files []string
	for _, c := range b.book.In(language) {
		files = append(files, c.Key()+".md")
	}
	if problem.Nearest(file, files) == "" {
		return "name its file below the language's folder, as in " + files[0]
	}
	return problem.DidYouMean(file, files)
}

// meetupView is a meetup for readers of a chapter's language.
func (b *build) meetupView(c *content.Chapter, m *meetup.Meetup) *pages.Meetup {
	v := &pages.Meetup{Words: b.wordsOf(c.Language), Path: c.Path(), Title: pages.Said{Text: c.Title}, When: b.when(c.Language, m.When()),
		Series: said(m.Series, c), Place: said(m.Place, c), Host: said(m.Host, c),
		Online: m.Online, Calendar: b.site.Link(calendarPath(c))}
	if c.Original != nil {
		v.Language, v.Title.Language = c.Language, c.TextLanguage()
	}
	if m.Number > 0 {
		v.Series.Text = strings.TrimSpace(fmt.Sprintf("%s #%d", v.Series.Text, m.Number))
	}
	for _, l := range m.Links {
		v.Links = append(v.Links, pages.Reference{Said: said(l.Title, c), URL: l.URL})
	}
	for _, t := range m.Talks {
		v.Talks = append(v.Talks, b.talk(c, &t))
	}
	return v
}

func (b *build) talk(c *content.Chapter, t *meetup.Talk) pages.Talk {
	out := pages.Talk{Title: said(t.Title, c), Section: t.Section, Slides: t.Slides, Video: t.Video}
	if t.Language != "" && t.Language != c.Language {
		out.Language = languageIn(t.Language, c.Language)
		if t.Title[""] != "" && couldBe(out.Title.Text, t.Language, c.TextLanguage()) {
			out.Title.Language = t.Language
		}
	}
	for _, s := range t.Speakers {
		out.Speakers = append(out.Speakers, pages.Reference{Said: said(s.Name, c), URL: s.URL})
	}
	if t.Chapter != "" {
		file, anchor, hasAnchor := strings.Cut(t.Chapter, "#")
		if target := b.book.Find(c.Language, strings.TrimSuffix(file, ".md")); target != nil {
			out.Chapter = &pages.Reference{Said: pages.Said{Text: target.Title}, URL: b.site.Link(target.Path())}
			if target.Original != nil {
				out.Chapter.Language = target.Original.Language
			}
			if hasAnchor {
				out.Chapter.URL += "#" + anchor
			}
		}
	}
	if made := b.demos[t.Demo]; made != nil {
		out.Demo = &pages.Reference{Said: pages.Said{Text: made.Title[c.Language]}, URL: b.showingTalk(c, t)}
	}
	return out
}

// showingTalk is where a talk's demo is shown: on the meetup's own page, in the talk's
// chapter, in another one, or alone.
func (b *build) showingTalk(c *content.Chapter, t *meetup.Talk) string {
	file, _, _ := strings.Cut(t.Chapter, "#")
	shown := []*content.Chapter{c}
	if own := b.book.Find(c.Language, strings.TrimSuffix(file, ".md")); file != "" && own != nil {
		shown = append(shown, own)
	}
	for _, other := range append(shown, b.book.In(c.Language)...) {
		if slices.Contains(b.page(other).Document.Demos, t.Demo) {
			address := "#" + markdown.DemoAnchor(t.Demo)
			if other != c {
				address = b.site.Link(other.Path()) + address
			}
			return address
		}
	}
	return b.site.Link(b.embedPath(t.Demo, c.Language))
}

// said is a text for readers of a chapter's page. On one without a translation, what is
// not said to be in a language is in that of the original.
func said(t meetup.Text, c *content.Chapter) pages.Said {
	text, other := t.In(c.Language)
	if c.Original != nil && t[c.Language] == "" && other == "" {
		other = c.TextLanguage()
	}
	return pages.Said{Text: text, Language: other}
}

// languageIn is the name of a language in another.
func languageIn(code, in string) string {
	tag, err := language.Parse(code)
	if err != nil {
		return code // that is told
	}
	if namer := display.Languages(language.Make(in)); namer != nil {
		if name := namer.Name(tag); name != "" {
			return name
		}
	}
	return code
}

// couldBe tells whether a title that nobody said the language of is in the talk's and not
// in the page's, by the letters that it is written with.
func couldBe(title, talk, page string) bool {
	latin := func(code string) bool {
		script, _ := language.Make(code).Script()
		return script.String() == "Latn"
	}
	foreign := strings.ContainsFunc(title, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) })
	if foreign {
		return !latin(talk) && latin(page)
	}
	return latin(talk)
}

// when is a time in words.
func (b *build) when(language string, w meetup.When) pages.When {
	words := b.wordsOf(language)
	out := pages.When{Begin: w.Begin.Format(words.Date), BeginAt: w.Begin.Format(time.DateOnly), Until: w.Over().UTC().Format(time.RFC3339)}
	sameDay := w.End.Format(time.DateOnly) == w.Begin.Format(time.DateOnly)
	if w.AllDay {
		if !w.End.IsZero() && !sameDay {
			out.Dash, out.End, out.EndAt = " – ", w.End.Format(words.Date), w.End.Format(time.DateOnly)
		}
	} else {
		const machine = "2006-01-02T15:04Z07:00"
		timed := func(t time.Time) string { return fmt.Sprintf(words.DayTime, t.Format(words.Date), t.Format("15:04")) }
		out.Begin, out.BeginAt, out.Zone = timed(w.Begin), w.Begin.Format(machine), w.Zone
		if !w.End.IsZero() {
			out.Dash, out.End, out.EndAt = " – ", timed(w.End), w.End.Format(machine)
			if sameDay {
				out.Dash, out.End = "–", w.End.Format("15:04")
			}
		}
	}
	// The clock is not asked: as of the book's last change, and readers' scripts see to the rest.
	now := b.editionDate(language)
	out.ToComeKnown = !now.IsZero()
	out.ToCome = out.ToComeKnown && now.Before(w.Over())
	return out
}

// years are the meetups that a page lists.
func (b *build) years(list *content.Chapter) (out []pages.Year) {
	for _, c := range b.book.Listed(list) {
		v := b.page(c).meetup
		if v == nil {
			continue
		}
		year := b.book.MeetupOf(c).When().Begin.Format("2006")
		if len(out) == 0 || out[len(out)-1].Title != year {
			out = append(out, pages.Year{Anchor: "y" + year, Title: year})
		}
		last := &out[len(out)-1]
		last.Meetups = append(last.Meetups, *v)
	}
	return out
}

// meetupList is the page that lists a part's meetups.
func (b *build) meetupList(c *content.Chapter) *pages.Chapter {
	page := &pages.Chapter{Page: b.common(c), HTML: b.page(c).Text}
	page.Part = b.partNamed(c.Lists, c.Language)
	page.Headings = headingsOf(b.page(c).years)
	return page
}

func headingsOf(years []pages.Year) (out []pages.Heading) {
	for _, y := range years {
		out = append(out, pages.Heading{Level: 2, ID: y.Anchor, Text: y.Title})
	}
	return out
}

// calendarPath is where a page's meetups are as a file for calendars.
func calendarPath(c *content.Chapter) string { return c.Path() + path.Base(c.Name) + ".ics" }

// programmeSection is what a search finds of a meetup besides its text.
func programmeSection(v *pages.Meetup) markdown.Section {
	s := markdown.Section{Anchor: pages.ProgrammeAnchor, Level: 2, Title: v.Words.Programme}
	lines := []string{v.When.Begin}
	for _, text := range []string{v.Series.Text, v.Place.Text, v.Host.Text} {
		if text != "" {
			lines = append(lines, text)
		}
	}
	for _, t := range v.Talks {
		line := t.Title.Text
		for i, s := range t.Speakers {
			if i == 0 {
				line += " – " + s.Text
			} else {
				line += v.Words.Comma + s.Text
			}
		}
		lines = append(lines, line)
	}
	s.Text = strings.Join(lines, "\n")
	return s
}

// listSections are what a search finds of a list of meetups or posts: their titles. Who spoke
// is found where the programme is.
func listSections(years []pages.Year) []markdown.Section {
	out := []markdown.Section{{}}
	for _, y := range years {
		s := markdown.Section{Anchor: y.Anchor, Level: 2, Title: y.Title}
		var lines []string
		for _, m := range y.Meetups {
			lines = append(lines, m.Title.Text+" – "+m.When.Begin)
		}
		for _, p := range y.Posts {
			lines = append(lines, p.Title.Text+" – "+p.Date)
		}
		s.Text = strings.Join(lines, "\n")
		out = append(out, s)
	}
	return out
}

// withLists adds what a page shows of meetups and posts to its sections.
func (p *Page) withLists(sections []markdown.Section) []markdown.Section {
	switch {
	case p.meetup != nil:
		return slices.Insert(slices.Clone(sections), min(1, len(sections)), programmeSection(p.meetup))
	case p.post != nil:
		return bylineSections(p.post, sections)
	case p.years != nil:
		return listSections(p.years)
	}
	return sections
}

// event is a page's meetup for calendars and search engines.
func (b *build) event(p *Page) meetup.Event {
	c, m, v := p.Chapter, b.book.MeetupOf(p.Chapter), p.meetup
	out := meetup.Event{UID: b.uid(c), Language: c.Language, Title: c.Title, Description: c.Description, URL: b.site.Absolute(c.Path()),
		When: m.When(), Series: said(m.Series, c).Text, Place: v.Place.Text, Host: v.Host.Text, Online: m.Online}
	for _, at := range []time.Time{b.changed(c), b.editionDate(c.Language), out.When.Begin} {
		if out.Stamp.IsZero() {
			out.Stamp = at
		}
	}
	for i, t := range v.Talks {
		talk := meetup.EventTalk{Title: t.Title.Text, Language: m.Talks[i].Language}
		for _, s := range t.Speakers {
			talk.Speakers = append(talk.Speakers, meetup.EventSpeaker{Name: s.Text, URL: s.URL})
		}
		out.Talks = append(out.Talks, talk)
	}
	return out
}

// dateMeetup gives an entry of a feed the day of its meetup. One that was still to come when
// the book was last changed is an announcement, with the day of that: programs that read
// feeds hide what is dated in the future, or let it stand above all else.
func (b *build) dateMeetup(item *feed.Item, p *Page) {
	lines := []string{p.meetup.When.Begin}
	if place := p.meetup.Place.Text; place != "" {
		lines = append(lines, place)
	}
	item.Description = strings.Join(append(lines, item.Description), " · ")
	if p.meetup.When.ToCome {
		return
	}
	item.Published = b.book.MeetupOf(p.Chapter).When().Day()
	if item.Changed.Before(item.Published) {
		item.Changed = item.Published
	}
}

// cardLines are what the card of a meetup says below its title.
func cardLines(v *pages.Meetup) []string {
	out := []string{v.When.Begin}
	if v.Place.Text != "" {
		out = append(out, v.Place.Text)
	}
	var speakers []string
	for _, t := range v.Talks {
		for _, s := range t.Speakers {
			if !slices.Contains(speakers, s.Text) {
				speakers = append(speakers, s.Text)
			}
		}
	}
	if len(speakers) > 0 {
		out = append(out, strings.Join(speakers, v.Words.Comma))
	}
	return out
}

// uid names a meetup in all calendars: by the address of the book, or by what it is called.
func (b *build) uid(c *content.Chapter) string {
	first := b.book.Site.Languages[0].Code
	if base, err := url.Parse(b.site.Base); err == nil && base.Host != "" {
		return strings.TrimPrefix(base.Path+"/"+c.Key(), "/") + "@" + base.Host
	}
	return c.Key() + "@" + strings.TrimPrefix(bookID("", b.book.Site.Title[first], first), "urn:uuid:")
}

// writeCalendars writes meetups as files for calendars: each, and each list.
func (b *build) writeCalendars() error {
	for _, p := range b.pages {
		switch c := p.Chapter; {
		case p.meetup != nil:
			b.tree.Put(calendarPath(c)[1:], meetup.Calendar("", []meetup.Event{b.event(p)}))
		case b.listsMeetups(c):
			var all []meetup.Event
			for _, c := range b.book.Listed(c) {
				all = append(all, b.event(b.page(c)))
			}
			name := b.book.Site.Title[c.Language]
			if part := b.partNamed(c.Lists, c.Language).Title; part != "" {
				name += " – " + part
			}
			b.tree.Put(calendarPath(c)[1:], meetup.Calendar(name, all))
		}
	}
	return nil
}
