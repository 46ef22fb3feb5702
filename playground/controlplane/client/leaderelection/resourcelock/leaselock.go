package resourcelock

import (
	"errors"

	"kubewalk/playground/api"
	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// LeaseLock is a lock in a Lease. Upstream: leaselock.go, LeaseLock.
type LeaseLock struct {
	// Namespace and Name are the Lease's.
	Namespace, Name string
	Client          *client.Clientset
	// Holder is the candidate's identity.
	Holder string
	// EventRecorder may be nil.
	EventRecorder EventRecorder

	lease *coordinationv1.Lease // as last read or written
}

// Get reads the Lease.
func (l *LeaseLock) Get(p *sim.Proc) (*LeaderElectionRecord, error) {
	lease, err := l.Client.CoordinationV1().Leases(l.Namespace).Get(p, l.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	l.lease = lease
	return recordOf(&lease.Spec), nil
}

// Create makes the Lease.
func (l *LeaseLock) Create(p *sim.Proc, record LeaderElectionRecord) (err error) {
	lease, err := l.Client.CoordinationV1().Leases(l.Namespace).Create(p, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: l.Name, Namespace: l.Namespace}, Spec: specOf(record),
	}, metav1.CreateOptions{})
	if err == nil {
		l.lease = lease
	}
	return err
}

// Update writes the Lease. It is a conflict when somebody else has, since it was last read.
func (l *LeaseLock) Update(p *sim.Proc, record LeaderElectionRecord) error {
	if l.lease == nil {
		return errors.New("lease not initialized, call get or create first")
	}
	lease := l.lease.DeepCopy()
	lease.Spec = specOf(record)
	lease, err := l.Client.CoordinationV1().Leases(l.Namespace).Update(p, lease, metav1.UpdateOptions{})
	if err == nil {
		l.lease = lease
	}
	return err
}

// RecordEvent reports on the Lease.
func (l *LeaseLock) RecordEvent(what string) {
	if l.EventRecorder == nil || l.lease == nil {
		return
	}
	subject := &coordinationv1.Lease{ObjectMeta: *l.lease.ObjectMeta.DeepCopy()}
	api.SetKind(subject)
	l.EventRecorder.Eventf(subject, corev1.EventTypeNormal, "LeaderElection", "%v %v", l.Holder, what)
}

// Identity is the candidate's.
func (l *LeaseLock) Identity() string { return l.Holder }

// Describe names the Lease.
func (l *LeaseLock) Describe() string { return l.Namespace + "/" + l.Name }

// recordOf is upstream's LeaseSpecToLeaderElectionRecord.
func recordOf(spec *coordinationv1.LeaseSpec) *LeaderElectionRecord {
	r := &LeaderElectionRecord{}
	if spec.HolderIdentity != nil {
		r.HolderIdentity = *spec.HolderIdentity
	}
	if spec.LeaseDurationSeconds != nil {
		r.LeaseDurationSeconds = *spec.LeaseDurationSeconds
	}
	if spec.LeaseTransitions != nil {
		r.LeaderTransitions = *spec.LeaseTransitions
	}
	if spec.AcquireTime != nil {
		r.AcquireTime = *spec.AcquireTime
	}
	if spec.RenewTime != nil {
		r.RenewTime = *spec.RenewTime
	}
	return r
}

// specOf is upstream's LeaderElectionRecordToLeaseSpec.
func specOf(r LeaderElectionRecord) coordinationv1.LeaseSpec {
	return coordinationv1.LeaseSpec{
		HolderIdentity: &r.HolderIdentity, LeaseDurationSeconds: &r.LeaseDurationSeconds,
		AcquireTime: &r.AcquireTime, RenewTime: &r.RenewTime, LeaseTransitions: &r.LeaderTransitions,
	}
}
