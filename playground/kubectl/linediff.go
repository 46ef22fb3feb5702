package kubectl

import (
	"fmt"
	"math"
	"strings"
)

// unified is what diff -u prints behind its two headers of two texts, "" if they are the same: the shortest way from one to the
// other, and of several that are as short the one that GNU diff takes.
//
// Simplified: GNU diff leaves lines out of its search that are there more than five times, between lines that are in one text
// only; then the result can be another one, as right and sometimes shorter.
// Upstream: GNU diffutils, src/context.c and src/analyze.c.
func unified(from, to string) string {
	d := &lineDiff{}
	d.lines = [2][]string{linesOf(from), linesOf(to)}
	for side, lines := range d.lines {
		d.changed[side] = make([]bool, len(lines)+2)
	}
	d.compare()
	d.shift(0)
	d.shift(1)
	return d.hunks()
}

func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

type lineDiff struct {
	lines [2][]string
	// changed says of each line whether it is in one text only; line i is at i+1, so that there is one on either side of them.
	changed [2][]bool
	// left are the lines that are in both texts somewhere, by number: only those are searched.
	left [2][]int
}

// compare marks what is in one text only.
func (d *lineDiff) compare() {
	for side := range d.lines {
		there := map[string]bool{}
		for _, line := range d.lines[1-side] {
			there[line] = true
		}
		for i, line := range d.lines[side] {
			if there[line] {
				d.left[side] = append(d.left[side], i)
			} else {
				d.changed[side][i+1] = true
			}
		}
	}
	d.search(0, len(d.left[0]), 0, len(d.left[1]))
}

func (d *lineDiff) same(x, y int) bool { return d.lines[0][d.left[0][x]] == d.lines[1][d.left[1][y]] }

// search compares lines x to xEnd with lines y to yEnd.
// Upstream: gnulib lib/diffseq.h, compareseq; E. Myers, An O(ND) Difference Algorithm and Its Variations, 1986.
func (d *lineDiff) search(x, xEnd, y, yEnd int) {
	for x < xEnd && y < yEnd && d.same(x, y) {
		x, y = x+1, y+1
	}
	for x < xEnd && y < yEnd && d.same(xEnd-1, yEnd-1) {
		xEnd, yEnd = xEnd-1, yEnd-1
	}
	switch {
	case x == xEnd:
		for ; y < yEnd; y++ {
			d.changed[1][d.left[1][y]+1] = true
		}
	case y == yEnd:
		for ; x < xEnd; x++ {
			d.changed[0][d.left[0][x]+1] = true
		}
	default:
		xMid, yMid := d.middle(x, xEnd, y, yEnd)
		d.search(x, xMid, y, yMid)
		d.search(xMid, xEnd, yMid, yEnd)
	}
}

// middle is a point in the middle of a shortest way, where ways from the beginning and from the end meet.
// Upstream: gnulib lib/diffseq.h, diag.
func (d *lineDiff) middle(xOff, xLim, yOff, yLim int) (int, int) {
	least, most := xOff-yLim, xLim-yOff // diagonals
	at := func(diagonal int) int { return diagonal - least + 1 }
	forward, backward := make([]int, most-least+3), make([]int, most-least+3)
	fMid, bMid := xOff-yOff, xLim-yLim
	fMin, fMax, bMin, bMax := fMid, fMid, bMid, bMid
	odd := (fMid-bMid)%2 != 0
	forward[at(fMid)], backward[at(bMid)] = xOff, xLim
	for {
		if fMin > least {
			fMin--
			forward[at(fMin-1)] = -1
		} else {
			fMin++
		}
		if fMax < most {
			fMax++
			forward[at(fMax+1)] = -1
		} else {
			fMax--
		}
		for diagonal := fMax; diagonal >= fMin; diagonal -= 2 {
			x := max(forward[at(diagonal-1)]+1, forward[at(diagonal+1)])
			for x < xLim && x-diagonal < yLim && d.same(x, x-diagonal) {
				x++
			}
			forward[at(diagonal)] = x
			if odd && bMin <= diagonal && diagonal <= bMax && backward[at(diagonal)] <= x {
				return x, x - diagonal
			}
		}
		if bMin > least {
			bMin--
			backward[at(bMin-1)] = math.MaxInt
		} else {
			bMin++
		}
		if bMax < most {
			bMax++
			backward[at(bMax+1)] = math.MaxInt
		} else {
			bMax--
		}
		for diagonal := bMax; diagonal >= bMin; diagonal -= 2 {
			x := min(backward[at(diagonal-1)], backward[at(diagonal+1)]-1)
			for x > xOff && x-diagonal > yOff && d.same(x-1, x-diagonal-1) {
				x--
			}
			backward[at(diagonal)] = x
			if !odd && fMin <= diagonal && diagonal <= fMax && x <= forward[at(diagonal)] {
				return x, x - diagonal
			}
		}
	}
}

