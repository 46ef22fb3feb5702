package raster

import (
	"bytes"
	"image/color"
	"image/png"
	"strings"
	"unicode"
	"unicode/utf8"

	"git.sr.ht/~sbinet/gg"
	"github.com/lucasb-eyer/go-colorful"
)

// Size of a card: what Open Graph's readers expect.
const (
	Width  = 1200
	Height = 630
)

// Card is the picture that stands for a page where a link to it is shown.
type Card struct {
	Book        string
	Part        string // "" for a page that is in none
	Title       string
	Description string
	Lines       []string // in the description's place, each on one line; nil for the description
	Picture     *Picture // of a demo on the page; nil without one
	Large       bool     // the picture is what the page is about
	Accent      string   // the book's colour, "#2450b8"; "" for the theme's
}

// Words are all texts of the card.
func (c Card) Words() string {
	return c.Book + c.Part + c.Title + c.Description + strings.Join(c.Lines, "")
}

// The site's colours, light (site/styles/tokens.css).
var (
	paper   = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	raised  = color.NRGBA{0xf5, 0xf6, 0xf8, 0xff}
	ink     = color.NRGBA{0x1a, 0x20, 0x2c, 0xff}
	muted   = color.NRGBA{0x57, 0x60, 0x72, 0xff}
	hairs   = color.NRGBA{0xdd, 0xe1, 0xe8, 0xff}
	primary = color.NRGBA{0x24, 0x50, 0xb8, 0xff}
)

// PNG draws the card. It panics when the font lacks a character: ask Lacks before.
func (c Card) PNG() []byte {
	if missing := Lacks(c.Words()); missing != "" {
		panic("raster: the font lacks " + missing)
	}
	dc := gg.NewContext(Width, Height)
	p := page{dc, faces{}, accented(c.Accent)}
	dc.SetColor(paper)
	dc.Clear()
	const margin = 72
	if c.Large && c.Picture != nil {
		p.brand(margin, 52, 34, c.Book)
		y := p.paragraph(c.Title, margin, 150, Width-2*margin, 1, true, 46, 58, ink)
		p.frame(c.Picture, margin, y-24, Width-2*margin, Height)
		return encode(dc)
	}
	width := float64(Width - 2*margin)
	if c.Picture != nil {
		p.frame(c.Picture, 652, 64, Width-652, Height)
		width = 652 - margin - 44
	}
	p.brand(margin, 64, 40, c.Book)
	size, leading := 66.0, 80.0
	if c.Picture != nil {
		size, leading = 54, 66
	}
	lines := p.wrap(c.Title, width, true, size)
	for len(lines) > 3 && size > 40 {
		size, leading = size-6, leading-7
		lines = p.wrap(c.Title, width, true, size)
	}
	below := p.wrap(c.Description, width, false, 29)
	most := 3
	if len(lines) > 2 {
		most = 2
	}
	if c.Lines != nil {
		below = p.lines(c.Lines, most, width)
	}
	if len(below) > most {
		below = append(below[:most-1], p.ellipsis(below[most-1], width, false, 29))
	}
	// The block of texts stands on the card's lower margin.
	y := Height - 76 - float64(len(below))*42 - 20 - float64(len(lines)-1)*leading
	if c.Part != "" {
		p.line(c.Part, margin, y-leading-4, true, 27, p.accent)
	}
	for _, l := range lines {
		p.line(l, margin, y, true, size, ink)
		y += leading
	}
	y = Height - 76 - float64(len(below)-1)*42
	for _, l := range below {
		p.line(l, margin, y, false, 29, muted)
		y += 42
	}
	return encode(dc)
}

// lines are the first so many, each as far as it fits.
func (p page) lines(all []string, most int, width float64) []string {
	var out []string
	for _, text := range all[:min(most, len(all))] {
		if line := p.wrap(text, width, false, 29); len(line) > 1 {
			text = p.ellipsis(line[0], width, false, 29)
		}
		out = append(out, text)
	}
	return out
}

// ellipsis ends a line that goes on.
func (p page) ellipsis(line string, width float64, bold bool, size float64) string {
	p.SetFontFace(p.faces.get(bold, size))
	for {
		line = strings.TrimRight(line, " 、。,.")
		short := line + " …"
		if w, _ := p.MeasureString(short); w <= width || line == "" {
			return short
		}
		_, n := utf8.DecodeLastRuneInString(line)
		line = line[:len(line)-n]
	}
}

// page is what is drawn on.
type page struct {
	*gg.Context
	faces  faces
	accent color.Color
}

