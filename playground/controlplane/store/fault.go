package store

import (
	"errors"
	"time"

	"kubewalk/playground/sim"
)

// fault is what is wrong with an etcd that runs.
type fault struct {
	slow       time.Duration // every request takes so much longer
	leaderless bool          // its members agree on nothing: too few of them are there
	full       bool          // the database has reached its quota: it can be read
}

// What etcd answers then. Upstream: etcd server/etcdserver/errors.go and api/v3rpc/rpctypes/error.go.
var (
	errRequestTimeout = errors.New("etcdserver: request timed out")
	errNoSpace        = errors.New("etcdserver: mvcc: database space exceeded")
)

// requestTimeout is how long etcd tries: 5 s for the disk, and two elections. Upstream: server/config/config.go, ReqTimeout.
const requestTimeout = 7 * time.Second

// SetSlow has every request take so much longer, as on a slow disk; 0 ends it.
func (s *Store) SetSlow(by time.Duration) { s.fault.slow = by }

// SetLeaderless has etcd be without a leader: it answers nothing in time, while watches stay open.
func (s *Store) SetLeaderless(on bool) { s.fault.leaderless = on }

// SetFull has etcd refuse to put anything, its database having grown to its quota. It still reads and deletes.
// Upstream: etcd server/etcdserver/apply, applierV3Capped.Txn.
func (s *Store) SetFull(on bool) { s.fault.full = on }

// strike lets the time of a fault pass, and says what the request ends with.
func (f *fault) strike(p *sim.Proc) error {
	switch {
	case f.leaderless || f.slow >= requestTimeout:
		p.Sleep(requestTimeout)
		return errRequestTimeout
	case f.slow > 0:
		p.Sleep(f.slow)
	}
	return nil
}
