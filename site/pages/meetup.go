package pages

import "github.com/a-h/templ"

// ProgrammeAnchor is the id of a meetup's programme on its page. No heading has one with
// a point in it.
const ProgrammeAnchor = "meetup.programme"

// Meetup is a meetup for readers of one language.
type Meetup struct {
	Words Words
	Path  string // of its page
	Title string
	When  When

	Series, Place, Host Said
	Online              string // address
	Calendar            string // address of the file for calendars
	Links               []Reference
	Talks               []Talk
}

// When is a time in words, and for programs.
type When struct {
	Begin, End         string // End is "" when there is nothing to say
	BeginAt, EndAt     string // as datetime has it
	Zone               string // "" where only days are told
	Until              string // from when on it is over, RFC 3339
	ToCome, ToComeKnow bool   // whether it was to come when the book was last changed; whether that is known
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

// Year is a heading of a list of meetups.
type Year struct {
	Anchor, Title string
	Meetups       []Meetup
}
