// Package meetup is what a book knows of a meetup: when and where it was or will be,
// who spoke, and which of the book's chapters and demos belong to a talk. It is
// written in the front matter of the meetup's chapter (generator/book/content reads it);
// here are its form, what must be right about it, and the two forms in which other
// programs take it: iCalendar (RFC 5545) and schema.org's Event.
//
// Nothing here asks the clock, or the machine for its time zones.
package meetup

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"kubewalk/generator/book/schema"
)

// Meetup is the key meetup: of a chapter's front matter.
type Meetup struct {
	Series Text   `yaml:"series" doc:"The series that it is one of, as in Kubernetes Meetup Tokyo."`
	Number int    `yaml:"number" check:"min=1" doc:"Its number in the series."`
	Date   string `yaml:"date" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2})?$" cure:"write a day as 2026-01-31, or with the time of day as 2026-01-31T19:00" doc:"The day of the meetup, optionally with the time at which it begins: 2026-01-31T19:00. Required in the first language's file."`
	End    string `yaml:"end" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2})?$" cure:"write it as date is written: 2026-01-31, or 2026-01-31T21:00" doc:"Its last day, or the time at which it ends, written like date."`
	Zone   string `yaml:"zone" doc:"The time zone by its IANA name, as in Asia/Tokyo. Required with a time of day."`
	Place  Text   `yaml:"place" doc:"Where it is: one text, or one for each language."`
	Host   Text   `yaml:"host" doc:"Who hosts it: one text, or one for each language."`
	Online string `yaml:"online" pattern:"^https?://[^\\s/]" cure:"write an address that begins with https://" doc:"The address at which it is streamed."`
	Links  []Link `yaml:"links" doc:"Pages about it: the invitation, a report."`
	Talks  []Talk `yaml:"talks" doc:"The talks, in order."`
}

// Link is a page elsewhere.
type Link struct {
	Title Text   `yaml:"title" check:"required" doc:"Its title: one text, or one for each language."`
	URL   string `yaml:"url" check:"required" pattern:"^https?://[^\\s/]" cure:"write an address that begins with https://" doc:"Its address."`
}

// Talk is one of the talks.
type Talk struct {
	Title    Text      `yaml:"title" check:"required" doc:"Its title: one text, or one for each language."`
	Speakers []Speaker `yaml:"speakers" doc:"Who speaks: names, or {name: …, url: …}."`
	Language string    `yaml:"language" doc:"The language of the talk, in the form of BCP 47: ja."`
	Section  string    `yaml:"section" pattern:"^#." cure:"write the anchor of a heading of this page, in quotes: \"#work-queue\"" doc:"The anchor of its section on this page: \"#replicaset\"."`
	Slides   string    `yaml:"slides" pattern:"^https?://[^\\s/]" cure:"write an address that begins with https://" doc:"The address of its slides."`
	Video    string    `yaml:"video" pattern:"^https?://[^\\s/]" cure:"write an address that begins with https://" doc:"The address of its recording."`
	Chapter  string    `yaml:"chapter" doc:"The chapter of this book about it: its file below the language's folder, loop/replicaset.md#anchor."`
	Demo     string    `yaml:"demo" doc:"The demo of this book about it, by its name."`
}

// Speaker is who gives a talk.
type Speaker struct {
	Name Text   `yaml:"name" check:"required" doc:"The name: one text, or one for each language."`
	URL  string `yaml:"url" pattern:"^https?://[^\\s/]" cure:"write an address that begins with https://" doc:"A page about them."`
}

// YAMLSchema says that a name alone may stand for a speaker.
func (Speaker) YAMLSchema() *schema.Schema {
	type keys Speaker // without this method
	s := *schema.Of(reflect.TypeFor[keys]())
	s.Short = "name"
	return &s
}

// Text is one text for all languages (under ""), or one for each.
type Text map[string]string

// YAMLSchema says so.
func (Text) YAMLSchema() *schema.Schema { return &schema.Schema{Kind: schema.Texts} }

// In is the text for readers of a language: their own, or one in another language,
// which is named then.
func (t Text) In(language string) (text, of string) {
	if text := cmp.Or(t[language], t[""]); text != "" {
		return text, ""
	}
	for _, other := range slices.Sorted(maps.Keys(t)) {
		if t[other] != "" {
			return t[other], other
		}
	}
	return "", ""
}

// Over is a translation's meetup: what it says itself, and of the rest what the
// original says. The talks are those of the original, one by one.
func (m *Meetup) Over(original *Meetup) *Meetup {
	if m == nil {
		return original
	}
	out := *original
	out.Series, out.Place, out.Host = or(m.Series, out.Series), or(m.Place, out.Place), or(m.Host, out.Host)
	out.Online = cmp.Or(m.Online, out.Online)
	if m.Links != nil {
		out.Links = m.Links
	}
	out.Talks = slices.Clone(out.Talks)
	for i, own := range m.Talks {
		if i == len(out.Talks) {
			break
		}
		t := &out.Talks[i]
		t.Title = or(own.Title, t.Title)
		if own.Speakers != nil {
			t.Speakers = own.Speakers
		}
		t.Slides, t.Video = cmp.Or(own.Slides, t.Slides), cmp.Or(own.Video, t.Video)
	}
	return &out
}

func or(own, original Text) Text {
	if own != nil {
		return own
	}
	return original
}
