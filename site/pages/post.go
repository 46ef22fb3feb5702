package pages

import (
	"fmt"

	"github.com/a-h/templ"
)

// Post is what is said of a post beside its text, for readers of one language.
type Post struct {
	Path               string // of its page
	Title, Description Said
	Date               string // in words
	DateAt             string // as datetime has it
	Authors, Tags      []Reference
}

// line is the day, the authors and the minutes. The template would put spaces around the points.
func (p *Post) line(words *Words, minutes int) templ.Component {
	out := `<time datetime="` + templ.EscapeString(p.DateAt) + `">` + templ.EscapeString(p.Date) + "</time>"
	if len(p.Authors) > 0 {
		out += " · " + text(joined(p.Authors, words.Comma))
	}
	if minutes > 0 {
		out += " · " + templ.EscapeString(fmt.Sprintf(words.Minutes, minutes))
	}
	return templ.Raw(out)
}

// turn are the words of what leads from a page to the one before it and the one behind it.
type turn struct{ name, previous, next string }

func (c *Chapter) turn() turn {
	if c.Post != nil {
		return turn{c.Words.Posts, c.Words.Older, c.Words.Newer}
	}
	return turn{c.Words.Chapters, c.Words.Previous, c.Words.Next}
}
