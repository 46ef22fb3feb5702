package scene

import (
	"sort"
	"strconv"
	"strings"
)

// board is where the frames and wires are. It follows from the layout and from
// who is there, and from nothing else.
type board struct {
	width, height int
	user          rect
	band          rect // the API server
	store         rect // inside the band
	workloads     rect // inside the band
	waiting       rect // inside the band: Pods without a node that the scheduler has not seen
	scheduler     rect
	cast          cast
	minors        []string // in brief
	nodes         []string
	dense         bool            // nodes share a wire and are small
	frames        map[string]rect // of controllers in full and in brief
	node          map[string]rect
	wires         map[string]wire // by component; by "nodes" when they share one
}

// wire joins a component and the API server; from is at the component.
type wire struct{ path string }

// metrics are what the layouts differ in.
type metrics struct {
	font   int // of all text, units
	row    int // height of a chip with one line of text
	gap    int
	margin int
	labels int // width of the column of labels in a frame; 0 when they stand above
}

var layouts = map[Layout]metrics{
	Wide:   {font: 12, row: 24, gap: 6, margin: 16, labels: 100},
	Narrow: {font: 11, row: 20, gap: 4, margin: 6, labels: 0},
}

// fullNodes is how many nodes are drawn side by side.
const fullNodes = 6

func (s *Stage) layOut() {
	if s.totals != nil {
		s.layOutTotals()
		return
	}
	b := board{cast: s.roles, frames: map[string]rect{}, node: map[string]rect{}, wires: map[string]wire{}}
	for name := range s.cast {
		if s.roles.of(name) == castMinor && name != theWire {
			b.minors = append(b.minors, name)
		}
	}
	for name := range s.nodes {
		b.nodes = append(b.nodes, name)
	}
	for name := range s.cast {
		if node, ok := strings.CutPrefix(name, "kubelet/"); ok && s.cast[name] && s.nodes[node] == nil {
			b.nodes = append(b.nodes, node)
		}
	}
	sort.Strings(b.minors)
	sort.Slice(b.nodes, func(i, j int) bool { return natural(b.nodes[i], b.nodes[j]) })
	b.dense = len(b.nodes) > fullNodes
	if s.layout == Narrow {
		b.narrow()
	} else {
		b.wide()
	}
	b.waiting = b.store.inset(10, 30, 8) // Pods wait for a node in the store's own box
	s.board = b
}

func (b *board) wide() {
	const (
		margin, gap = 16, 18
		wireLen     = 56
		top         = 14
		high, nodes = 122, 310
		rightWide   = 362
	)
	b.width = 1000
	right := rect{b.width - margin - rightWide, top, rightWide, high}
	center := rect{margin, top, right.x - gap - margin, high} // the user, and all others in brief
	b.scheduler = right
	b.band = rect{margin, right.bottom() + wireLen, b.width - 2*margin, 138}
	b.store = rect{b.band.x + 10, b.band.y + 42, b.band.w - 20, b.band.h - 52}
	b.workloads = rect{b.band.x + 130, b.band.y + 9, 520, 24}
	b.user = rect{center.x, center.y, center.w, 62}
	b.wires[castUser] = vertical(center.right()-9, b.user.bottom(), b.band.y)
	if len(b.minors) > 0 {
		y := b.user.bottom() + 10
		b.crowd(rect{center.x, y, center.w - 22, right.bottom() - y}, center.x+20, size{160, 20, 4}, size{52, 16, 3}, size{38, 12, 3})
	}
	b.wires[castScheduler] = vertical(right.mid(), right.bottom(), b.band.y)
	b.placeNodes(rect{margin, b.band.bottom() + wireLen, b.width - 2*margin, nodes})
	b.height = b.band.bottom() + wireLen + nodes + 14
}

