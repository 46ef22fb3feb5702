package kwok

import (
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// line is what waits to be treated: keys, each once, in the order in which they
// came. A key that is put while it is being treated is treated once more.
//
// It is no work queue of client-go: thousands of heartbeats are nothing that
// anybody has to see.
type line struct {
	kernel *sim.Kernel
	keys   []waiting
	state  map[string]keyState
	idle   []*sim.Proc
}

type waiting struct {
	key   string
	cause trace.ID
}

type keyState struct{ queued, treated bool }

func newLine(k *sim.Kernel) *line { return &line{kernel: k, state: map[string]keyState{}} }

func (l *line) put(key string) {
	s := l.state[key]
	if s.queued {
		return
	}
	s.queued = true
	l.state[key] = s
	if !s.treated {
		l.push(key)
	}
}

func (l *line) push(key string) {
	l.keys = append(l.keys, waiting{key, l.kernel.Cause()})
	if n := len(l.idle); n > 0 {
		l.idle[n-1].Wake()
		l.idle = l.idle[:n-1]
	}
}

// work treats one key after the other. It does not return.
func (l *line) work(p *sim.Proc, treat func(p *sim.Proc, key string)) {
	for {
		for len(l.keys) == 0 {
			l.idle = append(l.idle, p)
			p.Park()
		}
		next := l.keys[0]
		l.keys[0] = waiting{}
		l.keys = l.keys[1:]
		l.state[next.key] = keyState{treated: true}
		p.Due(next.cause)
		treat(p, next.key)
		if l.state[next.key].queued {
			l.state[next.key] = keyState{queued: true}
			l.push(next.key)
		} else {
			delete(l.state, next.key)
		}
	}
}
