package cache

// line is a queue. What it has grown to is used again once it is empty, unless
// that is much: after the list of a large cluster it is.
type line[T any] struct {
	items []T
	first int
}

const mostKept = 64

func (l *line[T]) len() int { return len(l.items) - l.first }

func (l *line[T]) push(item T) { l.items = append(l.items, item) }

// pop takes the first of at least one.
func (l *line[T]) pop() T {
	var none T
	item := l.items[l.first]
	l.items[l.first] = none
	if l.first++; l.first < len(l.items) {
		if l.first >= mostKept && 2*l.first >= len(l.items) { // half of it is behind us
			n := copy(l.items, l.items[l.first:])
			clear(l.items[n:])
			l.items, l.first = l.items[:n], 0
		}
		return item
	}
	l.first = 0
	if l.items = l.items[:0]; cap(l.items) > mostKept {
		l.items = nil
	}
	return item
}
