package raster

import "git.sr.ht/~sbinet/gg"

// Size of a cover: what shops of books ask for.
const (
	CoverWidth  = 1600
	CoverHeight = 2400
)

// Cover is the picture of a book.
type Cover struct {
	Title       string
	Description string
	Date        string
	Picture     *Picture // of a demo of the book; may be nil
	Accent      string   // as in Card
}

// PNG draws the cover. Texts that the font cannot draw are left out: a reader of
// books shows the title beside the cover anyway.
func (c Cover) PNG() []byte {
	for _, text := range []*string{&c.Title, &c.Description, &c.Date} {
		if Lacks(*text) != "" {
			*text = ""
		}
	}
	dc := gg.NewContext(CoverWidth, CoverHeight)
	p := page{dc, faces{}, accented(c.Accent)}
	dc.SetColor(paper)
	dc.Clear()
	const margin = 140.0
	p.sign(margin, 190, 150)
	y := p.paragraph(c.Title, margin, 560, CoverWidth-2*margin, 3, true, 150, 180, ink)
	y = p.paragraph(c.Description, margin, y-50, CoverWidth-2*margin, 4, false, 58, 84, muted)
	p.line(c.Date, margin, y+40, false, 42, p.accent)
	if c.Picture != nil {
		p.sheet(c.Picture, margin, 1240, CoverWidth-margin, CoverHeight, 1.9)
	} else {
		dc.SetColor(p.accent)
		dc.DrawRectangle(0, CoverHeight-120, CoverWidth, 120)
		dc.Fill()
	}
	return encode(dc)
}
