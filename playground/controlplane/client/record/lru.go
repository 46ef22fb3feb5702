package record

import "container/list"

// lru is a map that forgets what was not used for longest once it holds max entries.
type lru[V any] struct {
	max     int
	order   *list.List // of entry[V], newest first
	entries map[string]*list.Element
}

type entry[V any] struct {
	key   string
	value V
}

func newLRU[V any](max int) *lru[V] {
	return &lru[V]{max: max, order: list.New(), entries: map[string]*list.Element{}}
}

func (l *lru[V]) get(key string) (value V, found bool) {
	e, found := l.entries[key]
	if !found {
		return value, false
	}
	l.order.MoveToFront(e)
	return e.Value.(entry[V]).value, true
}

func (l *lru[V]) add(key string, value V) {
	if e, found := l.entries[key]; found {
		e.Value = entry[V]{key, value}
		l.order.MoveToFront(e)
		return
	}
	l.entries[key] = l.order.PushFront(entry[V]{key, value})
	if l.order.Len() > l.max {
		oldest := l.order.Back()
		l.order.Remove(oldest)
		delete(l.entries, oldest.Value.(entry[V]).key)
	}
}