// shift moves runs of changed lines to where GNU diff shows them: as far down as they can be, but beside a change of the other text.
// Upstream: GNU diffutils src/analyze.c, shift_boundaries.
func (d *lineDiff) shift(side int) {
	lines := d.lines[side]
	mine := func(i int) *bool { return &d.changed[side][i+1] }
	other := func(j int) bool { return d.changed[1-side][j+1] }
	i, j := 0, 0
	for {
		for i < len(lines) && !*mine(i) {
			for other(j) {
				j++
			}
			i, j = i+1, j+1
		}
		if i == len(lines) {
			return
		}
		start := i
		for *mine(i) {
			i++
		}
		for other(j) {
			j++
		}
		corresponding := len(lines)
		for length := -1; length != i-start; {
			length = i - start
			for start > 0 && lines[start-1] == lines[i-1] {
				start, i = start-1, i-1
				*mine(start), *mine(i) = true, false
				for *mine(start - 1) {
					start--
				}
				for j--; other(j); j-- {
				}
			}
			corresponding = len(lines)
			if other(j - 1) {
				corresponding = i
			}
			for i != len(lines) && lines[start] == lines[i] {
				*mine(start), *mine(i) = false, true
				start, i = start+1, i+1
				for *mine(i) {
					i++
				}
				for j++; other(j); j++ {
					corresponding = i
				}
			}
		}
		for corresponding < i {
			start, i = start-1, i-1
			*mine(start), *mine(i) = true, false
			for j--; other(j); j-- {
			}
		}
	}
}

// hunks prints the changes, with three lines around each.
func (d *lineDiff) hunks() string {
	const around = 3
	a, b := d.lines[0], d.lines[1]
	type step struct {
		sign byte
		x, y int // how many lines of either text stand before it
	}
	var steps []step
	for x, y := 0, 0; x < len(a) || y < len(b); {
		switch {
		case d.changed[0][x+1]:
			steps, x = append(steps, step{'-', x, y}), x+1
		case d.changed[1][y+1]:
			steps, y = append(steps, step{'+', x, y}), y+1
		default:
			steps, x, y = append(steps, step{' ', x, y}), x+1, y+1
		}
	}
	var out strings.Builder
	for i := 0; i < len(steps); i++ {
		if steps[i].sign == ' ' {
			continue
		}
		from, last := max(0, i-around), i
		for k := i; k < len(steps) && k <= last+2*around+1; k++ {
			if steps[k].sign != ' ' {
				last = k
			}
		}
		to := min(len(steps), last+around+1)
		var body strings.Builder
		var count [2]int
		for _, s := range steps[from:to] {
			line := ""
			if s.sign == '+' {
				line = b[s.y]
			} else {
				line = a[s.x]
				count[0]++
			}
			if s.sign != '-' {
				count[1]++
			}
			body.WriteString(string(s.sign) + line + "\n")
		}
		fmt.Fprintf(&out, "@@ -%s +%s @@\n%s", span(steps[from].x, count[0]), span(steps[from].y, count[1]), body.String())
		i = to - 1
	}
	return out.String()
}

// span is "12,7", "12" for one line, "11,0" for none behind line 11.
func span(before, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", before)
	case 1:
		return fmt.Sprint(before + 1)
	}
	return fmt.Sprintf("%d,%d", before+1, count)
}
