// Package leaderelection has one of several candidates do the work, and another
// one when it no longer does.
//
// The candidates share a lock (package resourcelock). Who holds it renews it
// every retry period; who does not looks as often whether it has changed. A
// candidate trusts no clock but its own: a lease has run out when it was seen
// unchanged for as long as it was to last. So a leader that dies is followed
// after the lease duration and up to a retry period, and one that cannot reach
// the API server stops leading after the renew deadline, before anybody else
// begins.
//
// This does not fence: a leader whose process stands still and wakes up later may
// act for a moment beside its successor. Nor is a request ended when the renew
// deadline passes while it is under way; the deadline is looked at between tries.
//
// Absent: coordinated election, health checks, metrics.
//
// Upstream: k8s.io/client-go/tools/leaderelection.
package leaderelection

import (
	"errors"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client/leaderelection/resourcelock"
	"kubewalk/playground/controlplane/client/wait"
	"kubewalk/playground/sim"
)

// JitterFactor is how many percent longer than the retry period a candidate may
// wait before it looks again. Upstream: 1.2, as a factor.
const JitterFactor = 120

// The defaults of the control plane's components.
// Upstream: k8s.io/component-base/config/v1alpha1/defaults.go, RecommendedDefaultLeaderElectionConfiguration.
const (
	DefaultLeaseDuration = 15 * time.Second
	DefaultRenewDeadline = 10 * time.Second
	DefaultRetryPeriod   = 2 * time.Second
)

// LeaderElectionConfig is what a candidate needs.
type LeaderElectionConfig struct {
	Lock resourcelock.Interface
	// LeaseDuration is how long those who do not lead wait after the last renewal.
	LeaseDuration time.Duration
	// RenewDeadline is how long the leader tries to renew before it gives up.
	RenewDeadline time.Duration
	// RetryPeriod is between two tries of either.
	RetryPeriod time.Duration
	Callbacks   LeaderCallbacks
	// ReleaseOnCancel frees the lock when the candidate is cancelled, so that
	// nobody has to wait for its end.
	ReleaseOnCancel bool
}

// LeaderCallbacks are called on changes of the leader.
type LeaderCallbacks struct {
	// OnStartedLeading runs in a process of its own.
	OnStartedLeading func(p *sim.Proc)
	// OnStoppedLeading is called when Run returns, for whatever reason.
	OnStoppedLeading func(p *sim.Proc)
	// OnNewLeader is called when somebody else than before leads, this candidate included. It may be nil.
	OnNewLeader func(identity string)
}

// LeaderElector is a candidate. Upstream: leaderelection.go, LeaderElector.
type LeaderElector struct {
	config LeaderElectionConfig
	rand   *sim.Rand

	// observedRecord is what was last seen in the lock, and observedTime when
	// that was new, by this candidate's clock.
	observedRecord resourcelock.LeaderElectionRecord
	observedTime   time.Duration
	// reportedLeader is who OnNewLeader was last called with.
	reportedLeader string

	cancelled bool
	pausing   *sim.Proc // waits for its next try
}

// NewLeaderElector checks the configuration.
func NewLeaderElector(c *sim.Component, lec LeaderElectionConfig) (*LeaderElector, error) {
	switch {
	case lec.LeaseDuration <= lec.RenewDeadline:
		return nil, errors.New("leaseDuration must be greater than renewDeadline")
	case lec.RenewDeadline <= lec.RetryPeriod*JitterFactor/100:
		return nil, errors.New("renewDeadline must be greater than retryPeriod*JitterFactor")
	case lec.LeaseDuration < 1, lec.RenewDeadline < 1, lec.RetryPeriod < 1:
		return nil, errors.New("leaseDuration, renewDeadline and retryPeriod must be greater than zero")
	case lec.Callbacks.OnStartedLeading == nil:
		return nil, errors.New("OnStartedLeading callback must not be nil")
	case lec.Callbacks.OnStoppedLeading == nil:
		return nil, errors.New("OnStoppedLeading callback must not be nil")
	case lec.Lock == nil:
		return nil, errors.New("Lock must not be nil")
	case lec.Lock.Identity() == "":
		return nil, errors.New("Lock identity is empty")
	}
	return &LeaderElector{config: lec, rand: c.Kernel().Rand(c.Name() + "/leader-election")}, nil
}

// Run waits until this candidate leads, and returns when it no longer does, or
// was cancelled.
func (le *LeaderElector) Run(p *sim.Proc) {
	if le.acquire(p) {
		p.Component().Go("leading", le.config.Callbacks.OnStartedLeading)
		le.renew(p)
	}
	le.config.Callbacks.OnStoppedLeading(p)
}

// Cancel has Run return soon. Upstream cancels the context that Run was given.
func (le *LeaderElector) Cancel() {
	le.cancelled = true
	if le.pausing != nil {
		le.pausing.Wake()
	}
}

// IsLeader tells whether this candidate was seen to lead.
func (le *LeaderElector) IsLeader() bool {
	return le.observedRecord.HolderIdentity == le.config.Lock.Identity()
}

// GetLeader is who was last seen to lead.
func (le *LeaderElector) GetLeader() string { return le.observedRecord.HolderIdentity }

