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

// tallies are the kinds of Pods that are counted, as the picture shows them.
var tallies = []struct{ key, state, word string }{
	{"pending", PodPending, "scene.totals.pending"},
	{"starting", PodStarting, "scene.totals.starting"},
	{"ready", PodReady, "scene.totals.ready"},
	{"notReady", PodLost, "scene.totals.notReady"},
	{"terminating", PodTerminating, "scene.totals.terminating"},
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

// Places of the picture with totals.
const (
	zoneTitle  = 20 // height of the line above a zone's cells
	zoneGap    = 6
	mostPitch  = 26
	leastPitch = 3
)

// totalsBoard is where things are.
type totalsBoard struct {
	minors, tallies, rates, cells rect
}

func (s *Stage) totalsBoard() (b totalsBoard, user, band, store rect, width, height int) {
	if s.layout == Narrow {
		user = rect{6, 6, 124, 46}
		band = rect{4, 96, 352, 74}
		b = totalsBoard{minors: rect{138, 6, 216, 72}, tallies: rect{4, 214, 352, 74}, rates: rect{8, 292, 344, 15}, cells: rect{6, 316, 348, 452}}
		return b, user, band, band.inset(6, 28, 6), 360, 776
	}
	user = rect{16, 14, 300, 62}
	band = rect{16, 116, 968, 76}
	b = totalsBoard{minors: rect{334, 14, 650, 80}, tallies: rect{16, 232, 968, 42}, rates: rect{18, 280, 964, 18}, cells: rect{16, 308, 968, 412}}
	return b, user, band, band.inset(10, 30, 8), 1000, 730
}

func (s *Stage) layOutTotals() {
	b := board{cast: s.roles, frames: map[string]rect{}, node: map[string]rect{}, wires: map[string]wire{}}
	t, user, band, store, width, height := s.totalsBoard()
	b.user, b.band, b.store, b.width, b.height = user, band, store, width, height
	for name := range s.cast {
		if c := s.roles.of(name); c == castMinor || c == castScheduler {
			b.minors = append(b.minors, name)
		}
	}
	sort.Strings(b.minors)
	wide := size{206, 22, 6}
	if s.layout == Narrow {
		wide = size{106, 20, 4}
	}
	g := newGrid(t.minors, len(b.minors), wide, size{120, 20, 4}, size{70, 16, 3}, size{14, 14, 2})
	for i, name := range b.minors {
		if r, ok := g.at(i); ok {
			b.frames[name] = r
		}
	}
	s.board = b
}

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

func (s *Stage) drawTotals() {
	board := s.dirty.board || s.board.width == 0
	user := s.dirty.user
	if board {
		s.layOut()
		s.drawTotalsFrames()
	}
	s.dirty = newDirt()
	if board || user {
		s.drawUser()
	}
	if board || s.totals.dirty {
		s.drawTallies()
		s.totals.dirty = false
	}
	b, _, _, _, _, _ := s.totalsBoard()
	p := s.totals.pitch(b.cells)
	cols := b.cells.w / p
	y := b.cells.y
	for _, name := range s.totals.order {
		z := s.totals.zones[name]
		z.sort()
		s.drawZone(name, z, rect{b.cells.x, y, b.cells.w, zoneTitle})
		y += zoneTitle
		rows := (len(z.cells) + cols - 1) / cols
		changed := map[int]bool{}
		for at := range z.rows { // order: it only marks
			changed[at/cols] = true
		}
		clear(z.rows)
		for row := range rows {
			if board || changed[row] {
				s.drawRow(name, z, row, cols, p, rect{b.cells.x, y + row*p, b.cells.w, p})
			}
		}
		for row := rows; s.shapes["nodes/"+name+"/"+strconv.Itoa(row)] != nil; row++ { // nodes have gone
			s.drop("nodes/" + name + "/" + strconv.Itoa(row))
		}
		y += rows*p + zoneGap
	}
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
		l := label("zone/"+name, r, name, "")
		if name == "" {
			l.Title, l.Word = "Nodes", "scene.totals.nodes"
		}
		nodes, ready, pods, most := grouped(int64(len(z.names))), grouped(int64(z.ready)), grouped(int64(z.pods)), grouped(int64(z.most))
		l.setDetail(first(r.w-textWidth(l.Title, s.font)/10-12, s.font,
			said("scene.totals.zone", nodes, ready, pods, most), said("scene.totals.zone.brief", nodes, ready, pods), plain(ready+"/"+nodes)))
		put(l)
	})
}

