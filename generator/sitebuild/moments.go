package sitebuild

import (
	"fmt"

	"kubewalk/generator/render/raster"
	"kubewalk/playground/demo/scene"
)

// momentWidth is how wide a moment's picture is as PNG, in pixels: a slide's width.
const momentWidth = 1920

// Moment is what a demo shows at one of its moments, for programs that take pictures and nothing else.
type Moment struct {
	ID    string // the mark's
	SVG   string // needs no style sheet; its title is the caption
	PNG   []byte // nil if the font lacks characters
	Lacks string // those characters
}

// Moments are the pictures of a demo of the last site that was built, light, in the order of its moments.
func (c *Cache) Moments(demo, language string) ([]Moment, error) {
	for d, made := range c.stills { // order: there is one of each name
		if d.Name != demo {
			continue
		}
		style, err := raster.NewStyle(made.style)
		if err != nil {
			return nil, err
		}
		var out []Moment
		for _, mark := range d.Marks {
			picture, err := raster.Parse(mark.SVG[language][scene.Wide], style)
			if err != nil {
				return nil, fmt.Errorf("demo %q, moment %q: %w", demo, mark.ID, err)
			}
			moment := Moment{ID: mark.ID, SVG: picture.SVG(mark.Caption[language]), Lacks: picture.Lacks()}
			if moment.Lacks == "" {
				moment.PNG = picture.PNG(momentWidth)
			}
			out = append(out, moment)
		}
		return out, nil
	}
	return nil, fmt.Errorf("demo %q is not in the site", demo)
}
