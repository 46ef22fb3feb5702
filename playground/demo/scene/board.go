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
	controllers   []string // in full
	minors        []string // in brief
	crowded       bool     // minors share a wire and are small
	nodes         []string
	dense         bool            // nodes share a wire and are small
	frames        map[string]rect // of controllers in full and in brief
	node          map[string]rect
	wires         map[string]wire // by component; by "nodes" when they share one
}

// wire joins a component and the API server; from is at the component.
type wire struct {
	path string
	// left and right are how much room there is beside it for titles.
	left, right int
}

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

// mostMinor is how high a controller in brief gets.
const mostMinor = 44

// fewMinors is how many controllers in brief have a wire of their own.
const fewMinors = 6

func (s *Stage) layOut() {
	if s.totals != nil {
		s.layOutTotals()
		return
	}
	b := board{cast: s.roles, frames: map[string]rect{}, node: map[string]rect{}, wires: map[string]wire{}}
	b.controllers = s.roles.focus // in the order in which they were asked for, there or not: nothing moves when one starts
	for name := range s.cast {
		if s.roles.of(name) == castMinor && name != theWire {
			b.minors = append(b.minors, name)
		}
	}
	b.crowded = len(b.minors) > fewMinors || s.roles.plain
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
	if s.roles.plain { // no revisions are drawn there: Pods wait for a node in the store's own box
		b.waiting = b.store.inset(10, 30, 8)
	}
	s.board = b
}

func (b *board) wide() {
	const (
		margin, gap = 16, 18
		wireLen     = 56
		top         = 14
	)
	high, nodes := 246, 176
	if b.cast.plain { // no insides: the nodes have the room
		high, nodes = 122, 310
	}
	b.width = 1000
	// Several controllers in full take from the scheduler's side and from the middle.
	leftWide, rightWide := 362, 362
	if len(b.controllers) > 1 {
		leftWide, rightWide = 502, 262
	}
	left := rect{margin, top, leftWide, high}
	right := rect{b.width - margin - rightWide, top, rightWide, high}
	center := rect{left.right() + gap, top, right.x - left.right() - 2*gap, high}
	if len(b.controllers) == 0 { // the user and what is drawn in brief have the room
		center = rect{margin, top, right.x - gap - margin, high}
	}
	b.scheduler = right
	b.band = rect{margin, left.bottom() + wireLen, b.width - 2*margin, 138}
	b.store = rect{b.band.x + 10, b.band.y + 42, b.band.w - 20, b.band.h - 52}
	b.workloads = rect{b.band.x + 130, b.band.y + 9, 520, 24}
	b.waiting = rect{b.band.right() - 290, b.band.y + 9, 280, 24}

	b.abreast(left, b.controllers, 10)
	b.user = rect{center.x, center.y, center.w, 62}
	lane := center.right() - 9
	b.wires[castUser] = vertical(lane, b.user.bottom(), b.band.y, 20, 26)
	if len(b.minors) > 0 {
		column := rect{center.x + 20, b.user.bottom() + 16, center.w - 40, 0}
		column.h = left.bottom() - column.y
		if b.crowded {
			b.crowd(rect{center.x, column.y - 6, center.w - 22, column.h + 6}, column.x, b.minorSize(), size{52, 16, 3}, size{38, 12, 3})
		} else {
			column.h = min(column.h, len(b.minors)*(mostMinor+14)-14)
			b.stack(column, b.minors, 14)
		}
	}
	b.wires[castScheduler] = vertical(right.mid(), right.bottom(), b.band.y, rightWide/2-10, rightWide/2-10)
	b.placeNodes(rect{margin, b.band.bottom() + wireLen, b.width - 2*margin, nodes})
	b.height = b.band.bottom() + wireLen + nodes + 14
}

