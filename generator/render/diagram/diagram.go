// Package diagram draws graphs of boxes and arrows that are written as text, as
// SVG in the build.
//
// The language is a part of D2's (https://d2lang.com):
//
//	title: A Deployment, its ReplicaSets and their Pods   # what the picture shows, in words
//	direction: right                                      # or down, the default
//
//	user: kubectl {shape: person}
//	plane: Control plane {
//	  api: API server
//	  etcd {shape: cylinder}
//	  api -> etcd: writes
//	}
//	user -> plane.api: apply {class: accent}
//
// Boxes and arrows are laid out by dagre, as D2 does it, for a wide and for a
// narrow screen, and drawn with classes only: colours are the page's. The same
// graph is told in words for those who don't see it, and for searches. The same
// text always leads to the same bytes.
package diagram

import (
	"sync"

	"kubewalk/generator/diskcache"
)

// Diagram is one that is ready for a page.
type Diagram struct {
	Title string
	Wide  string // <svg>
	// Narrow is <svg> for a phone; "" when Wide fits there as well.
	Narrow string
	// Scrolls tells that the picture is wider than a phone even so.
	Scrolls bool
	Lines   []string // the graph in words: what holds what, what leads where
}

// Problem is something wrong in a diagram's text.
type Problem struct {
	Offset  int // in bytes
	Message string
	Cure    string
}

const (
	phone     = 328 // CSS pixels that a column has on a screen of 360
	legible   = 430 // the width that is still read well when it is shown in a phone's
	column    = 740 // likewise in a page's
	maxBoxes  = 80
	maxArrows = 160
)

type result struct {
	diagram  *Diagram
	problems []Problem
}

var (
	made sync.Map // result by text
	disk diskcache.Cache
)

// Keep has diagrams kept in a folder, until the program is another one. It is
// called before the first is drawn.
func Keep(dir string) { disk.Dir = dir }

// Draw draws a diagram; nil when there are problems. It may be called by several
// goroutines.
func Draw(text string) (*Diagram, []Problem) {
	if known, ok := made.Load(text); ok {
		return known.(result).diagram, known.(result).problems
	}
	d, problems := new(Diagram), []Problem(nil)
	if !disk.Get("diagram", text, d) {
		if d, problems = draw(text); d != nil {
			disk.Put("diagram", text, d)
		}
	}
	made.Store(text, result{d, problems})
	return d, problems
}

func draw(text string) (*Diagram, []Problem) {
	g, problems := parse(text)
	if len(problems) > 0 {
		return nil, problems
	}
	wide, err := best(g, column, styles(g.down)...)
	if err == nil && wide.width > column*6/5 && !g.down { // wider than is read well: downwards, then
		if down, again := best(g, column, styles(true)...); again == nil && down.width < wide.width {
			wide = down
		}
	}
	var narrow *layout
	if err == nil && wide.width > phone {
		narrow, err = best(g, legible, style{true, 120, 40, 18, 24}, style{true, 84, 36, 14, 18})
	}
	if err != nil {
		return nil, []Problem{{0, "diagram cannot be laid out: " + err.Error(), "try it with fewer boxes, or without boxes in boxes"}}
	}
	d := &Diagram{Title: g.title, Lines: g.lines(), Wide: wide.svg(g, "diagram-wide")}
	if narrow != nil {
		d.Narrow, d.Scrolls = narrow.svg(g, "diagram-narrow"), narrow.width > legible
	}
	return d, nil
}

// styles are what is tried, from roomy to tight.
func styles(down bool) []style {
	if down {
		return []style{{true, 168, 52, 36, 28}, {true, 110, 44, 22, 24}}
	}
	return []style{{false, 168, 52, 26, 28}, {false, 120, 40, 22, 24}, {false, 92, 28, 22, 18}}
}

// best is the first layout that is no wider than it should be; else the narrowest.
func best(g *graph, width int, styles ...style) (out *layout, err error) {
	for _, s := range styles {
		l, err := arrange(g, s)
		if err != nil {
			return nil, err
		}
		if out == nil || l.width < out.width {
			out = l
		}
		if out.width <= width {
			break
		}
	}
	return out, nil
}
