package demos

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/demo/scene"
)

// TestNoTextLiesOnAnother looks at every moment of every demo of the book, in each layout and language: no two texts of a picture overlap, and
// none leaves it. Texts are as wide as scene takes them to be, which is more than browsers make of them. What travels may pass over anything.
func TestNoTextLiesOnAnother(t *testing.T) {
	made, err := book()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range made {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			for _, l := range layouts {
				for _, lang := range phrase.Languages() {
					for _, what := range overlaps(t, d, l, lang) {
						t.Errorf("%s, %s: %s", l, lang, what)
					}
				}
			}
		})
	}
}

// place is where a text stands.
type place struct {
	id, text                 string
	left, right, top, bottom int // in tenths of a unit
}

func (p place) meets(q place) bool {
	const touch = 10 // letters have some room around them
	return p.left+touch < q.right && q.left+touch < p.right && p.top+touch < q.bottom && q.top+touch < p.bottom
}

// overlaps are what is wrong in a recording, each pair of shapes once.
func overlaps(t *testing.T, d *Demo, l scene.Layout, lang string) (out []string) {
	file := recordingOf(t, d, l)
	now := map[string][]place{}
	told := map[string]bool{}
	tell := func(event int, key, format string, args ...any) {
		if !told[key] {
			told[key] = true
			out = append(out, fmt.Sprintf("event %d: ", event)+fmt.Sprintf(format, args...))
		}
	}
	for i := range file.Frames {
		f := &file.Frames[i]
		for _, id := range f.Gone {
			delete(now, id)
		}
		for j := range f.Set {
			now[f.Set[j].ID] = places(&f.Set[j], l, lang)
		}
		for j := range f.Set {
			for _, p := range now[f.Set[j].ID] {
				if p.left < -10 || p.right > file.Width*10+10 || p.bottom > file.Height*10+10 {
					tell(f.Event, p.id, "%s: %q leaves the picture (%d to %d, %d to %d)", p.id, p.text, p.left/10, p.right/10, p.top/10, p.bottom/10)
				}
				for id, others := range now { // order: what is told is told once
					for _, q := range others {
						if p != q && p.meets(q) {
							ids := []string{p.id, id}
							slices.Sort(ids)
							tell(f.Event, strings.Join(ids, " "), "%s: %q lies on %q (%s)", p.id, p.text, q.text, q.id)
						}
					}
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// places are where the texts of a box stand, as scene's comment has it, in the sizes of scene.css.
func places(s *scene.Shape, l scene.Layout, lang string) (out []place) {
	if s.Kind != scene.Box {
		return nil
	}
	form, half := scene.FormOf(s), s.H/2
	font, name := 14, 14
	switch form {
	case scene.FormPanel:
		if name = 17; s.Role == scene.RoleUser || s.Role == scene.RoleMinor {
			name = 14
		}
	case scene.FormNumber:
		if name = 36; l == scene.Narrow {
			name = 32
		}
	case scene.FormFrame, scene.FormLabel, scene.FormChip, scene.FormBar:
		if font, name = 12, 12; l == scene.Narrow {
			font, name = 11, 11
		}
	}
	if s.Role == scene.RoleDifference || s.Role == scene.RoleDestination && s.State == "now" {
		name = 17
	}
	put := func(text string, x, y, size int, anchor string) {
		if text == "" {
			return
		}
		w, at := scene.TextWidth(text, size), (s.X+x)*10
		switch anchor {
		case "end":
			at -= w
		case "middle":
			at -= w / 2
		}
		out = append(out, place{s.ID, text, at, at + w, (s.Y+y)*10 - size*8, (s.Y+y)*10 + size*2})
	}
	title, detail := inWords(lang, s.Word, s.Args, s.Title), inWords(lang, s.DetailWord, s.Args, s.Detail)
	line := func(side, y, mark int) {
		put(s.Mark, side, y, name, "")
		x := side
		if s.Mark != "" {
			x += mark
		}
		put(title, x, y, name, "")
		put(detail, s.W-side, y, font, "end")
	}
	switch {
	case form == scene.FormFrame:
		line(12, 20, 16)
	case form == scene.FormLabel:
		line(0, s.H-4, 14)
	case form == scene.FormChip && s.H >= 30 && detail != "":
		put(title, 20, half-3, name, "")
		put(detail, 20, half+12, font, "")
	case form == scene.FormChip:
		line(7, half+4, 13)
	case form == scene.FormPanel:
		line(14, 25, 20)
	case form == scene.FormText:
		line(0, s.H-5, 18)
	case form == scene.FormTile && s.Mark != "":
		line(8, half+5, 17)
	case form == scene.FormNumber:
		put(detail, 0, 14, font, "")
		put(title, 0, s.H-4, name, "")
	case form == scene.FormPill, form == scene.FormTile:
		put(title, s.W/2, half+5, font, "middle")
	}
	return out
}

// inWords is the phrase of a key with its arguments, or the text where there is none.
func inWords(lang, key, args, text string) string {
	if key == "" {
		return text
	}
	named := map[string]string{}
	for i, a := range strings.Split(args, "|") {
		named[strconv.Itoa(i+1)] = a
	}
	return phrase.Fill(phrase.Word(lang, key), named)
}