func (b *board) narrow() {
	const (
		wireLen = 50
		top     = 46 // height of the row of the user and of what is drawn in brief
		least   = 5  // between two boxes
		each    = 156
	)
	b.width = 360
	high, nodes := 262, 182
	if b.cast.plain {
		high, nodes = 60, 400
	}
	if n := len(b.controllers); n > 1 {
		high = n*each + (n-1)*least
	}
	left := rect{14, 6 + top + 16, 158, high}
	right := rect{188, left.y, 158, left.h}
	if len(b.controllers) == 0 {
		right = rect{left.x, left.y, right.right() - left.x, high}
	}
	b.scheduler = right
	b.user = rect{118, 6, 124, top}
	b.band = rect{4, left.bottom() + wireLen, 352, 172}
	b.store = rect{b.band.x + 6, b.band.y + 56, b.band.w - 12, b.band.h - 62}
	b.workloads = rect{b.band.x + 126, b.band.y + 6, b.band.w - 132, 20}
	b.waiting = rect{b.band.x + 126, b.band.y + 31, b.band.w - 132, 20}

	b.stack(left, b.controllers, least)
	b.wires[castUser] = vertical(180, b.user.bottom(), b.band.y, 0, 0)
	if b.crowded {
		b.crowd(rect{12, 6, 102, top}, 8, size{14, 14, 2}, size{10, 10, 2}, size{7, 7, 2}, size{5, 5, 1})
	}
	for i, name := range b.minors {
		if b.crowded {
			break
		}
		const w = 106
		n := (len(b.minors) + 1 - i%2) / 2 // on this side
		h := (top + least) / n
		r := rect{4, 6 + i/2*h, w, h - min(least, h/4)}
		x := 8
		if i%2 == 1 {
			r.x, x = b.width-4-w, b.width-8
		}
		b.frames[name] = r
		b.wires[name] = vertical(x, r.bottom(), b.band.y, 0, 0)
	}
	b.wires[castScheduler] = vertical(right.mid(), right.bottom(), b.band.y, 76, 76)
	b.placeNodes(rect{4, b.band.bottom() + wireLen, 352, nodes})
	b.height = b.band.bottom() + wireLen + nodes + 6
}

// minorSize is how components in brief are drawn that share a wire: with room for a name where there is.
func (b *board) minorSize() size {
	if b.cast.plain {
		return size{160, 20, 4}
	}
	return size{76, 20, 4}
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
	b.wires[castMinors] = vertical(x, area.y+rows*(g.cell.h+g.cell.gap)-g.cell.gap, b.band.y, 0, 150)
}

// abreast puts components side by side, each with a wire from its middle.
func (b *board) abreast(area rect, names []string, gap int) {
	n := len(names)
	if n == 0 {
		return
	}
	w := (area.w - (n-1)*gap) / n
	for i, name := range names {
		r := rect{area.x + i*(w+gap), area.y, w, area.h}
		b.frames[name] = r
		b.wires[name] = vertical(r.mid(), r.bottom(), b.band.y, w/2-10, w/2-10)
	}
}

// stack puts components below each other. The lowest has its wire in the
// middle; the others' run beside the stack.
func (b *board) stack(column rect, names []string, gap int) {
	n := len(names)
	if n == 0 {
		return
	}
	h := (column.h - (n-1)*gap) / n
	for i, name := range names {
		r := rect{column.x, column.y + i*(h+gap), column.w, h}
		b.frames[name] = r
		if i == n-1 {
			b.wires[name] = vertical(r.mid(), r.bottom(), b.band.y, r.w/2-10, r.w/2-10)
			continue
		}
		x := column.x - 12
		if column.x < 16 { // beside controllers in full there is little room: each has a lane of its own
			x = column.x - 3*(n-1-i) - 1
		}
		b.wires[name] = wire{path: path(r.x, r.y+r.h/2, x, r.y+r.h/2, x, b.band.y)}
	}
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
			at, room := r.mid(), w/2-10
			if w < 180 {
				at = r.x + 14
				b.wires["kubelet/"+name] = vertical(at, r.y, b.band.bottom(), 0, w-26)
				continue
			}
			b.wires["kubelet/"+name] = vertical(at, r.y, b.band.bottom(), room, room)
		}
		return
	}
	columns := 10
	if b.width < 500 {
		columns = 4
	}
	tallest := 80
	if b.cast.plain { // as few as still have room for a hundred Pods
		columns, tallest = 5, 160
		if b.width < 500 {
			columns, tallest = 2, 80
		}
	}
	for columns*(area.h/24) < n {
		columns++
	}
	rows := (n + columns - 1) / columns
	w, h := (area.w-(columns-1)*6)/columns, min((area.h-(rows-1)*6)/rows, tallest)
	for i, name := range b.nodes {
		b.node[name] = rect{area.x + i%columns*(w+6), area.y + i/columns*(h+6), w, h}
	}
	b.wires[castNodes] = vertical(area.mid(), area.y, b.band.bottom(), 150, 150)
}

func vertical(x, from, to, left, right int) wire {
	return wire{path: path(x, from, x, to), left: left, right: right}
}

// wireOf is the key of a component's wire.
func (b *board) wireOf(component string) string {
	switch b.cast.of(component) {
	case castUser:
		return castUser
	case castScheduler:
		return castScheduler
	case castMinor:
		if b.crowded {
			return castMinors
		}
	case castNode:
		if b.dense {
			return castNodes
		}
		return "kubelet/" + nodeOf(component) // whatever runs there
	}
	return component
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
