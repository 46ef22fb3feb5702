package sim

// agenda is a heap: what comes next is at 0, and no entry is before its parent,
// which is at (i-1)/2. It is container/heap written out for entries, since
// everything that happens goes through it.
type agenda []*entry

func (e *entry) before(f *entry) bool {
	if e.at != f.at || e.outside == f.outside {
		return e.at < f.at || e.at == f.at && e.sequence < f.sequence
	}
	return e.outside
}

func (a *agenda) push(e *entry) {
	*a = append(*a, e)
	a.up(len(*a)-1, e)
}

// remove takes the entry at i off and returns it.
func (a *agenda) remove(i int) *entry {
	e := (*a)[i]
	n := len(*a) - 1
	last := (*a)[n]
	(*a)[n] = nil
	*a = (*a)[:n]
	if i < n && !a.down(i, last) {
		a.up(i, last)
	}
	e.index = -1
	return e
}

// up puts e at i, or nearer to the top.
func (a agenda) up(i int, e *entry) {
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(a[parent]) {
			break
		}
		a.set(i, a[parent])
		i = parent
	}
	a.set(i, e)
}

// down puts e at i, or further from the top, and tells whether it was further.
func (a agenda) down(i int, e *entry) bool {
	start := i
	for {
		child := 2*i + 1
		if child >= len(a) {
			break
		}
		if right := child + 1; right < len(a) && a[right].before(a[child]) {
			child = right
		}
		if !a[child].before(e) {
			break
		}
		a.set(i, a[child])
		i = child
	}
	a.set(i, e)
	return i > start
}

func (a agenda) set(i int, e *entry) {
	a[i] = e
	e.index = i
}
