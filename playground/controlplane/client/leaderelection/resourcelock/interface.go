// Package resourcelock holds what candidates for leadership write down, and
// where: a Lease that one of them holds.
//
// A lock is optimistic, like every object: whoever writes on an old version is
// refused, so of two candidates that find a lease free one gets it.
//
// Upstream: k8s.io/client-go/tools/leaderelection/resourcelock. Absent: strategies
// and candidates of the coordinated election.
package resourcelock

import (
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
)

// LeaderElectionRecord is what is in the lock.
type LeaderElectionRecord struct {
	// HolderIdentity is who leads; "" when the last one gave it up.
	HolderIdentity       string
	LeaseDurationSeconds int32
	AcquireTime          metav1.MicroTime
	RenewTime            metav1.MicroTime
	LeaderTransitions    int32
}

// Same says that nobody wrote between the two.
func (r LeaderElectionRecord) Same(o LeaderElectionRecord) bool {
	return r.HolderIdentity == o.HolderIdentity && r.LeaseDurationSeconds == o.LeaseDurationSeconds &&
		r.AcquireTime.Time.Equal(o.AcquireTime.Time) && r.RenewTime.Time.Equal(o.RenewTime.Time) && r.LeaderTransitions == o.LeaderTransitions
}

// EventRecorder is what a lock reports a new leader with.
type EventRecorder interface {
	Eventf(obj metav1.Object, eventType, reason, message string, args ...any)
}

// Interface is a lock of one candidate.
type Interface interface {
	// Get reads the record from the API server.
	Get(p *sim.Proc) (*LeaderElectionRecord, error)
	// Create writes the first record.
	Create(p *sim.Proc, record LeaderElectionRecord) error
	// Update writes a record on the version that this candidate saw last.
	Update(p *sim.Proc, record LeaderElectionRecord) error
	// RecordEvent reports what became of this candidate.
	RecordEvent(what string)
	// Identity is who the candidate is.
	Identity() string
	// Describe is "namespace/name".
	Describe() string
}