func (b *board) narrow() {
	const (
		wireLen     = 50
		top         = 46 // height of the row of the user and of what is drawn in brief
		high, nodes = 60, 400
	)
	b.width = 360
	b.scheduler = rect{14, 6 + top + 16, 332, high}
	b.user = rect{118, 6, 124, top}
	b.band = rect{4, b.scheduler.bottom() + wireLen, 352, 172}
	b.store = rect{b.band.x + 6, b.band.y + 56, b.band.w - 12, b.band.h - 62}
	b.workloads = rect{b.band.x + 126, b.band.y + 6, b.band.w - 132, 20}
	b.wires[castUser] = vertical(180, b.user.bottom(), b.band.y)
	b.crowd(rect{12, 6, 102, top}, 8, size{14, 14, 2}, size{10, 10, 2}, size{7, 7, 2}, size{5, 5, 1})
	b.wires[castScheduler] = vertical(b.scheduler.mid(), b.scheduler.bottom(), b.band.y)
	b.placeNodes(rect{4, b.band.bottom() + wireLen, 352, nodes})
	b.height = b.band.bottom() + wireLen + nodes + 6
}

// crowd puts many components close together. They share a wire, at x.
func (b *board) crowd(area rect, x int, sizes ...size) {
	g := newGrid(area, len(b.minors), sizes...)
	for i, name := range b.minors {
		if r, ok := g.at(i); ok {
			b.frames[name] = r
		}
	}
	rows := (len(b.minors) + g.cols - 1) / g.cols
	b.wires[castMinors] = vertical(x, area.y+rows*(g.cell.h+g.cell.gap)-g.cell.gap, b.band.y)
}

func (b *board) placeNodes(area rect) {
	n := len(b.nodes)
	if n == 0 {
		return
	}
	gap := 14
	if b.width < 500 {
		gap = 8
	}
	if !b.dense {
		w := (area.w - (n-1)*gap) / n
		if n == 1 {
			w = min(w, 460)
		}
		x := area.x + (area.w-n*w-(n-1)*gap)/2
		for i, name := range b.nodes {
			r := rect{x + i*(w+gap), area.y, w, area.h}
			b.node[name] = r
			at := r.mid()
			if w < 180 {
				at = r.x + 14
			}
			b.wires["kubelet/"+name] = vertical(at, r.y, b.band.bottom())
		}
		return
	}
	columns, tallest := 5, 160 // as few as still have room for a hundred Pods
	if b.width < 500 {
		columns, tallest = 2, 80
	}
	for columns*(area.h/24) < n {
		columns++
	}
	rows := (n + columns - 1) / columns
	w, h := (area.w-(columns-1)*6)/columns, min((area.h-(rows-1)*6)/rows, tallest)
	for i, name := range b.nodes {
		b.node[name] = rect{area.x + i%columns*(w+6), area.y + i/columns*(h+6), w, h}
	}
	b.wires[castNodes] = vertical(area.mid(), area.y, b.band.bottom())
}

func vertical(x, from, to int) wire {
	return wire{path: path(x, from, x, to)}
}

// wireOf is the key of a component's wire.
func (b *board) wireOf(component string) string {
	switch b.cast.of(component) {
	case castUser:
		return castUser
	case castScheduler:
		return castScheduler
	case castNode:
		if b.dense {
			return castNodes
		}
		return "kubelet/" + nodeOf(component) // whatever runs there
	}
	return castMinors
}

func path(xy ...int) string {
	var s strings.Builder
	for i := 0; i < len(xy); i += 2 {
		if i == 0 {
			s.WriteString("M ")
		} else {
			s.WriteString(" L ")
		}
		s.WriteString(strconv.Itoa(xy[i]))
		s.WriteByte(' ')
		s.WriteString(strconv.Itoa(xy[i+1]))
	}
	return s.String()
}

// natural orders "node-2" before "node-10".
func natural(a, b string) bool {
	i := len(strings.TrimRight(a, "0123456789"))
	j := len(strings.TrimRight(b, "0123456789"))
	if a[:i] != b[:j] || len(a) == len(b) {
		return a < b
	}
	return len(a) < len(b)
}
