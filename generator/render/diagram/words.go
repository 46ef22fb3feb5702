package diagram

import "strings"

// lines tell the graph in words: first what holds what, then the arrows, and
// boxes that nothing leads to.
func (g *graph) lines() (out []string) {
	told := map[*box]bool{}
	for _, b := range g.boxes {
		if len(b.children) == 0 {
			continue
		}
		var inside []string
		for _, c := range b.children {
			inside = append(inside, oneLine(c.label))
			told[c] = len(c.children) == 0
		}
		out = append(out, oneLine(b.label)+": "+strings.Join(inside, ", "))
		told[b] = true
	}
	for _, a := range g.arrows {
		from, to, sign := a.from, a.to, " — "
		switch {
		case a.back && a.head:
			sign = " ↔ "
		case a.head:
			sign = " → "
		case a.back:
			from, to, sign = to, from, " → "
		}
		line := oneLine(from.label) + sign + oneLine(to.label)
		if a.label != "" {
			line += ": " + oneLine(a.label)
		}
		out = append(out, line)
		told[a.from], told[a.to] = true, true
	}
	for _, b := range g.boxes {
		if !told[b] {
			out = append(out, oneLine(b.label))
		}
	}
	return out
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
