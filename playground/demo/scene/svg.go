package scene

import (
	"strconv"
	"strings"
)

// Still says how a scene is printed.
type Still struct {
	Name string // what a screen reader calls the picture
	Now  int64  // virtual time, µs: where packets are
	// Words returns the phrase of a key in the reader's language, "" when there
	// is none. It may be nil.
	Words  func(key string) string
	Layout Layout
}

// say is the phrase of a key with its arguments, or text where there is none.
func (still *Still) say(key, args, text string) string {
	if key == "" || still.Words == nil {
		return text
	}
	template := still.Words(key)
	if template == "" {
		return text
	}
	return fill(template, args)
}

// SVG prints a scene as an <svg> element to be put into a page. It has classes
// only: no style attribute and no script, as the pages' security policy wants.
// The mapping is in the package comment.
func SVG(sc Scene, still Still) string {
	var b svg
	b.raw(`<svg xmlns="http://www.w3.org/2000/svg" class="kw-scene kw-`)
	b.text(string(still.Layout))
	b.raw(`" viewBox="0 0 `)
	b.int(sc.Width)
	b.raw(" ")
	b.int(sc.Height)
	b.raw(`" role="img" aria-label="`)
	b.text(still.Name)
	b.raw(`">`)
	paths := map[string]string{}
	for i := range sc.Shapes {
		if s := &sc.Shapes[i]; s.Kind == Line {
			paths[s.ID] = s.Path
		}
	}
	i := 0
	for z := LayerWires; z <= LayerPackets; z++ {
		b.raw(`<g class="kw-layer kw-z`)
		b.int(z)
		b.raw(`">`)
		for ; i < len(sc.Shapes) && sc.Shapes[i].Z <= z; i++ {
			b.shape(&sc.Shapes[i], paths, still)
		}
		b.raw("</g>")
	}
	b.raw("</svg>")
	return b.String()
}

type svg struct{ strings.Builder }

func (b *svg) raw(s string) { b.WriteString(s) }
func (b *svg) int(n int)    { b.WriteString(strconv.Itoa(n)) }

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

func (b *svg) text(s string) { b.WriteString(escapes.Replace(s)) }

func (b *svg) attr(name, value string) {
	b.raw(" ")
	b.raw(name)
	b.raw(`="`)
	b.text(value)
	b.raw(`"`)
}

// open begins an element with what every shape carries.
func (b *svg) open(element string, s *Shape) {
	b.raw("<" + element)
	class := "kw-" + s.Kind + " role-" + s.Role
	if s.State != "" {
		class += " state-" + s.State
	}
	if s.Form != "" {
		class += " form-" + s.Form
	}
	if s.Fresh {
		class += " is-fresh"
	}
	b.attr("class", class)
	b.attr("data-id", s.ID)
	if s.About != "" {
		b.attr("data-about", s.About)
	}
}

func (b *svg) shape(s *Shape, paths map[string]string, still Still) {
	switch s.Kind {
	case Line:
		b.open("path", s)
		b.attr("d", s.Path)
		b.raw("/>")
	case Packet:
		x, y := s.Place(paths[s.Line], s.progress(still.Now))
		b.open("g", s)
		b.attr("transform", "translate("+tenths(x)+" "+tenths(y)+")")
		b.raw(">")
		b.packet(s)
		b.raw("</g>")
	default:
		b.open("g", s)
		b.attr("transform", "translate("+strconv.Itoa(s.X)+" "+strconv.Itoa(s.Y)+")")
		b.raw(">")
		if s.Kind == Cells {
			b.cells(s)
		} else {
			b.box(s, still)
		}
		b.raw("</g>")
	}
}

// packet prints a packet's insides.
func (b *svg) packet(s *Shape) {
	switch {
	case FormOf(s) == FormPill:
		b.rect(-s.W/2, -s.H/2, s.W, s.H, s.H/2)
		b.words("title", 0, 5, "middle", s.Title)
		return
	case s.Role == RoleReply:
		b.raw(`<rect x="-5" y="-5" width="10" height="10" rx="2"/>`)
	case s.Role == RoleWatch:
		b.raw(`<path d="M0 -7L7 0L0 7L-7 0Z"/>`)
	default:
		b.raw(`<circle r="5"/>`)
	}
	if s.X < 0 {
		b.words("title", -11, 4, "end", s.Title)
	} else {
		b.words("title", 11, 4, "", s.Title)
	}
}

// rect prints a rectangle; at 0 0 its place is left out.
func (b *svg) rect(x, y, w, h, radius int) {
	b.raw("<rect")
	if x != 0 || y != 0 {
		b.attr("x", strconv.Itoa(x))
		b.attr("y", strconv.Itoa(y))
	}
	b.attr("width", strconv.Itoa(w))
	b.attr("height", strconv.Itoa(h))
	b.attr("rx", strconv.Itoa(radius))
	b.raw("/>")
}

// words prints a text, whose anchor is its start unless it is said.
func (b *svg) words(class string, x, y int, anchor, text string) {
	if text == "" {
		return
	}
	b.raw("<text")
	b.attr("class", class)
	b.attr("x", strconv.Itoa(x))
	b.attr("y", strconv.Itoa(y))
	if anchor != "" {
		b.attr("text-anchor", anchor)
	}
	b.raw(">")
	b.text(text)
	b.raw("</text>")
}

