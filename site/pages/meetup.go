package pages

import (
	"strings"

	"github.com/a-h/templ"
)

// ProgrammeAnchor is the id of a meetup's programme on its page. No heading has one with
// a point in it.
const ProgrammeAnchor = "meetup.programme"

// Meetup is a meetup for readers of one language.
type Meetup struct {
	Words Words
	Path  string // of its page
	Title Said
	When  When
	// Language is the page's, on a page whose text is in another.
	Language string

	Series, Place, Host Said
	Online              string // address
	Calendar            string // address of the file for calendars
	Links               []Reference
	Talks               []Talk
}

// When is a time in words, and for programs.
type When struct {
	Dash                string // between them
	Begin, End          string // End is "" when there is nothing to say
	BeginAt, EndAt      string // as datetime has it
	Zone                string // "" where only days are told
	Until               string // from when on it is over, RFC 3339
	ToCome, ToComeKnown bool   // whether it was to come when the book was last changed; whether that is known
}

// MayCome tells whether it may be to come, as far as the build knows.
func (w *When) MayCome() bool { return w.ToCome || !w.ToComeKnown }

// span is both ends of it. The template would put spaces around the dash.
func (w *When) span() templ.Component {
	end := func(at, text string) string {
		return `<time datetime="` + templ.EscapeString(at) + `">` + templ.EscapeString(text) + "</time>"
	}
	out := end(w.BeginAt, w.Begin)
	if w.End != "" {
		out += w.Dash + end(w.EndAt, w.End)
	}
	return templ.Raw(out)
}

// Said is a text, and its language when it is not the page's.
type Said struct{ Text, Language string }

func (s Said) said() templ.Attributes {
	if s.Language == "" {
		return nil
	}
	return templ.Attributes{"lang": s.Language}
}

// Reference is a text that leads somewhere, if there is an address.
type Reference struct {
	Said
	URL string
}

// joined are several in a line, and nothing else between them: Japanese has no spaces there.
func joined(all []Reference, between string) templ.Component {
	var out strings.Builder
	for i, r := range all {
		if i > 0 {
			out.WriteString(templ.EscapeString(between))
		}
		lang := ""
		if r.Language != "" {
			lang = ` lang="` + templ.EscapeString(r.Language) + `"`
		}
		text := templ.EscapeString(r.Text)
		switch {
		case r.URL != "":
			text = `<a href="` + templ.EscapeString(string(templ.URL(r.URL))) + `"` + lang + ">" + text + "</a>"
		case lang != "":
			text = "<span" + lang + ">" + text + "</span>"
		}
		out.WriteString(text)
	}
	return templ.Raw(out.String())
}

// Talk is one of a meetup's talks.
type Talk struct {
	Title         Said
	Section       string // "#anchor" on the page; "" when it has none
	Speakers      []Reference
	Language      string // its name; "" when it is the page's
	Slides, Video string // addresses
	Chapter, Demo *Reference
}

// talkLink is a link below a talk.
type talkLink struct {
	Kind string // what stands before it; "" for one that says itself what it is
	Reference
}

func (t *Talk) links(words *Words) (out []talkLink) {
	own := func(text, url string) {
		if url != "" {
			out = append(out, talkLink{Reference: Reference{Said{Text: text}, url}})
		}
	}
	own(words.Slides, t.Slides)
	own(words.Video, t.Video)
	if t.Chapter != nil {
		out = append(out, talkLink{words.TalkChapter, *t.Chapter})
	}
	if t.Demo != nil {
		out = append(out, talkLink{words.TalkDemo, *t.Demo})
	}
	return out
}

// Year is a heading of a list of meetups or posts.
type Year struct {
	Anchor, Title string
	Meetups       []Meetup
	Posts         []Post
}
