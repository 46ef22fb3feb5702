package scene

import "strconv"

// A cell's letter. A node that takes Pods is one of nine letters, by how full it
// is; a capital says that something is under way there.
//
//	a … i   ready; so many eighths of the Pods that it takes are there
//	A … I   the same; some of its Pods start or end
//	s       ready and cordoned: no new Pods come
//	x       not ready, or nobody knows
//	.       no node
const (
	cellReady    = 'a'
	cellBusy     = 'A'
	cellCordoned = 's'
	cellLost     = 'x'
	cellNone     = '.'
	cellEighths  = 8
)

// Runs writes cells run by run: how many, unless it is one, and their letter.
// "120c" is 120 cells c, "2aBx" two cells a, then B, then x.
func Runs(cells []byte) string {
	var out []byte
	for i := 0; i < len(cells); {
		j := i
		for j < len(cells) && cells[j] == cells[i] {
			j++
		}
		if j-i > 1 {
			out = strconv.AppendInt(out, int64(j-i), 10)
		}
		out = append(out, cells[i])
		i = j
	}
	return string(out)
}

// eachRun calls f for every run of cells, broken at the ends of rows.
func eachRun(runs string, cols int, f func(at, n int, cell byte)) {
	at, n := 0, 0
	for i := 0; i < len(runs); i++ {
		c := runs[i]
		if c >= '0' && c <= '9' {
			n = n*10 + int(c-'0')
			continue
		}
		for left := max(n, 1); left > 0; {
			piece := left
			if cols > 0 {
				piece = min(left, cols-at%cols)
			}
			f(at, piece, c)
			at, left = at+piece, left-piece
		}
		n = 0
	}
}

// cellParts are what cells are drawn of, from bottom to top: dashed lines, whose
// dashes are the cells.
//
//	cell  every cell's square
//	fill  how full a node is: the square's lower part
//	busy  the same, where something is under way
//	lid   a cordoned node: its upper edge
//	lost  a node that is not ready: a bar across its middle
var cellParts = []string{"cell", "fill", "busy", "lid", "lost"}

// cellPart is the part, besides the square, that a cell is drawn with, how high
// it is and where its middle is below the cell's top, in tenths of units; high is
// 0 when there is none.
func cellPart(cell byte, side int) (part string, high, middle int) {
	level := func(n byte) (int, int) {
		high := side * 10 * int(n) / cellEighths
		return high, side*10 - high/2
	}
	switch {
	case cell > cellReady && cell <= cellReady+cellEighths:
		high, middle = level(cell - cellReady)
		return "fill", high, middle
	case cell >= cellBusy && cell <= cellBusy+cellEighths:
		high, middle = level(max(cell-cellBusy, 1))
		return "busy", high, middle
	case cell == cellCordoned:
		return "lid", 20, 10
	case cell == cellLost:
		return "lost", 20, side * 5
	}
	return "", 0, 0
}

// cells prints cells: a path for every part and height.
func (b *svg) cells(s *Shape) {
	side := s.Pitch - 1
	type key struct {
		part string
		high int
	}
	paths := map[key]*svg{}
	line := func(k key, at, n, middle int) {
		p := paths[k]
		if p == nil {
			p = &svg{}
			paths[k] = p
		}
		p.raw("M")
		p.int(at % s.Cols * s.Pitch)
		p.raw(" ")
		p.raw(tenths(at/s.Cols*s.Pitch*10 + middle))
		p.raw("h")
		p.int(n*s.Pitch - 1)
	}
	eachRun(s.Runs, s.Cols, func(at, n int, cell byte) {
		if cell == cellNone {
			return
		}
		line(key{"cell", side * 10}, at, n, side*5)
		if part, high, middle := cellPart(cell, side); high > 0 {
			line(key{part, high}, at, n, middle)
		}
	})
	for _, part := range cellParts {
		for high := 1; high <= max(side*10, 20); high++ {
			p := paths[key{part, high}]
			if p == nil {
				continue
			}
			b.raw("<path")
			b.attr("class", part)
			b.attr("stroke-width", tenths(high))
			b.attr("stroke-dasharray", strconv.Itoa(side)+" 1")
			b.attr("d", p.String())
			b.raw("/>")
		}
	}
}
