package meetup

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"golang.org/x/text/language"

	"kubewalk/generator/problem"
)

// Wrong takes a mistake: what of the meetup has it ("talks[0].title"), what is wrong,
// and the cure.
type Wrong func(path, message, cure string)

// Check says what a schema cannot, of what a file itself says. Codes are the book's
// languages. A translation may leave out what its original says; complete is false for it.
func (m *Meetup) Check(codes []string, complete bool, wrong Wrong) {
	m.checkTime(complete, wrong)
	m.texts(func(path string, t Text) {
		for _, code := range slices.Sorted(maps.Keys(t)) {
			if code != "" && !slices.Contains(codes, code) {
				wrong(path+"["+code+"]", fmt.Sprintf("%q is not a language of the book", code), problem.DidYouMean(code, codes))
			}
		}
	})
	m.addresses(func(path, address string) {
		if u, err := url.Parse(address); address != "" && (err != nil || u.Hostname() == "") {
			wrong(path, fmt.Sprintf("%q is not an address", address), "check its spelling")
		}
	})
	for i, t := range m.Talks {
		path := fmt.Sprintf("talks[%d]", i)
		if _, err := language.Parse(t.Language); t.Language != "" && err != nil {
			wrong(path+".language", fmt.Sprintf("language %q is unknown", t.Language), "write it in the form of BCP 47: en, ja, pt-BR")
		}
	}
}

func (m *Meetup) checkTime(complete bool, wrong Wrong) {
	if m.Date == "" {
		if complete {
			wrong("", "date of the meetup is missing", "add date: 2026-01-31, the day on which it is")
		}
		return
	}
	at := time.UTC
	if m.Zone != "" {
		known, ok := zone(m.Zone)
		if !ok {
			wrong("zone", fmt.Sprintf("time zone %q is unknown", m.Zone), zoneCure(m.Zone))
			return
		}
		at = known
	}
	begin, day, ok := check("date", m.Date, at, wrong)
	if !ok {
		return
	}
	if !day && m.Zone == "" && complete {
		wrong("date", fmt.Sprintf("date %q has a time of day and no time zone", m.Date), "add zone: Asia/Tokyo, or leave the time out")
	}
	if m.End == "" {
		return
	}
	end, endsDay, ok := check("end", m.End, at, wrong)
	switch {
	case !ok:
	case day != endsDay:
		wrong("end", fmt.Sprintf("end %q is not written like date", m.End), fmt.Sprintf("write both as days, or both with a time: date is %q", m.Date))
	case end.Before(begin):
		wrong("end", fmt.Sprintf("end %q is before the beginning, %q", m.End, m.Date), "swap them, or correct one")
	case !day && end.Equal(begin):
		wrong("end", fmt.Sprintf("end %q is the time at which it begins", m.End), "correct it, or leave it out")
	}
}

// check reads a moment that is there, and that clocks show there.
func check(key, text string, at *time.Location, wrong Wrong) (moment time.Time, day, ok bool) {
	moment, day, err := parse(text, at)
	layout := timeLayout
	if day {
		layout = dayLayout
	}
	switch {
	case err != nil:
		wrong(key, fmt.Sprintf("%s %q is not in the calendar", key, text), "check month, day and time")
		return moment, day, false
	case !day && moment.Format(layout) != text:
		wrong(key, fmt.Sprintf("%s %q is a time that clocks skip in %s", key, text, at),
			fmt.Sprintf("they go forward then; did you mean %q?", moment.Format(layout)))
		return moment, day, false
	}
	return moment, day, true
}

// zoneCure names the zone that was probably meant: by its name, or by its city alone.
func zoneCure(name string) string {
	names := zoneNames()
	if problem.Nearest(name, names) == "" {
		return "write its IANA name, as in Asia/Tokyo or Europe/Berlin"
	}
	return problem.DidYouMean(name, names)
}

// texts calls a function with all that may be in several languages.
func (m *Meetup) texts(each func(path string, t Text)) {
	each("series", m.Series)
	each("place", m.Place)
	each("host", m.Host)
	for i, l := range m.Links {
		each(fmt.Sprintf("links[%d].title", i), l.Title)
	}
	for i, t := range m.Talks {
		each(fmt.Sprintf("talks[%d].title", i), t.Title)
		for j, s := range t.Speakers {
			each(fmt.Sprintf("talks[%d].speakers[%d].name", i, j), s.Name)
		}
	}
}

// addresses calls a function with all addresses of the web.
func (m *Meetup) addresses(each func(path, address string)) {
	each("online", m.Online)
	for i, l := range m.Links {
		each(fmt.Sprintf("links[%d].url", i), l.URL)
	}
	for i, t := range m.Talks {
		path := fmt.Sprintf("talks[%d]", i)
		each(path+".slides", t.Slides)
		each(path+".video", t.Video)
		for j, s := range t.Speakers {
			each(fmt.Sprintf("%s.speakers[%d].url", path, j), s.URL)
		}
	}
}

// Differs says where a translation says otherwise than its original what is the same
// in all languages.
func (m *Meetup) Differs(original *Meetup, file string, wrong Wrong) {
	same := func(path, name, own, theirs string) {
		if own == "" || own == theirs {
			return
		}
		if theirs == "" {
			wrong(path, fmt.Sprintf("%s %q is not in %s", name, own, file), "write it there; a translation takes what it leaves out from there")
			return
		}
		wrong(path, fmt.Sprintf("%s %q differs from %q in %s", name, own, theirs, file), "it is the same in every language: remove it here, or correct one")
	}
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	same("date", "date", m.Date, original.Date)
	same("end", "end", m.End, original.End)
	same("zone", "zone", m.Zone, original.Zone)
	same("number", "number", number(m.Number), number(original.Number))
	if m.Talks != nil && len(m.Talks) != len(original.Talks) {
		wrong("talks", fmt.Sprintf("%d talks are not the %d of %s", len(m.Talks), len(original.Talks), file),
			"list the same ones in the same order, or none: a translation takes what it leaves out from there")
		return
	}
	for i, t := range m.Talks {
		path, theirs := fmt.Sprintf("talks[%d].", i), original.Talks[i]
		same(path+"language", "language", t.Language, theirs.Language)
		same(path+"section", "section", t.Section, theirs.Section)
		same(path+"chapter", "chapter", t.Chapter, theirs.Chapter)
		same(path+"demo", "demo", t.Demo, theirs.Demo)
	}
}
