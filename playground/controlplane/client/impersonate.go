package client

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/sim"
)

// Impersonating has every request be one of somebody else, as whom the caller acts.
// Upstream: client-go transport/round_trippers.go, NewImpersonatingRoundTripper.
func Impersonating(t Transport, user *authenticationv1.UserInfo) Transport {
	return &changing{t, func(r *Request) { r.Impersonate = user }}
}

// WithCredentials has every request be one of another program, whose credentials the caller has.
func WithCredentials(t Transport, program string) Transport {
	return &changing{t, func(r *Request) { r.Credentials = program }}
}

// changing changes a copy of each request.
type changing struct {
	next   Transport
	change func(*Request)
}

func (t *changing) with(r *Request) *Request {
	copied := *r
	t.change(&copied)
	return &copied
}

func (t *changing) Kinds() api.KindSet { return t.next.Kinds() }

func (t *changing) Do(p *sim.Proc, r *Request) (Result, error) { return t.next.Do(p, t.with(r)) }

func (t *changing) Watch(p *sim.Proc, r *Request) (Stream, error) { return t.next.Watch(p, t.with(r)) }
