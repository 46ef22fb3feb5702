package store

import (
	"errors"
	"slices"
	"time"

	"kubewalk/playground/sim"
)

// connection is the API server's gRPC connection to etcd.
//
// While it is down, requests wait for it, because etcd's client sets WaitForReady; what ends their waiting is the deadline
// of the process that asks (sim.Proc.SetDeadline). Of requests that were under way when it broke, reads are sent again, and
// writes fail, because nobody knows whether they were carried out. Here they were not.
//
// It comes back when gRPC tries again: first at once, then after 1 s, 1.6 s, 2.6 s … up to two minutes, each a fifth more or less.
//
// Upstream: etcd client/v3, client.go and retry_interceptor.go; grpc backoff/backoff.go, DefaultConfig.
type connection struct {
	lost    time.Duration // when it broke
	up      bool
	dialing *sim.Timer
	waiting []*sim.Proc // in the order in which they came
}

// gRPC's back-off between two attempts to connect.
const (
	firstDial  = time.Second
	maxDial    = 2 * time.Minute
	dialGrowth = 160 // percent
	dialJitter = 20  // percent
)

var (
	// ErrDeadlineExceeded says that the process' deadline passed before etcd answered. Upstream: context.DeadlineExceeded.
	ErrDeadlineExceeded = errors.New("context deadline exceeded")
	// errConnectionLost is what a write ends with whose connection broke.
	errConnectionLost = errors.New("rpc error: code = Unavailable desc = error reading from server: EOF")
)

// Start lets a component serve the data: etcd, with its disk. The API server connects to it when it tries again.
func (s *Store) Start(etcd *sim.Component) {
	first := s.etcd == nil
	s.etcd = etcd
	etcd.OnStop(func() {
		s.connection.up, s.connection.lost = false, s.kernel.Elapsed()
		s.connection.dialing.Stop()
	})
	if first {
		s.connection.up = true
		return
	}
	s.connection.dialing = s.kernel.After(s.nextDial()-s.kernel.Elapsed(), s.Dial)
}

// Running tells whether etcd runs.
func (s *Store) Running() bool { return s.etcd.Running() }

// nextDial is when gRPC tries to connect next.
func (s *Store) nextDial() time.Duration {
	at, backOff := s.connection.lost, firstDial
	for at < s.kernel.Elapsed() {
		at += s.rand.Between(backOff*(100-dialJitter)/100, backOff*(100+dialJitter)/100)
		backOff = min(backOff*dialGrowth/100, maxDial)
	}
	return at
}

// Dial connects to etcd, if that runs: a server that starts has no back-off from before.
func (s *Store) Dial() {
	if s.connection.up || !s.etcd.Running() {
		return
	}
	s.connection.dialing.Stop()
	s.connection.up = true
	waiting := s.connection.waiting
	s.connection.waiting = nil
	for _, p := range waiting {
		p.Wake()
	}
}

// connected waits for the connection.
func (s *Store) connected(p *sim.Proc) error {
	for !s.connection.up {
		left := p.Deadline() - p.Now()
		if p.Deadline() != 0 && left <= 0 {
			return ErrDeadlineExceeded
		}
		s.connection.waiting = append(s.connection.waiting, p)
		if p.Deadline() == 0 {
			p.Park()
		} else {
			p.ParkFor(left)
		}
		s.connection.waiting = slices.DeleteFunc(s.connection.waiting, func(o *sim.Proc) bool { return o == p })
	}
	return nil
}

// roundTrip lets the time of a request to etcd pass. Code that runs in no process (p is nil) waits for nothing: that is
// for what is there before the world starts.
func (s *Store) roundTrip(p *sim.Proc, min, max time.Duration) error {
	if p == nil {
		return nil
	}
	if err := s.connected(p); err != nil {
		return err
	}
	etcd := s.etcd
	p.Sleep(s.rand.Between(min, max))
	if err := s.fault.strike(p); err != nil {
		return err
	}
	if !etcd.Running() {
		return errConnectionLost
	}
	return nil
}

// read is the round trip of a request that may be sent again.
func (s *Store) read(p *sim.Proc) error {
	for {
		if err := s.roundTrip(p, s.opts.ReadMin, s.opts.ReadMax); err != errConnectionLost {
			return err
		}
	}
}
