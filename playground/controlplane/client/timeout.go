package client

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/sim"
)

// WithTimeout gives every request a time after which its client gives it up.
// Upstream: rest.Config Timeout.
func WithTimeout(t Transport, d time.Duration) Transport { return &impatient{t, d} }

type impatient struct {
	next    Transport
	timeout time.Duration
}

func (t *impatient) with(r *Request) *Request {
	copied := *r
	copied.Timeout = t.timeout
	return &copied
}

func (t *impatient) Kinds() api.KindSet { return t.next.Kinds() }

func (t *impatient) Do(p *sim.Proc, r *Request) (Result, error) { return t.next.Do(p, t.with(r)) }

func (t *impatient) Watch(p *sim.Proc, r *Request) (Stream, error) { return t.next.Watch(p, t.with(r)) }
