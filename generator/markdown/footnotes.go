package markdown

import (
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// footnotes are written [^name] in the text and [^name]: … anywhere below.
func footnotes(d *Document) goldmark.Extender {
	return extension.NewFootnote(
		extension.WithFootnoteLinkTitle(d.words().Footnote),
		extension.WithFootnoteBacklinkTitle(d.words().Back),
	)
}
