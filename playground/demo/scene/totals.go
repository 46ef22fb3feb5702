package scene

import (
	"sort"
	"strconv"
	"strings"

	"kubewalk/playground/trace"
)

// totals is what is drawn of a run of which there are counts only: a cell for
// each node, zone by zone, and how many Pods there are of each kind.
type totals struct {
	counts map[string]int64
	rates  map[string]int64
	zones  map[string]*zoneCells
	order  []string // of the zones
	dirty  bool     // something else than cells
}

// zoneCells are the nodes of a zone, in the order of their names.
type zoneCells struct {
	names  []string
	place  map[string]int
	counts map[string]trace.NodeCount
	cells  []byte
	rows   map[int]bool // that have changed
	sorted bool
	pods   int
	ready  int
	most   int
}

func newTotals() *totals {
	return &totals{counts: map[string]int64{}, rates: map[string]int64{}, zones: map[string]*zoneCells{}}
}

// cellOf is the letter of a node.
func cellOf(n trace.NodeCount) byte {
	switch {
	case !n.Ready:
		return cellLost
	case n.Cordoned:
		return cellCordoned
	}
	eighths := cellEighths
	if n.Pods < n.Most {
		eighths = (n.Pods*cellEighths + n.Most - 1) / max(n.Most, 1) // one Pod shows
	}
	if n.Changing > 0 {
		return byte(cellBusy + eighths)
	}
	return byte(cellReady + eighths)
}

// count moves the stage over an event.
func (s *Stage) count(e *trace.Event) {
	t := s.totals
	for _, d := range e.Deltas {
		switch d.Cell.Kind {
		case trace.CellComponent:
			s.cast[d.Cell.Owner] = d.New != nil
			s.dirty.board = true
		case trace.CellCount:
			n, _ := d.New.(int64)
			t.counts[d.Cell.Key] = n
			t.dirty = true
		case trace.CellNodeCount:
			s.countNode(d)
		}
	}
	switch e.Op {
	case trace.Input:
		s.command(e)
		t.dirty = true
	case trace.Summary:
		for _, a := range e.Attrs {
			n, _ := a.Value.(int64)
			if t.rates[a.Key] != n {
				t.rates[a.Key] = n
				t.dirty = true
			}
		}
	}
}

func (s *Stage) countNode(d trace.Delta) {
	t := s.totals
	z := t.zones[d.Cell.Owner]
	if z == nil {
		z = &zoneCells{place: map[string]int{}, counts: map[string]trace.NodeCount{}, rows: map[int]bool{}}
		t.zones[d.Cell.Owner] = z
		t.order = append(t.order, d.Cell.Owner)
		sort.Strings(t.order)
		s.dirty.board = true
	}
	was, had := z.counts[d.Cell.Key]
	now, there := d.New.(trace.NodeCount)
	z.add(was, -1)
	z.add(now, 1)
	t.dirty = true
	switch {
	case !there:
		delete(z.counts, d.Cell.Key)
		z.sorted, s.dirty.board = false, true
	case !had:
		z.counts[d.Cell.Key] = now
		z.sorted, s.dirty.board = false, true
	default:
		z.counts[d.Cell.Key] = now
		if at, placed := z.place[d.Cell.Key]; placed && z.sorted {
			if c := cellOf(now); z.cells[at] != c {
				z.cells[at] = c
				z.rows[at] = true
			}
		}
	}
}

func (z *zoneCells) add(n trace.NodeCount, sign int) {
	z.pods += sign * n.Pods
	z.most += sign * n.Most
	if n.Ready {
		z.ready += sign
	}
}

// sort gives the nodes their places.
func (z *zoneCells) sort() {
	if z.sorted {
		return
	}
	z.names = make([]string, 0, len(z.counts))
	for name := range z.counts {
		z.names = append(z.names, name)
	}
	sort.Slice(z.names, func(i, j int) bool { return natural(z.names[i], z.names[j]) })
	z.cells = make([]byte, len(z.names))
	for i, name := range z.names {
		z.place[name] = i
		z.cells[i] = cellOf(z.counts[name])
	}
	z.sorted = true
}

// The line above a zone's cells, what is between two zones, and how large cells are, with the unit between them.
const (
	zoneTitle  = 22
	zoneGap    = 4
	mostPitch  = 26
	leastPitch = 3
)

// totalsView draws a run of which only counts were kept: nodes are cells, and Pods are numbers.
type totalsView struct {
	surroundings
	at totalsPlaces
}

// totalsPlaces are where its parts are.
type totalsPlaces struct {
	width, height int
	tally         tallyPlaces
	user          rect
	rates, cells  rect
}

var totalsLayouts = map[Layout]totalsPlaces{
	Wide: {
		width: 760, height: 514,
		tally: tallyPlaces{
			numbers: [3]rect{{24, 8, 170, 60}, {210, 8, 156, 60}, {382, 8, 130, 60}},
			lines:   [4]rect{{524, 6, 220, 22}, {524, 28, 220, 22}, {524, 50, 220, 22}},
			bar:     rect{10, 78, 740, 14}, trouble: rect{322, 106, 216, 24}, dots: rect{546, 112, 196, 10},
		},
		user: rect{10, 102, 300, 34}, rates: rect{12, 140, 736, 24}, cells: rect{10, 168, 740, 344},
	},
	Narrow: {
		width: 360, height: 386,
		tally: tallyPlaces{
			numbers: [3]rect{{12, 2, 150, 50}, {188, 2, 150, 50}},
			lines:   [4]rect{{12, 53, 160, 19}, {188, 53, 160, 19}, {12, 72, 160, 19}, {188, 72, 160, 19}},
			bar:     rect{4, 95, 352, 8}, trouble: rect{188, 72, 160, 19}, dots: rect{242, 116, 112, 10},
		},
		user: rect{4, 107, 232, 32}, cells: rect{4, 144, 352, 240},
	},
}