// acquire tries until it works; false when cancelled first.
func (le *LeaderElector) acquire(p *sim.Proc) bool {
	log, desc := p.Logger(), le.config.Lock.Describe()
	log.Info("Attempting to acquire leader lease...", "lock", desc)
	for !le.cancelled {
		succeeded := le.tryAcquireOrRenew(p)
		le.maybeReportTransition()
		if succeeded {
			le.config.Lock.RecordEvent("became leader")
			log.Info("Successfully acquired lease", "lock", desc)
			return true
		}
		log.V(4).Info("Failed to acquire lease", "lock", desc)
		le.pause(p, wait.Jitter(le.rand, le.config.RetryPeriod, JitterFactor))
	}
	return false
}

// renew keeps the lease until that fails for the renew deadline.
func (le *LeaderElector) renew(p *sim.Proc) {
	log, desc := p.Logger(), le.config.Lock.Describe()
	for !le.cancelled {
		renewed := false
		for deadline := p.Now() + le.config.RenewDeadline; !le.cancelled; {
			renewed = le.tryAcquireOrRenew(p)
			if renewed || p.Now()+le.config.RetryPeriod > deadline {
				break
			}
			le.pause(p, le.config.RetryPeriod)
		}
		le.maybeReportTransition()
		if !renewed {
			log.Info("Failed to renew lease", "lock", desc, "err", "context deadline exceeded")
			break
		}
		log.V(5).Info("Successfully renewed lease", "lock", desc)
		le.pause(p, le.config.RetryPeriod)
	}
	if le.config.ReleaseOnCancel {
		le.release(p)
	}
}

func (le *LeaderElector) pause(p *sim.Proc, d time.Duration) {
	if le.cancelled {
		return
	}
	le.pausing = p
	p.ParkFor(d)
	le.pausing = nil
}

// release gives a lease up that this candidate holds: it lasts a second more,
// and nobody holds it.
func (le *LeaderElector) release(p *sim.Proc) {
	log, desc := p.Logger(), le.config.Lock.Describe()
	if _, err := le.config.Lock.Get(p); err != nil {
		log.Error(err, "error retrieving resource lock", "lock", desc)
		return
	}
	if !le.IsLeader() {
		return
	}
	now := metav1.NewMicroTime(p.Time())
	record := resourcelock.LeaderElectionRecord{LeaderTransitions: le.observedRecord.LeaderTransitions, LeaseDurationSeconds: 1, RenewTime: now,
		AcquireTime: now}
	if err := le.config.Lock.Update(p, record); err != nil {
		log.Error(err, "Failed to release lease", "lock", desc)
		return
	}
	le.observe(p, record)
}

// tryAcquireOrRenew takes the lease if nobody has it or it ran out, and renews
// it if this candidate has it. It tells whether this candidate has it now.
func (le *LeaderElector) tryAcquireOrRenew(p *sim.Proc) bool {
	log, desc := p.Logger(), le.config.Lock.Describe()
	stamp, now := metav1.NewMicroTime(p.Time()), p.Now()
	record := resourcelock.LeaderElectionRecord{
		HolderIdentity:       le.config.Lock.Identity(),
		LeaseDurationSeconds: int32(le.config.LeaseDuration / time.Second),
		RenewTime:            stamp,
		AcquireTime:          stamp,
	}
	// The leader writes on what it saw last: nobody else should have written since.
	if le.IsLeader() && le.isLeaseValid(now) {
		record.AcquireTime, record.LeaderTransitions = le.observedRecord.AcquireTime, le.observedRecord.LeaderTransitions
		err := le.config.Lock.Update(p, record)
		if err == nil {
			le.observe(p, record)
			return true
		}
		log.Error(err, "Failed to update lease optimistically, falling back to slow path", "lock", desc)
	}
	old, err := le.config.Lock.Get(p)
	if apierrors.IsNotFound(err) {
		record.AcquireTime, record.LeaderTransitions = stamp, 0
		if err := le.config.Lock.Create(p, record); err != nil {
			log.Error(err, "Error initially creating lease lock", "lock", desc)
			return false
		}
		le.observe(p, record)
		return true
	}
	if err != nil {
		log.Error(err, "Error retrieving lease lock", "lock", desc)
		return false
	}
	if !le.observedRecord.Same(*old) {
		le.observe(p, *old)
	}
	if old.HolderIdentity != "" && le.isLeaseValid(now) && !le.IsLeader() {
		log.V(4).Info("Lease is held by and has not yet expired", "lock", desc, "holder", old.HolderIdentity)
		return false
	}
	if le.IsLeader() {
		record.AcquireTime, record.LeaderTransitions = old.AcquireTime, old.LeaderTransitions
	} else {
		record.LeaderTransitions = old.LeaderTransitions + 1
	}
	if err := le.config.Lock.Update(p, record); err != nil {
		log.Error(err, "Failed to update lease", "lock", desc)
		return false
	}
	le.observe(p, record)
	return true
}

func (le *LeaderElector) observe(p *sim.Proc, record resourcelock.LeaderElectionRecord) {
	le.observedRecord, le.observedTime = record, p.Now()
}

func (le *LeaderElector) isLeaseValid(now time.Duration) bool {
	return le.observedTime+time.Duration(le.observedRecord.LeaseDurationSeconds)*time.Second > now
}

func (le *LeaderElector) maybeReportTransition() {
	if le.observedRecord.HolderIdentity == le.reportedLeader {
		return
	}
	le.reportedLeader = le.observedRecord.HolderIdentity
	if le.config.Callbacks.OnNewLeader != nil {
		le.config.Callbacks.OnNewLeader(le.reportedLeader)
	}
}