func (b *svg) box(s *Shape, still Still) {
	title, detail := still.say(s.Word, s.Args, s.Title), still.say(s.DetailWord, s.Args, s.Detail)
	form, half := FormOf(s), s.H/2
	radius := min(5, half)
	switch form {
	case FormFrame:
		radius = 10
	case FormBar, FormPill:
		radius = half
	case FormPanel:
		radius = 14
	case FormTile:
		radius = min(7, half)
	}
	if form != FormLabel && form != FormText && form != FormNumber {
		b.rect(0, 0, s.W, s.H, radius)
	}
	after := func(x, mark int) int {
		if s.Mark != "" {
			return x + mark
		}
		return x
	}
	// line prints mark, title and detail on one line, so far from the sides.
	line := func(side, y, mark int) {
		b.words("mark", side, y, "", s.Mark)
		b.words("title", after(side, mark), y, "", title)
		b.words("detail", s.W-side, y, "end", detail)
	}
	switch {
	case form == FormFrame:
		line(12, 20, 16)
	case form == FormLabel:
		line(0, s.H-4, 14)
	case form == FormChip && s.H >= 30 && detail != "":
		b.words("mark", 7, half-3, "", s.Mark)
		b.words("title", after(7, 13), half-3, "", title)
		b.words("detail", after(7, 13), half+12, "", detail)
	case form == FormChip:
		line(7, half+4, 13)
	case form == FormPanel:
		line(14, 25, 20)
	case form == FormText:
		line(0, s.H-5, 18)
	case form == FormTile && s.Mark != "":
		line(8, half+5, 17)
	case form == FormNumber:
		b.words("detail", 0, 14, "", detail)
		b.words("title", 0, s.H-4, "", title)
	case form == FormPill, form == FormTile:
		b.words("title", s.W/2, half+5, "middle", title)
	}
}

// progress is how far a packet has come, in millionths of its way.
func (s *Shape) progress(now int64) int64 {
	if s.To <= s.From {
		return 1e6
	}
	p := (now - s.From) * 1e6 / (s.To - s.From)
	p = max(0, min(p, 1e6))
	if s.Back {
		p = 1e6 - p
	}
	return p
}

// lap is how far a pill reaches over the boxes at its path's ends: nearer to their edges they have no words.
const lap = 4

// Place is where the middle of a packet is that has come so many millionths of its path, in tenths of units. A pill goes from beside the
// one box to beside the other, so that it covers no words in them.
func (s *Shape) Place(path string, millionths int64) (x, y int) {
	if FormOf(s) == FormPill {
		xs, ys := points(path)
		if total := length(xs, ys); total > 0 {
			off := min(int64(s.H/2-lap)*1e6/total, 500_000)
			millionths = off + millionths*(1e6-2*off)/1e6
		}
	}
	x, y = Along(path, millionths)
	return x + s.X*10, y + s.Y*10
}

// points are those of a polyline.
func points(path string) (xs, ys []int64) {
	fields := strings.Fields(path)
	for i := 0; i+2 < len(fields); i += 3 {
		px, _ := strconv.ParseInt(fields[i+1], 10, 64)
		py, _ := strconv.ParseInt(fields[i+2], 10, 64)
		xs, ys = append(xs, px), append(ys, py)
	}
	return xs, ys
}

// length is that of all pieces of a polyline.
func length(xs, ys []int64) (total int64) {
	for i := 1; i < len(xs); i++ {
		total += abs(xs[i]-xs[i-1]) + abs(ys[i]-ys[i-1])
	}
	return total
}

// Along is the point of a polyline at so many millionths of its length, in
// tenths of units. Slanting pieces count by the sum of their sides: paths are
// upright or level.
func Along(path string, millionths int64) (x, y int) {
	xs, ys := points(path)
	if len(xs) == 0 {
		return 0, 0
	}
	left := length(xs, ys) * millionths // millionths of units to go
	for i := 1; i < len(xs); i++ {
		piece := abs(xs[i]-xs[i-1]) + abs(ys[i]-ys[i-1])
		if left <= piece*1e6 && piece > 0 {
			return int(tenthsOf(xs[i-1]*1e6*piece+(xs[i]-xs[i-1])*left, piece*1e6)),
				int(tenthsOf(ys[i-1]*1e6*piece+(ys[i]-ys[i-1])*left, piece*1e6))
		}
		left -= piece * 1e6
	}
	n := len(xs) - 1
	return int(xs[n] * 10), int(ys[n] * 10)
}

// tenthsOf is a/b in tenths, rounded half up; neither is negative.
func tenthsOf(a, b int64) int64 { return (a*20 + b) / (2 * b) }

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

func tenths(n int) string {
	s := ""
	if n < 0 {
		s, n = "-", -n
	}
	s += strconv.Itoa(n / 10)
	if n%10 != 0 {
		s += "." + strconv.Itoa(n%10)
	}
	return s
}