// drawTotalsFrames draws what only changes when somebody comes or goes.
func (s *Stage) drawTotalsFrames() {
	b := &s.board
	s.group("frames", func(put func(Shape)) {
		put(frame("apiserver", RoleAPIServer, s.upState(castAPIServer), b.band, castAPIServer, "", castAPIServer))
		for _, name := range b.minors {
			r, ok := b.frames[name]
			if !ok {
				continue
			}
			c := s.chip(Shape{ID: "component/" + name, Role: RoleMinor, State: s.upState(name), About: name}, r, "")
			c.Z, c.Mark = LayerFrames, frameMarks[c.State]
			if r.w >= 30 {
				c.Title = fitEnd(brief(name), r.w-12-markRoom(c.Mark), s.font)
			}
			put(c)
		}
		t, _, _, _, _, _ := s.totalsBoard()
		wire := func(id string, x, from, to int, about string) {
			put(Shape{ID: "wire/" + id, Kind: Line, Role: RoleWire, Path: path(x, from, x, to), About: about})
		}
		wire(castUser, b.user.mid(), b.user.bottom(), b.band.y, castUser)
		low := t.minors.y
		for _, r := range b.frames { // order: the lowest is the same
			low = max(low, r.bottom())
		}
		wire("components", t.minors.mid(), low, b.band.y, "")
		wire("nodes", b.band.mid(), b.band.bottom(), t.tallies.y, "")
	})
}

func markRoom(mark string) int {
	if mark == "" {
		return 0
	}
	return 13
}

// drawTallies draws how many Pods there are of each kind, and what happens in a second.
func (s *Stage) drawTallies() {
	b, _, _, _, _, _ := s.totalsBoard()
	counts, rates := s.totals.counts, s.totals.rates
	s.group("tallies", func(put func(Shape)) {
		store := frame("store", RoleStore, s.storeState(), s.board.store, "Store (etcd)", "scene.store", "store")
		store.Z = LayerParts
		pods, nodes := grouped(counts["pods"]), grouped(counts["nodes"])
		room := store.W - 24 - said("scene.store").width(s.font) - 8
		store.setDetail(first(room, s.font, said("scene.totals.objects", pods, nodes, grouped(rates["commits"])),
			said("scene.totals.objects.brief", pods, nodes)))
		put(store)
		n := len(tallies)
		gap := s.gap
		cols := n
		if s.layout == Narrow {
			cols = 3
		}
		w, h := (b.tallies.w-(cols-1)*gap)/cols, b.tallies.h
		if cols < n {
			h = (h - gap) / 2
		}
		for i, tally := range tallies {
			r := rect{b.tallies.x + i%cols*(w+gap), b.tallies.y + i/cols*(h+gap), w, h}
			put(s.chip(Shape{ID: "tally/" + tally.key, Role: RolePod, State: tally.state}, r, grouped(counts[tally.key]), said(tally.word)))
		}
		l := label("rates", b.rates, "", "scene.totals.rates")
		l.setTitle(first(l.W, s.font,
			said("scene.totals.rates", grouped(rates["created"]), grouped(rates["bound"]), grouped(rates["started"]), grouped(rates["deleted"])),
			said("scene.totals.rates.brief", grouped(rates["created"]), grouped(rates["bound"]), grouped(rates["started"]), grouped(rates["deleted"]))))
		put(l)
	})
}

// grouped prints a number with commas: "150,000".
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}
