package meetup

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Event is a meetup as calendars and search engines are told of it, in one language.
type Event struct {
	UID         string // the same for ever, in all languages
	Language    string // of the texts
	Title       string
	Description string
	URL         string    // of its page; "" when nobody knows
	Stamp       time.Time // when this was last changed
	When        When

	Series, Place, Host, Online string // "" when nobody said
	Talks                       []EventTalk
	Image                       string // address of a picture; "" without one
}

// EventTalk is a talk of it.
type EventTalk struct {
	Title    string
	Speakers []EventSpeaker
	Language string // that it is given in; "" when nobody said
}

// EventSpeaker is who gives it.
type EventSpeaker struct{ Name, URL string }

// line is a talk in one line.
func (t EventTalk) line() string {
	names := make([]string, len(t.Speakers))
	for i, s := range t.Speakers {
		names[i] = s.Name
	}
	if len(names) == 0 {
		return t.Title
	}
	return t.Title + " – " + strings.Join(names, ", ")
}

// Calendar is a file with these events as RFC 5545 has it. Name is what a calendar with
// them is called; "" when they are to be put into the reader's own. Times are in UTC, so
// that no rules of time zones have to come with them; days are days, wherever the
// reader is.
func Calendar(name string, events []Event) []byte {
	var out bytes.Buffer
	line := func(property, value string) {
		fold(&out, property+":"+value)
	}
	line("BEGIN", "VCALENDAR")
	line("VERSION", "2.0")
	line("PRODID", "-//Kubewalk//Meetups//EN")
	line("CALSCALE", "GREGORIAN")
	if name != "" {
		line("NAME", escape(name)) // RFC 7986
		line("X-WR-CALNAME", escape(name))
	}
	for _, e := range events {
		text := func(property, value string) {
			if value != "" {
				line(property+";LANGUAGE="+e.Language, escape(value))
			}
		}
		line("BEGIN", "VEVENT")
		line("UID", escape(e.UID))
		line("DTSTAMP", instant(e.Stamp))
		if e.When.AllDay {
			// The end is the first day on which it is over.
			line("DTSTART;VALUE=DATE", e.When.Begin.Format(dayOnly))
			line("DTEND;VALUE=DATE", e.When.Last().AddDate(0, 0, 1).Format(dayOnly))
		} else {
			line("DTSTART", instant(e.When.Begin))
			if !e.When.End.IsZero() {
				line("DTEND", instant(e.When.End))
			}
		}
		text("SUMMARY", e.Title)
		described := []string{e.Description}
		for _, t := range e.Talks {
			described = append(described, t.line())
		}
		text("DESCRIPTION", strings.Join(described, "\n"))
		text("LOCATION", e.Place)
		if e.URL != "" {
			line("URL", e.URL)
		}
		if e.Online != "" {
			line("CONFERENCE;VALUE=URI;FEATURE=VIDEO", e.Online) // RFC 7986
		}
		line("STATUS", "CONFIRMED")
		line("END", "VEVENT")
	}
	line("END", "VCALENDAR")
	return out.Bytes()
}

const dayOnly = "20060102"

// instant is a moment in UTC.
func instant(t time.Time) string { return t.UTC().Format("20060102T150405Z") }

// escape writes a TEXT (RFC 5545, 3.3.11). Controls cannot be in one.
func escape(text string) string {
	var b strings.Builder
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	for _, r := range text {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\\' || r == ';' || r == ',':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r < ' ' && r != '\t' || r == 0x7f:
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mostOctets is how long a line may be without its end (3.1).
const mostOctets = 75

// fold writes a line of content, on as many lines as it takes. No character is cut.
func fold(out *bytes.Buffer, line string) {
	room := mostOctets
	for len(line) > room {
		cut := room
		for cut > 0 && !utf8.RuneStart(line[cut]) {
			cut--
		}
		fmt.Fprintf(out, "%s\r\n ", line[:cut])
		line, room = line[cut:], mostOctets-1
	}
	out.WriteString(line + "\r\n")
}
