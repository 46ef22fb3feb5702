package store

import "kubewalk/playground/trace"

// Watcher receives commits. Deliver runs in the very moment of the commit, as etcd's code: what it does elsewhere has to
// take its time.
type Watcher struct {
	store   *Store
	deliver func(Event)
	closed  bool
}

// Watch delivers every commit after a revision: first those of the history, at once, then each as it happens. The error
// is ErrCompacted if the history no longer has them all. A watch survives etcd's restart: the client opens it again from
// where it was, and nothing was written meanwhile.
// Upstream: etcd3/watcher.go, watcher.Watch.
func (s *Store) Watch(after int64, deliver func(Event)) (*Watcher, error) {
	if after < s.compacted {
		return nil, ErrCompacted
	}
	w := &Watcher{store: s, deliver: deliver}
	for _, e := range s.History(after) {
		deliver(e)
	}
	s.watchers = append(s.watchers, w)
	return w, nil
}

// Stop ends the watch. Stopping it twice does nothing.
func (w *Watcher) Stop() {
	if w.closed {
		return
	}
	w.closed = true
	// A new slice: notify may be walking over the old one.
	var rest []*Watcher
	for _, other := range w.store.watchers {
		if other != w {
			rest = append(rest, other)
		}
	}
	w.store.watchers = rest
}

func (s *Store) notify(e Event) {
	for _, w := range s.watchers {
		if !w.closed {
			w.deliver(e)
		}
	}
}

// Compact drops the history up to and including a revision: it can't be watched from or listed at any more before that.
// Current objects stay. Revisions that are compacted already, or not reached yet, are left alone, and all of them while etcd
// is down.
func (s *Store) Compact(revision int64) {
	if !s.etcd.Running() || revision <= s.compacted || revision > s.revision {
		return
	}
	s.history = append([]Event(nil), s.History(revision)...)
	s.compacted = revision
	s.etcd.Run(func() {
		s.kernel.Emit(trace.StoreCompact, trace.Ref{}, trace.Attrs("revision", revision),
			trace.Set(trace.Cell{Kind: trace.CellCompacted, Owner: "store"}, revision))
	})
}
