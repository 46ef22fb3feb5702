package scene

// slots gives the things of an area their places: the lowest free one, held
// until it is left. So nothing moves because a neighbour came or went.
type slots struct {
	of   map[string]int
	keys []string // by place; "" is free
}

func newSlots() *slots { return &slots{of: map[string]int{}} }

func (s *slots) take(key string) {
	if _, ok := s.of[key]; ok {
		return
	}
	for i, k := range s.keys {
		if k == "" {
			s.keys[i] = key
			s.of[key] = i
			return
		}
	}
	s.of[key] = len(s.keys)
	s.keys = append(s.keys, key)
}

func (s *slots) leave(key string) {
	i, ok := s.of[key]
	if !ok {
		return
	}
	delete(s.of, key)
	s.keys[i] = ""
	for n := len(s.keys); n > 0 && s.keys[n-1] == ""; n-- {
		s.keys = s.keys[:n-1]
	}
}

// rename hands a place on.
func (s *slots) rename(from, to string) bool {
	i, ok := s.of[from]
	if !ok {
		return false
	}
	if _, taken := s.of[to]; taken {
		return false
	}
	delete(s.of, from)
	s.of[to] = i
	s.keys[i] = to
	return true
}

// rect is a place in the scene.
type rect struct{ x, y, w, h int }

func (r rect) right() int  { return r.x + r.w }
func (r rect) bottom() int { return r.y + r.h }
func (r rect) mid() int    { return r.x + r.w/2 }

// inset is the rectangle inside, so far from each edge.
func (r rect) inset(x, top, bottom int) rect {
	return rect{r.x + x, r.y + top, r.w - 2*x, r.h - top - bottom}
}

// size is a way to draw the things of a grid: at least so wide, so high.
type size struct{ w, h, gap int }

// text tells whether there is room for words in it.
func (z size) text() bool { return z.w >= 30 }

// grid lays places out in rows.
type grid struct {
	area       rect
	cell       size
	cols, rows int
}

// newGrid picks the first size that has room for n; the last one if none has.
func newGrid(area rect, n int, sizes ...size) grid {
	var g grid
	for _, z := range sizes {
		g = grid{area: area, cell: z}
		g.cols = (area.w + z.gap) / (z.w + z.gap)
		g.rows = (area.h + z.gap) / (z.h + z.gap)
		if g.cols < 1 {
			g.cols = 1
		}
		if g.cols*g.rows >= n {
			break
		}
	}
	if g.cell.text() { // share out what is left of the width
		g.cell.w = (area.w - (g.cols-1)*g.cell.gap) / g.cols
	}
	return g
}

// shares are the widths of the cells of a row: equal, but what needs more gets that, as long as the others can spare it.
func shares(needs []int, room, gap int) []int {
	out := make([]int, len(needs))
	left, n := room-(len(needs)-1)*gap, len(needs)
	for again := true; again && n > 0; {
		again = false
		for i, need := range needs {
			if out[i] == 0 && need > left/n {
				out[i], left, n, again = need, left-need, n-1, true
				break
			}
		}
	}
	if left < 0 { // somebody goes short: nobody gets more than others
		clear(out)
		left, n = room-(len(needs)-1)*gap, len(needs)
	}
	for i := range out {
		if out[i] == 0 {
			out[i] = left / n
		}
	}
	return out
}

// at is the place of number i; ok is false when it does not fit.
func (g grid) at(i int) (rect, bool) {
	if i >= g.cols*g.rows {
		return rect{}, false
	}
	return rect{
		g.area.x + i%g.cols*(g.cell.w+g.cell.gap),
		g.area.y + i/g.cols*(g.cell.h+g.cell.gap),
		g.cell.w, g.cell.h,
	}, true
}
