package sim

import "time"

// agenda is a heap: what comes next is at 0, and no place is before its parent,
// which is at (i-1)/2. It is container/heap written out for entries, since
// everything that happens goes through it.
type agenda []place

// place is where an entry stands. It has what entries are compared by, so that comparing looks at no entry.
type place struct {
	at    time.Duration
	order uint64 // among those of one time
	entry *entry
}

// inside is in the order of everything that does not come from outside: that is before everything else of its time.
const inside = 1 << 63

func (p *place) before(q *place) bool {
	return p.at < q.at || p.at == q.at && p.order < q.order
}

func (a *agenda) push(p place) {
	*a = append(*a, p)
	a.up(len(*a)-1, p)
}

// remove takes the entry at i off and returns its place.
func (a *agenda) remove(i int) place {
	p := (*a)[i]
	n := len(*a) - 1
	last := (*a)[n]
	(*a)[n] = place{}
	*a = (*a)[:n]
	if i < n && !a.down(i, last) {
		a.up(i, last)
	}
	p.entry.index = -1
	return p
}

// up puts p at i, or nearer to the top.
func (a agenda) up(i int, p place) {
	for i > 0 {
		parent := (i - 1) / 2
		if !p.before(&a[parent]) {
			break
		}
		a.set(i, a[parent])
		i = parent
	}
	a.set(i, p)
}

// down puts p at i, or further from the top, and tells whether it was further.
func (a agenda) down(i int, p place) bool {
	start := i
	for {
		child := 2*i + 1
		if child >= len(a) {
			break
		}
		if right := child + 1; right < len(a) && a[right].before(&a[child]) {
			child = right
		}
		if !a[child].before(&p) {
			break
		}
		a.set(i, a[child])
		i = child
	}
	a.set(i, p)
	return i > start
}

func (a agenda) set(i int, p place) {
	a[i] = p
	p.entry.index = i
}