// accented is a colour that somebody chose, or the theme's.
func accented(hex string) color.Color {
	if c, err := colorful.Hex(hex); err == nil {
		return c
	}
	return primary
}

func encode(dc *gg.Context) []byte {
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.DefaultCompression}
	if err := encoder.Encode(&out, dc.Image()); err != nil {
		panic("raster: " + err.Error()) // a buffer takes everything
	}
	return out.Bytes()
}

// brand is the book's sign and title.
func (p page) brand(x, y, size float64, title string) {
	p.sign(x, y, size)
	p.line(title, x+size*1.35, y+size*0.78, true, size*0.75, ink)
}

// sign is the mark of site/pages/layout.templ: three boxes, one of them taken.
func (p page) sign(x, y, size float64) {
	s := size / 24
	p.SetDash()
	p.SetLineWidth(2 * s)
	p.SetColor(ink)
	for _, box := range [][2]float64{{2.75, 2.75}, {2.75, 13.25}} {
		p.DrawRoundedRectangle(x+box[0]*s, y+box[1]*s, 8*s, 8*s, 2*s)
		p.Stroke()
	}
	p.SetColor(p.accent)
	p.DrawRoundedRectangle(x+13*s, y+13*s, 8.5*s, 8.5*s, 2*s)
	p.Fill()
	p.SetColor(ink)
	p.MoveTo(x+13.5*s, y+6.75*s)
	p.LineTo(x+17.25*s, y+6.75*s)
	p.LineTo(x+17.25*s, y+10*s)
	p.Stroke()
}

func (p page) line(text string, x, y float64, bold bool, size float64, c color.Color) {
	letters(p.Context, p.faces.get(bold, size), text, x, y, c)
}

// paragraph writes up to so many lines and returns where the next would be.
func (p page) paragraph(text string, x, y, width float64, most int, bold bool, size, leading float64, c color.Color) float64 {
	lines := p.wrap(text, width, bold, size)
	if len(lines) > most {
		lines = append(lines[:most-1], p.ellipsis(lines[most-1], width, bold, size))
	}
	for _, l := range lines {
		p.line(l, x, y, bold, size, c)
		y += leading
	}
	return y
}

// frame shows the picture as large as it can be read: one that is lying runs out
// of the card.
func (p page) frame(picture *Picture, x, y, width, height float64) {
	p.sheet(picture, x, y, width, height, max(0.92, (width-22)/float64(picture.Width)))
}

// sheet shows the picture on a sheet that goes beyond the edges.
func (p page) sheet(picture *Picture, x, y, width, height, scale float64) {
	const padding, radius = 22, 18
	p.SetColor(raised)
	p.DrawRoundedRectangle(x, y, width+radius*2, height-y+radius*2, radius)
	p.Fill()
	p.SetDash()
	p.SetLineWidth(2)
	p.SetColor(hairs)
	p.DrawRoundedRectangle(x, y, width+radius*2, height-y+radius*2, radius)
	p.Stroke()
	p.Push()
	p.DrawRectangle(x+2, y+2, width, height-y)
	p.Clip()
	picture.paint(p.Context, p.faces, x+padding, y+padding, scale)
	p.ResetClip()
	p.Pop()
}

// wrap breaks a text into lines: at spaces, and between Japanese characters where
// a line may begin and end.
func (p page) wrap(text string, width float64, bold bool, size float64) []string {
	p.SetFontFace(p.faces.get(bold, size))
	var lines []string
	line := ""
	for _, piece := range pieces(text) {
		if w, _ := p.MeasureString(line + strings.TrimRight(piece, " ")); w > width && line != "" {
			lines = append(lines, strings.TrimRight(line, " "))
			line = ""
			piece = strings.TrimLeft(piece, " ")
		}
		line += piece
	}
	if line != "" {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

const (
	notFirst = "、。，．・：；？！」』）］｝〉》】〕”’…ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.:;?!)]}"
	notLast  = "「『（［｛〈《【〔“‘([{"
)

// pieces are the parts of a text between which a line may break.
func pieces(text string) (out []string) {
	from, before := 0, rune(0)
	for i, r := range text {
		if i > from && before != 0 {
			wide := isWide(r) || isWide(before)
			if before == ' ' && r != ' ' || wide && r != ' ' && !strings.ContainsRune(notFirst, r) && !strings.ContainsRune(notLast, before) {
				out = append(out, text[from:i])
				from = i
			}
		}
		before = r
	}
	if from < len(text) {
		out = append(out, text[from:])
	}
	return out
}

func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r < 0x3040 || r >= 0xff00 && r < 0xfff0
}
