package cache

import (
	"fmt"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// notification is what a handler is to be told.
type notification struct {
	kind     DeltaType // Added, Updated or Deleted
	old, new any
	// added, if there are any, are told as Added one by one, in place of old and new. A list may be long.
	added   []any
	initial bool
	cause   trace.ID // the cache's event
}

// processorListener tells one handler everything, in order, in a process of its
// own, so that a handler which waits holds up nobody else.
// Upstream: client-go/tools/cache/shared_informer.go processorListener, which
// needs two goroutines for that, pop and run.
type processorListener struct {
	handler        ResourceEventHandler
	upstreamSynced func() bool
	// pending has no bound, as upstream.
	pending line[notification]
	// initial is how many of the first list were not handled yet.
	initial int
	reader  *sim.Proc // waits for something to be pending
	removed bool

	resyncPeriod time.Duration // 0: never
	nextResync   time.Duration
	// syncing: is told of objects that did not change. True until the first
	// resync, so that without resyncs every list again tells of every object.
	syncing bool
}

func (l *processorListener) start(c *sim.Component, name string) {
	c.Go(name, l.run)
}

func (l *processorListener) add(n notification) {
	if n.initial {
		l.initial += max(1, len(n.added))
	}
	l.pending.push(n)
	l.wake()
}

func (l *processorListener) wake() {
	if l.reader != nil {
		l.reader.Wake()
		l.reader = nil
	}
}

func (l *processorListener) run(p *sim.Proc) {
	for {
		for l.pending.len() == 0 {
			if l.removed {
				return
			}
			l.reader = p
			p.Park()
		}
		n := l.pending.pop()
		p.Due(n.cause)
		switch n.kind {
		case Added:
			if n.added == nil {
				l.tellAdded(n.new, n.initial)
			}
			for _, obj := range n.added {
				p.Due(n.cause)
				l.tellAdded(obj, n.initial)
			}
		case Updated:
			l.handler.OnUpdate(n.old, n.new)
		case Deleted:
			l.handler.OnDelete(n.old)
		default:
			panic(fmt.Sprintf("unrecognized notification: %q", n.kind))
		}
	}
}

func (l *processorListener) tellAdded(obj any, initial bool) {
	l.handler.OnAdd(obj, initial)
	if initial {
		l.initial--
	}
}

// HasSynced tells whether the handler was told of everything in the first list.
func (l *processorListener) HasSynced() bool { return l.upstreamSynced() && l.initial == 0 }
