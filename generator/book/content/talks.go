package content

// TalksFolder is where a language's talks are: content/en/talks/NAME.md is a talk's slides, beside the parts of the book. A
// talk is no chapter: it has a page, and is in no list of them. A book that has a part of that name has no talks.
const TalksFolder = "talks"

// TalkIn returns a language's talk of that name, or nil.
func (b *Book) TalkIn(language, name string) *Chapter {
	for _, c := range b.Talks {
		if c.Language == language && c.Name == name {
			return c
		}
	}
	return nil
}