func newTotalsView(s *Stage) *totalsView {
	at := totalsLayouts[s.layout]
	return &totalsView{surroundings: newSurroundings(s, surroundingPlaces{user: at.user}), at: at}
}

func (v *totalsView) size() (width, height int) { return v.at.width, v.at.height }

func (v *totalsView) hasQueues() bool { return false }

func (v *totalsView) packet(string, any) {}

func (v *totalsView) follow(*trace.Event, bool) {}

// pitch is the largest that has room for every zone.
func (t *totals) pitch(area rect) int {
	for p := mostPitch; p > leastPitch; p-- {
		high := 0
		for _, name := range t.order {
			high += zoneTitle + zoneGap + (len(t.zones[name].counts)+area.w/p-1)/(area.w/p)*p
		}
		if high-zoneGap <= area.h {
			return p
		}
	}
	return leastPitch
}

func (v *totalsView) draw() {
	board, user := v.dirty.board, v.dirty.user
	v.dirty = newDirt()
	if board || user {
		v.drawBeside()
	}
	if board {
		v.drawWho(&v.at.tally)
	}
	if t := v.totals; board || t.dirty {
		v.drawTallies(&v.at.tally, t.counts, t.counts["pods"], t.rates["commits"], said("scene.totals.writes"), said("scene.totals.writes.brief"))
		v.drawRates()
		t.dirty = false
	}
	area := v.at.cells
	p := v.totals.pitch(area)
	cols := area.w / p
	y := area.y
	for _, name := range v.totals.order {
		z := v.totals.zones[name]
		z.sort()
		v.drawZone(name, z, rect{area.x, y, area.w, zoneTitle})
		y += zoneTitle
		rows := (len(z.cells) + cols - 1) / cols
		changed := map[int]bool{}
		for at := range z.rows { // order: it only marks
			changed[at/cols] = true
		}
		clear(z.rows)
		for row := range rows {
			if board || changed[row] {
				v.drawRow(name, z, row, cols, p, rect{area.x, y + row*p, area.w, p})
			}
		}
		for row := rows; v.shapes["nodes/"+name+"/"+strconv.Itoa(row)] != nil; row++ { // nodes have gone
			v.drop("nodes/" + name + "/" + strconv.Itoa(row))
		}
		y += rows*p + zoneGap
	}
}

// drawRates says what happened to Pods in the last second.
func (v *totalsView) drawRates() {
	rates := v.totals.rates
	v.group("rates", func(put func(Shape)) {
		if v.at.rates.h == 0 {
			return
		}
		args := []string{grouped(rates["created"]), grouped(rates["bound"]), grouped(rates["started"]), grouped(rates["deleted"])}
		put(text("rates", RoleLabel, v.at.rates, first(v.at.rates.w, typeText, said("scene.totals.rates", args...), said("scene.totals.rates.brief", args...))))
	})
}

func (s *Stage) drawRow(zone string, z *zoneCells, row, cols, pitch int, r rect) {
	n := "nodes/" + zone + "/" + strconv.Itoa(row)
	s.group(n, func(put func(Shape)) {
		cells := z.cells[row*cols : min(len(z.cells), (row+1)*cols)]
		first, most := z.row(row*cols, len(cells))
		put(Shape{ID: n, Kind: Cells, Role: RoleNodes, Z: LayerChips, X: r.x, Y: r.y, W: len(cells)*pitch - 1, H: pitch - 1,
			Cols: cols, Pitch: pitch, Runs: Runs(cells), Title: first, Args: most})
	})
}

// row is what a page needs to say which node a cell is: the first one's name, when
// those after it are numbered on from it, and how many Pods each takes, when that is the same.
func (z *zoneCells) row(from, n int) (first, most string) {
	names := z.names[from : from+n]
	prefix := strings.TrimRight(names[0], "0123456789")
	number, err := strconv.Atoi(names[0][len(prefix):])
	first = names[0]
	takes := z.counts[first].Most
	for i, name := range names {
		if err != nil || name != prefix+strconv.Itoa(number+i) {
			first = ""
		}
		if z.counts[name].Most != takes {
			takes = 0
		}
	}
	if takes > 0 {
		most = strconv.Itoa(takes)
	}
	return first, most
}

// drawZone draws the line above a zone's cells.
func (s *Stage) drawZone(name string, z *zoneCells, r rect) {
	s.group("zone/"+name, func(put func(Shape)) {
		l := text("zone/"+name, RoleLabel, r, plain(name))
		if name == "" {
			l.setTitle(said("scene.totals.nodes"))
		}
		nodes, ready, pods, most := grouped(int64(len(z.names))), grouped(int64(z.ready)), grouped(int64(z.pods)), grouped(int64(z.most))
		l.setDetail(first(r.w-l.titleWidth(typeText)-12, typeText,
			said("scene.totals.zone", nodes, ready, pods, most), said("scene.totals.zone.brief", nodes, ready, pods), plain(ready+"/"+nodes)))
		put(l)
	})
}
